"""How well scores that follow the answers foretell each next one."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray

VARIANCE = 0.3  # of scores before the first answer, that of an answer being 1


@compiled
def foretell(
    left: CodeArray, right: CodeArray, outcome: FloatArray, n_items: int
) -> tuple[float, float]:
    """Sum of answers times what was foretold of them, and the sum of the squares of that.

    What is foretold is the difference of scores that follow the answers as if they were normal, and
    independent of each other.
    """
    scores, variances = np.zeros(n_items), np.full(n_items, VARIANCE)
    total, squares = 0.0, 0.0
    for row in range(len(left)):
        a, b = left[row], right[row]
        foretold = scores[a] - scores[b]
        told = foretold * outcome[row]
        total += told
        squares += told * told
        spread = 1.0 + variances[a] + variances[b]
        surprise = (outcome[row] - foretold) / spread
        scores[a] += variances[a] * surprise
        scores[b] -= variances[b] * surprise
        variances[a] -= variances[a] ** 2 / spread
        variances[b] -= variances[b] ** 2 / spread
    return total, squares
