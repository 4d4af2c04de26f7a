"""Posterior of scores, position biases and effects of covariates under the probit model.

Expectation propagation with one site per vote: votes on the same pair differ in their covariates.
The scores have prior N(gamma . mean covariate, v): if better items have larger covariates, their
scores may differ by it. Otherwise the prior would shrink these differences, and the effect of the
covariate would take them over. gamma has a prior five times wider than the effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hodgerank.estimators.covariates.columns import Covariate
from hodgerank.estimators.covariates.joint_model import EFFECT_SD, JointModel, inverse_of
from hodgerank.estimators.empirical_bayes import TOLERANCE, MarginalLikelihood
from hodgerank.estimators.priors import MOST_SWEEPS, IndependentScores
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.expectation_propagation import (
    LINK_CODES,
    Differences,
    PairVotes,
    Sites,
    fit_sites,
)
from hodgerank.kernels.linalg.cholesky import factor_and_inverse
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray

WIDER = 5.0  # standard deviation of gamma, relative to that of the effects


class JointPart(NamedTuple):
    """One Gaussian of the posterior of all unknowns, with its probability."""

    share: float
    mean: FloatArray
    covariance: FloatArray


class JointEvidence(MarginalLikelihood):
    """Marginal likelihood of the prior variance of the scores, with position biases and effects.

    Parameters
    ----------
    graph, link
        As in `MarginalLikelihood`.
    model
        The votes, with weights that count equivalent choices.
    covariates
        The covariates in the model.
    bias_precision
        Precision of each position bias.
    """

    def __init__(
        self,
        graph: ComparisonGraph,
        link: str,
        model: JointModel,
        covariates: Sequence[Covariate],
        bias_precision: FloatArray,
    ) -> None:
        super().__init__(graph, link, IndependentScores(graph.n_items))
        self._model = model
        self._means = np.column_stack([covariate.means for covariate in covariates])
        self._bias_precision = bias_precision
        share = (1 + model.outcomes) / 2
        self._votes = PairVotes.without_bias(
            LINK_CODES[link], model.weights * share, model.weights * (1 - share)
        )

    def _fit(self, k: float, tolerance: float) -> Sites:
        nearest = min(self._sites, key=lambda other: abs(other - k), default=None)
        nothing = np.zeros(len(self._model.weights))
        start = Sites(nothing, nothing) if nearest is None else self._sites[nearest]
        precision, log_determinant = self._prior(k)
        most = self._model.variances(inverse_of(precision))
        moments = _JointMoments(self._model, precision, log_determinant)
        return fit_sites(self._votes, moments, most, start, tolerance, MOST_SWEEPS)

    def _prior(self, k: float) -> tuple[FloatArray, float]:
        """Return the prior precision of all unknowns, and its log determinant."""
        model, v = self._model, self.variance(k)
        n, sd = model.n_items, EFFECT_SD[self.link]
        means = self._means
        inner = np.eye(means.shape[1]) + (WIDER * sd) ** 2 / v * means.T @ means
        precision = np.zeros((model.size, model.size))
        gamma = (WIDER * sd) ** 2 / v * means @ np.linalg.solve(inner, means.T)
        precision[:n, :n] = (np.eye(n) - gamma) / v
        others = np.append(self._bias_precision, np.full(model.n_effects, sd**-2))
        precision[range(n, model.size), range(n, model.size)] = others
        log_determinant = -n * np.log(v) - np.linalg.slogdet(inner)[1] + np.log(others).sum()
        return precision, float(log_determinant)

    def part(self, k: float, share: float = 1.0) -> tuple[JointPart, Sites]:
        """Return the posterior at grid point k of the prior variance."""
        sites = self._fit(k, TOLERANCE)
        precision = self._prior(k)[0] + self._model.information(sites.t)
        with few_threads(len(precision)):
            covariance = factor_and_inverse(precision)[1]
        mean = covariance @ self._model.gather(sites.u)
        return JointPart(share, mean, covariance), sites

    def parts(self) -> tuple[list[JointPart], Sites]:
        """Return one Gaussian for each plausible prior variance, and the sites of the last."""
        if self.knows_the_variance:
            part, sites = self.part(self.best_place)
            return [part], sites
        found, places = [], zip(*self.possible(), strict=True)
        for k, share in places:
            part, sites = self.part(k, float(share))
            found.append(part)
        return found, sites


class _JointMoments:
    """Means and variances of t of all votes, by one inverse."""

    def __init__(self, model: JointModel, prior: FloatArray, log_determinant: float) -> None:
        self._model, self._prior, self._log_determinant = model, prior, log_determinant

    def __call__(self, t: FloatArray, u: FloatArray) -> Differences:
        """Return the moments for precisions t and shifts u of the sites."""
        model, precision = self._model, self._prior + self._model.information(t)
        with few_threads(model.size):
            log_determinant, covariance = factor_and_inverse(precision)
        force = model.gather(u)
        mean = covariance @ force
        return Differences(
            model.predict(mean),
            model.variances(covariance),
            log_determinant - self._log_determinant,
            float(mean @ force),
        )


def together(parts: Sequence[JointPart]) -> tuple[FloatArray, FloatArray]:
    """Return mean and covariance of a mixture."""
    mean = np.sum([part.share * part.mean for part in parts], axis=0)
    covariance = np.zeros((len(mean), len(mean)))
    for part in parts:
        away = part.mean - mean
        covariance += part.share * (part.covariance + np.outer(away, away))
    return mean, covariance
