"""Krippendorff's alpha: how far workers who were asked the same pair agree, beyond chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import BoolArray, FloatArray, IntArray

Metric = Literal["nominal", "ordinal", "interval"]
METRICS = ("nominal", "ordinal", "interval")
MOST_KINDS = 50  # of answers that are only equal or not
FEWEST = 5  # pairs and workers from which an interval can be told
Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha of answers about pairs: 1 agree always, 0 as coins do.

    Which item of a pair is called the first is arbitrary, so what chance gives is what answers to
    pairs turned at random give: for choices, disagreement in half of all cases, and alpha is
    2 x agreement - 1.

    Attributes
    ----------
    alpha
        1 - observed / expected disagreement.
    lower, upper
        95 % interval for other pairs and workers of the same kind; None where there are fewer than
        five of either.
    metric
        What disagreement is: 'nominal' (equal or not), 'ordinal' (squared difference of ranks) or
        'interval' (of outcomes).
    n_pairs, n_workers, n_votes
        Pairs that at least two workers answered, who they are, and what they said.
    """

    alpha: float
    lower: float | None
    upper: float | None
    metric: Metric
    n_pairs: int
    n_workers: int
    n_votes: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dict(vars(self))


def agreement(answered: AnsweredGraph, metric: Metric | None = None) -> Agreement | None:
    """Alpha over pairs (units) and workers (coders); None where it cannot be said.

    That is where no pair was answered by two workers, or all answers are ties. A worker who
    answered a pair several times is not compared with oneself.
    """
    votes = answered.votes
    if metric is None:
        metric = "nominal" if bool((np.abs(votes.outcome) == 1).all()) else "interval"
    require_one_of(metric, METRICS, "metric")
    cells = _Cells.of(answered)
    used = cells.is_shared[cells.cell]
    if not used.any():
        return None
    y, times = answered.turned[cells.rows][used], cells.times[used]
    features, mirrored = _features(y, times, metric)
    expected = _expected(features, mirrored, times)
    if not expected > 0:
        return None
    found = cells.disagreement(features, used)
    n_votes = float(times.sum())
    alpha = 1 - float(found.sum()) / (n_votes * expected)
    counts = cells.answers * cells.is_shared
    surplus = (found - counts * float(found.sum()) / n_votes) / (n_votes * expected)
    n_pairs, n_workers = (len(np.unique(k[cells.is_shared])) for k in (cells.pair, cells.worker))
    half = None
    if min(n_pairs, n_workers) >= FEWEST:
        # Both ends of a disagreement are somebody's: a worker moves it twice.
        half = Z * float(
            np.sqrt(
                np.sum(np.bincount(cells.pair, surplus) ** 2)
                + np.sum((2 * np.bincount(cells.worker, surplus)) ** 2)
            )
        )
    return Agreement(
        alpha=alpha,
        lower=None if half is None else alpha - half,
        upper=None if half is None else min(alpha + half, 1.0),
        metric=metric,
        n_pairs=n_pairs,
        n_workers=n_workers,
        n_votes=int(n_votes),
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """Answers of known workers; a cell is what one of them said of one pair.

    Attributes
    ----------
    rows, times, cell
        The answers, how many a row stands for, and the cell of each.
    pair, worker, answers
        Of each cell.
    others
        Answers to the pair of each cell by other workers.
    rivals
        Of each pair, the number of its answers over that of all its pairs of answers by two
        workers, either way round.
    """

    rows: IntArray
    times: FloatArray
    cell: IntArray
    pair: IntArray
    worker: IntArray
    answers: FloatArray
    others: FloatArray
    rivals: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph) -> _Cells:
        votes, n_pairs = answered.votes, answered.graph.n_edges
        rows = np.flatnonzero(votes.worker != NO_WORKER)
        times = votes.votes_per_row[rows].astype(float)
        keys, cell = group_rows(
            votes.worker[rows] * np.int64(n_pairs) + answered.edge[rows],
            max(votes.n_workers, 1) * n_pairs,
        )
        worker, pair = np.divmod(keys, np.int64(n_pairs))
        answers = np.bincount(cell, times, len(keys)).astype(float)
        in_pair = np.bincount(pair, answers, n_pairs)
        others = in_pair[pair] - answers
        two_ways = np.bincount(pair, answers * others, n_pairs)
        rivals = in_pair / np.where(two_ways > 0, two_ways, 1.0)
        return cls(rows, times, cell, pair, worker, answers, others, rivals)

    @property
    def is_shared(self) -> BoolArray:
        """Whether somebody else answered the pair of the cell too."""
        return self.others > 0

    def disagreement(self, features: list[FloatArray], used: BoolArray) -> FloatArray:
        """Squared differences between each cell and the others of its pair.

        Scaled so that a pair counts as often as it has answers.
        """
        cell, times, n_cells = self.cell[used], self.times[used], len(self.pair)
        total = np.zeros(n_cells)
        for feature in features:
            sums = np.bincount(cell, times * feature, n_cells)
            squares = np.bincount(cell, times * feature**2, n_cells)
            other_sums = np.bincount(self.pair, sums)[self.pair] - sums
            other_squares = np.bincount(self.pair, squares)[self.pair] - squares
            total += self.answers * other_squares + self.others * squares - 2 * sums * other_sums
        return np.asarray(np.maximum(total, 0.0) * self.rivals[self.pair])


def _features(
    y: FloatArray, times: FloatArray, metric: Metric
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Coordinates whose squared distance is the metric; those of an answer, and of its mirror."""
    if metric == "interval":
        return [y], [-y]
    kinds = np.unique(np.r_[y, -y])
    if metric == "ordinal":  # the squared difference of ranks is what Krippendorff's metric is
        counts = np.bincount(np.searchsorted(kinds, y), times, len(kinds))
        counts = counts + counts[::-1]
        middle = np.cumsum(counts) - counts / 2
        rank = (middle - counts.sum() / 2) / counts.sum()
        own = rank[np.searchsorted(kinds, y)]
        return [own], [-own]
    if len(kinds) > MOST_KINDS:
        raise InvalidArgument(
            f"there are {len(kinds):,} different answers, too many to be only equal or not: use "
            "metric='ordinal' or 'interval'"
        )
    return (
        [(y == kind) / np.sqrt(2) for kind in kinds],
        [(y == -kind) / np.sqrt(2) for kind in kinds],
    )


def _expected(features: list[FloatArray], mirrored: list[FloatArray], times: FloatArray) -> float:
    """Mean disagreement of two answers to different pairs, either of which may be turned."""
    n, total = float(times.sum()), 0.0
    for own, turned in zip(features, mirrored, strict=True):
        even = (own + turned) / 2
        total += 2 * (n - 1) * float(times @ own**2)
        total -= 2 * (float(times @ even) ** 2 - float(times @ even**2))
    return total / (n * (n - 1))
