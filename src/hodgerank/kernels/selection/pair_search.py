"""The pair of largest gain, found without computing most gains, and several pairs in turn."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.posterior import expect, expected_precision, news, put_back, scale_news
from hodgerank.kernels.selection import information, misordering
from hodgerank.kernels.selection.information import widest_pair
from hodgerank.kernels.selection.misordering import expect_order
from hodgerank.kernels.selection.tie_breaking import TIE, Best, consider, item_keys, none_yet
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

# Criteria: clamped information, information as printed in the paper, misordered pairs.
CLAMPED, PAPER, ORDER = 0, 1, 2


@compiled(inline="always")
def _gain(rule: int, link: int, c: float, r: float, D: float) -> float:
    if rule == ORDER:
        return max(0.0, misordering.order_gain(c, r, D))
    return information.information(c, information.outcome_spread(D, link, rule == PAPER))


@compiled(inline="always")
def _least(rule: int, best: Best) -> float:
    """Return the gain to reach, in the unit of the rule's bounds."""
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
    if link == information.UNIFORM:
        return information.uniform_row_may_exceed(c, mean_a, mean, rule == PAPER, least)
    return information.row_may_exceed(c, mean_a, mean, link, rule == PAPER, least)


@compiled
def gains_of_pairs(
    rule: int, link: int, C: FloatArray, R: FloatArray, mean: FloatArray, i: IntArray, j: IntArray
) -> FloatArray:
    """Return the gain of each listed pair i < j."""
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
    """Return the pair (i, j) of largest gain; `leaders` holds each item's best partner so far."""
    n = len(C)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        b = leaders[a]
        if b > a and not (has_blocked and blocked[a, b]):
            c, r, D = C[a, b], R[a, b], mean[a] - mean[b]
            if _may_exceed(rule, link, c, r, D, _least(rule, best)):
                best = consider(best, a, b, _gain(rule, link, c, r, D), keys[a] ^ keys[b])
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


@compiled
def dense_pairs(
    by_variance: bool,
    rule: int,
    link: int,
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    leaders: IntArray,
    blocked: BoolArray,
    has_blocked: bool,
    once: bool,
    keys: IntArray,
) -> tuple[IntArray, IntArray]:
    """Choose pairs of largest variance or information in turn; all but the last become pending.

    With `once` each is blocked when it is chosen.
    """
    i, j = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    for k in range(len(keys)):
        if k > 0:
            expect(C, s, i[k - 1], j[k - 1], 1.0)
        if by_variance:
            a, b = widest_pair(C, blocked, has_blocked, keys[k])
        else:
            a, b = best_pair(rule, link, C, C, mean, blocked, has_blocked, keys[k], leaders)
        if a < 0:
            return i[:k], j[:k]
        i[k], j[k] = a, b
        if once:
            blocked[a, b] = True
    return i, j


@compiled
def order_pairs(
    C: FloatArray,
    R: FloatArray,
    known: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    q: FloatArray,
    leaders: IntArray,
    rho: float,
    asked_i: IntArray,
    asked_j: IntArray,
    times: IntArray,
    n_asked: int,
    row: CodeArray,
    blocked: BoolArray,
    has_blocked: bool,
    once: bool,
    keys: IntArray,
) -> tuple[IntArray, IntArray]:
    """Choose pairs whose votes put most pairs in order; `known` is C without pending pairs.

    If repeated votes are correlated, rho is the correlation, the first `n_asked` entries are the
    asked pairs with their counts, and `row` holds the position of each pair among them (-1: none).
    There is space for all chosen pairs.
    """
    i, j = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    back = np.empty(len(times))
    for k in range(len(keys)):
        if k > 0:
            a, b = i[k - 1], j[k - 1]
            precision = expected_precision(known[a, b], mean[a] - mean[b])
            if rho > 0:
                e = row[a, b]
                if e < 0:
                    e = row[a, b] = n_asked
                    asked_i[e], asked_j[e], times[e] = a, b, 0
                    n_asked += 1
                precision *= news(rho, times[e])
                times[e] += 1
            expect_order(C, R, s, q, a, b, precision)
        if rho > 0:
            scale_news(R, asked_i[:n_asked], asked_j[:n_asked], times[:n_asked], rho, back)
        a, b = best_pair(ORDER, 0, C, R, mean, blocked, has_blocked, keys[k], leaders)
        if rho > 0:
            put_back(R, asked_i[:n_asked], asked_j[:n_asked], back)
        if a < 0:
            return i[:k], j[:k]
        i[k], j[k] = a, b
        if once:
            blocked[a, b] = True
    return i, j
