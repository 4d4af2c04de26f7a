"""The Fiedler rule: components, the pair farthest apart in the eigenspace of lambda_2."""

import numba
import numpy as np

from hodgerank.kernels.choice import consider, item_keys, none_yet

SAME = 1e-8  # eigenvalues closer than this, relatively, are one


@numba.njit(cache=True)
def component_labels(counts, shared):  # type: ignore[no-untyped-def]
    """Component of each item, joined by pairs i < j asked more than `shared` times; how many."""
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


@numba.njit(cache=True)
def fewest_asked(counts, blocked):  # type: ignore[no-untyped-def]
    """Smallest count of a pair i < j that may be asked."""
    n = len(counts)
    fewest = np.int64(2**62)
    for a in range(n - 1):
        for b in range(a + 1, n):
            if counts[a, b] < fewest and not blocked[a, b]:
                fewest = counts[a, b]
    return fewest


@numba.njit(cache=True)
def farthest_pair(points, counts, fewest, blocked, has_blocked, key):  # type: ignore[no-untyped-def]
    """Among the pairs asked `fewest` times, the one farthest apart; `points` has a row per item."""
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


@numba.njit(cache=True)
def smallest_components_pair(labels, counts, fewest, blocked, has_blocked, key):  # type: ignore[no-untyped-def]
    """The same in a disconnected graph, where the projector on the kernel gives 1/|A| + 1/|B|."""
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


@numba.njit(cache=True)
def _capacitance(values, Z, signs, shift):  # type: ignore[no-untyped-def]
    """K = W^-1 + Z^T (Lambda - shift)^-1 Z, by which Woodbury inverts Lambda - shift + Z W Z^T."""
    n, r = Z.shape
    scaled = np.empty((n, r))
    for m in range(n):
        inverse = 1 / (values[m] - shift)
        for k in range(r):
            scaled[m, k] = Z[m, k] * inverse
    K = Z.T @ scaled
    for k in range(r):
        K[k, k] += signs[k]
    return K, scaled


@numba.njit(cache=True)
def _n_below(values, Z, signs, shift):  # type: ignore[no-untyped-def]
    """How many eigenvalues of Lambda + Z W Z^T lie below the shift: Sylvester's law of inertia."""
    K, _ = _capacitance(values, Z, signs, shift)
    eigenvalues = np.linalg.eigvalsh(K)
    return np.sum(values < shift) + np.sum(eigenvalues > 0) - np.sum(signs > 0)


@numba.njit(cache=True)
def _inverse_step(values, Z, signs, shift, x):  # type: ignore[no-untyped-def]
    """(Lambda - shift + Z W Z^T)^-1 x, normalised, and its Rayleigh quotient."""
    K, scaled = _capacitance(values, Z, signs, shift)
    y = x / (values - shift)
    y -= scaled @ np.linalg.solve(K, Z.T @ y)
    y /= np.sqrt(y @ y)
    projections = Z.T @ y
    return y, np.sum(values * y * y) + np.sum(signs * projections * projections)


@numba.njit(cache=True)
def lowest_eigenvector(values, Z, signs, x, below):  # type: ignore[no-untyped-def]
    """Smallest eigenvalue of Lambda + Z W Z^T, its eigenvector, and its multiplicity.

    `x` is a guess and `below` a lower bound of the eigenvalue. Rayleigh quotient iteration, which
    triples the digits at each step; the law of inertia tells whether it found the smallest.
    """
    rounding = 1e-10 * values.max()
    low, high = below - rounding, values.max()
    y, value = _inverse_step(values, Z, signs, low, x)
    while True:
        for _ in range(10):
            before = value
            y, value = _inverse_step(values, Z, signs, value + 1e-3 * rounding, y)
            if abs(value - before) <= rounding:
                break
        multiplicity = _n_below(values, Z, signs, value * (1 + SAME) + 10 * rounding)
        if multiplicity == 1 or _n_below(values, Z, signs, value - 10 * rounding) == 0:
            return value, y, multiplicity
        high = value
        while high - low > 1e-3 * (high - below) + 100 * rounding:
            middle = (low + high) / 2
            if _n_below(values, Z, signs, middle) == 0:
                low = middle
            else:
                high = middle
        y, value = _inverse_step(values, Z, signs, low, x + 1e-3)
        y, value = _inverse_step(values, Z, signs, low, y)
