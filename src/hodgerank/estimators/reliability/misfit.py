"""Misfit: infit and outfit of items or workers, and a test of which misfit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.display import Displayed, Preview
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import sums_at_ends
from hodgerank.kernels.hypothesis_tests import discoveries
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.types import BoolArray, FloatArray, IntArray, Item


@dataclass(frozen=True, eq=False, repr=False)
class Misfit(Displayed):
    """Mean squared residuals of each item, or of each worker; NaN if undefined.

    Attributes
    ----------
    of
        'item' or 'worker'.
    names, votes
        Names, and number of votes of each.
    infit, outfit
        Squared residuals relative to their expectation, weighted by information (infit) or
        unweighted (outfit), corrected for leverage: 1 fits Bradley-Terry, more is less predictable.
    infit_z, outfit_z
        The same as standard normal deviates, by Wilson and Hilferty.
    p_value
        Probability of at least this misfit for votes that follow the ranking as the others do.
    misfits
        Significant misfits by the procedure of [Benjamini95], with an infit at least 5% above the
        mean. Without any misfit, some name is flagged with a probability of at most about
        `false_discovery_rate` (measured at 5%: items in 0 to 10% of crowds that Bradley-Terry need
        not fit, workers in 0 to 5%).
    conventional
        Infit more than two standard deviations above the mean: the usual rule of the field, which
        flags some in every large crowd.
    """

    of: str
    names: tuple[Item, ...]
    votes: IntArray
    infit: FloatArray
    outfit: FloatArray
    infit_z: FloatArray
    outfit_z: FloatArray
    p_value: FloatArray
    misfits: BoolArray
    conventional: BoolArray
    false_discovery_rate: float
    backend: str

    def __len__(self) -> int:
        """Number of items or workers."""
        return len(self.names)

    @property
    def misfitting(self) -> tuple[Item, ...]:
        """Names of the misfits, most significant first."""
        order = np.argsort(np.where(self.misfits, self.p_value, np.inf), kind="stable")
        return tuple(self.names[k] for k in order[: int(self.misfits.sum())].tolist())

    def _headline(self) -> str:
        return f"{len(self):,} {self.of}s, {int(self.misfits.sum()):,} misfitting"

    def _preview(self) -> Preview:
        columns = self._columns()
        order = np.lexsort((-np.nan_to_num(self.infit), ~self.misfits))
        shown = (self.of, "votes", "infit", "outfit", "p_value", "misfits")
        rows = (tuple(columns[name].tolist()[k] for name in shown) for k in order.tolist())
        return Preview(shown, rows, len(self))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per item or worker."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self._columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; undefined values are null."""
        columns = self._columns()
        rows = zip(*(_plain(values) for values in columns.values()), strict=True)
        return {
            "false_discovery_rate": self.false_discovery_rate,
            "misfitting": list(self.misfitting),
            f"{self.of}s": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        return {
            self.of: np.array(self.names, dtype=object),
            "votes": self.votes,
            "infit": self.infit,
            "outfit": self.outfit,
            "infit_z": self.infit_z,
            "outfit_z": self.outfit_z,
            "p_value": self.p_value,
            "misfits": self.misfits,
            "conventional": self.conventional,
        }


def _plain(values: Any) -> list[Any]:
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values.tolist()]


PER_CLASS = 100  # votes, at least
MOST_CLASSES = 20
SURE = 1e-6  # bounds probabilities away from 0 and 1


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of the votes, as outcomes for the favourite of each pair minus their expectation.

    Pairs are binned into classes by score difference. A deviation that all votes of a class share,
    such as lapses or a wrong link, is not misfit of an item or worker: `expected` is the
    probability of the favourite, corrected by the mean residual of the class.
    """

    answered: AnsweredGraph
    fit: BradleyTerryFit

    @cached_property
    def times(self) -> FloatArray:
        """Number of votes per row."""
        return self.answered.votes.votes_per_row.astype(float)

    @cached_property
    def chance(self) -> FloatArray:
        """Bradley-Terry probability of the favourite of each edge."""
        return np.maximum(self.fit.chances, 1 - self.fit.chances)

    @cached_property
    def outcome(self) -> FloatArray:
        """Outcome for the favourite, from 0 to 1, of each vote."""
        side = np.where(self.fit.differences >= 0, 1.0, -1.0)
        return np.asarray((1 + side[self.answered.edge] * self.answered.turned) / 2)

    @cached_property
    def residual(self) -> FloatArray:
        """Outcome minus probability, of each vote."""
        return np.asarray(self.outcome - self.chance[self.answered.edge])

    @cached_property
    def kept(self) -> FloatArray:
        """Share of a vote's residual variance that remains after fitting, for each edge."""
        return np.maximum(1 - self.fit.leverage / self.fit.graph.weights, SURE)

    @cached_property
    def classes(self) -> IntArray:
        """Class of each edge by the size of its difference, with similar numbers of votes."""
        counts = self.fit.graph.counts
        n_classes = int(np.clip(counts.sum() // PER_CLASS, 1, MOST_CLASSES))
        order = np.argsort(self.chance, kind="stable")
        before = np.cumsum(counts[order]) - counts[order] / 2
        classes = np.empty(len(order), np.int64)
        classes[order] = np.minimum(before * n_classes // counts.sum(), n_classes - 1)
        return classes

    @cached_property
    def votes_in_class(self) -> FloatArray:
        """Number of votes in each class."""
        return self._in_class(np.ones(len(self.times)))

    def _in_class(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.classes[self.answered.edge], self.times * values).astype(float)

    def _class_mean(self, values: FloatArray) -> FloatArray:
        """Return, for each edge, the mean over the votes of its class."""
        n = self.votes_in_class
        return np.asarray((self._in_class(values) / np.where(n > 0, n, 1.0))[self.classes])

    @cached_property
    def expected(self) -> FloatArray:
        """Probability of the favourite of each edge, plus the mean residual of its class."""
        return np.clip(self.chance + self._class_mean(self.residual), SURE, 1 - SURE)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of a vote on each edge around its expectation."""
        binomial = self.expected * (1 - self.expected)
        if self.fit.is_plain:
            return binomial
        edge = self.answered.edge
        found = self._class_mean((self.outcome - self.expected[edge]) ** 2 / self.kept[edge])
        usual = self._class_mean(binomial[edge])
        return np.asarray(binomial * found / np.maximum(usual, SURE**2))

    @cached_property
    def variance_of_square(self) -> FloatArray:
        """Variance of the squared residual of a vote on each edge."""
        v = self.fit.variances
        if self.fit.is_plain:
            return np.maximum(v * (1 - 4 * v), 0.0)
        squares = self.residual**2
        return np.maximum(self._class_mean(squares**2) - self._class_mean(squares) ** 2, 0.0)


FEWEST_VOTES = 10  # votes needed for a test
BLOCK = 256  # groups per solve
NO_SPREAD = 1e-9
# Variance of one additional vote on an even pair: a perfect fit does not prove the absence of
# noise.
ONE_MORE = 0.25
NOTABLE = 1.05  # ratio to the mean infit: with many votes, irrelevant departures are significant
LEAST_FREE = 0.2  # share of the variance: an item that the fit explains beyond this cannot misfit


def item_misfit(residuals: Residuals, rate: float) -> Misfit:
    """Return the misfit of each item; a vote counts for both of its items."""
    votes = residuals.answered.votes
    rows = np.arange(len(votes))
    return _misfit(
        "item",
        votes.items,
        residuals,
        np.r_[rows, rows],
        np.r_[votes.left, votes.right].astype(np.int64),
        rate,
    )


def worker_misfit(residuals: Residuals, rate: float) -> Misfit | None:
    """Return the misfit of each worker; None if workers are not recorded."""
    votes = residuals.answered.votes
    rows = np.flatnonzero(votes.worker != NO_WORKER)
    if not len(rows):
        return None
    who = votes.worker[rows].astype(np.int64)
    return _misfit("worker", votes.workers, residuals, rows, who, rate)


def _misfit(
    of: str,
    names: tuple[Item, ...],
    residuals: Residuals,
    rows: IntArray,
    group: IntArray,
    rate: float,
) -> Misfit:
    """Return the misfit of groups of votes, given the row and group of each entry."""
    edge, n = residuals.answered.edge[rows], len(names)
    times = residuals.times[rows]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(group, times * values, n).astype(float)

    answers = np.bincount(group, times, n).astype(float)
    fit, square = residuals.fit, residuals.residual[rows] ** 2
    usual = fit.dispersion * fit.variances * residuals.kept
    inner, spread = total(usual[edge]), residuals.variance_of_square
    steepness = 2 * residuals.chance - 1
    free, shift = _refitted(residuals, edge, group, times, steepness, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        infit = total(square) / inner
        outfit = total(square / usual[edge]) / answers
        used = np.where(free > LEAST_FREE, free, 0.0)
        infit_q = np.sqrt(used * total(spread[edge])) / inner
        outfit_q = np.sqrt(used * total((spread / usual**2)[edge])) / answers
    p_value = _p_values(residuals, rows, edge, group, steepness, free, shift, total)
    p_value[answers < FEWEST_VOTES] = np.nan
    infit, outfit = (np.where(np.isfinite(ms), ms, np.nan) for ms in (infit, outfit))
    return Misfit(
        of=of,
        names=names,
        votes=answers.astype(np.int64),
        infit=infit,
        outfit=outfit,
        infit_z=_wilson_hilferty(infit, infit_q),
        outfit_z=_wilson_hilferty(outfit, outfit_q),
        p_value=p_value,
        misfits=discoveries(p_value, rate) & (infit > NOTABLE * _mean(infit)),
        conventional=_far_above(infit),
        false_discovery_rate=rate,
        backend=residuals.answered.votes.backend,
    )


def _p_values(
    residuals: Residuals,
    rows: IntArray,
    edge: IntArray,
    group: IntArray,
    steepness: FloatArray,
    free: FloatArray,
    shift: FloatArray,
    total: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Test whether favourites lose more often than expected, weighted by how clear the pairs are.

    This is the part of the infit that depends on the votes. Its null distribution, a sum of rare
    events, is approximated by a gamma distribution with the same mean, variance and skewness.
    """
    n, weight = len(free), steepness[edge]
    lack = total(weight * (residuals.expected[edge] - residuals.outcome[rows])) + shift
    variance = residuals.variance
    # The expectation was estimated from the votes of the group too.
    n_classes = len(residuals.votes_in_class)
    key = group * n_classes + residuals.classes[edge]
    own = np.bincount(key, residuals.times[rows], n * n_classes).reshape(n, n_classes)
    others = 1 - own / np.maximum(residuals.votes_in_class, 1.0)
    seen = np.maximum(others, 0.0)[group, residuals.classes[edge]]
    squares = total(seen * weight**2 * variance[edge]) * free
    squares = np.where(free > LEAST_FREE, squares + ONE_MORE, 0.0)
    rarity = 2 * residuals.expected - 1
    cubes = total(seen * weight**3 * (variance * np.abs(rarity))[edge]) * free**1.5
    return _upper_tail(lack, squares, cubes)


def _upper_tail(value: FloatArray, variance: FloatArray, third: FloatArray) -> FloatArray:
    """P(X >= value) for a shifted gamma of mean 0 with these moments; NaN without variance."""
    from scipy.special import gammaincc, ndtr

    known = variance > NO_SPREAD
    sd = np.sqrt(np.where(known, variance, 1.0))
    z, skewness = value / sd, third / sd**3
    shape = 4 / np.maximum(skewness, 1e-3) ** 2
    tail = gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0))
    return np.where(known, np.where(skewness > 1e-3, tail, ndtr(-z)), np.nan)


def _refitted(
    residuals: Residuals,
    edge: IntArray,
    group: IntArray,
    times: FloatArray,
    steepness: FloatArray,
    n: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the effect of fitting the scores on the misfit of each group.

    The share of its variance that remains, and its change when the scores follow the expectation of
    each class.
    """
    fit = residuals.fit
    graph, information = fit.graph, fit.information
    side = np.where(fit.differences >= 0, 1.0, -1.0)
    contributions = times * (steepness * fit.variances * side)[edge]
    ends = graph.i[edge], graph.j[edge]
    gradients = sums_at_ends(*ends, contributions, group, (graph.n_items, n))
    whole = np.bincount(group, times * (steepness**2 * fit.variances)[edge], n)
    surplus = graph.weights * (graph.flows - side * (2 * residuals.expected - 1)) / 2
    step = information.solve(divergence(graph.i, graph.j, surplus, graph.n_items))
    taken = np.zeros(n)
    for start in range(0, n, BLOCK):
        block = gradients[:, start : start + BLOCK].toarray()
        if information.method == "dense":
            moved = information.inverse @ block
        else:  # as if scores were uncorrelated
            own = np.bincount(graph.i, information.weights, graph.n_items)
            own = own + np.bincount(graph.j, information.weights, graph.n_items)
            moved = block / np.maximum(own, 1e-300)[:, None]
        taken[start : start + BLOCK] = np.einsum("ik,ik->k", block, moved)
    share = taken / np.where(whole > 0, whole, 1.0)
    return np.clip(1 - share, 0.0, 1.0), gradients.T @ step


def _wilson_hilferty(mean_square: FloatArray, spread: FloatArray) -> FloatArray:
    known = np.isfinite(mean_square) & np.isfinite(spread) & (spread > NO_SPREAD)
    q = np.where(known, spread, 1.0)
    z = (np.cbrt(np.where(known, mean_square, 1.0)) - 1) * 3 / q + q / 3
    return np.where(known, z, np.nan)


def _far_above(infit: FloatArray) -> BoolArray:
    known = infit[np.isfinite(infit)]
    if len(known) < 2:
        return np.zeros(len(infit), bool)
    return np.asarray(np.nan_to_num(infit) > _mean(infit) + 2 * known.std(ddof=1))


def _mean(infit: FloatArray) -> float:
    known = infit[np.isfinite(infit)]
    return float(known.mean()) if len(known) else 1.0
