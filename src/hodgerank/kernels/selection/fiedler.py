"""The Fiedler rule: components, and the pair farthest apart in the eigenspace of lambda_2."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.selection.tie_breaking import consider, item_keys, none_yet
from hodgerank.types import BoolArray, FloatArray, IntArray

SAME = 1e-8  # eigenvalues closer than this, relatively, are equal
MOST_STARTS = 4  # of the search for the lowest eigenvalue
STEPS_FROM_BELOW = 5  # at each start: with fewer, later steps often converge to the next one
MOST_STEPS = 10  # of the iteration from each start
HALVINGS = 10  # of the bracket before the next start


@compiled
def component_labels(counts: IntArray, shared: int) -> tuple[IntArray, int]:
    """Label components connected by pairs i < j asked more than `shared` times, and count them."""
    n = len(counts)
    labels = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    found = 0
    for root in range(n):
        if labels[root] >= 0:
            continue
        labels[root] = found
        stack[0] = root
        top = 1
        while top:
            top -= 1
            a = stack[top]
            for b in range(n):
                if labels[b] < 0 and counts[min(a, b), max(a, b)] > shared:
                    labels[b] = found
                    stack[top] = b
                    top += 1
        found += 1
    return labels, found


@compiled
def fewest_asked(counts: IntArray, blocked: BoolArray) -> int:
    """Return the smallest count of a pair i < j that may be asked."""
    n = len(counts)
    fewest = 2**62
    for a in range(n - 1):
        for b in range(a + 1, n):
            if counts[a, b] < fewest and not blocked[a, b]:
                fewest = counts[a, b]
    return fewest


@compiled
def farthest_pair(
    points: FloatArray,
    counts: IntArray,
    fewest: int,
    blocked: BoolArray,
    has_blocked: bool,
    key: int,
) -> tuple[int, int]:
    """Return the pair farthest apart among those asked `fewest` times; `points` has item rows."""
    n, dimensions = points.shape
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if counts[a, b] > fewest or (has_blocked and blocked[a, b]):
                continue
            distance = 0.0
            for k in range(dimensions):
                difference = points[a, k] - points[b, k]
                distance += difference * difference
            best = consider(best, a, b, distance, keys[a] ^ keys[b])
    return best[2], best[3]


@compiled
def smallest_components_pair(
    labels: IntArray, counts: IntArray, fewest: int, blocked: BoolArray, has_blocked: bool, key: int
) -> tuple[int, int]:
    """Choose in a disconnected graph, where the projector on the kernel gives 1/|A| + 1/|B|."""
    n = len(labels)
    keys = item_keys(key, n)
    sizes = np.zeros(n)
    for a in range(n):
        sizes[labels[a]] += 1
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if counts[a, b] > fewest or (has_blocked and blocked[a, b]):
                continue
            gain = 0.0
            if labels[a] != labels[b]:
                gain = 1 / sizes[labels[a]] + 1 / sizes[labels[b]]
            best = consider(best, a, b, gain, keys[a] ^ keys[b])
    return best[2], best[3]


@compiled(fastmath={"reassoc", "contract", "nsz"})
def _dot(x: FloatArray, y: FloatArray) -> float:
    """Return the scalar product of short vectors, for which BLAS is slower."""
    total = 0.0
    for m in range(len(x)):
        total += x[m] * y[m]
    return total


@compiled
def _capacitance(
    values: FloatArray, Z: FloatArray, weights: FloatArray, shift: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """K = W^-1 + Z (Lambda - shift)^-1 Z^T, for the Woodbury inverse of Lambda - shift + Z^T W Z.

    Also returns the inverse of Lambda - shift, and Z times it.
    """
    r = len(Z)
    K, inverse = np.empty((r, r)), 1 / (values - shift)
    scaled = Z * inverse
    for k in range(r):
        for other in range(k + 1):
            K[k, other] = K[other, k] = _dot(scaled[k], Z[other])
        K[k, k] += 1 / weights[k]
    return K, inverse, scaled


@compiled
def _n_below(values: FloatArray, Z: FloatArray, weights: FloatArray, shift: float) -> int:
    """Count the eigenvalues of Lambda + Z^T W Z below the shift, by Sylvester's law of inertia."""
    K, _, _ = _capacitance(values, Z, weights, shift)
    eigenvalues = np.linalg.eigvalsh(K)
    n_lower = np.count_nonzero(values < shift)
    return int(n_lower + np.count_nonzero(eigenvalues > 0) - np.count_nonzero(weights > 0))


@compiled
def _inverse_steps(
    values: FloatArray, Z: FloatArray, weights: FloatArray, shift: float, x: FloatArray, n: int
) -> tuple[FloatArray, float, float]:
    """(Lambda - shift + Z^T W Z)^-n x, normalised, its Rayleigh quotient and its residual.

    For x of length 1 an eigenvalue is at most the residual away from the shift.
    """
    K, inverse, scaled = _capacitance(values, Z, weights, shift)
    y, residual, r = x, 0.0, len(Z)
    projections = np.empty(r)
    for _ in range(n):
        y = y * inverse
        for k in range(r):
            projections[k] = _dot(Z[k], y)
        moved = np.linalg.solve(K, projections)
        for k in range(r):
            y -= moved[k] * scaled[k]
        residual = 1 / float(np.sqrt(_dot(y, y)))
        y *= residual
    value = _dot(values, y * y)
    for k in range(r):
        value += weights[k] * _dot(Z[k], y) ** 2
    return y, value, residual


@compiled
def lowest_eigenvector(
    values: FloatArray, Z: FloatArray, weights: FloatArray, x: FloatArray, below: float
) -> tuple[float, FloatArray, int]:
    """Return the smallest eigenvalue of Lambda + Z^T W Z, its eigenvector, and its multiplicity.

    Z has a row for each change. `x` is a guess and `below` a lower bound of the eigenvalue. Inverse
    iteration from that bound leads close to the smallest; Rayleigh quotient iteration, which
    triples the digits at each step, converges to one. The law of inertia tells whether it is the
    smallest. If the next eigenvalue is too close to decide, the multiplicity counts both; if the
    iteration found no eigenvalue, it is 0.
    """
    rounding = 1e-10 * values.max()
    low = below - rounding
    y, value, _ = _inverse_steps(values, Z, weights, low, x, STEPS_FROM_BELOW)
    multiplicity = 0
    for _ in range(MOST_STARTS):
        for _ in range(MOST_STEPS):
            y, value, residual = _inverse_steps(values, Z, weights, value + 1e-3 * rounding, y, 1)
            if residual <= rounding:
                break
        else:  # between eigenvalues, where inertia counts the same as at one of them
            return value, y, 0
        multiplicity = _n_below(values, Z, weights, value * (1 + SAME) + 10 * rounding)
        if multiplicity == 1 or _n_below(values, Z, weights, value - 10 * rounding) == 0:
            break
        high = value
        for _ in range(HALVINGS):  # continue from the last start: the next one may be close
            middle = (low + high) / 2
            if _n_below(values, Z, weights, middle) == 0:
                low = middle
            else:
                high = middle
        y, value, _ = _inverse_steps(values, Z, weights, low, x + 1e-3, STEPS_FROM_BELOW)
    return value, y, multiplicity
