"""Quantiles of Student's t: how much wider an interval is whose variance is itself estimated.

Without SciPy, whose import takes longer than all the rest of a small ranking.
"""

from __future__ import annotations

import math
from statistics import NormalDist

LARGE = 1e5  # degrees of freedom beyond which it is the normal distribution
CLOSE = 1e-12
MOST_STEPS = 200


def interval_quantile(confidence: float, freedom: float | None) -> float:
    """Half the width of the central interval, in standard errors; normal without `freedom`."""
    normal = NormalDist().inv_cdf((1 + confidence) / 2)
    if freedom is None or freedom > LARGE:
        return normal
    tail, t = (1 - confidence) / 2, normal
    for _ in range(MOST_STEPS):  # the tail is convex: Newton's steps do not go too far
        step = (tail_of_t(t, freedom) - tail) / _density(t, freedom)
        t += step
        if abs(step) <= CLOSE * t:
            break
    return t


def tail_of_t(t: float, freedom: float) -> float:
    """P(T > t) for t > 0: half of the incomplete beta function at f / (f + t^2)."""
    a, b, ratio = freedom / 2, 0.5, t * t / freedom
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    scale = math.exp(b * math.log(rest) - a * math.log1p(ratio) - log_beta)
    if x < (a + 1) / (a + b + 2):
        return 0.5 * scale * _beta_fraction(a, b, x) / a
    return 0.5 * (1 - scale * _beta_fraction(b, a, rest) / b)


def _density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    scale -= 0.5 * math.log(math.pi * freedom)
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            fraction *= c * d
        if abs(c * d - 1) < CLOSE:
            break
    return fraction


def _away_from_zero(value: float, least: float) -> float:
    return value if abs(value) > least else least
