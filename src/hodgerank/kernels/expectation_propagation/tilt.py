"""What the answers to one pair make of a Gaussian belief about its difference.

Per pair with w wins and l losses the likelihood is f(d) = F(d)^w F(-d)^l, F the link. Where answers
were given under pulls o, such as that of a side, it is the product of F(d+o)^w F(-d-o)^l over them.
Its product with N(mean, variance) is not Gaussian; expectation propagation [Minka01] keeps its mass
and its first two moments.
"""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.posterior.probit import hazard, log_cdf
from hodgerank.types import FloatArray, IntArray

PROBIT, LOGIT = 0, 1
LINK_CODES = {"thurstone-mosteller": PROBIT, "bradley-terry": LOGIT}
NODES, WEIGHTS = np.polynomial.hermite.hermgauss(21)
LOG_WEIGHTS = np.log(WEIGHTS) + NODES**2
# Where answers times the cube of the width are less than this, f is so nearly Gaussian that few
# nodes give mass and moments to 1e-8.
NARROW = 3e-3
FEW_NODES, FEW_WEIGHTS = np.polynomial.hermite.hermgauss(5)
LOG_FEW_WEIGHTS = np.log(FEW_WEIGHTS) + FEW_NODES**2
SQRT_2 = math.sqrt(2.0)
LONGEST_STEP = 2.0
MOST_STEPS = 200
LEAST_PRECISION = 1e-12  # of a site
SETTLED = 1e-4  # step to the mode, in units of the site's width; the next would be its square


@compiled(inline="always")
def _log_link(link: int, d: float) -> float:
    if link == PROBIT:
        return log_cdf(d)
    return -math.log1p(math.exp(-d)) if d > 0 else d - math.log1p(math.exp(d))


@compiled
def log_likelihood(
    link: int, d: float, wins: FloatArray, losses: FloatArray, pull: FloatArray
) -> float:
    """Ln f(d)."""
    value = 0.0
    for c in range(len(wins)):
        if wins[c] > 0:
            value += wins[c] * _log_link(link, d + pull[c])
        if losses[c] > 0:
            value += losses[c] * _log_link(link, -d - pull[c])
    return value


@compiled(inline="always")
def _slope_and_curvature(link: int, d: float) -> tuple[float, float]:
    """Of ln F, the second with its sign turned."""
    if link == PROBIT:
        h = hazard(d)
        return h, h * (h + d)
    lose = 1 / (1 + math.exp(d)) if d < 0 else math.exp(-d) / (1 + math.exp(-d))
    return lose, lose * (1 - lose)


@compiled
def tilt(
    link: int,
    mean: float,
    variance: float,
    wins: FloatArray,
    losses: FloatArray,
    pull: FloatArray,
) -> tuple[float, float, float]:
    """Log of the mass of f N(mean, variance), and its mean and variance.

    The arrays have an entry for each pull.
    """
    if link == PROBIT and len(wins) == 1 and wins[0] + losses[0] == 1 and wins[0] * losses[0] == 0:
        sign = wins[0] - losses[0]
        r = math.sqrt(1 + variance)
        z = sign * (mean + pull[0]) / r
        h = hazard(z)
        shrink = variance * h * (h + z) / (1 + variance)
        return log_cdf(z), mean + sign * variance * h / r, variance * (1 - shrink)
    return _tilt_numerically(link, mean, variance, wins, losses, pull)


@compiled
def _tilt_numerically(
    link: int,
    mean: float,
    variance: float,
    wins: FloatArray,
    losses: FloatArray,
    pull: FloatArray,
) -> tuple[float, float, float]:
    """Newton's steps to the mode, and Gauss-Hermite quadrature around it."""
    d, width = mean, math.sqrt(variance)
    for _ in range(MOST_STEPS):
        slope, bend = -(d - mean) / variance, 1 / variance
        for c in range(len(wins)):
            up, up_bend = _slope_and_curvature(link, d + pull[c])
            down, down_bend = _slope_and_curvature(link, -d - pull[c])
            slope += wins[c] * up - losses[c] * down
            bend += wins[c] * up_bend + losses[c] * down_bend
        width = 1 / math.sqrt(bend)
        step = slope / bend
        longest = max(LONGEST_STEP, abs(d) / 2)  # far out it is nearly a parabola
        d += min(max(step, -longest), longest)
        if abs(step) <= SETTLED * width:
            break
    is_narrow = (wins.sum() + losses.sum()) * width**3 < NARROW
    nodes = FEW_NODES if is_narrow else NODES
    log_weights = LOG_FEW_WEIGHTS if is_narrow else LOG_WEIGHTS
    peak = log_likelihood(link, d, wins, losses, pull) - (d - mean) ** 2 / (2 * variance)
    total, first, second = 0.0, 0.0, 0.0
    for k in range(len(nodes)):
        offset = SQRT_2 * width * nodes[k]
        x = d + offset
        height = log_likelihood(link, x, wins, losses, pull) - peak
        height -= (x - mean) ** 2 / (2 * variance)
        mass = math.exp(log_weights[k] + height)
        total += mass
        first += mass * offset
        second += mass * offset * offset
    first /= total
    log_mass = peak + math.log(total * width / math.sqrt(math.pi * variance))
    return log_mass, d + first, max(second / total - first * first, 1e-12 * width * width)


@compiled
def moved_site(
    cavity_mean: float,
    cavity_variance: float,
    mean: float,
    variance: float,
    t: float,
    u: float,
    damping: float,
) -> tuple[float, float, float]:
    """The site exp(-t d^2 / 2 + u d) moved to where cavity and site have these moments.

    Returns its precision and shift, and how far it had to go: precisions relative to that of site
    and cavity together, shifts to what would move the mean by its standard deviation.
    """
    if not (variance > 0 and math.isfinite(mean)):  # beyond what numbers hold
        return t, u, math.inf
    # sites of log-concave likelihoods have positive precision, but for rounding
    step = max(1 / variance - 1 / cavity_variance, LEAST_PRECISION) - t
    total = t + step + 1 / cavity_variance
    push = mean * total - cavity_mean / cavity_variance - u
    moved = max(abs(step) / total, abs(push) / math.sqrt(total))
    return t + damping * step, u + damping * push, moved


@compiled
def update_sites(
    link: int,
    first: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    pull: FloatArray,
    cavity_mean: FloatArray,
    cavity_variance: FloatArray,
    t: FloatArray,
    u: FloatArray,
    damping: float,
) -> tuple[FloatArray, float]:
    """Move every site to where its moments agree; the masses' logarithms, the largest change."""
    log_mass = np.empty(len(t))
    change = 0.0
    for e in range(len(t)):
        own = slice(first[e], first[e + 1])
        log_mass[e], mean, variance = tilt(
            link, cavity_mean[e], cavity_variance[e], wins[own], losses[own], pull[own]
        )
        t[e], u[e], moved = moved_site(
            cavity_mean[e], cavity_variance[e], mean, variance, t[e], u[e], damping
        )
        change = max(change, moved)
    return log_mass, change
