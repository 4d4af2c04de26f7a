"""Accuracy of a ranking when the truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.ranking import Ranking
from hodgerank.kernels.rank_order import turned_pairs
from hodgerank.types import FloatArray, ScoresLike

Scores: TypeAlias = ScoresLike | Ranking
"""Aligned scores, a mapping from items to scores, or a ranking."""


def kendall_tau(estimate: Scores, truth: Scores) -> float:
    """Return Kendall's tau over the pairs that the truth orders strictly.

    (concordant - discordant) / (pairs with different true scores). A tie in the estimate counts
    as 0: neither right nor wrong. O(n log n). Unlike tau-b, whose denominator shrinks with ties of
    the estimate, this does not reward ties.

    >>> kendall_tau([3, 2, 2], [3, 2, 1])
    0.6666666666666666
    """
    a, b = _aligned(estimate, truth)
    strictly_ordered = _strict_pairs(b)
    if not strictly_ordered:
        raise InvalidArgument("all true scores are equal: there is no order to agree with")
    return (turned_pairs(b, -a) - turned_pairs(b, a)) / strictly_ordered


def top_k_recall(estimate: Scores, truth: Scores, k: int) -> float:
    """Return the share of the k truly best items among the k estimated best.

    Items tied at the k-th place each count with the probability that a random order of the tied
    items would include them.

    >>> top_k_recall([5, 4, 1, 2], [4, 1, 2, 3], k=2)
    0.5
    """
    a, b = _aligned(estimate, truth)
    if not 1 <= k <= len(a):
        raise InvalidArgument(f"k must be between 1 and {len(a)}, not {k}")
    return float(_membership(a, k) @ _membership(b, k)) / k


def pairwise_accuracy(estimate: Scores, truth: Scores) -> float:
    """Return the share of strictly ordered true pairs in the right order; a tie counts half.

    >>> pairwise_accuracy([3, 2, 2], [3, 2, 1])
    0.8333333333333333
    """
    return (1 + kendall_tau(estimate, truth)) / 2


def _aligned(estimate: Scores, truth: Scores) -> tuple[FloatArray, FloatArray]:
    """Return two vectors of the same length; mappings are aligned by the items of the truth."""
    estimate, truth = (s.score_by_item if isinstance(s, Ranking) else s for s in (estimate, truth))
    if isinstance(estimate, Mapping) and isinstance(truth, Mapping):
        missing = [key for key in truth if key not in estimate]
        if missing:
            raise InvalidArgument(f"the estimate has no score for {missing[:5]}")
        pairs: Any = [(estimate[key], truth[key]) for key in truth]
        estimate, truth = zip(*pairs, strict=True) if pairs else ((), ())
    a, b = np.asarray(estimate, float), np.asarray(truth, float)
    if a.shape != b.shape or a.ndim != 1:
        raise InvalidArgument(
            f"scores must be two vectors of equal length, not {a.shape} and {b.shape}"
        )
    if np.isnan(a).any() or np.isnan(b).any():
        raise InvalidArgument("scores must not be NaN")
    return a, b


def _strict_pairs(x: FloatArray) -> int:
    _, counts = np.unique(x, return_counts=True)
    n = len(x)
    return int(n * (n - 1) // 2 - (counts * (counts - 1) // 2).sum())


def _membership(x: FloatArray, k: int) -> FloatArray:
    """Return the membership of each item in the k largest: 1, 0, or a share if tied."""
    border = np.partition(x, len(x) - k)[len(x) - k]
    above, tied = x > border, x == border
    return np.asarray(above + tied * ((k - above.sum()) / tied.sum()))
