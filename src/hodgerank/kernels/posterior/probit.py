"""Answers under P(i beats j) = Phi(x_i - x_j), filtered one by one into a Gaussian posterior.

Assumed-density filtering: after each answer the posterior is the Gaussian with the moments of the
exact one. With z = D / sqrt(noise + C) and the hazard h = phi/Phi, an answer for i gives

    mean += h(z) / sqrt(noise + C) s,    S -= h(z) (h(z) + z) / (noise + C) s s^T

and its evidence is ln Phi(z). An answer y between -1 and 1 counts as (1+y)/2 of one for i and
(1-y)/2 of one for j; an answer of weight w has noise variance 1/w.
"""

from __future__ import annotations

import math

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.posterior.resistance import response, shrink
from hodgerank.types import FloatArray, IntArray

SQRT_2 = math.sqrt(2.0)
SQRT_2PI = math.sqrt(2.0 * math.pi)
FAR = -8.0  # below this the tail of Phi is expanded


@compiled
def hazard(z: float) -> float:
    """phi(z) / Phi(z), also where Phi underflows (a continued fraction there)."""
    if z > FAR:
        return math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))
    x = -z
    return x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 5 / (x + 6 / (x + 7 / x))))))


@compiled
def log_cdf(z: float) -> float:
    """The logarithm of Phi(z), also where Phi underflows."""
    if z > FAR:
        return math.log(0.5 * math.erfc(-z / SQRT_2))
    return -z * z / 2 - math.log(SQRT_2PI * hazard(z))


@compiled
def sensitivity(z: float) -> float:
    """I(z) = phi^2 / (Phi (1 - Phi)): the mean of h (h + z) over the two answers."""
    z = abs(z)
    return hazard(-z) * math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))


@compiled
def assimilate(
    C: FloatArray, mean: FloatArray, s: FloatArray, i: int, j: int, outcome: float, noise: float
) -> tuple[float, float]:
    """Filter one answer to the pair i < j; returns (evidence, a) where S became S - a s s^T.

    `s` holds the response of the pair afterwards.
    """
    c = response(C, i, j, s)
    total = noise + c
    z = (mean[i] - mean[j]) / math.sqrt(total)
    won, lost = (1 + outcome) / 2, (1 - outcome) / 2
    h_won, h_lost = hazard(z), hazard(-z)
    mean += (won * h_won - lost * h_lost) / math.sqrt(total) * s
    a = (won * h_won * (h_won + z) + lost * h_lost * (h_lost - z)) / total
    shrink(C, s, a)
    evidence = 0.0
    if won > 0:
        evidence += won * log_cdf(z)
    if lost > 0:
        evidence += lost * log_cdf(-z)
    return evidence, a


@compiled
def assimilate_all(
    C: FloatArray,
    mean: FloatArray,
    s: FloatArray,
    i: IntArray,
    j: IntArray,
    outcomes: FloatArray,
    noise: FloatArray,
) -> float:
    """Filter many answers in turn; returns their evidence."""
    evidence = 0.0
    for t in range(len(i)):
        evidence += assimilate(C, mean, s, i[t], j[t], outcomes[t], noise[t])[0]
    return evidence


@compiled
def expected_precision(c: float, D: float) -> float:
    """What an answer to come adds to the precision of a difference N(D, c), on average.

    S -> S - a s s^T with a = I(z) / (1 + c) adds a / (1 - a c).
    """
    total = 1 + c
    a = sensitivity(D / math.sqrt(total)) / total
    return a / (1 - a * c)
