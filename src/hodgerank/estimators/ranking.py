"""Ranking: the result of every estimator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgerank.data.comparisons import MARGIN
from hodgerank.display import Charted, Displayed, Preview, Tabulated, TextTable, short
from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.estimators.belief import Belief, GivenBelief
from hodgerank.estimators.covariance import ClusteredCovariance, Covariance, ModelCovariance
from hodgerank.estimators.covariates.terms import CovariateTerms
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.estimators.prediction import Prediction
from hodgerank.estimators.score_scale import (
    MATCHED,
    MODEL_SCALE,
    ModelScores,
    ScaledScores,
    ScaleName,
    ScoreScale,
    WinCurve,
    require_placed,
)
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.rank_order import rank_bounds
from hodgerank.types import FloatArray, IntArray, Item

DEPENDENT = "votes of one {} are treated as independent, which makes the intervals too narrow"
ADAPTIVE = (
    "pairs were chosen adaptively, which exaggerates score differences and makes intervals too "
    "short (in tests 72% to 89% of the 95% intervals covered): the default model accounts for most "
    "of it"
)
# Scores closer than this, relative to their spread, are tied.
TIE = 1e-9
MINUS = "−"  # in tables for publication
ROUNDING = 1e-13  # of scores; items that differ by less are tied


class RankedItem(NamedTuple):
    """One item of a ranking: a row of `Ranking.to_frame`."""

    item: Item
    rank: int
    score: float
    stderr: float
    lower: float
    upper: float
    rank_lower: int
    rank_upper: int
    votes: int


class PosteriorPart(NamedTuple):
    """One Gaussian of the posterior of the scores, aligned with the items of a ranking.

    `covariance` is None if there are too many items for it.
    """

    share: float
    scores: FloatArray
    variances: FloatArray
    covariance: FloatArray | None


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Displayed, Charted, Tabulated):
    """Items from best to worst with scores and their uncertainty; all arrays are aligned.

    If components are ranked separately they follow each other, largest first, and ranks, scores and
    intervals hold within a component only.

    Attributes
    ----------
    items
        Best first.
    votes
        Number of votes on each item, including those of workers who are not trusted.
    components
        Component of each item; all 0 in a connected graph.
    scale
        Scale of the scores; that of the model unless `on_scale` chose another.
    model, link
        How the scores were estimated, e.g. 'least squares', and the link of the model's scale.
    confidence
        Confidence level of all intervals.
    ridge
        Precision of the Gaussian prior; 0 is none.
    dispersion
        Variance of the votes relative to that of plain choices with the same means, which the
        likelihood models account for: 1 for choices, less with ties and grades.
    design_effect
        Variance of the scores relative to that of as many independent votes, by which `bayes_rank`
        reduces correlated votes; 1 for other estimators.
    residual_sd
        Standard deviation of the margins around the differences of the scores, in their unit; None
        for choices, whose noise depends on the difference.
    iterations, residual, converged
        Iterations of the fit, size of the next step, and whether it converged.
    solver
        Linear solver, chosen by size and shape: 'dense Cholesky', 'sparse Cholesky', 'conjugate
        gradients', 'conjugate gradients, spanning tree' (the preconditioner), or 'star-mesh
        elimination' if weights differ too much for the others.
    undefeated, winless
        Items of groups that never lost to (never won against) an item outside the group. If
        there are any, the likelihood has no finite maximum.
    no_votes, not_connected
        Items that `rank` left out: those without votes, and those outside the largest connected
        component.
    worker_weights
        Weight of each worker's votes: 1 in full, 0 not at all, negative reversed. Empty if all
        votes count equally.
    notes
        Limits of the numbers that a reader should know.
    position_bias
        The position biases in the model, on its scale; None if it has none.
    covariates
        The effects of covariates, such as length, on the scale of the model; None if none were
        named.
    """

    items: tuple[Item, ...]
    votes: IntArray
    components: IntArray
    scale: ScoreScale
    model: str
    link: str
    confidence: float
    ridge: float
    dispersion: float
    design_effect: float
    residual_sd: float | None
    iterations: int
    residual: float
    solver: str
    converged: bool
    undefeated: tuple[Item, ...]
    winless: tuple[Item, ...]
    no_votes: tuple[Item, ...]
    not_connected: tuple[Item, ...]
    worker_weights: Mapping[Item, float]
    notes: tuple[str, ...]
    backend: str
    _model_scores: FloatArray
    _codes: IntArray
    _covariance: Covariance
    _belief: Belief
    _prediction: Prediction | None
    position_bias: PositionBiasTerms | None = field(default=None, kw_only=True)
    covariates: CovariateTerms | None = field(default=None, kw_only=True)
    _counterpart: Ranking | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not 1e-9 <= self.confidence <= 1 - 1e-9:
            raise InvalidArgument(f"confidence {self.confidence} must be between 0 and 1")

    @classmethod
    def from_scores(
        cls,
        graph: ComparisonGraph,
        scores: FloatArray,
        covariance: Covariance,
        *,
        model: str,
        link: str,
        confidence: float,
        iterations: int,
        residual: float,
        solver: str,
        converged: bool,
        ridge: float = 0.0,
        dispersion: float = 1.0,
        design_effect: float = 1.0,
        residual_sd: float | None = None,
        belief: Belief | None = None,
        prediction: Prediction | None = None,
        undefeated: tuple[Item, ...] = (),
        winless: tuple[Item, ...] = (),
        notes: tuple[str, ...] = (),
        has_prior: bool = False,
        components: IntArray | None = None,
        position_bias: PositionBiasTerms | None = None,
    ) -> Ranking:
        """Order the items of a graph by score; equal scores keep the order of the items.

        `has_prior` says that a prior shrinks the scores, which accounts for adaptively chosen
        pairs. `components` are those of the graph by default. Without a `belief`, scores and
        covariance are used as the posterior.
        """
        if isinstance(covariance, ModelCovariance) and covariance.clusters is None:
            if graph.report.ballots:
                notes = (*notes, DEPENDENT.format("ballot"))
            if graph.report.units:
                notes = (*notes, DEPENDENT.format("unit"))
        if graph.report.adaptive and not has_prior:
            notes = (*notes, ADAPTIVE)
        components = graph.components if components is None else components
        tied = np.round(scores / max(TIE * float(np.ptp(scores)), np.finfo(float).tiny))
        order = np.lexsort((np.arange(len(scores)), -tied, components))
        return cls(
            items=tuple(graph.items[k] for k in order.tolist()),
            votes=_read_only(graph.votes_per_item[order]),
            components=_read_only(components[order]),
            scale=_model_scale(graph, scores),
            model=model,
            link=link,
            confidence=confidence,
            ridge=ridge,
            dispersion=dispersion,
            design_effect=design_effect,
            residual_sd=residual_sd,
            iterations=iterations,
            residual=residual,
            solver=solver,
            converged=converged,
            undefeated=undefeated,
            winless=winless,
            no_votes=(),
            not_connected=(),
            worker_weights={},
            notes=notes,
            position_bias=position_bias,
            backend=graph.backend,
            _model_scores=_read_only(scores[order]),
            _codes=order,
            _covariance=covariance,
            _belief=belief or GivenBelief(scores, covariance),
            _prediction=prediction,
        )

    @property
    def as_written(self) -> Ranking:
        """The ranking in which the effect of covariates on an item is part of its score.

        The ranking itself unless it is controlled for covariates.
        """
        controlled = self.covariates is not None and bool(self.covariates.control)
        return self._counterpart if controlled and self._counterpart is not None else self

    @property
    def controlled(self) -> Ranking | None:
        """The ranking at equal covariates; None if the votes do not determine it.

        Controlled for the covariates of `control`, or else for all that can be estimated.
        """
        return self._counterpart if self.as_written is self else self

    @property
    def codes(self) -> IntArray:
        """Position of each item among the items of the votes."""
        return self._codes

    @property
    def score_covariance(self) -> Covariance:
        """Covariance of the scores of the model, in the order of the items of the votes."""
        return self._covariance

    def extended(self, kind: type[Extended], **more: Any) -> Extended:
        """Return the ranking as a subclass with more attributes."""
        return kind(**{part.name: getattr(self, part.name) for part in fields(Ranking)}, **more)

    def counting(self, graph: ComparisonGraph) -> Self:
        """Return the ranking with the numbers of votes of another graph of the same items."""
        return replace(
            self,
            votes=_read_only(graph.votes_per_item[self._codes]),
            _counterpart=self._counterpart and self._counterpart.counting(graph),
        )

    def by_component(self, graph: ComparisonGraph) -> Self:
        """Return the same scores with each component ranked separately, largest first."""
        place = {item: k for k, item in enumerate(graph.items)}
        components = graph.components[[place[item] for item in self.items]]
        order = np.argsort(components, kind="stable")
        names = ("_model_scores", "votes", "_codes")
        arrays = {name: getattr(self, name)[order] for name in names}
        return replace(
            self,
            items=tuple(self.items[k] for k in order.tolist()),
            components=components[order],
            _counterpart=self._counterpart and self._counterpart.by_component(graph),
            **arrays,
        )

    def on_scale(
        self,
        scale: ScaleName,
        *,
        anchor: tuple[Item, float] | None = None,
        baseline: Item | None = None,
    ) -> Self:
        """Return the same ranking with its scores on another scale.

        Scores, standard errors, intervals, tables and charts are on the scale. Items, ranks and
        `probability` do not change.

        Parameters
        ----------
        scale
            'model': the scores as estimated. 'elo', 'jod' and 'logit': multiples of them, such that
            the model's 75% win probability is 191 Elo points, 1 JOD, or ln 3 log odds. 'win-rate':
            mean probability of beating each of the other items. 'win-probability': probability of
            beating the `baseline`.
        anchor
            Item and the score that it has on 'elo', 'jod' or 'logit'. Default: the mean is 1000 for
            'elo' and 0 for the others. An anchor shifts all intervals and keeps its own.
        baseline
            Item that 'win-probability' compares with. Intervals are those of the difference.

        Examples
        --------
        >>> import hodgerank as hr
        >>> votes = [("tea", "milk", 1), ("milk", "tea", 1), ("tea", "milk", 1)] * 4
        >>> elo = hr.bradley_terry(votes).on_scale("elo", anchor=("milk", 1000))
        >>> elo.scores.round(1).tolist()
        [1120.4, 1000.0]
        """
        found = ScoreScale(scale, anchor, baseline)
        if self.margin_unit is not None:
            if found == MODEL_SCALE:
                return self
            raise InvalidArgument(
                f"the score scale {scale} needs choices, but the scores are in {self.margin_unit}: "
                "leave it out, or keep only who won with signs_only=True (--signs-only)"
            )
        if found == self.scale:
            return self  # with everything that was computed
        not_ranked = {*self.no_votes, *self.not_connected}
        require_placed(found, self._places, not_ranked, self.n_components)
        if found != MODEL_SCALE:
            self._curve.difference(np.asarray(MATCHED))  # raises an error if there is no unit
        other = self._counterpart
        if other is not None:
            other = other.on_scale(scale, anchor=anchor, baseline=baseline)
        return replace(self, scale=found, _counterpart=other)

    @property
    def margin_unit(self) -> str | None:
        """Unit of the scores if the outcomes are margins, e.g. 'goals'; None for choices."""
        return self.scale.margin_unit

    @cached_property
    def _curve(self) -> WinCurve:
        if self.margin_unit is not None:
            raise InvalidArgument(
                "margins do not give the probability of a choice: take the difference of the "
                "scores as the expected margin, or keep only who won with signs_only=True "
                "(--signs-only)"
            )
        return WinCurve(self.link, self.temperature)

    @cached_property
    def _scaled(self) -> ScaledScores:
        """Scores, standard errors and intervals on another scale than the model's."""
        scale, x, codes = self.scale, self._model_scores, self._codes
        fixed = scale.baseline if scale.anchor is None else scale.anchor[0]
        k = None if fixed is None else self.index(fixed)
        from_baseline = None
        if scale.baseline is not None and k is not None:
            from_baseline = self._covariance.differences(int(codes[k]))[codes]
        covariance = self._model_covariance if scale.name == "win-rate" else None
        model = ModelScores(
            x, self._model_errors**2, covariance, self._z, self._curve, from_baseline
        )
        return scale.place(model, 0.0 if k is None else float(x[k]))

    @property
    def scores(self) -> FloatArray:
        """Score of each item, best first. The model's sum to zero in each component."""
        return self._model_scores if self._is_unscaled else _read_only(self._scaled.scores)

    @property
    def _is_unscaled(self) -> bool:
        return self.scale.name == "model"

    def __len__(self) -> int:
        """Number of items."""
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self._places

    def __getitem__(self, item: Item) -> RankedItem:
        """Return the row of one item.

        >>> import hodgerank as hr
        >>> ranking = hr.hodge_rank([("tea", "milk", 1), ("milk", "cola", 1), ("tea", "cola", 1)])
        >>> ranking["milk"].rank, round(ranking["tea"].score, 3)
        (2, 0.667)
        """
        return self._row(self.index(item))

    def __iter__(self) -> Iterator[RankedItem]:
        """Iterate over the rows, best first."""
        return (self._row(k) for k in range(len(self)))

    def _row(self, k: int) -> RankedItem:
        (lower, upper), (best, worst) = self.intervals[k], self.rank_intervals[k]
        return RankedItem(
            self.items[k],
            int(self.ranks[k]),
            float(self.scores[k]),
            float(self.standard_errors[k]),
            float(lower),
            float(upper),
            int(best),
            int(worst),
            int(self.votes[k]),
        )

    @property
    def score_by_item(self) -> dict[Item, float]:
        """The score of each item, best first."""
        return dict(zip(self.items, self.scores.tolist(), strict=True))

    @property
    def order_in_short(self) -> list[dict[str, Any]]:
        """Rank, item and score of each item, best first, ready for JSON."""
        return [
            {"rank": rank, "item": str(item), "score": score}
            for rank, item, score in zip(
                self.ranks.tolist(), self.items, self.scores.tolist(), strict=True
            )
        ]

    def _headline(self) -> str:
        best = ", ".join(
            f"{short(item)} {self.scale.text(score)}"
            for item, score in zip(self.items[:3], self.scores, strict=False)
        )
        return f"{self.model}, {len(self):,} items: {best}{', ...' if len(self) > 3 else ''}"

    def _preview(self) -> Preview:
        names = ("rank", "item", "score", "stderr", "ranks", "votes")
        rows = (
            (
                row.rank,
                row.item,
                row.score,
                row.stderr,
                f"{row.rank_lower} to {row.rank_upper}",
                row.votes,
            )
            for row in self
        )
        return Preview(names, rows, len(self))

    def _text_table(self) -> TextTable:
        """The leaderboard: rank, item, score, interval, possible ranks and votes.

        The rank is 1 plus the number of significantly better items, so statistically tied items
        share a rank.
        """
        several, scale = self.n_components > 1, self.scale
        score = f"{scale.label[:1].upper()}{scale.label[1:]}"
        interval = f"{100 * self.confidence:g}% interval"
        header = ("Group",) * several + ("Rank", "Item", score, interval, "Ranks", "Votes")
        rows = (
            (
                *([f"{self.components[k] + 1}"] if several else []),
                f"{row.rank_lower}",
                str(row.item),
                scale.text(row.score).replace("-", MINUS),
                f"{scale.text(row.lower)} to {scale.text(row.upper)}".replace("-", MINUS),
                f"{row.rank_lower}"
                if row.rank_lower == row.rank_upper
                else f"{row.rank_lower}–{row.rank_upper}",
                f"{row.votes:,}",
            )
            for k, row in enumerate(self)
        )
        right = frozenset(range(len(header))) - {header.index("Item")}
        return TextTable(header, rows, right)

    @property
    def description(self) -> str:
        """The model in words."""
        if self.model == "posterior mean":
            return "Bayesian probit model" + f", {self.uncertainty}" * self.is_clustered
        errors = "" if self.uncertainty.startswith("exact") else f", {self.uncertainty}"
        prior = f", ridge {self.ridge:g}" if self.ridge else ""
        if self.margin_unit is not None:
            unit = "" if self.margin_unit == MARGIN else f" in {self.margin_unit}"
            return f"{self.model} of margins{unit}{prior}{errors}"
        return f"{self.model}, {self.link} link{prior}{errors}"

    @property
    def n_components(self) -> int:
        """Number of disconnected groups that were ranked separately."""
        return int(self.components.max(initial=-1)) + 1

    @cached_property
    def ranks(self) -> IntArray:
        """Ranks within each component, 1 is best; tied items share the better rank: 1, 2, 2, 4."""
        x = self._model_scores
        close = max(TIE * float(np.ptp(x)), ROUNDING)
        starts = np.r_[True, np.diff(self.components) > 0] if len(self) else np.zeros(0, bool)
        new = np.r_[True, (x[:-1] - x[1:]) > close] | starts
        place = np.arange(len(self))
        first_of_component = np.maximum.accumulate(np.where(starts, place, 0))
        return np.maximum.accumulate(np.where(new, place, 0)) - first_of_component + 1

    @property
    def is_level(self) -> bool:
        """Whether all items of the first component have the same score, except for rounding."""
        first = self.components == 0
        errors = float(self._model_errors[first].max(initial=0.0))
        return float(np.ptp(self._model_scores[first])) <= TIE * errors if len(self) else True

    @property
    def standard_errors(self) -> FloatArray:
        """Standard error of each score; see `uncertainty` for their method."""
        return self._model_errors if self._is_unscaled else _read_only(self._scaled.errors)

    @cached_property
    def _model_errors(self) -> FloatArray:
        return _read_only(np.sqrt(self._covariance.variances[self._codes]))

    @property
    def uncertainty(self) -> str:
        """How the standard errors were obtained: exact, estimated with an error, clustered."""
        return self._covariance.description

    @property
    def is_clustered(self) -> bool:
        """Whether votes of one worker, ballot or unit are treated as correlated."""
        covariance = self._covariance
        return isinstance(covariance, ClusteredCovariance) or (
            isinstance(covariance, ModelCovariance) and covariance.clusters is not None
        )

    @property
    def freedom(self) -> float | None:
        """Degrees of freedom of the standard errors, for Student's t in the intervals.

        None if the noise is known from the model.
        """
        return self._covariance.freedom

    @property
    def covariance(self) -> FloatArray | None:
        """Covariance of the scores, or None if there are too many items or for probabilities."""
        matrix = self._model_covariance
        if matrix is None or self._is_unscaled:
            return matrix
        if self.scale.is_probability:
            return None
        return self.scale.factor(self._curve) ** 2 * matrix

    @property
    def _model_covariance(self) -> FloatArray | None:
        matrix = self._covariance.matrix
        return None if matrix is None else matrix[np.ix_(self._codes, self._codes)]

    @property
    def intervals(self) -> FloatArray:
        """Confidence interval of each score, one row (lower, upper) each.

        By Student's t with `freedom` degrees of freedom if the noise was estimated.
        """
        return self._model_intervals if self._is_unscaled else _read_only(self._scaled.intervals)

    @cached_property
    def _model_intervals(self) -> FloatArray:
        x, half = self._model_scores, self._z * self._model_errors
        return _read_only(np.column_stack((x - half, x + half)))

    @cached_property
    def rank_intervals(self) -> IntArray:
        """Possible ranks of each item, one row (best, worst) each.

        From pairwise differences: an item is placed below another only if their difference is
        significant at `confidence`. Averaged over the items, the intervals cover the true rank at
        least that often; for an item nearly tied with many others coverage may be lower. If the
        full covariance does not fit in memory the scores are treated as uncorrelated, which they
        nearly are in large graphs.
        """
        bounds = np.empty((len(self), 2), np.int64)
        for component in range(self.n_components):
            rows = np.flatnonzero(self.components == component)
            bounds[rows] = self.rank_intervals_among(rows)
        return _read_only(bounds)

    @property
    def settled(self) -> float:
        """Share of the pairs of items whose order is significant at `confidence`.

        An item with possible ranks a to b may change places with b - a others.
        """
        n = len(self)
        open_places = int(np.sum(self.rank_intervals[:, 1] - self.rank_intervals[:, 0]))
        comparable = sum(k * (k - 1) // 2 for k in np.bincount(self.components).tolist())
        return (comparable - open_places / 2) / comparable if n > 1 and comparable else 1.0

    def rank_intervals_among(self, rows: IntArray) -> IntArray:
        """Return the possible ranks of some items, by ascending positions, among themselves."""
        matrix, x = self._model_covariance, self._model_scores
        if matrix is not None:
            return rank_bounds(x[rows], matrix[np.ix_(rows, rows)], self._z)
        from hodgerank.kernels.rank_order import rank_bounds_independent

        variances = self._covariance.variances[self._codes[rows]]
        return np.asarray(rank_bounds_independent(x[rows], variances, self._z))

    @cached_property
    def _z(self) -> float:
        """Half the width of an interval in standard errors."""
        return self._covariance.quantile(self.confidence)

    @cached_property
    def _places(self) -> dict[Item, int]:
        return {item: place for place, item in enumerate(self.items)}

    def index(self, item: Item) -> int:
        """Return the position of an item in `items`."""
        try:
            return self._places[item]
        except (KeyError, TypeError):
            raise UnknownItem(item, self.items) from None

    def positions(self, items: Iterable[Item]) -> IntArray:
        """Return the positions of several items in `items`."""
        return np.array([self.index(item) for item in items], np.int64)

    def probability(self, i: Item, j: Item) -> float:
        """Return the model's probability that item i is preferred to item j in the next vote.

        Never 0 or 1. If the scores are not on the scale of a choice model it is the logistic
        function of `temperature` times their difference.
        """
        a, b = self._comparable(i, j)
        difference = np.asarray(self._model_scores[a] - self._model_scores[b])
        return float(self._curve.probability(difference))

    def probabilities(self, items: Iterable[Item] | None = None) -> FloatArray:
        """Return `probability` of every pair of some items, by default all; row over column.

        NaN for items in different components.
        """
        rows = np.arange(len(self)) if items is None else self.positions(items)
        scores, components = self._model_scores[rows], self.components[rows]
        probabilities = self._curve.probability(np.subtract.outer(scores, scores))
        return np.where(np.equal.outer(components, components), probabilities, np.nan)

    def over_average(self) -> FloatArray:
        """Return the model's probability that each item is preferred to one of average score.

        One row (probability, lower, upper) each: for the score and for its interval.
        """
        scores = np.column_stack((self._model_scores, self._model_intervals))
        return self._curve.probability(scores)

    @property
    def temperature(self) -> float | None:
        """Factor of score differences on the logistic scale; None if the link gives probabilities.

        Maximises the leave-one-out likelihood of the votes.
        """
        return None if self._prediction is None else self._prediction.temperature

    def certainty(self, i: Item, j: Item) -> float:
        """Return the probability that item i is truly better than item j, given the votes.

        A posterior probability, with a prior estimated from the votes as in `bayes_rank`. If few
        votes connect two items it may be on the other side of 1/2 than their scores.
        """
        a, b = self._comparable(i, j)
        if a == b:
            return 0.5
        a, b = int(self._codes[a]), int(self._codes[b])
        certainty = 0.0
        for share, mean, covariance in self._belief.parts:
            deviation = float(np.sqrt(max(covariance.difference(a, b), 0.0)))
            difference = float(mean[a] - mean[b])
            if deviation:
                certainty += share * NormalDist().cdf(difference / deviation)
            else:
                certainty += share * (0.5 + 0.5 * float(np.sign(difference)))
        return min(certainty, 1.0)

    def z(self, i: Item, j: Item) -> float:
        """Return the difference of two scores in standard errors.

        >>> import hodgerank as hr
        >>> round(hr.hodge_rank([("a", "b", 1)] * 3 + [("b", "a", 1)]).z("a", "b"), 3)
        1.0
        """
        a, b = self._comparable(i, j)
        difference = float(self._model_scores[a] - self._model_scores[b])
        variance = self._covariance.difference(int(self._codes[a]), int(self._codes[b]))
        if variance > 0:
            return difference / float(np.sqrt(variance))
        return float(np.inf * np.sign(difference)) if difference else 0.0

    @property
    def posterior_parts(self) -> tuple[PosteriorPart, ...]:
        """The posterior of the true scores that `certainty` uses: a mixture of Gaussians."""
        codes = self._codes
        return tuple(
            PosteriorPart(
                share,
                mean[codes],
                covariance.variances[codes],
                None if covariance.matrix is None else covariance.matrix[np.ix_(codes, codes)],
            )
            for share, mean, covariance in self._belief.parts
        )

    def _comparable(self, i: Item, j: Item) -> tuple[int, int]:
        a, b = self.index(i), self.index(j)
        if self.components[a] != self.components[b]:
            raise InvalidArgument(
                f"{i!r} and {j!r} are in different components: comparisons do not connect them"
            )
        return a, b

    def top(self, k: int) -> tuple[Item, ...]:
        """Return the k best items (of the largest component, then the next)."""
        return self.items[: max(k, 0)]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per item, best first.

        If several components were ranked separately there is a column `component` too.

        Parameters
        ----------
        backend
            Dataframe library: 'pandas', 'polars' or 'pyarrow'. Default: that of the votes, or else
            pandas if it is installed, or else polars. All results have this parameter.

        >>> import hodgerank as hr
        >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("a", "c", 0)])
        >>> hr.hodge_rank(votes).to_frame("polars").columns[:4]
        ['item', 'score', 'stderr', 'lower']
        """
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; `items` holds the rows of `to_frame`."""
        columns = {name: _plain(values) for name, values in self.columns().items()}
        covariates: dict[str, Any] = {}
        if self.covariates is not None:
            other = {"as_written": self.as_written, "controlled": self.controlled}
            covariates["covariates"] = self.covariates.to_dict() | {
                name: None if ranking is None else ranking.order_in_short
                for name, ranking in other.items()
            }
        return covariates | {
            "scale": self.scale.to_dict(),
            "margin_unit": self.margin_unit,
            "model": self.model,
            "link": self.link,
            "confidence": self.confidence,
            "ridge": self.ridge,
            "dispersion": self.dispersion,
            "residual_sd": self.residual_sd,
            "freedom": self.freedom,
            "temperature": self.temperature,
            "iterations": self.iterations,
            "residual": self.residual,
            "solver": self.solver,
            "converged": self.converged,
            "uncertainty": self.uncertainty,
            "components": self.n_components,
            "undefeated": list(self.undefeated),
            "winless": list(self.winless),
            "no_votes": list(self.no_votes),
            "not_connected": list(self.not_connected),
            "is_weighted_by_worker": bool(self.worker_weights),
            "worker_weights": {
                str(worker): weight for worker, weight in self.worker_weights.items() if weight < 1
            },
            "notes": list(self.notes),
            "position_bias": None if self.position_bias is None else self.position_bias.to_dict(),
            "items": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
        }

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        columns = {
            "item": np.array(self.items, dtype=object),
            "score": self.scores,
            "stderr": self.standard_errors,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
            "rank": self.ranks,
            "rank_lower": self.rank_intervals[:, 0],
            "rank_upper": self.rank_intervals[:, 1],
            "votes": self.votes,
        }
        if self.n_components > 1:
            columns["component"] = self.components
        return columns


def _model_scale(graph: ComparisonGraph, scores: FloatArray) -> ScoreScale:
    """Return the scale of the model's scores: for margins, in their unit."""
    unit = graph.report.margin_unit
    return MODEL_SCALE if unit is None else ScoreScale.of_margins(unit, scores)


def _plain(values: Any) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


Extended = TypeVar("Extended", bound=Ranking)
Array = TypeVar("Array", bound=NDArray[Any])


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
