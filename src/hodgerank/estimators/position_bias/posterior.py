"""Posterior of scores and position biases, with an estimated prior variance of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.covariance import Covariance, Equations, ModelCovariance
from hodgerank.estimators.dispersion import USUAL_VARIANCE, are_choices, pearson, tempered
from hodgerank.estimators.empirical_bayes import MarginalLikelihood
from hodgerank.estimators.position_bias.adjustment import PositionAdjusted, remove_position_bias
from hodgerank.estimators.position_bias.fit import TINY, PositionBiasFit
from hodgerank.estimators.position_bias.groupings import Groupings
from hodgerank.estimators.position_bias.shrinkage import Shrinkage
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.estimators.priors import IndependentScores
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.expectation_propagation import LINK_CODES, PairVotes, Sites
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import BoolArray, FloatArray

ROUNDS = 2  # of the dispersion around scores and biases
MOST_ROUNDS = 20  # of alternating between scores and biases
SETTLED = 0.01  # change of a bias that is negligible
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)


class PositionBiasEvidence(MarginalLikelihood):
    """Marginal likelihood with position biases, which are fitted again for each prior variance.

    The wider the scores are spread, the larger the biases must be to have the same effect. With
    fixed biases the marginal likelihood would favour narrow scores. The scores have an independent
    prior. The biases are maximised over the posterior of the scores by expectation maximisation;
    their standard errors add to those of the scores.

    Parameters
    ----------
    graph, link
        As in `MarginalLikelihood`.
    initial
        The votes, and biases to start from.
    held
        Biases of the groups, if they are known.
    """

    def __init__(
        self,
        graph: ComparisonGraph,
        link: str,
        initial: PositionBiasFit,
        held: FloatArray | None = None,
    ) -> None:
        super().__init__(graph, link, IndependentScores(graph.n_items))
        self._initial, self._held = initial, held
        self._biases: dict[float, FloatArray] = {}
        self._errors: dict[float, PositionBiasFit] = {}
        cells = initial.cells
        share = (1 + cells.sign * cells.mean) / 2
        self._votes = PairVotes(
            LINK_CODES[link],
            np.searchsorted(cells.edge, np.arange(graph.n_edges + 1)),
            np.maximum(cells.weight * share, 0.0),
            np.maximum(cells.weight * (1 - share), 0.0),
            np.zeros(len(share)),
        )

    def bias(self, k: float) -> FloatArray:
        """Return the bias of each group with votes, at grid point k of the prior variance."""
        self.fit(k)
        return self._biases[k][self._answering]

    def all_biases(self, k: float) -> FloatArray:
        """Return the biases including groups without votes."""
        self.fit(k)
        return self._biases[k]

    def bias_variance(self, k: float) -> FloatArray:
        """Return the variance of the bias of each group with votes."""
        return self.errors(k).bias_variances[self._answering]

    def errors(self, k: float) -> PositionBiasFit:
        """Return the fit of the biases at k, for their standard errors."""
        found = self.fit(k)
        assert isinstance(found.equations, BorderedEquations)
        return self._errors[k]

    @property
    def _precisions(self) -> FloatArray:
        return np.broadcast_to(self._initial.prior.bias, self._initial.cells.n_groups)

    @property
    def _answering(self) -> BoolArray:
        return self._initial.cells.votes > 0

    def _fit_from(self, start: Sites, k: float, tolerance: float) -> Sites:
        cells, prior, sites = self._initial.cells, self._precisions, start
        bias = self._first_biases(k) if self._held is None else self._held
        for _ in range(MOST_ROUNDS):
            towards = cells.sign * cells.of_groups(bias)
            self._votes = self._votes._replace(bias=towards)
            sites = super()._fit_from(sites, k, tolerance)
            before = bias
            if self._held is not None:
                break
            bias = self._next_biases(k, sites, bias)
            if np.abs(bias - before).max(initial=0.0) < SETTLED:
                break
        self._biases[k] = before
        penalty = 0.5 * float((prior * before) @ before)
        return sites._replace(log_evidence=sites.log_evidence - penalty)

    def _first_biases(self, k: float) -> FloatArray:
        """Return the biases of the nearest grid point, rescaled to the same effect on votes."""
        nearest = min(self._biases, key=lambda other: abs(other - k), default=None)
        if nearest is None:
            return self._initial.bias
        wider = (1 + 2 * self.variance(k)) / (1 + 2 * self.variance(nearest))
        return np.asarray(self._biases[nearest] * np.sqrt(wider))

    def _next_biases(self, k: float, sites: Sites, bias: FloatArray) -> FloatArray:
        """Take a Newton step of the biases on the likelihood averaged over the scores."""
        graph, cells, prior = self.graph, self._initial.cells, self._precisions
        equations = self.prior.equations(graph.i, graph.j, sites.t, self.variance(k))
        scores = equations.solution(divergence(graph.i, graph.j, sites.u, graph.n_items)).x
        width = np.sqrt(_variances(graph, equations))[cells.edge]
        centre = self._differences(scores, bias)
        slope, bend = np.zeros(cells.n_groups), np.zeros(len(cells.edge))
        for node, weight in zip(NODES, WEIGHTS / WEIGHTS.sum(), strict=True):
            _, up, down = LIKELIHOODS[self.link](centre + node * width, (1 + cells.mean) / 2)
            slope += weight * cells.per_group(cells.weight * up)
            bend += weight * cells.weight * down
        return np.asarray(bias + cells.divided(bend, prior, slope - prior * bias))

    def _differences(self, scores: FloatArray, bias: FloatArray) -> FloatArray:
        """Return left minus right of each cell, including the bias."""
        cells = self._initial.cells
        towards = scores[cells.i] - scores[cells.j]
        return np.asarray(cells.sign * towards[cells.edge] + cells.of_groups(bias))

    def _with_errors(self, k: float, equations: Equations, sites: Sites) -> Equations:
        """Split the precision of an edge among its cells in proportion to their curvatures."""
        cells = self._initial.cells
        scores = equations.solve(divergence(cells.i, cells.j, sites.u, cells.n_items))
        t = self._differences(scores, self._biases[k])
        bend = cells.weight * LIKELIHOODS[self.link](t, (1 + cells.mean) / 2)[2]
        total = np.bincount(cells.edge, bend, len(cells.i))
        bend = bend * (sites.t / np.maximum(total, TINY))[cells.edge]
        prior = replace(self._initial.prior, scores=equations.ridge)
        errors = replace(
            self._initial, scores=scores, bias=self._biases[k], curvatures=bend, prior=prior
        )
        self._errors[k] = errors
        return errors.equations


def _variances(graph: ComparisonGraph, equations: Equations) -> FloatArray:
    """Variance of each edge's difference; uncorrelated ends for many items."""
    covariance = ModelCovariance(equations, 1.0)
    own, matrix = covariance.variances, covariance.matrix
    joint = 0.0 if matrix is None else matrix[graph.i, graph.j]
    return np.asarray(np.maximum(own[graph.i] + own[graph.j] - 2 * joint, 0.0))


@dataclass(frozen=True, eq=False)
class PositionBiasPosterior(FoundBelief):
    """Posterior of the scores with position bias; `graph` is adjusted for it."""

    adjusted: PositionAdjusted | None = None
    varies: float = 1.0
    held: FloatArray | None = None

    @property
    def dispersion(self) -> float:
        """Variance of the votes around scores and biases, relative to that of choices."""
        return self.varies

    @cached_property
    def evidence(self) -> PositionBiasEvidence:
        """Marginal likelihood of the prior variance."""
        assert self.adjusted is not None
        graph = tempered(self.graph, self.varies)
        return PositionBiasEvidence(graph, self.link, self.adjusted.fit, self.held)

    def terms(self, k: float, covariance: Covariance, confidence: float) -> PositionBiasTerms:
        """Return the biases at grid point k of the prior variance, given this covariance there."""
        assert self.adjusted is not None
        return self.adjusted.terms(covariance, confidence, fit=self.evidence.errors(k))

    @property
    def biases(self) -> tuple[FloatArray, FloatArray]:
        """Means and variances of the biases of groups with votes, over prior variances."""
        evidence = self.evidence
        places: Sequence[float] = [evidence.best_place]
        shares = np.ones(1)
        if not evidence.knows_the_variance:
            places, shares = evidence.possible()
        means = np.array([evidence.bias(k) for k in places])
        within = np.array([evidence.bias_variance(k) for k in places])
        mean = shares @ means
        return mean, shares @ (within + (means - mean) ** 2)


def position_bias_posterior(
    answered: AnsweredGraph,
    position_bias: Groupings,
    link: str,
    held: FloatArray | None = None,
    shrink: Shrinkage = None,
) -> PositionBiasPosterior:
    """Compute the posterior of votes with position bias; `held` are known biases."""
    usual, varies = 1 / USUAL_VARIANCE[link], 1.0
    for _ in range(ROUNDS):
        adjusted = remove_position_bias(
            answered,
            position_bias,
            link,
            ridge=usual,
            dispersion=varies,
            has_prior=True,
            shrink=shrink,
        )
        before, varies = varies, _dispersion(answered.graph, adjusted)
        if varies == before:
            break
    if held is not None:  # groups that joined later are unbiased
        held = np.pad(held, (0, max(0, adjusted.fit.cells.n_groups - len(held))))
    return PositionBiasPosterior(adjusted.graph, link, adjusted=adjusted, varies=before, held=held)


def _dispersion(graph: ComparisonGraph, adjusted: PositionAdjusted) -> float:
    """Return the dispersion of the votes around scores and biases."""
    if are_choices(graph):
        return 1.0
    fit = adjusted.fit
    cells, prior = fit.cells, fit.prior.scores
    t = fit.differences + cells.of_groups(fit.bias)
    means = 2 * LINKS[adjusted.link].cdf(t) - 1
    residuals = cells.weight * (cells.square - (2 * cells.mean - means) * means)
    kept = prior * float(adjusted.equations.inverse_diagonal.values.sum())
    parameters = graph.n_items - 1 - kept + adjusted.n_biases
    return pearson(residuals, cells.weight, means, parameters, graph.n_votes)
