"""assess_position_bias: test for position bias, and its effect on the ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.estimators.position_bias.adjustment import remove_position_bias
from hodgerank.estimators.position_bias.bias_test import measure_position_bias
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS
from hodgerank.types import FloatArray, Item

ROUNDING = 9  # decimals of scores that are compared
FEWEST_PER_WORKER = 10  # mean number of votes needed for one bias per worker


@dataclass(frozen=True)
class Moves:
    """Change of the least-squares ranking when position bias is modelled.

    Attributes
    ----------
    position_bias
        One bias for everybody ('common') or one for each worker ('worker').
    n_items, n_moved
        Number of items, and of items that change rank.
    places, item
        The largest change of rank, and its item.
    """

    position_bias: Position
    n_items: int
    n_moved: int
    places: int
    item: Item

    def __str__(self) -> str:
        """Return a clause for a sentence."""
        if not self.n_moved:
            return "with position bias in the model no item changes its rank"
        return (
            f"with position bias in the model {self.n_moved:,} of {self.n_items:,} items change "
            f"rank, {self.item} most, by {self.places:,} place{'' if self.places == 1 else 's'}"
        )


@dataclass(frozen=True)
class BiasEstimate:
    """Position bias of all votes, from -1 (right) to 1 (left), with its 95% interval."""

    value: float
    lower: float
    upper: float
    p_value: float


@dataclass(frozen=True, eq=False)
class PositionBiasReport:
    """Test and effect of position bias.

    Attributes
    ----------
    n_known
        Number of votes whose display order is known.
    doubt
        Why left and right are not taken as the display order, if they are not.
    left_rate
        Share of decided votes that prefer left; None if there are none.
    estimate
        Estimated bias towards the left; None if it cannot be estimated.
    """

    answered: AnsweredGraph
    n_known: int
    doubt: str
    left_rate: float | None
    estimate: BiasEstimate | None

    @cached_property
    def moves(self) -> Moves | None:
        """Change of the ranking when position bias is modelled; None if it cannot be modelled."""
        votes = self.answered.votes
        if self.estimate is None or self.left_rate in (0.0, 1.0):
            return None
        own = votes.n_workers > 1 and votes.n_votes >= FEWEST_PER_WORKER * votes.n_workers
        small = min(votes.n_items, votes.n_workers + 1) <= DENSE_ITEMS
        position_bias: Position = "worker" if own and small else "common"
        without = remove_position_bias(self.answered, position_bias, "uniform").fit.scores
        moved = np.abs(self._ranks(without) - self._ranks(self.answered.scores))
        most = int(np.argmax(moved))
        n_moved = int((moved > 0).sum())
        return Moves(position_bias, len(moved), n_moved, int(moved[most]), votes.items[most])

    def _ranks(self, scores: FloatArray) -> FloatArray:
        """Return ranks within each component."""
        components, ranks = self.answered.graph.components, np.empty(len(scores))
        for component in range(int(components.max(initial=-1)) + 1):
            rows = np.flatnonzero(components == component)
            rising = -scores[rows].round(ROUNDING)
            ranks[rows] = np.searchsorted(np.sort(rising), rising)
        return ranks

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        moves = self.moves
        return {
            "votes_with_known_display": self.n_known,
            "display_doubt": self.doubt or None,
            "left_rate": self.left_rate,
            "estimate": None if self.estimate is None else asdict(self.estimate),
            "moves": None if moves is None else asdict(moves),
        }


def assess_position_bias(answered: AnsweredGraph) -> PositionBiasReport:
    """Test whether the votes as a whole have a position bias."""
    votes = answered.votes
    count, shown = votes.votes_per_row, votes.display_known
    decided = int(count @ (shown & (votes.outcome != 0)))
    left = int(count @ (shown & (votes.outcome > 0)))
    found = measure_position_bias(answered, "everybody")
    estimate = None
    if np.isfinite(found.bias[0]):
        parts = (found.bias, found.lower, found.upper, found.p_values)
        estimate = BiasEstimate(*(float(part[0]) for part in parts))
    rate = left / decided if decided else None
    return PositionBiasReport(
        answered, int(count @ shown), votes.report.display_doubt, rate, estimate
    )
