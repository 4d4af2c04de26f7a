"""A link that bends to the answers: P(i beats j) = sum_k w_k Phi(a_k (x_i - x_j)).

Phi is the normal distribution function and a_k are fixed strengths from 0 to 40. Weight at 0 is the
share of answers that are coins (lapses, coin-tossers); weight at several strengths is a crowd
of varied acuity, and much weight at 10 and 40 one that hardly ever errs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.kernels.models.links import SQRT_2PI
from hodgerank.types import FloatArray

STRENGTHS = np.array([0.0, 1 / 3, 1.0, 3.0, 10.0, 40.0])
# As if so many answers were known to come from each strength, which keeps all weights positive;
# the one at 1 settles the unit of the scores.
PSEUDO_COUNTS = np.array([0.05, 0.05, 1.0, 0.05, 0.05, 0.05])
START = np.array([0.02, 0.02, 0.94, 0.01, 0.005, 0.005])


class Information(NamedTuple):
    """First derivatives and Fisher information of differences d and weights w.

    Attributes
    ----------
    push, curvature
        Of the difference of each edge.
    pull, own
        Of the weights.
    mixed
        Of each difference with each weight.
    """

    push: FloatArray
    curvature: FloatArray
    pull: FloatArray
    own: FloatArray
    mixed: FloatArray


def shares(d: FloatArray) -> FloatArray:
    """Phi(a_k d), a row for every difference d."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.multiply.outer(d, STRENGTHS)))


def slope(d: FloatArray, weights: FloatArray) -> FloatArray:
    """Derivative of P in d."""
    t = np.multiply.outer(d, STRENGTHS)
    return np.asarray(np.exp(-(t**2) / 2) @ (weights * STRENGTHS) / SQRT_2PI)


def log_likelihood(q: FloatArray, weights: FloatArray, n: FloatArray, wins: FloatArray) -> float:
    """Of n answers to each edge given `shares` q, with what is believed about the weights."""
    p = q @ weights
    total = np.sum(wins * np.log(p) + (n - wins) * np.log1p(-p))
    return float(total + PSEUDO_COUNTS @ np.log(weights))


def information(
    d: FloatArray, q: FloatArray, weights: FloatArray, n: FloatArray, wins: FloatArray
) -> Information:
    """Where the log-likelihood climbs, and how it bends."""
    p, steep = q @ weights, slope(d, weights)
    precision = n / (p * (1 - p))
    surprise = precision * (wins / n - p)
    return Information(
        push=steep * surprise,
        curvature=precision * steep**2,
        pull=q.T @ surprise + PSEUDO_COUNTS / weights,
        own=q.T @ (precision[:, None] * q) + np.diag(PSEUDO_COUNTS / weights**2),
        mixed=(precision * steep)[:, None] * q,
    )
