"""Each population against the mean of the others: of two, A - B and B - A."""

from __future__ import annotations

import numpy as np

from hodgerank.types import FloatArray


def contrasts(values: FloatArray) -> FloatArray:
    """Values of each population (the first axis) minus the mean of those of the others."""
    n = len(values)
    return np.asarray((n * values - values.sum(axis=0)) / (n - 1))


def contrast_variances(variances: FloatArray) -> FloatArray:
    """Variances of `contrasts` of values that are independent between populations."""
    n = len(variances)
    return np.asarray(variances + (variances.sum(axis=0) - variances) / (n - 1) ** 2)
