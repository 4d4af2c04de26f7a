"""Selection rules of other systems, written from their formulas; `RIVALS` has them by name.

They choose among the candidates only, and are otherwise as published. A vote between -1 and 1 is
split: (1 + y) / 2 of a win and (1 - y) / 2 of a loss.
"""

from __future__ import annotations

from functools import partial

from benchmarks.contest.rivals.asap import ApproximateASAP, ExactASAP
from benchmarks.contest.rivals.entrant import Entrant
from benchmarks.contest.rivals.hybrid_mst import HybridMST
from benchmarks.contest.rivals.ratings import EloClosest, Gavel, Swiss, TrueSkill
from benchmarks.contest.rivals.sorting import (
    Sorter,
    knockout,
    merge_insertion,
    merge_sort,
    quicksort,
)

__all__ = ["RIVALS", "Entrant"]

RIVALS = {
    "swiss": Entrant(Swiss, in_progress="begins the next round before the last is over"),
    "elo-closest": Entrant(EloClosest, in_progress="counts pairs in progress as asked"),
    "trueskill": Entrant(TrueSkill),
    "gavel": Entrant(Gavel, most_items=200),
    "hybrid-mst": Entrant(HybridMST, most_items=60),
    "hybrid-mst-trees": Entrant(
        partial(HybridMST, trees_only=True), in_progress="plays a spanning tree, as its authors do"
    ),
    "asap": Entrant(ExactASAP, most_items=16),
    "asap-approximate": Entrant(
        ApproximateASAP, in_progress="plays a spanning tree, as its authors do"
    ),
    "merge-sort": Entrant(
        partial(Sorter, algorithm=merge_sort), needs_all_pairs=True,
        in_progress="asks what its merges wait for, several times if that is little",
    ),
    "quicksort": Entrant(
        partial(Sorter, algorithm=quicksort), needs_all_pairs=True,
        in_progress="compares all items with their pivots at once",
    ),
    "merge-insertion": Entrant(partial(Sorter, algorithm=merge_insertion), needs_all_pairs=True),
    "knockout": Entrant(
        partial(Sorter, algorithm=knockout), needs_all_pairs=True,
        in_progress="plays a round at once, its matches several times if they are few",
    ),
}  # fmt: skip
