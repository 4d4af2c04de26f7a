"""Several pairs at once, each chosen as if the earlier ones were out.

What is out narrows variances before its answer comes, so each choice changes the matrices that the
next one looks at. All of it in one call, beside which other threads run: between two calls they
would have to be waited for.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.posterior.probit import expected_precision, news, put_back, scale_news
from hodgerank.kernels.posterior.resistance import expect
from hodgerank.kernels.selection.information import widest_pair
from hodgerank.kernels.selection.misordering import expect_order
from hodgerank.kernels.selection.pruned_search import ORDER, best_pair
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray


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
    """Pairs of largest variance or information, as long as there are any; all but the last are out.

    With `once` each is blocked when it is found.
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
    """Pairs whose answers put most pairs in order, likewise; `known` are the variances of answers.

    Where judges repeat themselves, rho says how far, the first `n_asked` entries which pairs were
    asked how often, and `row` where each stands among them, -1: nowhere. There is room for all that
    are chosen.
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
