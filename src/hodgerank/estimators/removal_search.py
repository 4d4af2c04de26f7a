"""Search for few votes whose removal gives an item the highest score.

The scores of any model are taken as weighted least squares around their present values, as in one
step of Newton's method: a vote has a working value and a working weight there. For least squares
this is exact; for other models `votes_to_win` ranks again, and repeats the search from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.worker_cells import NO_TRUST
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.links import LIKELIHOODS
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

TRIED = 400  # cells of which the exact effect is computed at every step
TRIED_SIZE = 2e8  # the same for workers: number of them times items cubed
EQUAL = 1e-9  # lead in scores: rounding
BRIDGE = 1e-9  # one minus the leverage of a vote without which items are not connected
FLAT = 1e-9  # curvature of a log-likelihood: votes that no score contradicts


class Cells(NamedTuple):
    """Distinct votes: outcome `outcome` of `weight` on the edge (i, j); `counts` of each.

    `of_row` is the cell of each row, -1 for votes that the ranking leaves out.
    """

    i: CodeArray
    j: CodeArray
    outcome: FloatArray
    weight: FloatArray
    counts: FloatArray
    of_row: IntArray
    n_items: int

    @classmethod
    def of(cls, answered: AnsweredGraph, ranking: Ranking) -> Cells:
        """Sort votes into cells, weighted as the ranking weighs them."""
        votes, graph = answered.votes, answered.graph
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight
        trust = trust_of_rows(votes, ranking)
        rows = np.flatnonzero(np.abs(trust) > NO_TRUST)
        turned = answered.turned * np.sign(trust)
        table = np.column_stack((answered.edge, turned, weight * np.abs(trust)))[rows]
        kinds, of_kept = np.unique(table, axis=0, return_inverse=True)
        of_row = np.full(len(votes), -1)
        of_row[rows] = of_kept.ravel()
        edge = kinds[:, 0].astype(np.int64)
        counts = np.bincount(of_row[rows], minlength=len(kinds)).astype(float)
        outcome, each = (np.asarray(kinds[:, k], np.float64) for k in (1, 2))
        return cls(graph.i[edge], graph.j[edge], outcome, each, counts, of_row, graph.n_items)


def trust_of_rows(votes: Comparisons, ranking: Ranking) -> FloatArray:
    """Return the weight of each row by its worker; 1 without a worker."""
    weights = ranking.worker_weights
    return np.array([*(weights.get(worker, 1.0) for worker in votes.workers), 1.0])[votes.worker]


class Fit:
    """Scores while votes are removed and put back, around those of a ranking."""

    def __init__(
        self, cells: Cells, counts: FloatArray, items: Sequence[Item], ranking: Ranking
    ) -> None:
        self.cells, self.counts, self.ridge = cells, counts.copy(), ranking.ridge
        by_item = ranking.score_by_item
        scores = np.array([by_item[item] for item in items])
        self.value, self.weight = _working(cells, scores, ranking)
        self.inverse = self._inverse(self.counts)
        self.offset = scores - self.inverse @ self._surplus(self.counts)
        self.x = scores

    def refit(self) -> None:
        """Solve from scratch."""
        self.inverse = self._inverse(self.counts)
        self.x = np.asarray(self.inverse @ self._surplus(self.counts) + self.offset)

    def _inverse(self, counts: FloatArray) -> FloatArray:
        c = self.cells
        return pseudo_inverse(c.i, c.j, counts * self.weight, c.n_items, self.ridge)

    def _surplus(self, counts: FloatArray) -> FloatArray:
        c = self.cells
        return laplacian.divergence(c.i, c.j, counts * self.weight * self.value, c.n_items)

    @property
    def residuals(self) -> FloatArray:
        """Working value minus difference of the solved scores, for each cell."""
        c, x = self.cells, self.x - self.offset
        return np.asarray(self.value - (x[c.i] - x[c.j]))

    def effects(self, direction: FloatArray) -> FloatArray:
        """First-order change of `direction @ x` by the removal of one vote of each cell."""
        c, v = self.cells, self.inverse @ direction
        return np.asarray(-self.weight * self.residuals * (v[c.i] - v[c.j]))

    def after_one(self, which: IntArray, sign: int) -> FloatArray:
        """Scores after one more (+1) or less (-1) vote of each cell, one row each.

        NaN where items would no longer be connected.
        """
        c = self.cells
        i, j, weight = c.i[which], c.j[which], self.weight[which]
        response = self.inverse[i] - self.inverse[j]
        rows = np.arange(len(which))
        lever = 1 + sign * weight * (response[rows, i] - response[rows, j])
        step = sign * weight * self.residuals[which] / np.where(lever > BRIDGE, lever, np.nan)
        return np.asarray(self.x + step[:, None] * response)

    def after_many(self, changes: FloatArray) -> FloatArray:
        """Scores after changes of the counts, one row each; NaN where not connected."""
        found = np.full((len(changes), self.cells.n_items), np.nan)
        for row, change in enumerate(changes):
            if self.stays_connected(change):
                counts = self.counts + change
                found[row] = self._inverse(counts) @ self._surplus(counts) + self.offset
        return found

    def stays_connected(self, change: FloatArray) -> bool:
        """Return whether the items are connected after a change of the counts."""
        c, counts = self.cells, self.counts + change
        if not ((counts <= 0) & (self.counts > 0)).any():
            return True
        kept = counts > 0
        return not laplacian.components(c.i[kept], c.j[kept], c.n_items).any()

    def change(self, counts: FloatArray) -> None:
        """Add to the counts of the cells."""
        changed = np.flatnonzero(counts)
        if len(changed) > 1:
            self.counts += counts
            self.refit()
        elif len(changed):
            cell, sign = int(changed[0]), float(counts[changed[0]])
            i, j = self.cells.i[cell], self.cells.j[cell]
            response, weight = self.inverse[i] - self.inverse[j], sign * self.weight[cell]
            share = weight / (1 + weight * (response[i] - response[j]))
            self.x = self.x + share * self.residuals[cell] * response
            self.inverse -= share * np.outer(response, response)
            self.counts += counts


def _working(cells: Cells, scores: FloatArray, ranking: Ranking) -> tuple[FloatArray, FloatArray]:
    """Return value and weight of each cell, of which the scores are nearly a least-squares fit."""
    weight = cells.weight / (ranking.dispersion * ranking.design_effect)
    likelihood = LIKELIHOODS.get(ranking.link)
    if likelihood is None:
        return cells.outcome, weight
    difference = scores[cells.i] - scores[cells.j]
    _, slope, curvature = likelihood(difference, (1 + cells.outcome) / 2)
    curvature = np.maximum(curvature, FLAT)
    return np.asarray(difference + slope / curvature), np.asarray(weight * curvature)


def pseudo_inverse(
    i: CodeArray, j: CodeArray, total: FloatArray, n: int, ridge: float = 0.0
) -> FloatArray:
    """Return that of the Laplacian of a connected graph with these weights of its edges.

    With a `ridge`, the inverse of the Laplacian plus the ridge on its diagonal.
    """
    matrix = np.zeros((n, n))
    np.add.at(matrix, (i, j), -total)
    matrix += matrix.T
    matrix[np.diag_indices(n)] = ridge - matrix.sum(axis=1)
    if ridge:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    level = total.sum() / n**2  # the scale of the matrix, for the direction that it leaves open
    return np.asarray(np.linalg.inv(matrix + level) - 1 / (level * n**2))


class Parts(NamedTuple):
    """Parts that can be removed as a whole: how many of each, and their votes in each cell."""

    available: IntArray
    counts: Any
    are_single: bool

    @classmethod
    def single(cls, cells: Cells) -> Parts:
        """Single votes."""
        return cls(cells.counts.astype(np.int64), sparse.eye_array(len(cells.i)).tocsr(), True)

    @classmethod
    def by_worker(cls, votes: Comparisons, cells: Cells) -> Parts:
        """All votes of a worker; none of workers whose votes the ranking leaves out."""
        rows = (votes.worker != NO_WORKER) & (cells.of_row >= 0)
        counts = sparse.coo_array(
            (np.ones(int(rows.sum())), (votes.worker[rows], cells.of_row[rows])),
            shape=(votes.n_workers, len(cells.i)),
        ).tocsr()
        has_votes = np.zeros(votes.n_workers, np.int64)
        has_votes[votes.worker[rows]] = 1
        return cls(has_votes, counts, False)

    def after(self, fit: Fit, which: IntArray, sign: int) -> FloatArray:
        """Scores after one of each part is removed (-1) or put back (+1), one row each."""
        if self.are_single:
            return fit.after_one(which, sign)
        return fit.after_many(np.asarray(sign * self.counts[which].toarray()))

    def votes(self, part: int) -> FloatArray:
        """Return the votes of a part in each cell."""
        return np.asarray(self.counts[[part]].toarray()[0])

    def votes_of(self, removed: Sequence[int]) -> FloatArray:
        """Return the votes of several parts in each cell."""
        return np.asarray(self.number(removed) @ self.counts)

    def number(self, removed: Sequence[int]) -> IntArray:
        """Return how many of each part are removed."""
        return np.bincount(np.array(removed, np.int64), minlength=len(self.available))


def remove_until_first(
    fit: Fit, parts: Parts, k: int, removed: Sequence[int], *, fewest: int, most: int
) -> list[int] | None:
    """Return parts without which item k is first, in the order of removal; None if none are found.

    They begin with those that are `removed` from the fit, if any. `fewest` and `most` bound their
    number. Without earlier ones, those that turn out not to be needed are put back.
    """
    order = list(removed)
    number = parts.number(order)
    while len(order) < fewest or not is_first(fit.x, k):
        best = _best_to_remove(fit, parts, np.flatnonzero(number < parts.available), k)
        if best is None or len(order) >= most:
            return None
        order.append(best)
        number[best] += 1
        fit.change(-parts.votes(best))
    while order and not removed:
        tried = np.flatnonzero(number)
        left = leads(parts.after(fit, tried, +1), k)
        if not left.max() > EQUAL:
            break
        best = int(tried[np.argmax(left)])
        last = len(order) - 1 - order[::-1].index(best)
        del order[last]
        number[best] -= 1
        fit.change(parts.votes(best))
    fit.refit()
    return order if is_first(fit.x, k) else None


def _best_to_remove(fit: Fit, parts: Parts, which: IntArray, k: int) -> int | None:
    """Return the part whose removal brings item k closest to the first place, if there is one."""
    tried = _most_promising(fit, parts, which, k)
    distances = _distances(parts.after(fit, tried, -1), k)
    for place in np.argsort(distances, kind="stable").tolist():
        if not np.isfinite(distances[place]):
            break
        if fit.stays_connected(-parts.votes(int(tried[place]))):
            return int(tried[place])
    return None


def _most_promising(fit: Fit, parts: Parts, which: IntArray, k: int) -> IntArray:
    """Return the parts whose removal would bring item k forward most, to first order."""
    n = fit.cells.n_items
    most = TRIED if parts.are_single else max(1, min(TRIED, int(TRIED_SIZE / n**3)))
    if len(which) <= most:
        return which
    ahead = fit.x > fit.x[k]
    direction = ahead.astype(float)
    direction[np.argmax(fit.x)] += 1
    direction[k] -= direction.sum()
    effects = parts.counts @ fit.effects(direction)
    return which[np.argsort(effects[which], kind="stable")[:most]]


def _distances(x: FloatArray, k: int) -> FloatArray:
    """Return how far item k is from the first place, by scores (rows); infinite if unknown."""
    gaps = x - x[:, [k]]
    distances = np.maximum(gaps, 0).sum(axis=1) - leads(x, k)
    return np.where(np.isnan(distances), np.inf, distances)


def leads(x: FloatArray, k: int) -> FloatArray:
    """Return the lead of item k over the best other, by scores (rows)."""
    return np.asarray(x[:, k] - np.delete(x, k, axis=1).max(axis=1))


def is_first(x: FloatArray, k: int) -> bool:
    """Return whether item k has the highest score."""
    return bool(leads(x[None], k)[0] > EQUAL)


def lower_bound(fit: Fit, parts: Parts, k: int) -> int:
    """Return a number of parts without which item k cannot be first, by least squares.

    The removal of votes S reduces a lead c @ x by the sum of w (d_e v) (y_e - d_e x') over S, with
    v = L^+ c and x' the scores after it. If |d_e x'| is at most that of the scores before, or 1,
    each term is bounded, and the largest ones must add up to the lead.
    """
    c = fit.cells
    reach = max(1.0, float(np.abs(fit.x[c.i] - fit.x[c.j]).max()))
    bound = 0
    for rival in np.flatnonzero(fit.x > fit.x[k] + EQUAL).tolist():
        v = fit.inverse[rival] - fit.inverse[k]
        along = fit.weight * (v[c.i] - v[c.j])
        most = np.maximum(
            parts.counts @ np.maximum(along * fit.value + np.abs(along) * reach, 0), 0
        )
        order = np.argsort(-most)
        sums = np.repeat(most[order], parts.available[order]).cumsum()
        bound = max(bound, 1 + int(np.searchsorted(sums, fit.x[rival] - fit.x[k])))
    return bound


def rows_of(cells: Cells, number: IntArray) -> BoolArray:
    """Return the rows to remove, for a number of votes of each cell: the first ones of each."""
    order = np.argsort(cells.of_row, kind="stable")
    order = order[cells.of_row[order] >= 0]
    cell = cells.of_row[order]
    place = np.arange(len(order)) - np.searchsorted(cell, cell)
    is_out = np.zeros(len(cells.of_row), np.bool_)
    is_out[order[place < number[cell]]] = True
    return is_out
