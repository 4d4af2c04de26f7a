"""describe: the coverage of a set of votes, before anything is estimated from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.display import Displayed
from hodgerank.errors import InvalidComparisons
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, IntArray, VotesLike


@dataclass(frozen=True)
class Spread:
    """Minimum, median and maximum of counts."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, counts: IntArray | FloatArray) -> Spread:
        """Summarise counts."""
        return cls(float(np.min(counts)), float(np.median(counts)), float(np.max(counts)))


@dataclass(frozen=True)
class DisplayOrder:
    """Balance of the display order, and preference for the left item.

    Attributes
    ----------
    known
        Number of votes whose display order is known. The values below are about these, and None if
        they are too few.
    left_preferred, left_preferred_stderr
        Share of decided votes that prefer left, with its standard error. It differs from 1/2 by
        position bias, or because better items are shown left more often.
    both_orders
        Share of pairs with several votes that were shown in both orders; without any, position
        bias and preference cannot be separated.
    most_one_sided
        Largest share of one side among an item's appearances, for items with 10 or more.
    """

    known: int
    left_preferred: float | None
    left_preferred_stderr: float | None
    both_orders: float | None
    most_one_sided: float | None


@dataclass(frozen=True, repr=False)
class Description(Displayed):
    """Coverage of the votes; `margins` is the range of the outcomes if they are margins."""

    source: str
    items: int
    votes: int
    workers: int
    anonymous_votes: int
    ties: int
    graded: int
    margins: Spread | None
    both_bad: int
    both_bad_ties: int
    skipped: int
    rejected: int
    pairs_asked: int
    pairs_possible: int
    components: int
    votes_per_pair: Spread
    votes_per_item: Spread
    votes_per_worker: Spread | None
    unanimous_pairs: int
    display_order: DisplayOrder | None
    notes: tuple[str, ...]

    def _headline(self) -> str:
        return (
            f"{self.source}: {self.items:,} items, {self.votes:,} votes, "
            f"{self.workers:,} workers, {self.coverage:.1%} of the pairs"
        )

    @property
    def coverage(self) -> float:
        """Share of all pairs that were compared."""
        return self.pairs_asked / self.pairs_possible

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "coverage": self.coverage, "notes": list(self.notes)}


def describe(votes: VotesLike) -> Description:
    """Count items, workers and votes, and summarise how evenly they are distributed.

    >>> describe([("a", "b", 1), ("b", "a", 1), ("b", "c", 0)]).coverage
    0.6666666666666666
    """
    votes = read_ungrouped(votes)
    if not len(votes):
        raise InvalidComparisons("there are no votes to describe")
    graph = ComparisonGraph.from_comparisons(votes)
    named = votes.worker[votes.worker != NO_WORKER]
    report = votes.report
    repeated = graph.counts > 1
    are_margins = report.margin_unit is not None
    signs = graph
    if are_margins:
        signs = ComparisonGraph.from_comparisons(replace(votes, outcome=np.sign(votes.outcome)))
    return Description(
        source=report.source,
        items=votes.n_items,
        votes=len(votes),
        workers=votes.n_workers,
        anonymous_votes=len(votes) - len(named),
        ties=int((votes.outcome == 0).sum()),
        graded=0
        if are_margins
        else int(((votes.outcome != 0) & (np.abs(votes.outcome) != 1)).sum()),
        margins=Spread.of(votes.outcome) if are_margins else None,
        both_bad=report.both_bad,
        both_bad_ties=report.both_bad_ties,
        skipped=report.skipped,
        rejected=report.rejected,
        pairs_asked=graph.n_edges,
        pairs_possible=votes.n_items * (votes.n_items - 1) // 2,
        components=graph.n_components,
        votes_per_pair=Spread.of(graph.counts),
        votes_per_item=Spread.of(graph.votes_per_item),
        votes_per_worker=Spread.of(np.bincount(named)) if len(named) else None,
        unanimous_pairs=int((repeated & (np.abs(signs.flows) == 1)).sum()),
        display_order=_display_order(votes),
        notes=report.notes,
    )


def _display_order(votes: Comparisons) -> DisplayOrder | None:
    shown = votes.select(votes.display_known)
    if not len(shown):
        return None
    decided = shown.outcome[shown.outcome != 0]
    share = float((decided > 0).mean()) if len(decided) > 1 else None
    # The graph of how often item i was shown left: its flow is +1 or -1 if always on one side.
    order = ComparisonGraph.from_comparisons(
        Comparisons(shown.items, shown.left, shown.right, np.ones(len(shown)))
    )
    repeated = order.counts > 1
    on_left = np.bincount(shown.left, minlength=shown.n_items)
    total = on_left + np.bincount(shown.right, minlength=shown.n_items)
    often = total >= 10
    left_share = on_left[often] / total[often]
    return DisplayOrder(
        known=len(shown),
        left_preferred=share,
        left_preferred_stderr=None if share is None else _share_stderr(share, len(decided)),
        both_orders=float((np.abs(order.flows[repeated]) < 1).mean()) if repeated.any() else None,
        most_one_sided=float(np.maximum(left_share, 1 - left_share).max()) if often.any() else None,
    )


def _share_stderr(share: float, n: int) -> float:
    """Standard error of a share; one pseudo-vote of either kind keeps it positive."""
    smoothed = (share * n + 1) / (n + 2)
    return float(np.sqrt(smoothed * (1 - smoothed) / n))
