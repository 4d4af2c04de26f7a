"""SharedScores: one ranking for all populations, each with its own acuity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.estimators.population_comparison.populations import Populations
from hodgerank.kernels.linalg.cholesky import dense_factor, dense_inverse
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.kernels.linalg.newton import Fit, maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import logistic_likelihood
from hodgerank.types import FloatArray

TURNS = 8
HUBER = 1.345  # in standard deviations: 95% efficiency for normal errors
NORMAL_MAD = 0.6745  # median absolute value of a standard normal
LEAST_ERROR = 1e-6  # relative to the largest
TINY = float(np.finfo(float).tiny)


def median(values: FloatArray) -> float:
    """Return the median of few finite values; the checks of `np.median` take ten times as long."""
    ordered = np.sort(values)
    n = len(ordered)
    return float((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)


def robust_line(
    x: FloatArray, y: FloatArray, errors: FloatArray, *, has_slope: bool
) -> tuple[float, float]:
    """Return intercept and slope (0 without `has_slope`) of y on x, robustly.

    Reweighted least squares with Huber weights, started at the median, with a fixed number of
    iterations. `errors` are the relative standard errors of y.
    """
    errors = np.maximum(errors / errors.max(), LEAST_ERROR)
    intercept, slope = median(y), 0.0
    for turn in range(TURNS):
        size = np.abs(y - intercept - slope * x) / errors
        near = HUBER * max(median(size) / NORMAL_MAD, TINY)
        weights = near / np.maximum(size, near) / errors**2
        if turn == 0 and has_slope:
            weights = 1 / errors**2  # the median gives no slope to start from
        weights = weights / weights.sum()
        mean_x, mean_y = float(weights @ x), float(weights @ y)
        if has_slope:
            around = x - mean_x
            slope = float((weights * around) @ y) / max(float(weights @ around**2), TINY)
        intercept = mean_y - slope * mean_x
    return intercept, slope


RIDGE = 0.05  # precision of all scores, which keeps those of undefeated items finite
# A crowd with opposite preferences differs in ranking; it does not have negative acuity.
LEAST_ACUITY = 0.1
# Differences in acuity within this many standard errors are treated as chance.
BELIEVABLE = 2.0
# Lower bound of acuity: a population of different taste seems to have none, and would not count.
LEAST_BELIEVABLE = 0.3


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Bradley-Terry scores s_g c of population g, as if all shared one ranking.

    Attributes
    ----------
    scores
        c, which sums to zero.
    acuity
        s, with mean 1 over the votes; 1 for all unless they differ clearly.
    fit
        The last fit of c, whose curvatures are the information about it.
    own_acuity
        Whether populations may differ in acuity.
    slopes, curvatures
        Derivatives of each vote's log-likelihood with respect to x_i - x_j, times its weight.
    """

    scores: FloatArray
    acuity: FloatArray
    own_acuity: bool
    fit: Fit
    slopes: FloatArray
    curvatures: FloatArray

    def information(self, crowds: Populations) -> NormalEquations:
        """Return the information about c."""
        labels = np.zeros(crowds.n_items, np.int64)
        return NormalEquations(crowds.i, crowds.j, self.fit.curvature, labels, RIDGE)

    def invert(self, crowds: Populations, information: FloatArray) -> tuple[FloatArray, float]:
        """Return (L + ridge)^-1 for this information about every edge, and c^T (L + ridge) c.

        If populations may differ in acuity, the direction c is projected out of the inverse,
        because acuity moves scores along it.
        """
        labels, c = np.zeros(crowds.n_items, np.int64), self.scores
        factor = dense_factor(crowds.i, crowds.j, information, labels, RIDGE)
        inverse = dense_inverse(*factor, labels)
        difference = c[crowds.i] - c[crowds.j]
        about_acuity = inner_product(information, difference**2) + RIDGE * float(c @ c)
        if self.own_acuity:
            inverse = inverse - np.outer(c, c) / max(about_acuity, float(np.finfo(float).tiny))
        return inverse, about_acuity

    def step(
        self, gradient: FloatArray, inverse: FloatArray, about_acuity: float, dullest: float
    ) -> tuple[FloatArray, float]:
        """Return the step of a population away from c beyond acuity, and the improved fit.

        Acuity explains the component along c, down to `dullest`: opposite preferences are more than
        the absence of preferences.
        """
        step = inverse @ gradient
        gain = float(gradient @ step)
        if not self.own_acuity or not about_acuity:
            return step, gain
        sharper = float(self.scores @ gradient) / about_acuity
        unexplained = min(sharper - dullest, 0.0)
        return step + unexplained * self.scores, gain + about_acuity * unexplained**2

    def stand_out(
        self, steps: FloatArray, variances: FloatArray, dullest: FloatArray
    ) -> FloatArray:
        """Subtract from the steps of each population what most items have in common.

        Scores sum to zero, so one rising item lowers all others; and steps are proportional to the
        scores where acuity differs. A robust line removes both.
        """
        outstanding = np.empty_like(steps)
        for g, step in enumerate(steps):
            level, slope = robust_line(
                self.scores, step, np.sqrt(variances[g]), has_slope=self.own_acuity
            )
            if slope < dullest[g]:
                slope, level = float(dullest[g]), median(step - dullest[g] * self.scores)
            outstanding[g] = step - level - slope * self.scores
        return outstanding


def share_scores(
    crowds: Populations, apart: list[tuple[Fit, NormalEquations]], *, own_acuity: bool
) -> SharedScores:
    """Fit c, given the separate fits of the populations, from which acuity is estimated.

    Acuities that differ only by chance are ignored, which keeps votes exchangeable.
    """
    weights = crowds.sums(crowds.weight)
    wins = crowds.sums(crowds.weight * (1 + crowds.outcome) / 2)
    rates = np.divide(wins, weights, out=np.full_like(wins, 0.5), where=weights > 0)
    acuity = np.ones(len(weights))
    fit = _fit_scores(crowds, weights, rates, acuity, np.zeros(crowds.n_items))
    if own_acuity:
        found = np.maximum(acuities(fit.x, apart), LEAST_BELIEVABLE)
        found = found / float(weights.sum(axis=1) @ found / weights.sum())
        information = np.array([_quadratic_form(system, fit.x) for _, system in apart])
        if float(information @ (found - 1) ** 2) > BELIEVABLE**2 * (len(found) - 1):
            acuity = found
            fit = _fit_scores(crowds, weights, rates, acuity, fit.x)
    difference = acuity[crowds.population] * (fit.x[crowds.i] - fit.x[crowds.j])[crowds.edge]
    _, slope, curvature = logistic_likelihood(difference, (1 + crowds.outcome) / 2)
    slopes, curvatures = crowds.weight * slope, crowds.weight * curvature
    return SharedScores(fit.x, acuity, own_acuity, fit, slopes, curvatures)


def acuities(scores: FloatArray, apart: list[tuple[Fit, NormalEquations]]) -> FloatArray:
    """Return the robust slope of each population's scores on the shared scores."""
    slopes = [
        robust_line(scores, fit.x, np.sqrt(np.diag(system.inverse)), has_slope=True)[1]
        for fit, system in apart
    ]
    return np.maximum(slopes, LEAST_ACUITY)


def _quadratic_form(system: NormalEquations, x: FloatArray) -> float:
    """Return x^T L x."""
    return float(system.weights @ (x[system.i] - x[system.j]) ** 2)


def _fit_scores(
    crowds: Populations, weights: FloatArray, rates: FloatArray, acuity: FloatArray, x: FloatArray
) -> Fit:
    """Return the posterior mode of c, given the acuities."""
    labels, s = np.zeros(crowds.n_items, np.int64), acuity[:, None]

    def objective(t: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, slope, curvature = logistic_likelihood(s * t, rates)
        total = inner_product(weights.ravel(), value.ravel())
        return total, (s * weights * slope).sum(axis=0), (s**2 * weights * curvature).sum(axis=0)

    return maximise(
        crowds.i,
        crowds.j,
        objective,
        lambda curvature, gradient, accuracy: NormalEquations(
            crowds.i, crowds.j, curvature, labels, RIDGE
        ).solution(gradient, tolerance=accuracy),
        start=x,
        ridge=RIDGE,
    )
