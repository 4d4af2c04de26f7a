"""Do the pairs that can be asked lead from item to item only by long ways?

Where only neighbours are compared, the scores of items far apart hang on long chains of answers,
and a prior that knows nothing of the chains mistakes the small differences of neighbours for
small differences of all. Whether a design is of that kind is seen from the pairs alone, without
their answers: labels may have chosen the pairs.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.edges.rewiring import rewired
from hodgerank.kernels.linalg.laplacian import components
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.types import CodeArray, FloatArray

CHAINED = 1.1  # mean resistance relative to that of rewired designs
REWIRINGS = 3  # of few items; the larger the graph, the more alike they are
EXACT_ITEMS = 300  # up to which the trace of an inverse is exact
PROBED_ITEMS = 2_000  # by random vectors together, beyond


def has_long_ways(i: CodeArray, j: CodeArray, n: int) -> bool:
    """Whether items lie farther apart than in designs with as many neighbours for each item.

    Measured by tr L^+, the mean effective resistance. Where every item has half of the others for
    neighbours there are no long ways.
    """
    if n < 4 or 4 * len(i) >= n * n:
        return False
    rng = np.random.default_rng(0)
    times = REWIRINGS if n <= EXACT_ITEMS else 1
    others = [total_resistance(*rewired(i, j, n, rng), n) for _ in range(times)]
    return total_resistance(i, j, n) > CHAINED * float(np.mean(others))


def n_long_modes(i: CodeArray, j: CodeArray, n: int) -> float:
    """In how many directions items lie far apart: (tr L^+)^2 / tr (L^+)^2.

    About 1 where a single bottleneck parts them, 2.5 along a chain.
    """
    equations = NormalEquations(i, j, np.ones(len(i)), components(i, j, n))
    if n <= EXACT_ITEMS:
        inverse = equations.inverse
        return float(np.trace(inverse) ** 2 / np.sum(inverse**2))
    signs = _signs(n)
    solved = equations.solve(signs, tolerance=1e-3)
    first, second = (float(np.einsum("ia,ia->", part, solved)) for part in (signs, solved))
    return first**2 / second / len(signs[0])


def total_resistance(i: CodeArray, j: CodeArray, n: int) -> float:
    """The trace of L^+: exact for few items, else estimated by random vectors."""
    equations = NormalEquations(i, j, np.ones(len(i)), components(i, j, n))
    if n <= EXACT_ITEMS:
        return float(equations.inverse_diagonal.values.sum())
    signs = _signs(n)
    solved = equations.solve(signs, tolerance=1e-3)
    return float(np.einsum("ia,ia->", signs, solved)) / len(signs[0])


def _signs(n: int) -> FloatArray:
    """Random vectors, as many as it takes."""
    return np.random.default_rng(1).choice(np.array([-1.0, 1.0]), (n, -(-PROBED_ITEMS // n)))
