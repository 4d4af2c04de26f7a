"""Numerics of hypothesis tests: simulated wins, Student's t, false discoveries, shuffles."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

MOST_DRAWS = 32  # beyond which NumPy is faster despite its setup per cell


def redrawn_wins(
    draws: IntArray, chances: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Simulate the wins in n crowds, one column each; `chances` has one column or n."""
    wins = rng.random((len(draws), n))
    invert_binomials(wins, np.minimum(draws, MOST_DRAWS), chances)
    many = np.flatnonzero(draws > MOST_DRAWS)
    if len(many):
        clipped = np.clip(chances[many], 0.0, 1.0)
        wins[many] = rng.binomial(draws[many, None], clipped, (len(many), n))
    return wins


@compiled
def invert_binomials(uniforms: FloatArray, draws: IntArray, chances: FloatArray) -> None:
    """Replace uniform numbers by binomial numbers of wins, by inversion, in place.

    Each row has its number of draws, which should be small; `chances` has one column or n, clipped
    to [0, 1]. The distribution function is accumulated win by win, for all columns of a row
    together and without branches, from the heavier end, where nothing underflows.
    """
    n_rows, n_columns = uniforms.shape
    rare, odds, mass, rest, wins = np.empty((5, n_columns))
    for row in range(n_rows):
        n, own = draws[row], chances[row]
        for column in range(n_columns):
            chance = own[column] if len(own) > 1 else own[0]
            rare[column] = min(max(min(chance, 1 - chance), 0.0), 0.5)
            odds[column] = rare[column] / (1 - rare[column])
            mass[column], wins[column] = 1.0, 0.0
        for _ in range(n):
            for column in range(n_columns):
                mass[column] *= 1 - rare[column]
        for column in range(n_columns):
            rest[column] = uniforms[row, column] - mass[column]
        for won in range(n):
            ratio = (n - won) / (won + 1)
            for column in range(n_columns):
                wins[column] += 1.0 if rest[column] >= 0 else 0.0
                mass[column] *= odds[column] * ratio
                rest[column] -= mass[column]
        for column in range(n_columns):
            chance = own[column] if len(own) > 1 else own[0]
            uniforms[row, column] = wins[column] if chance < 0.5 else n - wins[column]


LARGE = 1e5  # degrees of freedom beyond which the normal distribution is used
CLOSE = 1e-12
MOST_STEPS = 200


def interval_quantile(confidence: float, freedom: float | None) -> float:
    """Return half the width of a central interval in standard errors; normal without `freedom`."""
    normal = NormalDist().inv_cdf((1 + confidence) / 2)
    if freedom is None or freedom > LARGE:
        return normal
    tail, t = (1 - confidence) / 2, normal
    for _ in range(MOST_STEPS):  # the tail is convex: Newton steps do not overshoot
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


def discoveries(p_values: FloatArray, rate: float) -> BoolArray:
    """Find discoveries by [Benjamini95]: the k smallest p-values, the largest at most rate k / n.

    NaN is not tested and not counted.
    """
    found = np.zeros(len(p_values), bool)
    order = np.argsort(p_values, kind="stable")[: int(np.isfinite(p_values).sum())]
    allowed = rate * np.arange(1, len(order) + 1) / max(len(order), 1)
    passed = np.flatnonzero(p_values[order] <= allowed)
    if len(passed):
        found[order[: passed[-1] + 1]] = True
    return found


VARIANCE = 0.3  # prior variance of scores, relative to that of a vote


@compiled
def prequential_gain(
    left: CodeArray, right: CodeArray, outcome: FloatArray, n_items: int
) -> tuple[float, float]:
    """Return the sum of votes times their predictions, and the sum of squares of these products.

    A prediction is the difference of scores that are updated vote by vote, as if votes were normal
    and scores independent.
    """
    scores, variances = np.zeros(n_items), np.full(n_items, VARIANCE)
    total, squares = 0.0, 0.0
    for row in range(len(left)):
        a, b = left[row], right[row]
        prediction = scores[a] - scores[b]
        product = prediction * outcome[row]
        total += product
        squares += product * product
        spread = 1.0 + variances[a] + variances[b]
        surprise = (outcome[row] - prediction) / spread
        scores[a] += variances[a] * surprise
        scores[b] -= variances[b] * surprise
        variances[a] -= variances[a] ** 2 / spread
        variances[b] -= variances[b] ** 2 / spread
    return total, squares


@compiled
def shuffled_energy(
    starts: IntArray,
    n_first: IntArray,
    turned: FloatArray,
    weight: FloatArray,
    chances: FloatArray,
) -> float:
    """Return the energy of the bias component for a random display order within each group.

    Group g has rows starts[g] to starts[g + 1], of which n_first[g] are shown in the first order;
    `chances` are uniform random numbers, one per row. All selections are equally likely: a row is
    selected with probability (still to select) / (still to come).
    """
    energy = 0.0
    for g in range(len(n_first)):
        to_take, to_come = n_first[g], starts[g + 1] - starts[g]
        r, s, sum_r, sum_s = 0.0, 0.0, 0.0, 0.0
        for row in range(starts[g], starts[g + 1]):
            if chances[row] * to_come < to_take:
                to_take -= 1
                r += weight[row]
                sum_r += weight[row] * turned[row]
            else:
                s += weight[row]
                sum_s += weight[row] * turned[row]
            to_come -= 1
        energy += (sum_r / r - sum_s / s) ** 2 * r * s / (r + s)
    return energy
