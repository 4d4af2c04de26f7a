"""Expected information of a choice between two items about their difference."""

from __future__ import annotations

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

NODES, WEIGHTS = hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def choice_information(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """H(E p) - E H(p) for p = 1 / (1 + exp(-x)), x normal, by Gauss-Hermite quadrature.

    H(p) = -p ln p - (1 - p) ln (1 - p) is ln(1 + e) + a e / (1 + e) with a = |x|, e = exp(-a).
    """
    x = mean[:, None] + deviation[:, None] * NODES
    a = np.abs(x)
    e = np.exp(-a)
    unlikelier = e / (1 + e)
    entropy = (np.log1p(e) + a * unlikelier) @ WEIGHTS
    p = np.where(x > 0, 1 - unlikelier, unlikelier) @ WEIGHTS
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return -p * np.log(p) - (1 - p) * np.log1p(-p) - entropy
