"""Answers under P(i beats j) = Phi(x_i - x_j), filtered one by one into a Gaussian posterior.

Assumed-density filtering: after each answer the posterior is the Gaussian with the moments of the
exact one. With z = D / sqrt(noise + C) and the hazard h = phi/Phi, an answer for i gives

    mean += h(z) / sqrt(noise + C) s,    S -= h(z) (h(z) + z) / (noise + C) s s^T

and its evidence is ln Phi(z). An answer y between -1 and 1 counts as (1+y)/2 of one for i and
(1-y)/2 of one for j; an answer of weight w has noise variance 1/w.
"""

import math

import numba

from hodgerank.kernels.resistance import response, shrink

SQRT_2 = math.sqrt(2.0)
SQRT_2PI = math.sqrt(2.0 * math.pi)
FAR = -8.0  # beyond, the tail of Phi is expanded


@numba.njit(cache=True)
def hazard(z):  # type: ignore[no-untyped-def]
    """phi(z) / Phi(z), also where Phi underflows (a continued fraction there)."""
    if z > FAR:
        return math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))
    x = -z
    return x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 5 / (x + 6 / (x + 7 / x))))))


@numba.njit(cache=True)
def log_cdf(z):  # type: ignore[no-untyped-def]
    """Ln Phi(z)."""
    if z > FAR:
        return math.log(0.5 * math.erfc(-z / SQRT_2))
    return -z * z / 2 - math.log(SQRT_2PI * hazard(z))


@numba.njit(cache=True)
def sensitivity(z):  # type: ignore[no-untyped-def]
    """I(z) = phi^2 / (Phi (1 - Phi)): the mean of h (h + z) over the two answers."""
    z = abs(z)
    return hazard(-z) * math.exp(-z * z / 2) / (SQRT_2PI * 0.5 * math.erfc(-z / SQRT_2))


@numba.njit(cache=True)
def assimilate(C, mean, s, i, j, outcome, noise):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def assimilate_all(C, mean, s, i, j, outcomes, noise):  # type: ignore[no-untyped-def]
    """Filter many answers in turn; returns their evidence."""
    evidence = 0.0
    for t in range(len(i)):
        evidence += assimilate(C, mean, s, i[t], j[t], outcomes[t], noise[t])[0]
    return evidence


@numba.njit(cache=True)
def expected_precision(c, D):  # type: ignore[no-untyped-def]
    """What an answer to come adds to the precision of a difference N(D, c), on average.

    S -> S - a s s^T with a = I(z) / (1 + c) adds a / (1 - a c).
    """
    total = 1 + c
    a = sensitivity(D / math.sqrt(total)) / total
    return a / (1 - a * c)
