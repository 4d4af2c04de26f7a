"""The pair of largest gain, found without computing most gains.

A gain takes a logarithm or an error function; an upper bound of it takes neither. Rows of pairs
whose bounds stay below the best gain found so far are passed over, and the best partner each item
had at the last search gives a threshold to start from.

A criterion is two matrices over pairs and one rule. C holds the variance of each difference. R, how
much each pair matters for the order of all, is used by `ORDER` alone; others are given C again.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.selection import information, misordering
from hodgerank.kernels.selection.ties import TIE, Best, consider, item_keys, none_yet
from hodgerank.types import BoolArray, FloatArray, IntArray

# Rules: expected information, the same as the paper prints it, fewer misordered pairs.
CLAMPED, PAPER, ORDER = 0, 1, 2


@compiled(inline="always")
def _gain(rule: int, link: int, c: float, r: float, D: float) -> float:
    if rule == ORDER:
        return max(0.0, misordering.order_gain(c, r, D))
    return information.information(c, information.outcome_spread(D, link, rule == PAPER))


@compiled(inline="always")
def _least(rule: int, best: Best) -> float:
    """The gain to be reached, in the unit of the rule's bounds."""
    enough = best[0] * (1 - TIE)
    return enough / misordering.MOST_SENSITIVE if rule == ORDER else 2 * enough


@compiled(inline="always")
def _may_exceed(rule: int, link: int, c: float, r: float, D: float, least: float) -> bool:
    if rule == ORDER:
        return misordering.may_exceed(c, r, D, least)
    return information.may_exceed(c, information.outcome_spread(D, link, rule == PAPER), least)


@compiled(inline="always")
def _row_may_exceed(
    rule: int,
    link: int,
    c: FloatArray,
    r: FloatArray,
    mean_a: float,
    mean: FloatArray,
    least: float,
) -> bool:
    if rule == ORDER:
        return misordering.row_may_exceed(c, r, mean_a, mean, least)
    return information.row_may_exceed(c, mean_a, mean, link, rule == PAPER, least)


@compiled
def gains_of_pairs(
    rule: int, link: int, C: FloatArray, R: FloatArray, mean: FloatArray, i: IntArray, j: IntArray
) -> FloatArray:
    """Gain of each listed pair i < j."""
    gains = np.empty(len(i))
    for k in range(len(i)):
        a, b = i[k], j[k]
        gains[k] = _gain(rule, link, C[a, b], R[a, b], mean[a] - mean[b])
    return gains


@compiled
def best_pair(
    rule: int,
    link: int,
    C: FloatArray,
    R: FloatArray,
    mean: FloatArray,
    blocked: BoolArray,
    has_blocked: bool,
    key: int,
    leaders: IntArray,
) -> tuple[int, int]:
    """The pair (i, j) of largest gain; `leaders` remembers each item's best partner."""
    n = len(C)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        b = leaders[a]
        if b > a and not (has_blocked and blocked[a, b]):
            gain = _gain(rule, link, C[a, b], R[a, b], mean[a] - mean[b])
            best = consider(best, a, b, gain, keys[a] ^ keys[b])
    for a in range(n - 1):
        least, after = _least(rule, best), a + 1
        if not _row_may_exceed(
            rule, link, C[a, after:], R[a, after:], mean[a], mean[after:], least
        ):
            continue
        highest = -1.0
        for b in range(after, n):
            D = mean[a] - mean[b]
            if _may_exceed(rule, link, C[a, b], R[a, b], D, least) and not (
                has_blocked and blocked[a, b]
            ):
                gain = _gain(rule, link, C[a, b], R[a, b], D)
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
                least = _least(rule, best)
                if gain > highest:
                    highest = gain
                    leaders[a] = b
    return best[2], best[3]
