"""WorkerVotes: the votes of known workers by pair and side, in folds for held-out prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

LEAST_SHARE = 0.05  # of votes for either side: with less, left and right are not a display order


@dataclass(frozen=True, eq=False)
class WorkerVotes:
    """One entry (cell) per worker, pair i < j, side and fold, sorted by worker.

    All votes on a pair are in one fold, and so are all votes of a ballot or unit. Predictions for
    a fold therefore cannot profit from what is particular to a pair, a ranking or a prompt.

    Attributes
    ----------
    worker, row
        Worker of each cell, and the row of its parameters: the worker, or the worker in a fold.
    side
        1 if item i was shown left, -1 if right, 0 if not known. Where items follow a fixed order,
        it is their order, since position bias would look like a preference for the first.
    won, weight
        Weight of the votes for item i, counting ties as half, and of all votes.
    """

    items: tuple[Item, ...]
    workers: tuple[Item, ...]
    worker: CodeArray
    row: CodeArray
    i: CodeArray
    j: CodeArray
    side: FloatArray
    won: FloatArray
    weight: FloatArray
    fold: IntArray
    n_folds: int

    @classmethod
    def of(cls, votes: Comparisons, most_folds: int, rng: np.random.Generator) -> WorkerVotes:
        """Sum the votes of all workers, who must be known, by cell."""
        turned = votes.left > votes.right
        i, j = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
        outcome = np.where(turned, -votes.outcome, votes.outcome)
        side = np.where(turned, -1, 1) * _sides_count(votes)
        if votes.ballot is None:
            _, unit = np.unique(i * np.int64(votes.n_items) + j, return_inverse=True)
        else:
            _, unit = np.unique(votes.ballot, return_inverse=True)
        n_units = int(unit.max(initial=-1)) + 1
        n_folds = min(most_folds, n_units)
        fold = (rng.permutation(n_units) % max(n_folds, 1))[unit.ravel()]
        keys = np.column_stack((votes.worker, i, j, side, fold))
        cells, cell = np.unique(keys, axis=0, return_inverse=True)
        weight = votes.total_weight.astype(float)
        if votes.weight is not None:  # in effective votes
            weight *= weight.sum() / (weight @ votes.weight)
        worker = cells[:, 0].astype(np.int32)
        return cls(
            items=votes.items,
            workers=votes.workers,
            worker=worker,
            row=worker,
            i=cells[:, 1].astype(np.int32),
            j=cells[:, 2].astype(np.int32),
            side=cells[:, 3].astype(float),
            won=np.bincount(cell.ravel(), weight * (1 + outcome) / 2, len(cells)).astype(float),
            weight=np.bincount(cell.ravel(), weight, len(cells)).astype(float),
            fold=cells[:, 4].astype(np.int64),
            n_folds=n_folds,
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def n_workers(self) -> int:
        """Number of workers."""
        return len(self.workers)

    @cached_property
    def starts(self) -> CodeArray:
        """First cell of each worker, and the number of cells."""
        return np.searchsorted(self.worker, np.arange(self.n_workers + 1)).astype(np.int32)

    @cached_property
    def n_pairs(self) -> int:
        """Number of compared pairs."""
        return len(np.unique(self.i * np.int64(self.n_items) + self.j))

    def differences(self, x: FloatArray) -> FloatArray:
        """Return the score difference of each cell, for every class (rows of scores)."""
        return np.take(x, self.i, axis=1) - np.take(x, self.j, axis=1)

    def per_worker(self, values: FloatArray) -> FloatArray:
        """Sum over the cells of each worker."""
        return np.bincount(self.worker, values, self.n_workers).astype(float)

    def only(self, kept: BoolArray) -> WorkerVotes:
        """Return the same cells, of which only some have votes."""
        return replace(self, won=self.won * kept, weight=self.weight * kept)

    def by_fold(self) -> WorkerVotes:
        """Return the same cells, with parameters of each worker in each fold."""
        return replace(self, row=(self.worker * self.n_folds + self.fold).astype(np.int32))

    def voted(self, won: FloatArray) -> WorkerVotes:
        """Return the same cells with other votes."""
        return replace(self, won=won)


def _sides_count(votes: Comparisons) -> Any:
    """Return whether the recorded side of each vote may have influenced it."""
    known = votes.display_known
    unknown = votes.votes_per_row * ~known
    left, right = (unknown[votes.outcome * sign > 0].sum() for sign in (1, -1))
    return True if min(left, right) > LEAST_SHARE * (left + right) else known
