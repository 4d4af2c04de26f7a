"""Design effect: votes of the same worker, ballot or unit count for less than independent ones.

Votes of a cluster are correlated if workers have tastes of their own or repeat themselves, or if
prompts favour some items. The design effect is the variance of the scores under this correlation,
relative to that of independent votes.

With residual r and information a of each vote, d the difference of its two items, and A the sum of
a d d^T, the clustered estimator is A^-1 B A^-1, where B is the sum over clusters of g g^T with the
gradient g = sum of r d. For independent votes B is A. Correlation adds r r' d d'^T for different
votes of a cluster, whose trace is estimated by

    T = sum of r r' d.d' in the same cluster - D/D' times that in different clusters,

where D and D' are the sums of a a' (d.d')^2 over the same votes; d.d' is 0 unless two pairs share
an item. The second sum removes what residuals have in common in all clusters, because the model
does not fit, or because scores were fitted. For independent votes T has mean 0 and a known
variance, so correlation can be told from chance. T / D estimates the variance of the effect of a
cluster on an item, and the variance of the scores follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.estimators.covariance import CovarianceKind
from hodgerank.estimators.dispersion import USUAL_VARIANCE, are_choices
from hodgerank.estimators.position_bias.groupings import Groupings, group_votes
from hodgerank.estimators.posterior_mode import posterior_mode
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray, IntArray

FEWEST_CLUSTERS = 4  # fewer say nothing about others of their kind
WORTH_A_NOTE = 1.05
CLEAR = 2.0  # standard errors; beyond, correlation is significant
LINK = "bradley-terry"  # its gradients are bounded
BIAS_RIDGE = 4.0  # precision of position biases, in logits
CLOSE_ENOUGH = 1e-4  # accuracy of the scores
MOST_ROWS = 100_000  # of more, a random sample is used
ALL_CONTRASTS = 16  # items up to which traces are exact
CONTRASTS_TIMES_ITEMS, FEWEST_CONTRASTS = 1024, 4  # beyond, for an error of at most 4%
ROUNDING = 1e-9


class Clusters(NamedTuple):
    """Clusters of one kind, what they add to the design effect, and whether it is significant."""

    kind: str
    n: int
    excess: float
    is_clear: bool


class Clustering(NamedTuple):
    """The clusters of the votes, and their effect on the variance of the scores."""

    kinds: tuple[Clusters, ...]
    effect: float

    def __str__(self) -> str:
        names = (f"{each.kind} ({each.n:,} {each.kind}s)" for each in self.kinds)
        return f"clustered by {' and '.join(names)}" if self.kinds else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """A note that votes count less, if the effect is large enough and significant."""
        clear = [each.kind for each in self.kinds if each.is_clear]
        if self.effect < WORTH_A_NOTE or not clear:
            return ()
        return (
            f"votes of the same {' or '.join(clear)} are correlated: each counts as "
            f"{1 / self.effect:.0%} of an independent vote",
        )


def find_clustering(
    answered: AnsweredGraph, by: CovarianceKind | None, position_bias: Groupings | None = None
) -> Clustering | None:
    """Return the requested clusters, or those of the votes; None if there are too few.

    By default votes are clustered by ballot or unit, and by worker. Two votes of a worker in the
    same unit belong to the unit, so that the effects of units and workers add up. Workers are named
    only if that was requested, or if their votes are correlated.
    """
    votes = answered.votes
    labels: dict[str, IntArray] = {}
    if by in (None, "ballot") and votes.ballot is not None and votes.n_ballots > 1:
        labels["unit" if votes.units else "ballot"] = votes.ballot.astype(np.int64)
    if by in (None, "worker") and votes.n_workers:
        labels["worker"] = _workers(votes)
    sizes = {kind: _n_clusters(votes, kind) for kind in labels}
    labels = {kind: label for kind, label in labels.items() if sizes[kind] >= FEWEST_CLUSTERS}
    if not labels:
        return None
    found, effect = _Sample.of(answered, list(labels.values()), position_bias).effects()
    kinds = (Clusters(kind, sizes[kind], *each) for kind, each in zip(labels, found, strict=True))
    shown = tuple(each for each in kinds if each.is_clear or each.kind != "worker" or by)
    return Clustering(shown, effect)


def _workers(votes: Comparisons) -> IntArray:
    """Return the worker of each vote; a vote without a worker is a cluster of its own."""
    alone = votes.worker == NO_WORKER
    return np.where(alone, votes.n_workers - 1 + np.cumsum(alone), votes.worker)


def _n_clusters(votes: Comparisons, kind: str) -> int:
    """Return the number of workers, ballots or units with votes."""
    clusters = votes.worker[votes.worker != NO_WORKER] if kind == "worker" else votes.ballot
    return len(np.unique(np.asarray(clusters)))


@dataclass(frozen=True, eq=False)
class _Sample:
    """Votes with their residuals from fitted scores; of many, a random sample.

    Attributes
    ----------
    clusters
        The cluster of each vote, for each kind of clusters.
    share
        Share of the votes that are in the sample.
    residual, information
        Residual of each vote, from -1 to 1, and its variance if the vote is a choice.
    weight
        Weight of each vote, with a mean of at most 1.
    """

    answered: AnsweredGraph
    clusters: list[IntArray]
    share: float
    equations: NormalEquations
    residual: FloatArray
    information: FloatArray
    weight: FloatArray

    @classmethod
    def of(
        cls, answered: AnsweredGraph, clusters: list[IntArray], position_bias: Groupings | None
    ) -> Self:
        """Fit scores to the votes, and position biases to the residuals."""
        share = min(1.0, MOST_ROWS / len(answered.votes))
        if share < 1:
            kept = np.random.default_rng(0).random(len(answered.votes)) < share
            answered = AnsweredGraph.of(answered.votes.select(kept))
            clusters = [cluster[kept] for cluster in clusters]
        votes, start = answered.votes, np.zeros(answered.graph.n_items)
        variance = USUAL_VARIANCE[LINK]
        fit, equations = posterior_mode(answered.graph, LINK, variance, start, CLOSE_ENOUGH)
        chance = LINKS[LINK].cdf(fit.x[votes.left] - fit.x[votes.right])
        information = chance * (1 - chance)
        residual = (1 + votes.outcome) / 2 - chance
        if position_bias is not None:
            residual = _without_position_bias(votes, residual, information, position_bias)
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight
        weight = weight / max(1.0, float(np.average(weight, weights=votes.total_weight)))
        return cls(answered, clusters, share, equations, residual, information, weight)

    def effects(self) -> tuple[list[tuple[float, bool]], float]:
        """Return what each kind of clusters adds, and whether it is significant; the design effect.

        Independent votes have an effect of 1, or less if their weights are reduced already.
        """
        kinds = [_Pairs(self, cluster) for cluster in self.clusters]
        if len(kinds) == 2:
            first, second = self.clusters
            _, both = np.unique(first * (second.max() + 1) + second, return_inverse=True)
            kinds[1] = _Pairs(self, second, _Pairs(self, both))
        apart = _Pairs(self, np.zeros(len(self.residual), np.int64)).sums
        for pairs in kinds:
            apart = apart - pairs.sums
        found = [self._excess(pairs, apart) for pairs in kinds]
        weighed = self.information * self.answered.votes.votes_per_row * self.weight
        least = float(weighed @ self.weight / weighed.sum())
        return found, max(1.0, least + sum(excess for excess, _ in found))

    def _excess(self, pairs: _Pairs, apart: FloatArray) -> tuple[float, bool]:
        """Return what clusters add to the design effect, and whether that is significant.

        An estimate x with standard error e is reduced to x - e^2 / x, or to 0 if x < e, so that
        independent votes hardly lose precision by chance.
        """
        (products, information, variance), others = pairs.sums, apart
        least = ROUNDING * float(information.sum() + others[1].sum())
        if information.sum() <= least or not self._dispersion:  # all votes are ties
            return 0.0, False
        matched = information / np.maximum(np.maximum(information, others[1]), least)
        estimate = float((products - matched * others[0]).sum()) / self._dispersion
        error = float(np.sqrt((variance + matched**2 * others[2]).sum()))
        if estimate <= error:
            return 0.0, False
        shrunk = estimate - error**2 / estimate
        return shrunk * self._variance_ratio(pairs), estimate > CLEAR * error

    @cached_property
    def _dispersion(self) -> float:
        """Variance of the residuals relative to that of choices."""
        if are_choices(self.answered.graph):
            return 1.0
        weight = self.answered.votes.votes_per_row * self.weight**2
        return min(1.0, float(weight @ self.residual**2 / (weight @ self.information)))

    def _variance_ratio(self, pairs: _Pairs) -> float:
        """Return what correlation adds to the variance of the scores, relative to the model's.

        tr(A^-1 Q A^-1) / tr(A^-1 A A^-1) for a sum of products of 1, tr(Q) = 1, if all votes of a
        cluster on pairs that share an item are equally correlated. Each contrast of the scores adds
        to both traces.
        """
        votes, n = self.answered.votes, self.answered.graph.n_items
        contrasts = np.eye(n)
        if n > ALL_CONTRASTS:
            n_contrasts = max(CONTRASTS_TIMES_ITEMS // n, FEWEST_CONTRASTS)
            contrasts = np.random.default_rng(0).choice([-1.0, 1.0], (n, n_contrasts))
        deviation = self.weight * np.sqrt(self.information)
        information = votes.votes_per_row * self.weight * self.information
        clustered = model = 0.0
        for scores in self.equations.solve(contrasts).T:
            difference = scores[votes.left] - scores[votes.right]
            clustered += pairs.squares(deviation * difference)
            model += float(information @ difference**2)
        return clustered / pairs.overlap(deviation) / model / self.share


def _without_position_bias(
    votes: Comparisons, residual: FloatArray, information: FloatArray, by: Groupings
) -> FloatArray:
    """Subtract what residuals of a group have in common on one side of the display.

    Else position bias would look like negative correlation where both orders are shown.
    """
    known = votes.display_known * votes.votes_per_row
    for grouping in group_votes(votes, by):
        group, n_groups = grouping.code, len(grouping.labels)
        total = np.bincount(group, known * residual, n_groups)
        bias = total / (np.bincount(group, known * information, n_groups) + BIAS_RIDGE)
        residual = residual - votes.display_known * information * bias[group]
    return residual


class _Pairs:
    """Pairs of votes in the same cluster, without those that are in the same inner cluster.

    Attributes
    ----------
    sums
        Sums of r r' d.d', of a a' (d.d')^2, and the variance of the first for independent votes:
        over votes on the same pair of items, and over votes on pairs that share one item.
    """

    def __init__(self, sample: _Sample, cluster: IntArray, inner: _Pairs | None = None) -> None:
        votes, graph = sample.answered.votes, sample.answered.graph
        self._times, self._inner = votes.votes_per_row, inner
        ends = np.concatenate((votes.left, votes.right)) + np.tile(cluster, 2) * graph.n_items
        n_clusters = int(cluster.max()) + 1
        self._end = group_rows(ends, n_clusters * graph.n_items)[1]
        cells = sample.answered.edge + cluster * graph.n_edges
        self._cell = group_rows(cells, n_clusters * graph.n_edges)[1]
        self.sums = self._sums(sample)
        if inner is not None:
            self.sums = self.sums - inner.sums

    def _sums(self, sample: _Sample) -> FloatArray:
        weight, information = sample.weight, sample.information
        residual = weight * sample.residual
        on_pair = 2 * self._on_pair(residual * sample.answered.sign)
        products = (on_pair, self._squares(residual, -residual) - on_pair)
        variance = self._overlaps(weight**2 * information)
        return np.array((products, self._overlaps(weight * information), 2 * variance))

    def overlap(self, values: FloatArray) -> float:
        """Return the sum of v v' (d.d')^2 over pairs of votes."""
        found = float(self._overlaps(values).sum())
        return found if self._inner is None else found - self._inner.overlap(values)

    def _overlaps(self, values: FloatArray) -> FloatArray:
        """Return the sum on the same pair of items, and on pairs that share one item."""
        on_pair = self._on_pair(values)
        return np.array((4 * on_pair, self._squares(values, values) - 2 * on_pair))

    def _on_pair(self, values: FloatArray) -> float:
        """Return the sum of v v' over different votes on the same pair of items."""
        total = np.bincount(self._cell, self._times * values)
        return float(total @ total - self._times @ values**2)

    def _squares(self, left: FloatArray, right: FloatArray) -> float:
        """Return the sum of v v' over ends of different votes at the same item."""
        total = np.bincount(self._end, np.concatenate((self._times * left, self._times * right)))
        return float(total @ total - self._times @ (left**2 + right**2))

    def squares(self, values: FloatArray) -> float:
        """Return the sum of v v' d.d' over pairs of votes."""
        found = self._squares(values, -values)
        return found if self._inner is None else found - self._inner.squares(values)
