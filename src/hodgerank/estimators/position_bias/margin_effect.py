"""Position bias of margins, such as home advantage: its least-squares estimate and interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.hypothesis_tests import interval_quantile

UNIDENTIFIED = 1e-9  # share of the votes' information that the scores leave to the bias


class MarginEffect(NamedTuple):
    """Position bias in the unit of the margins, with a t interval and the p-value of no bias."""

    value: float
    stderr: float
    lower: float
    upper: float
    p_value: float


def margin_effect(answered: AnsweredGraph, confidence: float) -> MarginEffect | None:
    """Return the effect b of y = D0 x + b on the votes whose display order is known.

    With c = 1 on these votes, g = D0^T W c and x the scores without b, the part of c that no scores
    explain has the size q = c^T W c - g^T L^+ g; then b = (c^T W y - g^T x) / q, with the variance
    s^2 / q and s^2 = (RSS - b^2 q) / (m - n + components - 1). None if q is 0, because scores
    explain the display order, or without degrees of freedom.
    """
    votes, graph = answered.votes, answered.graph
    weight = votes.total_weight * votes.display_known
    surplus = np.bincount(votes.left, weight, votes.n_items).astype(float)
    surplus -= np.bincount(votes.right, weight, votes.n_items)
    shown = float(weight.sum())
    size = shown - float(surplus @ graph.equations.solve(surplus))
    freedom = graph.n_votes - graph.n_items + graph.n_components - 1
    if size <= UNIDENTIFIED * shown or freedom < 1:
        return None
    scores = answered.scores
    value = float(weight @ votes.outcome - surplus @ scores) / size
    total = float(graph.squares.sum())
    rss = total - float(scores @ graph.surplus) - value**2 * size
    if rss <= UNIDENTIFIED * total:
        return None
    error = float(np.sqrt(rss / freedom / size))
    half = interval_quantile(confidence, freedom) * error
    p_value = 2 * float(stdtr(freedom, -abs(value / error)))
    return MarginEffect(value, error, value - half, value + half, p_value)
