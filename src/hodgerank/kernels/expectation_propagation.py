"""Expectation propagation: the posterior of scores from all votes, with one site per pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled, numba_is_loaded
from hodgerank.kernels.linalg.cholesky import factor_and_inverse, factorise, inverse_on_edges
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.links import LIKELIHOODS
from hodgerank.kernels.posterior import hazard, log_cdf
from hodgerank.types import CodeArray, FloatArray, IntArray

PROBIT, LOGIT = 0, 1
LINK_CODES = {"thurstone-mosteller": PROBIT, "bradley-terry": LOGIT}
LINK_NAMES = {code: name for name, code in LINK_CODES.items()}
# Nodes of a quadrature, and the largest votes times cubed width it is used for. The smaller that
# is, the more f resembles a Gaussian; each rule gives mass and moments to 1e-8 in its range.
RULES = ((5, 3e-3), (9, 0.1), (13, 0.3), (21, np.inf))
UP_TO = np.array([end for _, end in RULES])
FIRST_NODE = np.cumsum([0, *(size for size, _ in RULES)])
NODES, WEIGHTS = np.hstack([np.polynomial.hermite.hermgauss(size) for size, _ in RULES])
LOG_WEIGHTS = np.log(WEIGHTS) + NODES**2
SQRT_2 = math.sqrt(2.0)
LONGEST_STEP = 2.0
MOST_STEPS = 200
LEAST_PRECISION = 1e-12  # of a site
SETTLED = 1e-4  # step to the mode, in widths of the site; the next step would be its square


@compiled(inline="always")
def _log_link(link: int, d: float) -> float:
    if link == PROBIT:
        return log_cdf(d)
    return -math.log1p(math.exp(-d)) if d > 0 else d - math.log1p(math.exp(d))


@compiled
def log_likelihood(
    link: int, d: float, wins: FloatArray, losses: FloatArray, bias: FloatArray
) -> float:
    """Return ln f(d)."""
    value = 0.0
    for c in range(len(wins)):
        if wins[c] > 0:
            value += wins[c] * _log_link(link, d + bias[c])
        if losses[c] > 0:
            value += losses[c] * _log_link(link, -d - bias[c])
    return value


@compiled(inline="always")
def _slope_and_curvature(link: int, d: float) -> tuple[float, float]:
    """Return the slope and minus the second derivative of ln F."""
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
    bias: FloatArray,
) -> tuple[float, float, float]:
    """Return the log mass of f N(mean, variance), and its mean and variance.

    The arrays have one entry per position bias.
    """
    if link == PROBIT and len(wins) == 1 and wins[0] + losses[0] == 1 and wins[0] * losses[0] == 0:
        sign = wins[0] - losses[0]
        r = math.sqrt(1 + variance)
        z = sign * (mean + bias[0]) / r
        h = hazard(z)
        shrink = variance * h * (h + z) / (1 + variance)
        return log_cdf(z), mean + sign * variance * h / r, variance * (1 - shrink)
    return _tilt_numerically(link, mean, variance, wins, losses, bias)


@compiled
def _tilt_numerically(
    link: int,
    mean: float,
    variance: float,
    wins: FloatArray,
    losses: FloatArray,
    bias: FloatArray,
) -> tuple[float, float, float]:
    """Find the mode by Newton steps, and integrate around it by Gauss-Hermite quadrature."""
    d, width = mean, math.sqrt(variance)
    for _ in range(MOST_STEPS):
        slope, bend = -(d - mean) / variance, 1 / variance
        for c in range(len(wins)):
            up, up_bend = _slope_and_curvature(link, d + bias[c])
            down, down_bend = _slope_and_curvature(link, -d - bias[c])
            slope += wins[c] * up - losses[c] * down
            bend += wins[c] * up_bend + losses[c] * down_bend
        width = 1 / math.sqrt(bend)
        step = slope / bend
        longest = max(LONGEST_STEP, abs(d) / 2)  # far out the function is nearly a parabola
        d += min(max(step, -longest), longest)
        if abs(step) <= SETTLED * width:
            break
    rule, skewness = 0, (wins.sum() + losses.sum()) * width**3
    while skewness > UP_TO[rule]:
        rule += 1
    peak = log_likelihood(link, d, wins, losses, bias) - (d - mean) ** 2 / (2 * variance)
    total, first, second = 0.0, 0.0, 0.0
    for k in range(FIRST_NODE[rule], FIRST_NODE[rule + 1]):
        offset = SQRT_2 * width * NODES[k]
        x = d + offset
        height = log_likelihood(link, x, wins, losses, bias) - peak
        height -= (x - mean) ** 2 / (2 * variance)
        mass = math.exp(LOG_WEIGHTS[k] + height)
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
    """Update the site exp(-t d^2 / 2 + u d) so that cavity and site have these moments.

    Returns its precision and shift, and the size of the change: precisions relative to that of site
    and cavity together, shifts relative to one that moves the mean by its standard deviation.
    """
    if not (variance > 0 and math.isfinite(mean)):  # overflow
        return t, u, math.inf
    # sites of log-concave likelihoods have positive precision, except for rounding
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
    bias: FloatArray,
    cavity_mean: FloatArray,
    cavity_variance: FloatArray,
    t: FloatArray,
    u: FloatArray,
    damping: float,
) -> tuple[FloatArray, float]:
    """Match the moments of every site; return log masses and the largest change."""
    log_mass = np.empty(len(t))
    change = 0.0
    for e in range(len(t)):
        own = slice(first[e], first[e + 1])
        log_mass[e], mean, variance = tilt(
            link, cavity_mean[e], cavity_variance[e], wins[own], losses[own], bias[own]
        )
        t[e], u[e], moved = moved_site(
            cavity_mean[e], cavity_variance[e], mean, variance, t[e], u[e], damping
        )
        change = max(change, moved)
    return log_mass, change


FEW_ENTRIES = 2_000  # up to which NumPy updates all sites faster than Numba is imported


def _update_few_sites(
    link: int,
    first: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    bias: FloatArray,
    cavity_mean: FloatArray,
    cavity_variance: FloatArray,
    t: FloatArray,
    u: FloatArray,
    damping: float,
) -> tuple[FloatArray, float]:
    """Compute `update_sites` with NumPy, with the same steps and nodes for every pair."""
    pair = np.repeat(np.arange(len(t)), np.diff(first))
    log_mass, mean, variance = _tilt_all(
        link, pair, wins, losses, bias, cavity_mean, cavity_variance
    )
    step = np.maximum(1 / variance - 1 / cavity_variance, LEAST_PRECISION) - t
    total = t + step + 1 / cavity_variance
    push = mean * total - cavity_mean / cavity_variance - u
    moved = np.maximum(np.abs(step) / total, np.abs(push) / np.sqrt(total))
    t += damping * step
    u += damping * push
    return log_mass, float(moved.max(initial=0.0))


def _tilt_all(
    link: int,
    pair: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    bias: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute `_tilt_numerically` of every pair; entry c belongs to `pair[c]`."""
    n = len(mean)
    likelihood = LIKELIHOODS[LINK_NAMES[link]]
    votes, rate = wins + losses, wins / np.maximum(wins + losses, LEAST_PRECISION)

    def at(d: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        parts = likelihood(d[pair] + bias, rate)
        value, slope, bend = (np.bincount(pair, votes * part, n).astype(float) for part in parts)
        return value, slope, bend

    d, is_moving = mean.copy(), np.ones(n, np.bool_)
    for _ in range(MOST_STEPS):
        _, slope, bend = at(d)
        slope, bend = slope - (d - mean) / variance, bend + 1 / variance
        width, step = 1 / np.sqrt(bend), slope / bend
        longest = np.maximum(LONGEST_STEP, np.abs(d) / 2)
        d = d + np.where(is_moving, np.clip(step, -longest, longest), 0.0)
        is_moving = is_moving & (np.abs(step) > SETTLED * width)
        if not is_moving.any():
            break
    peak = at(d)[0] - (d - mean) ** 2 / (2 * variance)
    rule = np.searchsorted(UP_TO, np.bincount(pair, votes, n) * width**3)
    total, one, two = np.zeros(n), np.zeros(n), np.zeros(n)
    for k in range(int(FIRST_NODE[-1])):
        own = (FIRST_NODE[rule] <= k) & (k < FIRST_NODE[rule + 1])
        if not own.any():
            continue
        offset = SQRT_2 * width * NODES[k]
        x = d + offset
        height = at(x)[0] - peak - (x - mean) ** 2 / (2 * variance)
        mass = np.where(own, np.exp(LOG_WEIGHTS[k] + np.where(own, height, 0.0)), 0.0)
        total += mass
        one += mass * offset
        two += mass * offset * offset
    one /= total
    log_mass = peak + np.log(total * width / np.sqrt(np.pi * variance))
    moments = log_mass, d + one, np.maximum(two / total - one * one, 1e-12 * width * width)
    if link == PROBIT:
        _set_single_votes(moments, pair, wins, losses, bias, mean, variance)
    return moments


def _set_single_votes(
    moments: tuple[FloatArray, FloatArray, FloatArray],
    pair: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    bias: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
) -> None:
    """Replace the moments of pairs with a single vote by the exact ones, as in `tilt`."""
    is_single = (wins + losses == 1) & (wins * losses == 0) & (np.bincount(pair)[pair] == 1)
    rows, sign = pair[is_single], (wins - losses)[is_single]
    m, v = mean[rows], variance[rows]
    r = np.sqrt(1 + v)
    z = sign * (m + bias[is_single]) / r
    log_mass, h, bend = LIKELIHOODS[LINK_NAMES[PROBIT]](z, np.ones(len(z)))
    moments[0][rows] = log_mass
    moments[1][rows] = m + sign * v * h / r
    moments[2][rows] = v * (1 - v * bend / (1 + v))


DAMPING = 0.8


class PairVotes(NamedTuple):
    """Wins and losses of item i of each pair, in plain votes, with the code of the link.

    Pair e has the entries from `first[e]` up to `first[e + 1]`, one for each position
    `bias` towards i.
    """

    link: int
    first: IntArray
    wins: FloatArray
    losses: FloatArray
    bias: FloatArray

    @classmethod
    def without_bias(cls, link: int, wins: FloatArray, losses: FloatArray) -> PairVotes:
        """Create votes without position bias: one entry per pair."""
        return cls(link, np.arange(len(wins) + 1), wins, losses, np.zeros(len(wins)))


class Sites(NamedTuple):
    """Factors exp(-t d^2 / 2 + u d) of the difference of each pair, and the state of the fit.

    `change` is that of the last sweep, see `update_sites`.
    """

    t: FloatArray
    u: FloatArray
    log_evidence: float = np.nan
    sweeps: int = 0
    change: float = np.inf


class Differences(NamedTuple):
    """Mean and variance of the difference of each pair under prior and sites.

    Also the two terms of the evidence that all pairs share: ln det of the precision relative to the
    prior, and the product of mean and shifts.
    """

    mean: FloatArray
    variance: FloatArray
    log_determinant: float
    energy: float


def fit_sites(
    votes: PairVotes,
    posterior: Callable[[FloatArray, FloatArray], Differences],
    most_variance: FloatArray,
    start: Sites,
    tolerance: float,
    max_sweeps: int,
) -> Sites:
    """Update all sites in parallel, for at most `max_sweeps` sweeps.

    `posterior` returns the differences for precisions and shifts; `most_variance` is their prior
    variance, which the votes of other pairs cannot increase.
    """
    # never exactly zero, so that sparse matrices have an entry for every pair
    t, u = np.maximum(start.t, LEAST_PRECISION), start.u.copy()
    sweeps, change, log_evidence = 0, np.inf, np.nan
    is_small = len(votes.wins) <= FEW_ENTRIES and not numba_is_loaded()
    while sweeps < max_sweeps and change > tolerance:
        sweeps += 1
        mean, variance, log_determinant, energy = posterior(t, u)
        cavity_variance = 1 / np.maximum(1 / variance - t, 1 / most_variance)
        cavity_mean = cavity_variance * (mean / variance - u)
        shared = np.log1p(t * cavity_variance) - mean**2 / variance
        update = _update_few_sites if is_small else update_sites
        log_mass, change = update(*votes, cavity_mean, cavity_variance, t, u, DAMPING)
        own = log_mass + 0.5 * (shared + cavity_mean**2 / cavity_variance)
        log_evidence = float(own.sum()) + 0.5 * (energy - log_determinant)
    return Sites(t, u, log_evidence, sweeps, change)


def dense_precision(i: CodeArray, j: CodeArray, t: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the precision of the prior plus that of the sites."""
    n = len(prior)
    precision = prior.copy()
    precision[i, j] -= t
    precision[j, i] -= t
    own = np.bincount(i, t, n) + np.bincount(j, t, n)
    precision[np.diag_indices(n)] += own
    return precision


class DenseDifferences:
    """Differences of all pairs by one inverse; `prior` is a precision with its ln det."""

    def __init__(
        self, i: CodeArray, j: CodeArray, prior: FloatArray, log_determinant: float
    ) -> None:
        self._i, self._j = i, j
        self._prior, self._log_determinant = prior, log_determinant

    def __call__(self, t: FloatArray, u: FloatArray) -> Differences:
        """Return the differences for precisions t and shifts u of the sites."""
        i, j, n = self._i, self._j, len(self._prior)
        force = divergence(i, j, u, n)
        with few_threads(n):
            log_determinant, covariance = factor_and_inverse(dense_precision(i, j, t, self._prior))
            mean = covariance @ force
        own = np.diag(covariance)
        variance = np.maximum(own[i] + own[j] - 2 * covariance[i, j], np.finfo(float).tiny)
        return Differences(
            mean[i] - mean[j],
            variance,
            log_determinant - self._log_determinant,
            float(mean @ force),
        )


def sparse_precision(i: CodeArray, j: CodeArray, t: FloatArray, prior: Any) -> Any:
    """Return the precision of the prior plus that of the sites."""
    from scipy import sparse

    n = prior.shape[0]
    upper = sparse.coo_array((-t, (i, j)), shape=(n, n))
    own = np.bincount(i, t, n) + np.bincount(j, t, n)
    return (prior + upper + upper.T + sparse.diags_array(own)).tocsc()


class SparseDifferences:
    """Differences of all pairs by one factorisation and the recursion of [Takahashi73]."""

    def __init__(self, i: CodeArray, j: CodeArray, prior: Any, log_determinant: float) -> None:
        self._i, self._j = i, j
        self._prior, self._log_determinant = prior, log_determinant

    def __call__(self, t: FloatArray, u: FloatArray) -> Differences:
        """Return the differences for precisions t and shifts u of the sites."""
        i, j, n = self._i, self._j, self._prior.shape[0]
        force = divergence(i, j, u, n)
        factor = factorise(sparse_precision(i, j, t, self._prior), reorder=True)
        own, joint = inverse_on_edges(factor, i, j)
        mean = factor.solve(force)
        variance = np.maximum(own[i] + own[j] - 2 * joint, np.finfo(float).tiny)
        log_determinant = float(np.log(factor.U.diagonal()).sum())
        return Differences(
            mean[i] - mean[j],
            variance,
            log_determinant - self._log_determinant,
            float(mean @ force),
        )


FIRST_ROUNDS = 3  # cheap rounds of messages, which agree with each other before sites move


def fit_messages(
    votes: PairVotes,
    i: CodeArray,
    j: CodeArray,
    n: int,
    variance: float,
    start: Sites,
    tolerance: float,
    max_sweeps: int,
) -> Sites:
    """Update the sites one after the other by message passing, for at most `max_sweeps` sweeps."""
    t, u = start.t.copy(), start.u.copy()
    found = _sweeps(*votes, i, j, n, variance, t, u, tolerance, max_sweeps)
    return Sites(t, u, *found)


@compiled
def _sweeps(
    link: int,
    first: IntArray,
    wins: FloatArray,
    losses: FloatArray,
    bias: FloatArray,
    i: CodeArray,
    j: CodeArray,
    n: int,
    variance: float,
    t: FloatArray,
    u: FloatArray,
    tolerance: float,
    max_sweeps: int,
) -> tuple[float, int, float]:
    sent = np.zeros((len(i), 4))  # to i: precision, shift; to j: precision, shift
    belief = np.zeros((n, 2))  # precision, shift
    belief[:, 0] = 1 / variance
    for _ in range(FIRST_ROUNDS):  # messages of the initial sites
        for e in range(len(i)):
            _send(e, i[e], j[e], t[e], u[e], sent, belief)
    sweeps, change, evidence = 0, np.inf, 0.0
    while sweeps < max_sweeps and change > tolerance:
        sweeps += 1
        change, evidence = 0.0, 0.0
        for e in range(len(i)):
            a, b = i[e], j[e]
            p_a, h_a = belief[a, 0] - sent[e, 0], belief[a, 1] - sent[e, 1]
            p_b, h_b = belief[b, 0] - sent[e, 2], belief[b, 1] - sent[e, 3]
            cavity_mean, cavity_variance = h_a / p_a - h_b / p_b, 1 / p_a + 1 / p_b
            own = slice(first[e], first[e + 1])
            log_mass, mean, v = tilt(
                link, cavity_mean, cavity_variance, wins[own], losses[own], bias[own]
            )
            evidence += log_mass
            evidence -= _log_message_mass(p_a, h_a, sent[e, 0], sent[e, 1])
            evidence -= _log_message_mass(p_b, h_b, sent[e, 2], sent[e, 3])
            t[e], u[e], moved = moved_site(cavity_mean, cavity_variance, mean, v, t[e], u[e], 1.0)
            change = max(change, moved)
            _send(e, a, b, t[e], u[e], sent, belief)
    for c in range(n):
        p, h = belief[c]
        evidence += 0.5 * (h * h / p - math.log(variance * p))
    return evidence, sweeps, change


@compiled
def _send(e: int, a: int, b: int, t: float, u: float, sent: FloatArray, belief: FloatArray) -> None:
    """Send the messages of a site to both endpoints, given the marginals of the other."""
    p_a, h_a = belief[a, 0] - sent[e, 0], belief[a, 1] - sent[e, 1]
    p_b, h_b = belief[b, 0] - sent[e, 2], belief[b, 1] - sent[e, 3]
    to_a, to_b = p_b / (t + p_b), p_a / (t + p_a)
    sent[e, 0], sent[e, 1] = t * to_a, (u + t * h_b / p_b) * to_a
    sent[e, 2], sent[e, 3] = t * to_b, (-u + t * h_a / p_a) * to_b
    belief[a, 0], belief[a, 1] = p_a + sent[e, 0], h_a + sent[e, 1]
    belief[b, 0], belief[b, 1] = p_b + sent[e, 2], h_b + sent[e, 3]


@compiled
def _log_message_mass(p: float, h: float, precision: float, shift: float) -> float:
    """Return the log mass of a message under a Gaussian of precision p and shift h."""
    both = p + precision
    return 0.5 * (math.log(p / both) + (h + shift) ** 2 / both - h * h / p)
