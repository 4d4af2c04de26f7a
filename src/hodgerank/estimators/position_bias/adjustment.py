"""Votes adjusted for position bias, so that any estimator can rank them.

Given the fitted position bias, the votes on a pair are replaced by an equivalent number of unbiased
votes: those with the same slope and curvature of the likelihood at the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.covariance import BLOCK, ClusteredCovariance, Covariance
from hodgerank.estimators.position_bias.fit import (
    PositionBiasFit,
    PositionBiasPrior,
    fit_position_bias,
    least_squares,
)
from hodgerank.estimators.position_bias.groupings import (
    NO_GROUP,
    Groupings,
    VoteGrouping,
    group_votes,
    names_of,
    option_of,
    require_both_orders,
    require_display_order,
)
from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.estimators.position_bias.shrinkage import (
    BIAS_PRECISION,
    Shrinkage,
    fit_with_shrinkage,
)
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import single_votes
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import FloatArray, IntArray, VotesLike

NARROW = 1e-12
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class PositionAdjusted:
    """The adjusted votes, and the fit that was used.

    Attributes
    ----------
    answered
        The votes as given.
    graph
        The votes adjusted for position bias.
    groupings
        The groupings of the votes, in the order of the columns of the fit: largest first.
    names
        The groupings in the order asked for.
    fit
        Scores and position biases.
    """

    answered: AnsweredGraph
    graph: ComparisonGraph
    groupings: tuple[VoteGrouping, ...]
    names: tuple[str, ...]
    link: str
    fit: PositionBiasFit

    @property
    def choices(self) -> ComparisonGraph:
        """The graph with mean votes clipped to [-1, 1]: least squares may go beyond."""
        graph = self.graph
        flows = np.clip(graph.flows, -1.0, 1.0)
        return replace(graph, flows=flows, squares=np.clip(graph.squares, 0.0, graph.weights))

    @property
    def n_biases(self) -> int:
        """Number of groups with votes."""
        return int((self.fit.cells.votes > 0).sum())

    @property
    def n_effective(self) -> float:
        """Effective number of biases: those that are hardly shrunk count in full."""
        fit, votes = self.fit, self.fit.cells.votes
        information = fit.cells.per_group(fit.curvatures)[votes > 0]
        prior = np.broadcast_to(fit.prior.bias, votes.shape)[votes > 0]
        return float((information / (information + prior)).sum()) - fit.n_levels

    @property
    def equations(self) -> BorderedEquations:
        """The information about the scores, with unknown position biases."""
        return self.fit.equations

    @property
    def as_newton(self) -> Fit:
        """The fit in the form of a fit without position bias."""
        fit = self.fit
        return Fit(fit.scores, fit.value, fit.curvatures, fit.iterations, fit.residual, "bordered")

    def clusters(self, by: Literal["worker", "ballot"]) -> PositionClusters:
        """Return the covariance clustered by worker or ballot."""
        votes, fit = self.answered.votes, self.fit
        shown = votes.display_known
        groups = np.array([grouping.code for grouping in self.groupings])
        groups += np.cumsum([0, *fit.cells.sizes[:-1]])[:, None]
        t = fit.scores[votes.left] - fit.scores[votes.right]
        t = t + np.where(shown, fit.bias[groups].sum(axis=0), 0.0)
        likelihood = LIKELIHOODS.get(self.link, least_squares)
        slopes = votes.total_weight * likelihood(t, (1 + votes.outcome) / 2)[1]
        groups = np.where(shown, groups, NO_GROUP)
        return PositionClusters(self.equations, votes, slopes, by, groups, self.contrasts_of(fit))

    def contrasts_of(self, fit: PositionBiasFit) -> FloatArray | None:
        """Return what turns biases of the smaller groupings into differences from their mean.

        The means, weighted by votes, go to the common term, with which shrunk biases share a level
        that only the prior determines. None if there is no common term beside other groupings.
        """
        cells = fit.cells
        if len(self.groupings) == 1 or self.groupings[-1].name != "common":
            return None
        own, votes = cells.sizes[0], cells.votes
        contrasts = np.eye(cells.n_groups - own)
        for place in cells.places[1:-1]:
            share = votes[place] / max(float(votes[place].sum()), NARROW)
            columns = slice(place.start - own, place.stop - own)
            contrasts[columns, columns] -= share
            contrasts[-1, columns] = share
        return contrasts

    def with_dispersion(self, dispersion: float) -> PositionBiasFit:
        """Return the fit to votes with this dispersion."""
        if dispersion == 1:
            return self.fit
        prior = replace(self.fit.prior, bias=self.fit.prior.bias / dispersion)
        return replace(self.fit, curvatures=self.fit.curvatures / dispersion, prior=prior)

    def terms(
        self,
        covariance: Covariance,
        confidence: float,
        *,
        scale: float = 1.0,
        fit: PositionBiasFit | None = None,
    ) -> PositionBiasTerms:
        """Return the position biases.

        `covariance` is that of the scores, `scale` the residual variance, and `fit` one of the same
        groups to use instead.
        """
        fit = fit or self.fit
        cells = fit.cells
        clusters = covariance if isinstance(covariance, PositionClusters) else None
        prior = fit.prior
        precision = np.broadcast_to(prior.bias, cells.n_groups)
        spreads = prior.spreads
        if spreads is None:
            first = precision[[place.start for place in cells.places]]
            spreads = np.sqrt(scale / np.maximum(first, NARROW))
        spread = dict(zip((grouping.name for grouping in self.groupings), spreads, strict=True))
        counts = cells.per_group(cells.count)
        known = dict(zip((grouping.name for grouping in self.groupings), cells.places, strict=True))
        labels = {grouping.name: grouping.labels for grouping in self.groupings}
        rows = {name: np.flatnonzero(counts[known[name]]) for name in self.names}
        columns = np.concatenate([rows[name] + known[name].start for name in self.names])
        contrasts, values = self.contrasts_of(fit), fit.bias
        if contrasts is not None:
            own = cells.sizes[0]
            values = np.append(values[:own], contrasts @ values[own:])
        return PositionBiasTerms(
            grouping=tuple(name for name in self.names for _ in rows[name]),
            groups=tuple(labels[name][k] for name in self.names for k in rows[name].tolist()),
            values=values[columns],
            votes=counts[columns].astype(np.int64),
            link=self.link,
            spread={name: float(spread[name]) for name in self.names} if precision.any() else {},
            confidence=confidence,
            margin_unit=self.graph.report.margin_unit,
            backend=self.graph.backend,
            _source=BiasVariances(fit, scale, clusters, contrasts),
            _rows=columns,
            _z=covariance.quantile(confidence),
        )


@dataclass(frozen=True, eq=False)
class BiasVariances:
    """Variances of the biases of a fit: those of the model, and at least those of clusters.

    Few clusters may agree by chance, and one cluster in a group says nothing.
    """

    fit: PositionBiasFit
    scale: float
    clusters: PositionClusters | None
    contrasts: FloatArray | None

    @property
    def bias_variances(self) -> FloatArray:
        """Variance of each bias of the fit, or of its contrast."""
        model = self.fit.bias_variances
        if self.contrasts is not None:
            crossing = self.fit.equations.crossing_covariance
            own = len(model) - len(crossing)
            model = np.append(
                model[:own], np.einsum("ab,bc,ac->a", self.contrasts, crossing, self.contrasts)
            )
        model = self.scale * model + self.fit.prior.doubts
        return model if self.clusters is None else np.maximum(model, self.clusters.bias_variances)


@dataclass(frozen=True)
class PositionClusters(ClusteredCovariance):
    """The clustered sandwich with the position biases as further unknowns.

    Attributes
    ----------
    group
        One row per grouping: the column of each vote.
    contrasts
        Contrasts of the biases of the smaller groupings.
    """

    group: IntArray
    contrasts: FloatArray | None

    @property
    def _influence(self) -> FloatArray:
        """Influence of each cluster on the scores."""
        return self._influences[0]

    @property
    def bias_variances(self) -> FloatArray:
        """Sum over clusters of the squared influence on each bias."""
        return self._influences[1]

    @cached_property
    def _influences(self) -> tuple[FloatArray, FloatArray]:
        """Influence of each cluster on the scores, and the sum of squares of that on each bias."""
        from scipy import sparse

        assert isinstance(self.equations, BorderedEquations)
        n_columns, n = self.equations.border.shape[1], self.n_clusters
        shown = np.flatnonzero(self.group[0] >= 0)
        biases = sum(
            sparse.coo_array(
                (self.slopes[shown], (group[shown], self._cluster[shown])), shape=(n_columns, n)
            ).tocsc()
            for group in self.group
        )
        scores, squares = [], np.zeros(n_columns)
        for k in range(0, n, BLOCK):
            block = slice(k, k + BLOCK)
            x, b = self.equations.solve_both(self._gradients[:, block], biases[:, block].toarray())
            scores.append(x)
            if self.contrasts is not None:
                own = n_columns - len(self.contrasts)
                b = np.concatenate((b[:own], self.contrasts @ b[own:]))
            squares += np.einsum("ga,ga->g", b, b)
        few = n / (n - 1)
        return np.asarray(np.hstack(scores) * np.sqrt(few)), squares * few


def remove_position_bias(
    answered: AnsweredGraph,
    position_bias: Groupings,
    link: str,
    *,
    ridge: float = 0.0,
    dispersion: float = 1.0,
    has_prior: bool = False,
    shrink: Shrinkage = None,
) -> PositionAdjusted:
    """Fit scores and position biases jointly.

    `ridge` is the precision of the scores; `has_prior` says that it connects all components. Unless
    `shrink` says otherwise, least squares estimates how far biases are shrunk, and the likelihood
    models have a weak prior; of several groupings it is estimated, since a weak prior does not
    separate them.
    """
    votes = answered.votes
    names = names_of(position_bias)
    if shrink is None:
        is_estimated = link == "uniform" or len(names) > 1
        shrink = True if is_estimated else BIAS_PRECISION[link]
    if shrink is not False and len(names) > 1 and "common" not in names:
        names = ("common", *names)  # from which the groups of each grouping deviate
    asked = group_votes(votes, names)
    groupings = tuple(sorted(asked, key=lambda grouping: -len(grouping.labels)))
    codes = [grouping.code for grouping in groupings]
    cells = PositionCells.of(answered, codes, [len(grouping.labels) for grouping in groupings])
    if has_prior:
        cells = replace(cells, components=np.zeros(cells.n_items, np.int64))
    cells = replace(cells, weight=cells.weight / dispersion)
    if shrink is True:
        fit = fit_with_shrinkage(
            cells, link, ridge, votes.n_votes, dispersion,
            are_margins=votes.report.margin_unit is not None,
        )  # fmt: skip
    else:
        prior = PositionBiasPrior(ridge, np.full(cells.n_groups, float(shrink)))
        fit = fit_position_bias(cells, link, prior)
    graph = _equivalent_unbiased(answered.graph, fit, link, dispersion)
    return PositionAdjusted(answered, graph, groupings, names, link, fit)


def adjust_for_position(
    votes: VotesLike,
    position_bias: Groupings,
    link: str,
    *,
    ridge: float = 0.0,
    shrink: Shrinkage = None,
) -> PositionAdjusted:
    """Read any votes that keep single votes, and adjust them for position bias."""
    answers = single_votes(votes, option_of(position_bias))
    require_display_order(answers, position_bias)
    require_both_orders(answers)
    answered = AnsweredGraph.of(answers)
    if shrink is False:
        _require_levels(answers, position_bias)
    adjusted = remove_position_bias(answered, position_bias, link, ridge=ridge, shrink=shrink)
    if shrink is False:
        _require_identified(adjusted)
    return adjusted


def _require_levels(votes: Comparisons, position_bias: Groupings) -> None:
    """Refuse a grouping of one group beside others: its bias is theirs."""
    groupings = group_votes(votes, position_bias)
    for grouping in groupings:
        if len(groupings) > 1 and len(np.unique(grouping.code[votes.display_known])) == 1:
            raise InvalidArgument(
                f"position_bias: {short(repr(grouping.name))} has one group, whose bias cannot be "
                "separated from those of the other groupings without shrinkage: leave it out"
            )


def _require_identified(adjusted: PositionAdjusted) -> None:
    """Raise InvalidArgument that names the groups whose biases the votes do not determine."""
    terms = [(grouping.name, label) for grouping in adjusted.groupings for label in grouping.labels]
    is_open = adjusted.equations.open_unknowns & (adjusted.fit.cells.votes > 0)
    if not is_open.any():
        return
    names = []
    for k in np.flatnonzero(is_open)[:MOST_NAMED].tolist():
        grouping, label = terms[k]
        name = "no value" if label is None else short(str(label))
        names.append(grouping if grouping == "common" else f"{grouping} {name}")
    n, more = int(is_open.sum()), int(is_open.sum()) - len(names)
    listed = ", ".join(names) + (f" and {more:,} more" if more else "")
    raise InvalidArgument(
        f"the position bias of {n:,} group{'' if n == 1 else 's'} cannot be separated from the "
        f"scores or from other groups: {listed}. Their pairs were shown in one order only, and no "
        "other votes connect the items. Shrink the biases (the default), use fewer groups, or "
        "collect votes of these groups on pairs in both orders"
    )


def _equivalent_unbiased(
    graph: ComparisonGraph, fit: PositionBiasFit, link: str, dispersion: float
) -> ComparisonGraph:
    cells = fit.cells
    difference = fit.scores[graph.i] - fit.scores[graph.j]
    slope = dispersion * np.bincount(cells.edge, cells.sign * fit.slopes, graph.n_edges)
    if link == "uniform":
        rest = cells.mean - cells.of_groups(fit.bias)
        noise = cells.square - cells.mean**2 + rest**2
        return replace(
            graph,
            flows=difference + slope / graph.weights,
            squares=np.bincount(cells.edge, cells.weight * noise, graph.n_edges).astype(float),
        )
    curvature = dispersion * np.bincount(cells.edge, fit.curvatures, graph.n_edges)
    p = LINKS[link].cdf(difference)
    varies = np.maximum(p * (1 - p), NARROW)
    density = LINKS[link].density(difference)
    weights = np.maximum(curvature * varies / np.maximum(density**2, NARROW**2), NARROW)
    wins = np.clip(p + slope * varies / (weights * np.maximum(density, NARROW)), 0.0, 1.0)
    share = weights / graph.weights
    return replace(
        graph,
        weights=weights,
        weight_squares=graph.weight_squares * share**2,
        flows=2 * wins - 1,
        squares=graph.squares * share,
    )
