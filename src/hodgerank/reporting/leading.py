"""Who leads, who may be as good, and how certain that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.estimators.certainty import (
    certainties,
    leader_is_certain,
    possible_leaders,
    top_k_certainty,
)
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, Item

# After k answers that all prefer the leader, the other is better with a probability of at most
# 2^-k over the mean likelihood of the answers if the leader is better, which is taken as 1/4.
DOUBT = 4.0


@dataclass(frozen=True)
class Leading:
    """The leader first, then whoever may be as good."""

    items: tuple[Item, ...]
    is_certain: bool
    certainty: float


def leading(ranking: Ranking, graph: ComparisonGraph, *, sides: bool = False) -> Leading:
    """By the posterior, and by direct answers that are all of one opinion.

    The posterior is taken as normal, which it is not where nobody ever preferred the other item:
    there it never gets quite certain, however many the answers. Not where `sides` are in the model:
    who leans to one may be of one opinion about that alone.
    """
    rows = np.flatnonzero(ranking.components == 0)
    among = tuple(ranking.items[k] for k in rows)
    certainty = top_k_certainty(ranking, 1, among)
    rivals = possible_leaders(ranking)
    if sides or leader_is_certain(ranking) or ranking.is_clustered:
        return Leading(rivals, leader_is_certain(ranking), certainty)
    direct = _doubt_of_unanimous(ranking, graph)[rows[1:]]
    level = 1 - ranking.confidence
    beaten = {item for item, doubt in zip(among[1:], direct, strict=True) if doubt <= level / 2}
    left = tuple(item for item in rivals if item not in beaten)
    believed = 1 - certainties(ranking, np.repeat(rows[:1], len(rows) - 1), rows[1:])
    doubt = float(np.minimum(believed, direct).sum())
    is_certain = len(left) == 1 and doubt <= level
    return Leading(left, is_certain, max(certainty, 1 - doubt))


def _doubt_of_unanimous(ranking: Ranking, graph: ComparisonGraph) -> FloatArray:
    """How probable it is at most that an item is better than the leader; 1 unless all agree."""
    leader = graph.items.index(ranking.items[0])
    edges = np.flatnonzero((graph.i == leader) | (graph.j == leader))
    towards = np.where(graph.i[edges] == leader, 1.0, -1.0)
    edges = edges[graph.flows[edges] == towards]
    doubt = np.ones(len(graph.items))
    others = graph.i[edges] + graph.j[edges] - leader
    answers = np.minimum(graph.counts[edges], graph.weights[edges])
    doubt[others] = np.minimum(1.0, DOUBT * 0.5**answers)
    place = {item: code for code, item in enumerate(graph.items)}
    return doubt[[place[item] for item in ranking.items]]
