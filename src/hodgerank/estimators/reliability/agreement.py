"""Krippendorff's alpha: agreement beyond chance of workers who judged the same pairs.

Where votes have units, such as prompts, a pair is another question in each unit: workers who agree
on every prompt would seem to disagree if the better item depends on the prompt.
"""

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
MOST_KINDS = 50  # of distinct outcomes for the nominal metric
FEWEST = 5  # pairs and workers needed for an interval
Z = 1.959964  # of a 95% interval


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha of votes on pairs: 1 is perfect agreement, 0 is chance.

    The order of the items in a pair is arbitrary, so chance agreement is computed with pairs
    flipped at random. For choices it is one half, and alpha is 2 x agreement - 1.

    Attributes
    ----------
    alpha
        1 - observed / expected disagreement.
    lower, upper
        95% confidence interval for new pairs and workers; None with fewer than five of either.
    metric
        The measure of disagreement: 'nominal' (equal or not), 'ordinal' (squared difference of
        ranks) or 'interval' (squared difference of outcomes).
    n_pairs, n_workers, n_votes
        Number of pairs judged by at least two workers, of these workers, and of their votes. A
        pair counts once for each unit.
    """

    alpha: float
    lower: float | None
    upper: float | None
    metric: Metric
    n_pairs: int
    n_workers: int
    n_votes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return dict(vars(self))


def agreement(answered: AnsweredGraph, metric: Metric | None = None) -> Agreement | None:
    """Return alpha over pairs and workers (coders), or None if it is undefined.

    It is undefined if no pair was judged by two workers, or all votes are ties. Repeated votes of
    one worker on a pair are not compared with each other.
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
    counts = cells.votes * cells.is_shared
    surplus = (found - counts * float(found.sum()) / n_votes) / (n_votes * expected)
    n_pairs, n_workers = (len(np.unique(k[cells.is_shared])) for k in (cells.pair, cells.worker))
    half = None
    if min(n_pairs, n_workers) >= FEWEST:
        # A disagreement involves two workers, so each worker's contribution counts twice.
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
    """Votes of known workers; a cell holds the votes of one worker on one pair.

    Attributes
    ----------
    rows, times, cell
        Rows of the votes, the number of votes per row, and the cell of each row.
    pair, worker, votes
        Pair, worker and number of votes of each cell.
    others
        Number of votes by other workers on the pair of each cell.
    rivals
        For each pair, its number of votes over its number of ordered pairs of votes by different
        workers.
    """

    rows: IntArray
    times: FloatArray
    cell: IntArray
    pair: IntArray
    worker: IntArray
    votes: FloatArray
    others: FloatArray
    rivals: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph) -> _Cells:
        votes, n_pairs = answered.votes, answered.graph.n_edges
        question = answered.edge
        if votes.units and votes.ballot is not None:
            asked, question = group_rows(
                answered.edge * np.int64(votes.n_ballots) + votes.ballot,
                n_pairs * votes.n_ballots,
            )
            n_pairs = len(asked)
        rows = np.flatnonzero(votes.worker != NO_WORKER)
        times = votes.votes_per_row[rows].astype(float)
        keys, cell = group_rows(
            votes.worker[rows] * np.int64(n_pairs) + question[rows],
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
        """Whether another worker judged the pair of the cell."""
        return self.others > 0

    def disagreement(self, features: list[FloatArray], used: BoolArray) -> FloatArray:
        """Sum of squared differences between each cell and the other cells of its pair.

        Scaled so that a pair counts in proportion to its votes.
        """
        cell, times, n_cells = self.cell[used], self.times[used], len(self.pair)
        total = np.zeros(n_cells)
        for feature in features:
            sums = np.bincount(cell, times * feature, n_cells)
            squares = np.bincount(cell, times * feature**2, n_cells)
            other_sums = np.bincount(self.pair, sums)[self.pair] - sums
            other_squares = np.bincount(self.pair, squares)[self.pair] - squares
            total += self.votes * other_squares + self.others * squares - 2 * sums * other_sums
        return np.asarray(np.maximum(total, 0.0) * self.rivals[self.pair])


def _features(
    y: FloatArray, times: FloatArray, metric: Metric
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return coordinates whose squared distance is the metric, for votes and for flipped votes."""
    if metric == "interval":
        return [y], [-y]
    kinds = np.unique(np.r_[y, -y])
    if metric == "ordinal":  # Krippendorff's ordinal metric is the squared difference of ranks
        counts = np.bincount(np.searchsorted(kinds, y), times, len(kinds))
        counts = counts + counts[::-1]
        middle = np.cumsum(counts) - counts / 2
        rank = (middle - counts.sum() / 2) / counts.sum()
        own = rank[np.searchsorted(kinds, y)]
        return [own], [-own]
    if len(kinds) > MOST_KINDS:
        raise InvalidArgument(
            f"there are {len(kinds):,} distinct outcomes, too many for metric='nominal': use "
            "metric='ordinal' or 'interval'"
        )
    return (
        [(y == kind) / np.sqrt(2) for kind in kinds],
        [(y == -kind) / np.sqrt(2) for kind in kinds],
    )


def _expected(features: list[FloatArray], mirrored: list[FloatArray], times: FloatArray) -> float:
    """Return the mean disagreement of votes on different pairs, each flipped at random."""
    n, total = float(times.sum()), 0.0
    for own, turned in zip(features, mirrored, strict=True):
        even = (own + turned) / 2
        total += 2 * (n - 1) * float(times @ own**2)
        total -= 2 * (float(times @ even) ** 2 - float(times @ even**2))
    return total / (n * (n - 1))
