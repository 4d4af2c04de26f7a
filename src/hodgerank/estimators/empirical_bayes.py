"""MarginalLikelihood: the prior variance of the scores, estimated by empirical Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.estimators.covariance import Equations
from hodgerank.estimators.dispersion import USUAL_VARIANCE
from hodgerank.estimators.posterior_mode import posterior_mode
from hodgerank.estimators.priors import IndependentScores, Prior, Scope
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.expectation_propagation import LINK_CODES, PairVotes, Sites
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.links import LIKELIHOODS, likelihood_of
from hodgerank.types import FloatArray

SPREAD_OF_VARIANCE = 1.5  # standard deviation of the hyperprior on the log variance
KNOWN = 0.7  # width in factors of two below which the variance is treated as known
IMPOSSIBLE = 5.0  # nats below the peak
FEW_PAIRS = 2  # per item
AHEAD = 2.0  # nats of evidence that a Markov prior needs in doubtful cases
FARTHEST = 8  # factors of two from the default variance
CLOSE_ENOUGH, TOLERANCE = 1e-3, 1e-4  # change of sites in the last sweep: searching, final
# From here on the posterior is nearly Gaussian around its mode; computing its mean instead would
# take minutes for a hundred million votes.
MANY_PAIRS, MANY_VOTES = 200_000, 50  # the latter per item
MODE_ROUNDS, SETTLED = 10, 0.01  # of the prior variance, and its last relative change


@dataclass(frozen=True, eq=False)
class PosteriorFit:
    """The posterior under one prior variance: a Gaussian, and the EP sites that give it."""

    scores: FloatArray
    equations: Equations
    sites: Sites
    solver: str

    @property
    def converged(self) -> bool:
        """Whether expectation propagation converged."""
        return self.sites.change <= TOLERANCE


class MarginalLikelihood:
    """Marginal likelihood of the prior variance, on a grid of factors of two of the default.

    Computed by expectation propagation. The weights of the graph are numbers of votes.
    """

    def __init__(self, graph: ComparisonGraph, link: str, prior: Prior) -> None:
        self.graph, self.link, self.prior = graph, link, prior
        wins = np.maximum(graph.weights * (1 + graph.flows) / 2, 0.0)
        losses = np.maximum(graph.weights * (1 - graph.flows) / 2, 0.0)
        self._votes = PairVotes.without_bias(LINK_CODES[link], wins, losses)
        self._sites: dict[int, Sites] = {}
        self._fits: dict[float, PosteriorFit] = {}

    def __getitem__(self, k: int) -> float:
        """Log marginal likelihood plus log hyperprior of the default variance times 2^k."""
        if k not in self._sites:
            self._sites[k] = self._fit(k, CLOSE_ENOUGH)
        belief = -0.5 * (k * np.log(2) / SPREAD_OF_VARIANCE) ** 2
        return float(self._sites[k].log_evidence + belief)

    def _fit(self, k: float, tolerance: float) -> Sites:
        """Fit at k, starting from the nearest grid point visited so far."""
        nearest = min(self._sites, key=lambda other: abs(other - k), default=None)
        nothing = np.zeros(self.graph.n_edges)
        start = Sites(nothing, nothing) if nearest is None else self._sites[nearest]
        return self._fit_from(start, k, tolerance)

    def _fit_from(self, start: Sites, k: float, tolerance: float) -> Sites:
        i, j = self.graph.i, self.graph.j
        return self.prior.fit(self._votes, i, j, self.variance(k), start, tolerance)

    def fit(self, k: float) -> PosteriorFit:
        """Return the converged posterior at k."""
        if k not in self._fits:
            graph, sites = self.graph, self._fit(k, TOLERANCE)
            equations = self.prior.equations(graph.i, graph.j, sites.t, self.variance(k))
            found = equations.solution(divergence(graph.i, graph.j, sites.u, graph.n_items))
            errors = self._with_errors(k, equations, sites)
            self._fits[k] = PosteriorFit(found.x, errors, sites, found.solver)
        return self._fits[k]

    def _with_errors(self, k: float, equations: Equations, sites: Sites) -> Equations:
        """Return the equations whose inverse is the covariance of the scores."""
        return equations

    def variance(self, k: float) -> float:
        """Prior variance at grid point k."""
        return float(USUAL_VARIANCE[self.link] * 2.0**k)

    @cached_property
    def peak(self) -> tuple[float, float]:
        """Position of the maximum between grid points, and its width as a normal density.

        Climbs from the default variance, then fits a parabola through the three highest points.
        """
        k = self._top
        below, at, above = (self[place] for place in (k - 1, k, k + 1))
        bend = max(2 * at - above - below, 1e-12)
        return k + float(np.clip(0.5 * (above - below) / bend, -1, 1)), float(bend**-0.5)

    @cached_property
    def _top(self) -> int:
        k = 0
        while abs(k) < FARTHEST:
            better = max((k - 1, k + 1), key=self.__getitem__)
            if self[better] <= self[k]:
                break
            k = better
        return k

    @property
    def total(self) -> float:
        """Log marginal likelihood of the prior, integrated over its variance."""
        return self[self._top] + float(np.log(self.peak[1]))

    @cached_property
    def best(self) -> PosteriorFit:
        """The posterior at the peak, or at the mean grid point if several are plausible."""
        return self.fit(self.best_place)

    @property
    def best_place(self) -> float:
        """The grid coordinate of `best`."""
        if self.knows_the_variance:
            return self.peak[0]
        places, shares = self.possible()
        return float(shares @ np.array(places))

    @property
    def knows_the_variance(self) -> bool:
        """Whether the uncertainty of the variance is negligible."""
        return self.peak[1] < KNOWN

    def possible(self) -> tuple[list[int], FloatArray]:
        """Return the plausible grid points and their probabilities."""
        low = high = self._top
        least = self[low] - IMPOSSIBLE
        while low > -FARTHEST and self[low - 1] > least:
            low -= 1
        while high < FARTHEST and self[high + 1] > least:
            high += 1
        places = list(range(low, high + 1))
        heights = np.array([self[k] for k in places])
        weights = np.exp(heights - heights.max())
        return places, np.asarray(weights / weights.sum())


class LaplaceLikelihood(MarginalLikelihood):
    """Laplace's approximation: the mode of the posterior, and the curvature there.

    The prior variance is estimated by EM: the mean square of the scores plus their variances. With
    50 votes per item or more, scores differ from those of expectation propagation by .05 to .2
    standard errors, mostly by a common factor, and Kendall's tau in the fourth decimal.
    """

    @property
    def peak(self) -> tuple[float, float]:
        """The prior variance, treated as known with so many votes."""
        return float(np.log2(self._found[0] / USUAL_VARIANCE[self.link])), 0.0

    @cached_property
    def _found(self) -> tuple[float, FloatArray]:
        """The prior variance, and scores close to the mode."""
        graph, variance = self.graph, USUAL_VARIANCE[self.link]
        x = np.zeros(graph.n_items)
        for _ in range(MODE_ROUNDS):
            found, equations = posterior_mode(graph, self.link, variance, x, CLOSE_ENOUGH)
            x, before = found.x, variance
            variance = float(x @ x + equations.inverse_diagonal.values.sum()) / len(x)
            if abs(variance / before - 1) < SETTLED:
                break
        return variance, x

    def _fit(self, k: float, tolerance: float) -> Sites:
        """Return sites whose Gaussian has its mean at the mode."""
        graph = self.graph
        found, _ = posterior_mode(graph, self.link, self.variance(k), self._found[1])
        difference = found.x[graph.i] - found.x[graph.j]
        _, slope, bend = likelihood_of(
            LIKELIHOODS[self.link], graph.weights, (1 + graph.flows) / 2
        )(difference)
        return Sites(
            bend, bend * difference + slope, sweeps=found.iterations, change=found.residual
        )


def best_supported(
    graph: ComparisonGraph, link: str, scope: Scope | None = None
) -> MarginalLikelihood:
    """Return the marginal likelihood of the prior with the most evidence.

    Without a `scope`, the pairs that were compared are taken as those that could be asked. A Markov
    prior needs a margin of evidence if these pairs are few, since few pairs form chains by chance,
    or if one bottleneck separates the items, since only the votes across it distinguish the priors.
    """
    if graph.n_edges >= MANY_PAIRS and graph.weights.sum() >= MANY_VOTES * graph.n_items:
        return LaplaceLikelihood(graph, link, IndependentScores(graph.n_items))
    pairs = scope or Scope(graph.n_items, (graph.i, graph.j))
    independent, *chained = (MarginalLikelihood(graph, link, prior) for prior in pairs.priors)
    if not chained:
        return independent
    is_thin = scope is None and graph.n_edges < FEW_PAIRS * graph.n_items
    ahead = AHEAD if is_thin or pairs.has_bottleneck else 0.0
    best = max(chained, key=lambda evidence: evidence.total)
    return best if best.total > independent.total + ahead else independent
