"""votes_to_win: how few votes must be removed to make another item the winner of a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.data.subsets import largest_component
from hodgerank.display import Displayed, Preview
from hodgerank.errors import (
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
    UnknownItem,
    require_one_of,
)
from hodgerank.estimators.rank import rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.removal_search import (
    Cells,
    Fit,
    Parts,
    lower_bound,
    remove_until_first,
    rows_of,
)
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.types import BoolArray, FloatArray, IntArray, Item, VotesLike

By = Literal["vote", "worker"]
MOST_ITEMS = 2_000  # every pair of scores has a covariance
MOST_REMOVED = 5_000
# Reports state votes to win where a few rankings more are cheap.
STATED_ITEMS, STATED_VOTES, STATED_REMOVED = 100, 10_000, 500
PLAIN = {"model", "confidence", "covariance", "components"}  # options that keep scores exact
ROUNDS = 12  # of a search that is repeated around the scores without the votes found so far


class RemovedVotes(NamedTuple):
    """Equal votes to remove: `n` of outcome `outcome` for `item` against `other`."""

    item: Item
    other: Item
    outcome: float
    n: int


@dataclass(frozen=True, eq=False, repr=False)
class VotesToWin(Displayed):
    """A small set of votes without which an item is first in the ranking.

    Attributes
    ----------
    item, leader
        The item that would win, and the one that does.
    n
        Number of votes removed, or of workers if `by` is 'worker'; 0 if the item is the leader,
        None if no set was found. The set is checked by a new ranking; a smaller one may exist.
    lower_bound
        For plain least squares: no smaller number of votes is enough, if score differences of
        compared pairs do not grow. None for other models.
    most
        The largest number that was considered.
    of
        Number of votes, or of workers.
    removed
        The votes to remove. With `by='worker'`, all votes of `workers`.
    rows
        Source rows of the removed votes, one for each vote.
    workers
        The workers to remove; empty for single votes.
    remaining
        The votes that are left: `rank(found.remaining)` puts the item first.
    gap, z
        Lead of the leader, and the same in standard errors. Even a clear lead may depend on few
        votes, since they are chosen by their effect.
    model
        The model of the ranking, in words.
    """

    item: Item
    leader: Item
    by: By
    n: int | None
    lower_bound: int | None
    most: int
    of: int
    removed: tuple[RemovedVotes, ...]
    rows: IntArray
    workers: tuple[Item, ...]
    remaining: Comparisons
    gap: float
    z: float
    model: str

    def _headline(self) -> str:
        return str(self)

    def __str__(self) -> str:
        """Return the finding in words; the gap between the items is always part of it."""
        gap = f"(z of the gap: {self.z:.1f})"
        of = f"{self.of:,} {self.by}{'' if self.of == 1 else 's'}"
        if self.n is None:
            most = f"no set of at most {min(self.most, self.of):,} of {of}"
            return f"{most} was found whose removal would put {self.item} first {gap}"
        if not self.n:
            return f"{self.item} is first"
        return f"removing {self.n:,} of {of} would put {self.item} first {gap}"

    def _preview(self) -> Preview:
        rows = ((cell.item, cell.other, cell.outcome, cell.n) for cell in self.removed)
        return Preview(("item", "other", "outcome", "votes"), rows, len(self.removed))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "item": self.item,
            "leader": self.leader,
            "by": self.by,
            "n": self.n,
            "of": self.of,
            "most": self.most,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "z": self.z if np.isfinite(self.z) else None,
            "model": self.model,
            "words": str(self),
            "workers": list(self.workers),
            "removed": [cell._asdict() for cell in self.removed],
            "rows": self.rows.tolist(),
        }


def votes_to_win(
    votes: VotesLike,
    item: Item | None = None,
    *,
    by: By = "vote",
    most: int = MOST_REMOVED,
    **options: Any,
) -> VotesToWin:
    """Find few votes whose removal would put an item first in the ranking of `rank`.

    Votes are removed one after the other, each time the one that brings the item closest to the
    first place around the present scores; then those that turn out not to be needed are put back.
    The votes that are left are ranked again. If another item is first, the search goes on from
    there. Sets that would disconnect items are not considered.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    item
        Default: the second in the ranking.
    by
        Remove single votes, or all votes of a 'worker'.
    most
        The largest number of votes or workers to remove.
    options
        Options of `rank`, such as `model="hodgerank"` for least squares. Default: the default
        model.

    Examples
    --------
    >>> votes = [("a", "b", 1)] * 6 + [("b", "c", 1)] * 4 + [("c", "a", 1)] * 3
    >>> print(votes_to_win(votes, "b", model="hodgerank"))
    removing 3 of 13 votes would put b first (z of the gap: 0.9)
    """
    require_one_of(by, get_args(By), "by")
    if options.get("components", "largest") == "separate":
        raise InvalidArgument("components='separate' has no common first place: leave it out")
    read = read_ungrouped(votes)
    ranking = rank(read, **options)
    if ranking.no_votes or ranking.not_connected:
        read = largest_component(read)
    search = Search(read, ranking, options)
    return search.to_win(item, by, most)


def stated_votes_to_win(
    votes: Comparisons, ranking: Ranking, options: Mapping[str, Any]
) -> tuple[VotesToWin, ...]:
    """Return what reports state about the second item: votes, and workers where a set is found.

    `ranking` is that of the votes by these options of `rank`. Empty for more than 100 items or
    10,000 votes, if scores are level, or if not all items are ranked together.
    """
    is_small = votes.n_items <= STATED_ITEMS and votes.n_votes <= STATED_VOTES
    is_whole = len(ranking) == votes.n_items > 1 and ranking.n_components == 1
    if not (is_small and is_whole) or ranking.is_level:
        return ()
    search = Search(votes.repeated(), ranking, dict(options))
    if not search.answered.graph.is_connected:
        return ()
    found = search.to_win(None, "vote", STATED_REMOVED)
    if not found.n or (votes.worker == NO_WORKER).all():
        return (found,)
    by_worker = search.to_win(None, "worker", STATED_REMOVED)
    return (found, by_worker) if by_worker.n else (found,)


@dataclass(frozen=True, eq=False)
class Search:
    """Searches in the votes of one ranking, which all have votes and are connected."""

    votes: Comparisons
    ranking: Ranking
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.votes.n_items
        if n < 2:
            raise InvalidComparisons("there is nothing to win with fewer than two items")
        if n > MOST_ITEMS:
            raise InvalidArgument(f"{n:,} items: this analysis is limited to {MOST_ITEMS:,}")
        if self.ranking.is_level:
            raise InvalidComparisons("no item is first: the votes show no difference between them")

    @cached_property
    def answered(self) -> AnsweredGraph:
        """The votes with their graph."""
        return AnsweredGraph.of(self.votes)

    def to_win(self, item: Item | None, by: By, most: int) -> VotesToWin:
        """Find votes or workers to remove; see `votes_to_win`."""
        votes, ranking, answered = self.votes, self.ranking, self.answered
        answered.graph.require_connected()
        leader = ranking.items[0]
        item = ranking.items[1] if item is None else item
        if item not in ranking:
            raise UnknownItem(item, ranking.items)
        if by == "worker" and (votes.worker == NO_WORKER).all():
            raise InvalidArgument("by='worker' needs votes with workers: use by='vote'")
        cells = Cells.of(answered, ranking)
        parts = Parts.single(cells) if by == "vote" else Parts.by_worker(votes, cells)
        fit = Fit(cells, cells.counts, votes.items, ranking)
        k = votes.items.index(item)
        given = {name for name, value in self.options.items() if value is not None}
        is_exact = ranking.model == "least squares" and given <= PLAIN
        bound = lower_bound(fit, parts, k) if is_exact else None
        trial = _Trial(self, cells, parts, item)
        order = [] if _lead(ranking, item) > 0 else trial.search(fit, k, most)
        taken = trial.taken(order or ())
        chosen = sorted(set(order or ())) if by == "worker" else []
        return VotesToWin(
            item=item,
            leader=leader,
            by=by,
            n=None if order is None else len(order),
            lower_bound=bound,
            most=most,
            of=votes.n_votes if by == "vote" else len(np.unique(votes.worker[votes.worker >= 0])),
            removed=_named(votes, taken),
            rows=votes.rows[taken],
            workers=tuple(votes.workers[c] for c in chosen),
            remaining=votes.select(~taken),
            gap=float(ranking[leader].score - ranking[item].score),
            z=ranking.z(leader, item),
            model=ranking.description,
        )


@dataclass(frozen=True, eq=False)
class _Trial:
    """Removes parts of the votes, and ranks what is left."""

    of: Search
    cells: Cells
    parts: Parts
    item: Item

    def search(self, fit: Fit, k: int, most: int) -> list[int] | None:
        """Return parts without which the item is first, as few as are found.

        Where the first set does not suffice when ranked again, at least one, two, four ... more are
        removed, each time around the scores without those before.
        """
        order: list[int] = []
        below = _lead(self.of.ranking, self.item)
        for attempt in range(ROUNDS):
            fewest = min(len(order) + 2 ** (attempt - 1), most) if attempt else 0
            found = remove_until_first(fit, self.parts, k, order, fewest=fewest, most=most)
            again = None if found is None or len(found) == len(order) else self.ranked(found)
            if found is None or again is None:
                return None
            lead = _lead(again, self.item)
            if lead > 0:
                return self._shortest(found, (len(order), below), lead)
            order, below = found, lead
            counts = self.cells.counts - self.parts.votes_of(order)
            fit = Fit(self.cells, counts, self.of.votes.items, again)
        return None

    def _shortest(self, order: list[int], below: tuple[int, float], above: float) -> list[int]:
        """Return the shortest beginning that is found to be enough.

        `below` is a length that is not enough with the lead there, `above` the lead of all. Lengths
        are interpolated, and halved where that does not narrow them by half.
        """
        low, lead_low = below
        high, lead_high = len(order), above
        is_slow = False
        while high - low > 1:
            before, share = high - low, 0.5
            if not is_slow and np.isfinite(lead_low):
                share = -lead_low / (lead_high - lead_low)
            middle = min(max(low + ceil(share * (high - low)), low + 1), high - 1)
            again = self.ranked(order[:middle])
            lead = -np.inf if again is None else _lead(again, self.item)
            if lead > 0:
                high, lead_high = middle, lead
            else:
                low, lead_low = middle, lead
            is_slow = not is_slow and high - low > before / 2
        return order[:high]

    def ranked(self, removed: Sequence[int]) -> Ranking | None:
        """Rank without some parts; None if not all items can be ranked."""
        votes = self.of.votes
        try:
            again = rank(votes.select(~self.taken(removed)), **self.of.options)
        except HodgeRankError:  # items are no longer connected, too few votes ...
            return None
        return again if len(again) == votes.n_items and again.n_components == 1 else None

    def taken(self, removed: Sequence[int]) -> BoolArray:
        """Return which votes are removed with some parts."""
        if self.parts.are_single:
            return rows_of(self.cells, self.parts.number(removed))
        return np.isin(self.of.votes.worker, np.array(removed, np.int64))


def _lead(ranking: Ranking, item: Item) -> float:
    """Return the lead of an item over the best other; 0 if they are tied."""
    k = ranking.index(item)
    if ranking.ranks[k] == ranking.ranks[1] == 1:
        return 0.0
    return float(ranking.scores[k] - ranking.scores[int(k == 0)])


def _named(votes: Comparisons, taken: BoolArray) -> tuple[RemovedVotes, ...]:
    """Return the votes that are taken, equal ones together, most frequent first."""
    rows = np.flatnonzero(taken)
    swap = votes.left[rows] > votes.right[rows]
    i = np.where(swap, votes.right[rows], votes.left[rows])
    j = np.where(swap, votes.left[rows], votes.right[rows])
    outcome: FloatArray = np.where(swap, -1.0, 1.0) * votes.outcome[rows] + 0.0
    kinds, counts = np.unique(np.column_stack((i, j, outcome)), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable").tolist()
    return tuple(
        RemovedVotes(
            votes.items[int(kinds[c, 0])],
            votes.items[int(kinds[c, 1])],
            float(kinds[c, 2]),
            int(counts[c]),
        )
        for c in order
    )
