"""Numerics of latent classes of workers: P(i preferred) = logistic(a_w (x_gi - x_gj) + b_w side).

A cell holds equal comparisons of items i and j, in which `won` of a total `weight` preferred i.
`row` is the row of its parameters: its worker, or its worker in one fold. Arrays of parameters have
one row per class; `d` holds the differences x_gi - x_gj of every class and cell. Cells of weight 0
are left out.
"""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray

ACUITY = 1.0  # mean of its prior, with variance 1; position bias has mean 0 and variance 1
NO_SHARE, NO_REACH = 1e-9, 1e-9


@compiled(inline="always")
def _logistic(t: float) -> float:
    return 1 / (1 + math.exp(-t))


@compiled(error_model="numpy")
def update_workers(
    starts: CodeArray,
    side: FloatArray,
    won: FloatArray,
    weight: FloatArray,
    d: FloatArray,
    a: FloatArray,
    b: FloatArray,
    n_steps: int,
) -> tuple[FloatArray, FloatArray]:
    """Take Newton steps of acuity a and position bias b of every worker and class, in place.

    The cells of worker w are those from `starts[w]` to `starts[w + 1]`. Return the Laplace
    approximation of the log marginal likelihood before the last step, and the precision of (a, b)
    there (its entries aa, ab, bb).
    """
    n_classes, n_workers = a.shape
    marginal, precision = np.empty((n_classes, n_workers)), np.empty((n_classes, n_workers, 3))
    for g in range(n_classes):
        for w in range(n_workers):
            acuity, bias = a[g, w], b[g, w]
            for _ in range(n_steps):
                fit = -0.5 * ((acuity - ACUITY) ** 2 + bias**2)
                to_a, to_b = ACUITY - acuity, -bias
                aa, ab, bb = 1.0, 0.0, 1.0
                farthest = 0.0
                for c in range(starts[w], starts[w + 1]):
                    if weight[c] == 0:
                        continue
                    apart, s = d[g, c], side[c]
                    farthest = max(farthest, abs(apart))
                    t = acuity * apart + bias * s
                    tail = math.exp(-abs(t))
                    rest = 1 / (1 + tail)
                    p = rest if t > 0 else 1 - rest
                    # log(1 + exp(t)) is max(t, 0) - log(rest)
                    fit += won[c] * t - weight[c] * (max(t, 0.0) - math.log(rest))
                    miss, curve = won[c] - weight[c] * p, weight[c] * tail * rest * rest
                    to_a += miss * apart
                    to_b += miss * s
                    aa += curve * apart * apart
                    ab += curve * apart * s
                    bb += curve * s * s
                determinant = aa * bb - ab * ab
                u = (bb * to_a - ab * to_b) / determinant
                v = (aa * to_b - ab * to_a) / determinant
                # the logistic likelihood rises along a step of this length [Sun19]
                reach = abs(u) * farthest + abs(v)
                length = math.log1p(reach) / reach if reach > NO_REACH else 1.0
                acuity += length * u
                bias += length * v
            a[g, w], b[g, w] = acuity, bias
            marginal[g, w] = fit - 0.5 * math.log(determinant)
            precision[g, w, 0], precision[g, w, 1], precision[g, w, 2] = aa, ab, bb
    return marginal, precision


@compiled(error_model="numpy")
def score_equations(
    row: CodeArray,
    i: CodeArray,
    j: CodeArray,
    side: FloatArray,
    won: FloatArray,
    weight: FloatArray,
    d: FloatArray,
    a: FloatArray,
    b: FloatArray,
    precision: FloatArray,
    share: FloatArray,
    n_items: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the information matrix and the gradient of the scores of every class.

    Acuity and bias are integrated out to second order: without their variance, workers with few
    votes would exaggerate the scores.
    """
    n_classes = len(d)
    information, gradient = np.zeros((n_classes, n_items, n_items)), np.zeros((n_classes, n_items))
    for g in range(n_classes):
        for c in range(len(row)):
            w = row[c]
            if weight[c] == 0 or share[g, w] < NO_SHARE:
                continue
            k, m, slope = i[c], j[c], a[g, w]
            aa, ab, bb = precision[g, w]
            determinant = aa * bb - ab * ab
            p = _logistic(slope * d[g, c] + b[g, w] * side[c])
            curve = share[g, w] * weight[c] * p * (1 - p)
            miss = share[g, w] * slope * (won[c] - weight[c] * p)
            miss -= curve * (bb * d[g, c] - ab * side[c]) / determinant
            curve *= slope**2 + bb / determinant
            gradient[g, k] += miss
            gradient[g, m] -= miss
            information[g, k, k] += curve
            information[g, m, m] += curve
            information[g, k, m] -= curve
            information[g, m, k] -= curve
    return information, gradient


@compiled(error_model="numpy")
def predict(
    row: CodeArray,
    i: CodeArray,
    j: CodeArray,
    side: FloatArray,
    d: FloatArray,
    a: FloatArray,
    b: FloatArray,
    precision: FloatArray,
    share: FloatArray,
    covariance: FloatArray,
) -> FloatArray:
    """Return the probability that item i is preferred, averaged over classes and parameters."""
    found = np.zeros(len(row))
    for c in range(len(row)):
        w, k, m, s = row[c], i[c], j[c], side[c]
        for g in range(len(d)):
            aa, ab, bb = precision[g, w]
            determinant, apart = aa * bb - ab * ab, d[g, c]
            spread = covariance[g, k, k] + covariance[g, m, m] - 2 * covariance[g, k, m]
            variance = (bb * apart * apart - 2 * ab * apart * s + aa * s * s) / determinant
            variance += (a[g, w] ** 2 + bb / determinant) * spread
            t = (a[g, w] * apart + b[g, w] * s) / math.sqrt(1 + math.pi * variance / 8)
            found[c] += share[g, w] * _logistic(t)
    return found


@compiled
def _add_gradient(
    i: CodeArray, j: CodeArray, miss: FloatArray, start: int, stop: int,
    own: FloatArray, touched: IntArray, is_touched: FloatArray,
) -> int:  # fmt: skip
    """Add the gradient of some cells to `own`; return how many items they have, in `touched`."""
    n = 0
    for c in range(start, stop):
        for item, sign in ((i[c], 1.0), (j[c], -1.0)):
            if is_touched[item] == 0:
                is_touched[item] = 1
                touched[n] = item
                n += 1
            own[item] += sign * miss[c]
    return n


@compiled
def gradient_products(
    starts: CodeArray, i: CodeArray, j: CodeArray, miss: FloatArray, n_items: int
) -> FloatArray:
    """Sum the outer products of the clusters' gradients of the scores.

    The cells of cluster k are those from `starts[k]` to `starts[k + 1]`, and `miss` is the
    derivative of the log likelihood of each by x_i - x_j.
    """
    total = np.zeros((n_items, n_items))
    own, touched, is_touched = np.zeros(n_items), np.empty(n_items, np.int64), np.zeros(n_items)
    for k in range(len(starts) - 1):
        n = _add_gradient(i, j, miss, starts[k], starts[k + 1], own, touched, is_touched)
        for p in touched[:n]:
            for q in touched[:n]:
                total[p, q] += own[p] * own[q]
        for p in touched[:n]:
            own[p] = is_touched[p] = 0
    return total


@compiled
def own_influence(
    starts: CodeArray, i: CodeArray, j: CodeArray, miss: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Return how far each worker's own votes move the score differences of their cells.

    It is one Newton step; the arguments are those of `gradient_products`.
    """
    n_items = len(covariance)
    found = np.empty(len(miss))
    own, touched, is_touched = np.zeros(n_items), np.empty(n_items, np.int64), np.zeros(n_items)
    for k in range(len(starts) - 1):
        n = _add_gradient(i, j, miss, starts[k], starts[k + 1], own, touched, is_touched)
        for c in range(starts[k], starts[k + 1]):
            moved = 0.0
            for p in touched[:n]:
                moved += (covariance[i[c], p] - covariance[j[c], p]) * own[p]
            found[c] = moved
        for p in touched[:n]:
            own[p] = is_touched[p] = 0
    return found
