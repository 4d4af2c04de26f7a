"""votes_to_win: how few votes must be removed to make another item the winner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Displayed, Preview
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem, require_one_of
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import CodeArray, FloatArray, IntArray, Item, VotesLike

By = Literal["vote", "worker"]
MOST_ITEMS = 2_000  # every pair of scores has a covariance
TRIED = 400  # cells or workers of which the exact effect is computed at every step
MOST_REMOVED = 5_000
EQUAL = 1e-9  # lead in scores: rounding
BRIDGE = 1e-9  # one minus the leverage of a vote without which items are not connected


class RemovedVotes(NamedTuple):
    """Equal votes to remove: `n` of outcome `outcome` for `item` against `other`."""

    item: Item
    other: Item
    outcome: float
    n: int


@dataclass(frozen=True, eq=False, repr=False)
class VotesToWin(Displayed):
    """A small set of votes without which an item has the highest score.

    Attributes
    ----------
    item, leader
        The item that would win, and the one that does.
    n
        Number of votes removed, or of workers if `by` is 'worker'; 0 if the item is the leader,
        None if 5,000 are not enough or the item cannot win. The set is found step by step and
        checked by a new fit; a smaller one may exist.
    lower_bound
        No smaller number of votes is enough, if score differences of compared pairs do not grow.
    of
        Number of votes, or of workers.
    removed
        The votes to remove. With `by='worker'`, all votes of `workers`.
    workers
        The workers to remove, in order; empty for single votes.
    gap, z
        Lead of the leader, and the same in standard errors. Even a clear lead may depend on few
        votes, since they are chosen by their effect.
    """

    item: Item
    leader: Item
    by: By
    n: int | None
    lower_bound: int
    of: int
    removed: tuple[RemovedVotes, ...]
    workers: tuple[Item, ...]
    gap: float
    z: float

    def _headline(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if not self.n:
            return f"{self.item} {'cannot be put' if self.n is None else 'is'} first"
        of = f"{self.of:,} {self.by}{'' if self.of == 1 else 's'}"
        return f"removing {self.n:,} of {of} would put {self.item} first"

    def _preview(self) -> Preview:
        rows = ((cell.item, cell.other, cell.outcome, cell.n) for cell in self.removed)
        return Preview(("item", "other", "outcome", "votes"), rows, len(self.removed))


def votes_to_win(votes: VotesLike, item: Item | None = None, *, by: By = "vote") -> VotesToWin:
    """Find few votes whose removal would give an item the highest least-squares score.

    Votes are removed one after the other, each time the one that brings the item closest to the
    first place; then those that turn out not to be needed are put back.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    item
        Default: the second in the ranking.
    by
        Remove single votes, or all votes of a 'worker'.

    Examples
    --------
    >>> votes = [("a", "b", 1)] * 6 + [("b", "c", 1)] * 4 + [("c", "a", 1)] * 3
    >>> print(votes_to_win(votes, "b"))
    removing 3 of 13 votes would put b first
    """
    require_one_of(by, get_args(By), "by")
    answered = connected_votes(votes, MOST_ITEMS)
    read = answered.votes
    cells = _Cells.of(answered)
    fit = _Fit(cells)
    order = np.argsort(-fit.x, kind="stable")
    if item is None:
        item = read.items[order[1]]
    if item not in read.items:
        raise UnknownItem(item, read.items)
    k, leader = read.items.index(item), int(order[0])
    if by == "worker" and (read.worker == NO_WORKER).all():
        raise InvalidArgument("by='worker' needs votes with workers: use by='vote'")
    parts = _single(cells) if by == "vote" else _by_worker(answered, cells)
    gap, variance = float(fit.x[leader] - fit.x[k]), fit.variance_of(leader, k)
    bound = _lower_bound(fit, parts, k)
    found = _search(fit, parts, k)
    names = read.items
    removed = () if found is None else cells.named(found @ parts.counts, names)
    chosen = [] if found is None else np.flatnonzero(found).tolist()
    return VotesToWin(
        item=item,
        leader=names[leader],
        by=by,
        n=None if found is None else int(found.sum()),
        lower_bound=bound,
        of=read.n_votes if by == "vote" else len(parts.available),
        removed=removed,
        workers=tuple(read.workers[c] for c in chosen) if by == "worker" else (),
        gap=gap,
        z=gap / np.sqrt(variance) if variance > 0 else np.inf if gap else 0.0,
    )


def connected_votes(votes: VotesLike, most_items: int) -> AnsweredGraph:
    """Read votes; refuse those of disconnected, too few or too many items."""
    answered = AnsweredGraph.of(read_ungrouped(votes))
    answered.graph.require_connected()
    n = answered.graph.n_items
    if n < 2:
        raise InvalidComparisons("there is nothing to win with fewer than two items")
    if n > most_items:
        raise InvalidArgument(f"{n:,} items: this analysis is limited to {most_items:,}")
    return answered


class _Cells(NamedTuple):
    """Distinct votes: outcome `value` on the edge (i, j), each of `weight`; `counts` of each."""

    i: CodeArray
    j: CodeArray
    value: FloatArray
    weight: FloatArray
    counts: FloatArray
    of_row: IntArray
    n_items: int

    @classmethod
    def of(cls, answered: AnsweredGraph) -> _Cells:
        votes, graph = answered.votes, answered.graph
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight
        kinds, of_row = np.unique(
            np.column_stack((answered.edge, answered.turned, weight)), axis=0, return_inverse=True
        )
        edge = kinds[:, 0].astype(np.int64)
        counts = np.bincount(of_row.ravel(), votes.votes_per_row, len(kinds)).astype(float)
        i, j = graph.i[edge], graph.j[edge]
        value, each = (np.asarray(kinds[:, k], np.float64) for k in (1, 2))
        return cls(i, j, value, each, counts, of_row.ravel(), graph.n_items)

    def named(self, counts: FloatArray, items: tuple[Item, ...]) -> tuple[RemovedVotes, ...]:
        """Return the cells of which votes are counted, the most frequent first."""
        order = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c] > 0]
        return tuple(
            RemovedVotes(items[self.i[c]], items[self.j[c]], float(self.value[c]), int(counts[c]))
            for c in order
        )


class _Fit:
    """Least-squares scores while votes are removed and put back."""

    def __init__(self, cells: _Cells) -> None:
        self.cells, self.counts = cells, cells.counts.copy()
        self.refit()

    def refit(self) -> None:
        """Solve from scratch."""
        self.inverse = _pseudo_inverse(self.cells, self.counts)
        self.x = self.inverse @ self._surplus(self.counts)

    def _surplus(self, counts: FloatArray) -> FloatArray:
        c = self.cells
        return laplacian.divergence(c.i, c.j, counts * c.weight * c.value, c.n_items)

    @property
    def residuals(self) -> FloatArray:
        """Outcome minus difference of scores, for each cell."""
        c = self.cells
        return np.asarray(c.value - (self.x[c.i] - self.x[c.j]))

    def variance_of(self, a: int, b: int) -> float:
        """Variance of a difference of scores."""
        c, p = self.cells, self.inverse
        freedom = c.counts.sum() - c.n_items + 1
        rss = float(c.counts * c.weight @ self.residuals**2)
        return rss / freedom * float(p[a, a] + p[b, b] - 2 * p[a, b]) if freedom > 0 else np.inf

    def effects(self, direction: FloatArray) -> FloatArray:
        """First-order change of `direction @ x` by the removal of one vote of each cell."""
        c, v = self.cells, self.inverse @ direction
        return np.asarray(-c.weight * self.residuals * (v[c.i] - v[c.j]))

    def after_one(self, which: IntArray, sign: int) -> FloatArray:
        """Scores after one more (+1) or less (-1) vote of each cell, one row each.

        NaN where items would no longer be connected.
        """
        c = self.cells
        i, j, weight = c.i[which], c.j[which], c.weight[which]
        response = self.inverse[i] - self.inverse[j]
        rows = np.arange(len(which))
        lever = 1 + sign * weight * (response[rows, i] - response[rows, j])
        step = sign * weight * self.residuals[which] / np.where(lever > BRIDGE, lever, np.nan)
        return np.asarray(self.x + step[:, None] * response)

    def after_many(self, changes: FloatArray) -> FloatArray:
        """Scores after changes of the counts, one row each; NaN where not connected."""
        c, found = self.cells, np.full((len(changes), self.cells.n_items), np.nan)
        for row, change in enumerate(changes):
            counts = self.counts + change
            kept = counts > 0
            if not laplacian.components(c.i[kept], c.j[kept], c.n_items).any():
                found[row] = _pseudo_inverse(c, counts) @ self._surplus(counts)
        return found

    def change(self, counts: FloatArray) -> None:
        """Add to the counts of the cells."""
        self.counts += counts
        changed = np.flatnonzero(counts)
        if len(changed) > 1:
            self.refit()
            return
        cell, sign = int(changed[0]), float(counts[changed[0]])
        i, j = self.cells.i[cell], self.cells.j[cell]
        response, weight = self.inverse[i] - self.inverse[j], sign * self.cells.weight[cell]
        share = weight / (1 + weight * (response[i] - response[j]))
        self.x = self.x + share * self.residuals[cell] * response
        self.inverse -= share * np.outer(response, response)


def _pseudo_inverse(cells: _Cells, counts: FloatArray) -> FloatArray:
    return pseudo_inverse(cells.i, cells.j, counts * cells.weight, cells.n_items)


def pseudo_inverse(i: CodeArray, j: CodeArray, total: FloatArray, n: int) -> FloatArray:
    """Return that of the Laplacian of a connected graph with these weights of its edges."""
    matrix = np.zeros((n, n))
    np.add.at(matrix, (i, j), -total)
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    level = total.sum() / n**2  # the scale of the matrix, for the direction that it leaves open
    return np.asarray(np.linalg.inv(matrix + level) - 1 / (level * n**2))


class _Parts(NamedTuple):
    """Parts that can be removed as a whole: how many of each, and their votes in each cell."""

    available: IntArray
    counts: Any
    are_single: bool

    def after(self, fit: _Fit, which: IntArray, sign: int) -> FloatArray:
        """Scores after one of each part is removed (-1) or put back (+1), one row each."""
        if self.are_single:
            return fit.after_one(which, sign)
        return fit.after_many(np.asarray(sign * self.counts[which].toarray()))

    def votes(self, part: int) -> FloatArray:
        """Return the votes of a part in each cell."""
        return np.asarray(self.counts[[part]].toarray()[0])


def _single(cells: _Cells) -> _Parts:
    return _Parts(cells.counts.astype(np.int64), sparse.eye_array(len(cells.i)).tocsr(), True)


def _by_worker(answered: AnsweredGraph, cells: _Cells) -> _Parts:
    votes = answered.votes
    known = votes.worker != NO_WORKER
    counts = sparse.coo_array(
        (
            votes.votes_per_row[known].astype(float),
            (votes.worker[known], cells.of_row[known]),
        ),
        shape=(votes.n_workers, len(cells.i)),
    ).tocsr()
    return _Parts(np.ones(votes.n_workers, np.int64), counts, False)


def _search(fit: _Fit, parts: _Parts, k: int) -> IntArray | None:
    """Return how many of each part to remove so that item k is first; None if none was found."""
    removed = np.zeros_like(parts.available)
    while not _is_first(fit.x, k):
        tried = _most_promising(fit, parts, np.flatnonzero(removed < parts.available), k)
        distances = _distances(parts.after(fit, tried, -1), k)
        if not np.isfinite(distances).any() or removed.sum() == MOST_REMOVED:
            return None
        best = int(tried[np.argmin(distances)])
        removed[best] += 1
        fit.change(-parts.votes(best))
    while removed.any():  # put back what turns out not to be needed
        tried = np.flatnonzero(removed)
        left = leads(parts.after(fit, tried, +1), k)
        if not left.max() > EQUAL:
            break
        best = int(tried[np.argmax(left)])
        removed[best] -= 1
        fit.change(parts.votes(best))
    fit.refit()
    return removed if _is_first(fit.x, k) else None


def _most_promising(fit: _Fit, parts: _Parts, which: IntArray, k: int) -> IntArray:
    """Return the parts whose removal would bring item k forward most, to first order."""
    if len(which) <= TRIED:
        return which
    ahead = fit.x > fit.x[k]
    direction = ahead.astype(float)
    direction[np.argmax(fit.x)] += 1
    direction[k] -= direction.sum()
    effects = parts.counts @ fit.effects(direction)
    return which[np.argsort(effects[which], kind="stable")[:TRIED]]


def _distances(x: FloatArray, k: int) -> FloatArray:
    """Return how far item k is from the first place, by scores (rows); infinite if unknown."""
    gaps = x - x[:, [k]]
    distances = np.maximum(gaps, 0).sum(axis=1) - leads(x, k)
    return np.where(np.isnan(distances), np.inf, distances)


def leads(x: FloatArray, k: int) -> FloatArray:
    """Return the lead of item k over the best other, by scores (rows)."""
    return np.asarray(x[:, k] - np.delete(x, k, axis=1).max(axis=1))


def _is_first(x: FloatArray, k: int) -> bool:
    return bool(leads(x[None], k)[0] > EQUAL)


def _lower_bound(fit: _Fit, parts: _Parts, k: int) -> int:
    """Return a number of parts without which item k cannot be first.

    The removal of votes S reduces a lead c @ x by the sum of w (d_e v) (y_e - d_e x') over S, with
    v = L^+ c and x' the scores after it. If |d_e x'| is at most that of the scores before, or 1,
    each term is bounded, and the largest ones must add up to the lead.
    """
    c = fit.cells
    reach = max(1.0, float(np.abs(fit.x[c.i] - fit.x[c.j]).max()))
    bound = 0
    for rival in np.flatnonzero(fit.x > fit.x[k] + EQUAL).tolist():
        v = fit.inverse[rival] - fit.inverse[k]
        along = c.weight * (v[c.i] - v[c.j])
        most = np.maximum(parts.counts @ np.maximum(along * c.value + np.abs(along) * reach, 0), 0)
        order = np.argsort(-most)
        sums = np.repeat(most[order], parts.available[order]).cumsum()
        bound = max(bound, 1 + int(np.searchsorted(sums, fit.x[rival] - fit.x[k])))
    return bound
