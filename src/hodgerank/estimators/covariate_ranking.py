"""Rankings with covariates: two orders from one fit, as written and at equal covariates.

The joint model has a score x, an effect beta of each covariate, and a mean covariate of each item.
As written, an item has the score x + beta . mean; where it is controlled for, x. Both are linear in
the unknowns, so both have exact standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.belief import Belief, NormalBelief, Part
from hodgerank.estimators.covariance import CovarianceKind, ModelCovariance, ResidualVariance
from hodgerank.estimators.covariates.columns import (
    IDENTIFIED,
    Covariate,
    Covariates,
    controlled_names,
    read_covariates,
)
from hodgerank.estimators.covariates.joint_model import (
    EFFECT_SD,
    GivenInverse,
    JointFit,
    JointModel,
    fit_mode,
    free_scores,
)
from hodgerank.estimators.covariates.posterior import JointEvidence, JointPart, together
from hodgerank.estimators.covariates.terms import CovariateTerms
from hodgerank.estimators.dispersion import USUAL_VARIANCE, are_choices, dispersion_of, pearson
from hodgerank.estimators.position_bias.adjustment import (
    PositionAdjusted,
    adjust_for_position,
    remove_position_bias,
)
from hodgerank.estimators.position_bias.groupings import Groupings, has_display_order
from hodgerank.estimators.position_bias.shrinkage import BIAS_PRECISION, Shrinkage
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.estimators.prediction import Prediction
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.hypothesis_tests import interval_quantile
from hodgerank.kernels.linalg.laplacian import centre
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import FloatArray, IntArray

PROBIT = "thurstone-mosteller"
UNCERTAIN = (
    "only {share:.0%} of the differences in {name} vary within items: the order controlled for it "
    "is uncertain"
)
INSEPARABLE = (
    "control={name!r} (--control): each item has nearly the same {name} in all its votes "
    "({share:.0%} of the differences vary within items), so its effect cannot be separated from "
    "the scores: leave out control, or collect votes on several texts per item"
)


class PositionColumns(NamedTuple):
    """Position biases in the joint model: the group of each vote, and precisions around 0."""

    groups: list[IntArray]
    precision: FloatArray
    adjusted: PositionAdjusted | None


@dataclass(frozen=True, eq=False)
class Wanted:
    """The request: covariates, read from the votes, and which of them are controlled for.

    Attributes
    ----------
    covariates
        All that were named.
    control
        Names of those that the scores are controlled for.
    """

    covariates: tuple[Covariate, ...]
    control: tuple[str, ...]

    @classmethod
    def of(
        cls, answered: AnsweredGraph, covariates: Covariates, control: Covariates | None
    ) -> Wanted:
        """Read the covariates, or raise InvalidArgument."""
        names = controlled_names(covariates, control)
        found = read_covariates(answered, covariates)
        for covariate in found:
            if covariate.name in names and not covariate.is_estimated:
                raise InvalidArgument(
                    INSEPARABLE.format(name=short(covariate.name), share=covariate.share)
                )
        return cls(found, names)

    @property
    def estimated(self) -> tuple[Covariate, ...]:
        """The covariates in the model."""
        return tuple(covariate for covariate in self.covariates if covariate.is_estimated)

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings about the order controlled for covariates."""
        return tuple(
            UNCERTAIN.format(name=short(covariate.name), share=covariate.share)
            for covariate in self.covariates
            if covariate.name in self.control and covariate.share < IDENTIFIED
        )


@dataclass(frozen=True, eq=False)
class Estimate:
    """A fit of the joint model, from which both rankings are made.

    Attributes
    ----------
    unknowns, covariance
        Mean and covariance of all unknowns, the latter before it is multiplied by `scale`.
    scale, freedom, largest
        Residual variance, as in `ModelCovariance`.
    sandwich
        Clustered covariance of all unknowns, its degrees of freedom, and the name of the clusters.
    belief
        What makes the posterior of scores from their matrix, their covariance and the model's.
    prediction
        What makes win probabilities from the matrix of the scores, if the link does not.
    """

    graph: ComparisonGraph
    wanted: Wanted
    model: JointModel
    link: str
    components: IntArray
    unknowns: FloatArray
    covariance: FloatArray
    scale: float
    freedom: float | None
    largest: float
    ridge: float
    position: PositionColumns
    confidence: float
    sandwich: tuple[FloatArray, float, str] | None
    is_score_clustered: bool
    clusters: str | None
    belief: Callable[[FloatArray, ModelCovariance, ModelCovariance], Belief]
    how: dict[str, Any]
    prediction: Callable[[FloatArray], Prediction] | None = None

    def ranking(self) -> Ranking:
        """Return the ranking asked for, with the other one beside it."""
        wanted = self.wanted
        every = tuple(covariate.name for covariate in wanted.estimated)
        written, controlled = self._ranking(()), self._ranking(wanted.control or every)
        terms = self._terms(written)
        first, second = (controlled, written) if wanted.control else (written, controlled)
        first = replace(first, notes=(*first.notes, *wanted.notes))
        return replace(
            first, covariates=terms, position_bias=self._position_bias(first), _counterpart=second
        )

    def _ranking(self, control: Sequence[str]) -> Ranking:
        matrix = centre(self.model.written(self.wanted.estimated, control), self.components)
        model = self._of_scores(matrix, self.covariance, self.scale, self.freedom, self.largest)
        uncertainty = model
        if self.sandwich is not None and self.is_score_clustered:
            covariance, freedom, name = self.sandwich
            uncertainty = self._of_scores(matrix, covariance, 1.0, freedom, np.inf, name)
        scores = matrix @ self.unknowns
        return Ranking.from_scores(
            self.graph,
            scores,
            uncertainty,
            link=self.link,
            confidence=self.confidence,
            ridge=self.ridge,
            belief=self.belief(matrix, uncertainty, model),
            prediction=None if self.prediction is None else self.prediction(matrix),
            components=self.components,
            **self.how,
        )

    def _of_scores(
        self,
        matrix: FloatArray,
        covariance: FloatArray,
        scale: float,
        freedom: float | None,
        largest: float,
        clusters: str | None = None,
    ) -> ModelCovariance:
        system = GivenInverse(matrix @ covariance @ matrix.T, self.ridge)
        return ModelCovariance(system, scale, freedom, largest, clusters or self.clusters)

    def _terms(self, written: Ranking) -> CovariateTerms:
        wanted, k = self.wanted, self.model.effects
        means, variances = self.unknowns[k], self.scale * np.diag(self.covariance)[k]
        quantile = ModelCovariance(
            GivenInverse(self.covariance, 0.0), self.scale, self.freedom, self.largest
        ).quantile(self.confidence)
        half = quantile * np.sqrt(variances)
        if self.sandwich is not None:
            variances = np.maximum(variances, np.diag(self.sandwich[0])[k])
            by_cluster = interval_quantile(self.confidence, self.sandwich[1])
            half = np.maximum(half, by_cluster * np.sqrt(np.diag(self.sandwich[0])[k]))
        known = {
            covariate.name: (mean, np.sqrt(variance), mean - width, mean + width)
            for covariate, mean, variance, width in zip(
                wanted.estimated, means, variances, half, strict=True
            )
        }
        return terms_of(wanted, written, known)

    def _position_bias(self, ranking: Ranking) -> PositionBiasTerms | None:
        adjusted, k = self.position.adjusted, self.model.biases
        if adjusted is None:
            return None
        fit, n = adjusted.fit, self.model.n_biases
        turned = np.eye(n)
        contrasts = adjusted.contrasts_of(fit)
        if contrasts is not None:
            own = fit.cells.sizes[0]
            turned[own:, own:] = contrasts
        variances = self.scale * np.diag(turned @ self.covariance[k, k] @ turned.T)
        if self.sandwich is not None:
            clustered = np.diag(turned @ self.sandwich[0][k, k] @ turned.T)
            variances = np.maximum(variances, clustered)
        source = GivenVariances(variances + fit.prior.doubts)
        terms = adjusted.terms(ranking.score_covariance, self.confidence, scale=self.scale)
        values = turned @ self.unknowns[k]
        return replace(terms, values=values[terms.rows], _source=source)


class GivenVariances(NamedTuple):
    """Variances of the position biases."""

    bias_variances: FloatArray


def terms_of(
    wanted: Wanted, ranking: Ranking, known: dict[str, tuple[float, float, float, float]]
) -> CovariateTerms:
    """Return the effects; those that are not known are NaN."""
    nothing = (np.nan,) * 4
    rows = np.array([known.get(covariate.name, nothing) for covariate in wanted.covariates])
    codes = ranking.codes
    return CovariateTerms(
        names=tuple(covariate.name for covariate in wanted.covariates),
        units=tuple(covariate.unit for covariate in wanted.covariates),
        sizes=np.array([covariate.size for covariate in wanted.covariates]),
        values=rows[:, 0],
        standard_errors=rows[:, 1],
        intervals=rows[:, 2:],
        shares=np.array([covariate.share for covariate in wanted.covariates]),
        beside_side=np.array([covariate.beside_side for covariate in wanted.covariates]),
        correlations=np.array(
            [_correlation(ranking.scores, each.means[codes]) for each in wanted.covariates]
        ),
        control=wanted.control,
        link=ranking.link,
        confidence=ranking.confidence,
        margin_unit=ranking.margin_unit,
        backend=ranking.backend,
    )


def _correlation(scores: FloatArray, means: FloatArray) -> float:
    if not (np.ptp(scores) and np.ptp(means)):
        return 0.0
    return float(np.corrcoef(scores, means)[0, 1])


def described(ranking: Ranking, wanted: Wanted) -> Ranking:
    """Return a ranking without covariates, with what can be said about them."""
    return replace(ranking, covariates=terms_of(wanted, ranking, {}))


def position_columns(
    answered: AnsweredGraph,
    position_bias: Groupings | None,
    link: str,
    shrink: Shrinkage,
    *,
    ridge: float = 0.0,
    has_prior: bool = False,
) -> PositionColumns:
    """Return the position biases in the model.

    Without any, one common term still belongs to it where the display order is known: if longer
    texts are mostly shown on one side, position bias would look like an effect of length.
    """
    votes = answered.votes
    if position_bias is None:
        if not (votes.display_known.any() and has_display_order(votes)):
            return PositionColumns([], np.zeros(0), None)
        everyone = np.zeros(len(votes), np.int64)
        return PositionColumns([everyone], np.array([BIAS_PRECISION[link]]), None)
    if shrink is False and not isinstance(position_bias, str) and len(position_bias) > 1:
        raise InvalidArgument(
            "covariates with several groupings of position bias need shrinkage: leave out "
            "shrink_position_bias=False (--no-shrink-position-bias)"
        )
    if has_prior:
        adjusted = remove_position_bias(
            answered, position_bias, link, ridge=ridge, has_prior=True, shrink=shrink
        )
    else:
        adjusted = adjust_for_position(votes, position_bias, link, ridge=ridge, shrink=shrink)
    sizes = adjusted.fit.cells.sizes
    starts = np.cumsum([0, *sizes[:-1]])
    groups = [
        grouping.code.astype(np.int64) + start
        for grouping, start in zip(adjusted.groupings, starts.tolist(), strict=True)
    ]
    precision = np.broadcast_to(adjusted.fit.prior.bias, sum(sizes)).astype(float)
    return PositionColumns(groups, np.where(adjusted.fit.cells.votes > 0, precision, 1.0), adjusted)


def fitted_by_mode(
    answered: AnsweredGraph,
    wanted: Wanted,
    link: str,
    *,
    ridge: float,
    position_bias: Groupings | None,
    shrink: Shrinkage,
    covariance: CovarianceKind,
    confidence: float,
    noise: Callable[[ComparisonGraph, float, float], ResidualVariance] | None = None,
    notes: tuple[str, ...] = (),
) -> Ranking:
    """Rank by least squares, or by maximum likelihood with a wide prior on the effects.

    `noise` gives the residual variance of least squares from its sum of squares, and the number of
    unknowns beside the scores.
    """
    graph, votes = answered.graph, answered.votes
    position = position_columns(answered, position_bias, link, shrink, ridge=ridge)
    model = JointModel.of(votes, wanted.estimated, position.groups, len(position.precision))
    precision = free_scores(model, graph.components, ridge)
    precision[model.biases, model.biases] = np.diag(position.precision)
    if link in EFFECT_SD:
        precision[model.effects, model.effects] = np.eye(model.n_effects) / EFFECT_SD[link] ** 2
    fit = fit_mode(model, link, precision)
    rss = float(model.weights @ (model.outcomes - fit.predicted) ** 2)
    others = slice(model.n_items, model.size)
    kept = float((np.diag(precision)[others] * np.diag(fit.covariance)[others]).sum())
    n_others = model.n_biases + model.n_effects - kept
    residual, dispersion = ResidualVariance(1.0, None, np.inf, ()), 1.0
    if noise is not None:
        residual = noise(graph, rss, n_others)
    elif not are_choices(graph):
        dispersion = _dispersion(fit, votes, graph.n_items - graph.n_components + n_others)
        residual = ResidualVariance(dispersion, None, np.inf, ())
    is_margin = graph.report.margin_unit is not None
    how: dict[str, Any] = {
        "model": "least squares"
        if noise
        else f"maximum {'a posteriori' if ridge else 'likelihood'}",
        "dispersion": dispersion,
        "residual_sd": float(np.sqrt(residual.variance)) if is_margin else None,
        "iterations": fit.iterations,
        "residual": fit.residual,
        "solver": "dense Cholesky",
        "converged": True,
        "notes": (*notes, *residual.notes),
    }

    def belief(matrix: FloatArray, uncertainty: ModelCovariance, model: ModelCovariance) -> Belief:
        return NormalBelief(matrix @ fit.unknowns, uncertainty, model)

    def prediction(matrix: FloatArray) -> Prediction:
        scores, residuals = matrix @ fit.unknowns, model.outcomes - fit.predicted
        system = GivenInverse(matrix @ fit.covariance @ matrix.T, ridge)
        return Prediction(_around(answered, scores, residuals), scores, system, link)

    return Estimate(
        graph, wanted, model, link, graph.components, fit.unknowns, fit.covariance,
        residual.variance, residual.freedom, residual.largest, ridge, position, confidence,
        _sandwich(fit, votes, covariance), True, None, belief, how,
        prediction if link == "uniform" and not is_margin else None,
    ).ranking()  # fmt: skip


def _around(answered: AnsweredGraph, scores: FloatArray, residuals: FloatArray) -> ComparisonGraph:
    """Return the graph of votes with these scores and residuals."""
    graph, weight = answered.graph, answered.votes.total_weight
    away = np.bincount(answered.edge, answered.sign * weight * residuals, graph.n_edges)
    flows = scores[graph.i] - scores[graph.j] + away / graph.weights
    return replace(graph, flows=np.clip(flows, -1.0, 1.0))


def _sandwich(
    fit: JointFit, votes: Comparisons, by: CovarianceKind
) -> tuple[FloatArray, float, str] | None:
    """Return the clustered covariance of all unknowns; None if there are too few clusters."""
    if by == "model":
        return None
    cluster = votes.worker if by == "worker" else votes.ballot
    if cluster is None or (by == "worker" and (cluster < 0).any()):
        column = "worker=... (--worker)" if by == "worker" else "unit=... (--unit)"
        raise InvalidArgument(
            f"covariance={by!r} needs the {by} of every vote: name it by {column}"
        )
    n = len(np.unique(cluster))
    if n < 2:
        raise InvalidArgument(f"covariance={by!r} needs at least two {by}s")
    word = "unit" if by == "ballot" and votes.units else by
    return (*fit.clustered(cluster.astype(np.int64)), f"clustered by {word} ({n:,} {word}s)")


def _dispersion(fit: JointFit, votes: Comparisons, parameters: float) -> float:
    means = 2 * LINKS[fit.link].cdf(fit.predicted) - 1
    weights = votes.total_weight
    residuals = weights * (votes.outcome - means) ** 2
    return pearson(residuals, weights, means, parameters, votes.n_votes)


def posterior_with_covariates(
    answered: AnsweredGraph,
    wanted: Wanted,
    *,
    ridge: float | None,
    position_bias: Groupings | None,
    shrink: Shrinkage,
    design_effect: float,
    clusters: str | None,
    confidence: float,
    notes: tuple[str, ...],
) -> Ranking:
    """Rank by the posterior means of the probit model; see `bayes_rank`."""
    graph, votes, link = answered.graph, answered.votes, PROBIT
    usual = 1 / USUAL_VARIANCE[link]
    position = position_columns(answered, position_bias, link, shrink, ridge=usual, has_prior=True)
    dispersion = dispersion_of(graph, link)
    model = JointModel.of(
        votes, wanted.estimated, position.groups, len(position.precision),
        dispersion * design_effect,
    )  # fmt: skip
    evidence = JointEvidence(graph, link, model, wanted.estimated, position.precision)
    if ridge is None:
        parts, sites = evidence.parts()
    else:
        part, sites = evidence.part(-float(np.log2(ridge * USUAL_VARIANCE[link])))
        parts = [part]
    mean, covariance = together(parts)
    is_settled = sites.change <= 1e-4
    if not is_settled:
        notes = (*notes, f"not converged after {sites.sweeps} sweeps")
    how: dict[str, Any] = {
        "model": "posterior mean",
        "dispersion": dispersion,
        "design_effect": design_effect,
        "iterations": sites.sweeps,
        "residual": sites.change,
        "solver": "dense Cholesky",
        "converged": is_settled,
        "has_prior": True,
        "notes": notes,
    }

    def belief(matrix: FloatArray, uncertainty: ModelCovariance, model: ModelCovariance) -> Belief:
        return JointBelief(tuple(parts), matrix)

    variance = evidence.variance(evidence.best_place) if ridge is None else 1 / ridge
    by_unit = None
    if votes.ballot is not None and votes.n_ballots > 1:
        chances = (1 + model.outcomes) / 2
        slopes = model.weights * LIKELIHOODS[link](model.predict(mean), chances)[1]
        at_mean = JointFit(model, link, mean, covariance, slopes, 0, 0.0)
        by_unit = _sandwich(at_mean, votes, "ballot")
    return Estimate(
        graph, wanted, model, link, np.zeros(graph.n_items, np.int64), mean, covariance, 1.0,
        None, np.inf, 1 / variance, position, confidence, by_unit, False, clusters, belief, how,
    ).ranking()  # fmt: skip


@dataclass(frozen=True, eq=False)
class JointBelief:
    """The posterior of scores, which are a matrix times the unknowns of the joint model."""

    joint: tuple[JointPart, ...]
    matrix: FloatArray

    @property
    def parts(self) -> tuple[Part, ...]:
        """One Gaussian for each plausible prior variance."""
        return tuple(
            Part(
                part.share,
                self.matrix @ part.mean,
                ModelCovariance(
                    GivenInverse(self.matrix @ part.covariance @ self.matrix.T, 1.0), 1.0
                ),
            )
            for part in self.joint
        )
