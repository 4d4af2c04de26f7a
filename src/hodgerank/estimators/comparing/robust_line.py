"""A line through points of which some are far off: Huber's regression."""

from __future__ import annotations

import numpy as np

from hodgerank.types import FloatArray

TURNS = 8
HUBER = 1.345  # in standard deviations: 95 % efficient where errors are normal
NORMAL_MAD = 0.6745  # median size of a standard normal error
LEAST_ERROR = 1e-6  # relative to the largest
TINY = float(np.finfo(float).tiny)


def robust_line(
    x: FloatArray, y: FloatArray, errors: FloatArray, *, has_slope: bool
) -> tuple[float, float]:
    """Intercept and slope (else 0) of y over x, given the relative sizes of the errors of y.

    Reweighted least squares from the median on, in a fixed number of turns.
    """
    errors = np.maximum(errors / errors.max(), LEAST_ERROR)
    intercept, slope = float(np.median(y)), 0.0
    for turn in range(TURNS):
        size = np.abs(y - intercept - slope * x) / errors
        near = HUBER * max(float(np.median(size)) / NORMAL_MAD, TINY)
        weights = near / np.maximum(size, near) / errors**2
        if turn == 0 and has_slope:
            weights = 1 / errors**2  # the median says nothing about a slope
        weights = weights / weights.sum()
        mean_x, mean_y = float(weights @ x), float(weights @ y)
        if has_slope:
            around = x - mean_x
            slope = float((weights * around) @ y) / max(float(weights @ around**2), TINY)
        intercept = mean_y - slope * mean_x
    return intercept, slope
