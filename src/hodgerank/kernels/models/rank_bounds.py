"""Rank intervals from pairwise differences.

An item's rank is at least 1 + the number of items surely above it, and at most n - the number
surely below; "surely" means that the difference exceeds z standard errors.
"""

from __future__ import annotations

import numpy as np

from hodgerank.types import FloatArray, IntArray


def rank_bounds(scores: FloatArray, covariance: FloatArray, z: float) -> IntArray:
    """Lower and upper rank of each item (1 is best), a row each, from the full covariance."""
    variances = np.diag(covariance)
    spread = variances[:, None] + variances - 2 * covariance
    sure = scores[:, None] - scores > z * np.sqrt(np.maximum(spread, 0.0))
    return np.column_stack((1 + sure.sum(axis=0), len(scores) - sure.sum(axis=1)))
