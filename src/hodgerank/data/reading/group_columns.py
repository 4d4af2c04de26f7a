"""Unused columns that hold groups, units or populations, and the options that use them.

Items and workers show what a column means. If no item occurs with two values, the values are groups
of items that were never compared with each other. If every worker has one value, the values are
populations of workers. If items occur with several values, votes with the same value may be
correlated; only a name such as `prompt` or `scene` suggests that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.data.reading.column_names import MEASURES, VERDICTS, base_word, sided_pairs, words_of
from hodgerank.data.reading.layout_detection import is_pattern
from hodgerank.data.reading.options import as_options
from hodgerank.data.reading.values import MISSING, NOT_A_NAME, encode
from hodgerank.data.vote_columns import WORKERS
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import BoolArray, CodeArray, IntArray, Item

# Names of units that may be a sample of many: prompts, scenes, topics ...
UNIT_WORDS = frozenset({
    "topic", "scene", "track", "prompt", "category", "task", "question", "content", "reference",
    "source", "dataset", "domain", "group", "genre", "language", "class", "theme",
})  # fmt: skip
# Each value of these is a question of its own.
CRITERION_WORDS = frozenset({"attribute", "criterion", "criteria", "dimension", "aspect"})
POPULATION_WORDS = frozenset({
    "country", "region", "nationality", "age", "gender", "sex", "expertise", "experience",
    "education", "occupation", "panel", "cohort", "population", "culture",
})  # fmt: skip
GROUP_WORDS = UNIT_WORDS | CRITERION_WORDS | POPULATION_WORDS
NO_GROUP_WORDS = (MEASURES - GROUP_WORDS) | VERDICTS | {"loser", "rejected", "number"}
MOST_WORDS = 4  # of a name; more are a text, such as the question of a survey
MOST_GROUPS = 200  # that are worth a ranking each
MOST_POPULATIONS = 12
FEWEST_UNITS = 4  # fewer do not show how far votes of one unit are correlated
FEWEST_ITEMS = 4  # fewer are in one group by chance
REPEATS = 3  # votes per item that show what an item determines
VOTES_PER_ITEM = 2  # for a ranking of one value
VALUES_PER_ITEM = 10  # with which intervals clustered by unit are about right
MOST_CELLS = 1 << 24
INSPECTED_ROWS = 200_000  # in which every column is inspected
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*")
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+(e[-+]?\d+)?", re.IGNORECASE)


def point_out_groups(
    votes: Comparisons, unused: Sequence[str], read: Callable[[list[str]], pl.DataFrame]
) -> Comparisons:
    """Return the votes with notes on unused columns, which `read` returns with all source rows."""
    names = [name for name in unused if name and not is_pattern(name)]
    candidates = [name for name in names if _is_named(name)]
    n_parts = 1
    if names and (candidates or len(votes) <= INSPECTED_ROWS):
        n_parts = int(laplacian.components(votes.left, votes.right, votes.n_items).max()) + 1
    if n_parts > 1 and len(votes) <= INSPECTED_ROWS:
        candidates = names  # any column may split items that are not connected
    if not candidates:
        return votes
    table, some = read(candidates), _sampled(votes)
    found = [group for name in candidates if (group := _group_column(table[name], some))]
    notes, split_by = [], None
    splitting = [group for group in found if n_parts > 1 and group.splits_items]
    if some is not votes:  # another vote may not fit
        again = [_group_column(table[group.name], votes) for group in splitting]
        splitting = [group for group in again if group is not None and group.splits_items]
    if splitting:  # the finest is right: items are not compared across its groups either
        finest = max(splitting, key=lambda group: (group.n_values, _is_named(group.name)))
        notes.append(_on_split(finest))
        split_by = finest.name if finest.n_values == n_parts else None
    others = {name for pair in sided_pairs(unused) for name in pair[:2]}
    others |= {group.name for group in splitting}
    named = [group for group in found if _is_named(group.name) and group.name not in others]
    if not (splitting or votes.units):
        notes += [_on_clusters(group) for group in named if group.is_clustered][:1]
    notes += [_on_populations(group) for group in named if group.is_population][:1]
    if not notes:
        return votes
    report = replace(votes.report, notes=(*votes.report.notes, *notes), split_by=split_by)
    return replace(votes, report=report)


def _sampled(votes: Comparisons) -> Comparisons:
    """Return at most INSPECTED_ROWS of the votes, evenly spaced."""
    if len(votes) <= INSPECTED_ROWS:
        return votes
    return votes.select(np.arange(0, len(votes), -(-len(votes) // INSPECTED_ROWS))).compacted()


def _is_named(name: str) -> bool:
    """Return whether a name suggests groups, and not a measure, the worker or the chosen item."""
    words = words_of(name)
    if len(words) > MOST_WORDS or NO_GROUP_WORDS.intersection(words) or base_word(name) in WORKERS:
        return False
    return bool(GROUP_WORDS.intersection(words))


@dataclass(frozen=True)
class _GroupColumn:
    """A column with repeated values: the code of each vote's value."""

    name: str
    n_values: int
    codes: CodeArray
    votes: Comparisons
    is_complete: bool

    @cached_property
    def is_shared(self) -> BoolArray:
        """Which items occur with several values."""
        votes, codes = self.votes, self.codes
        one = np.empty(votes.n_items, codes.dtype)
        one[votes.left], one[votes.right] = codes, codes
        shared = np.zeros(votes.n_items, np.bool_)
        for side in (votes.left, votes.right):
            shared[side[one[side] != codes]] = True
        return shared

    @property
    def splits_items(self) -> bool:
        """Whether no item occurs with two values."""
        votes = self.votes
        comes_again = len(votes) >= votes.n_items  # an item seen once has one value anyway
        can_split = self.is_complete and comes_again and votes.n_items >= FEWEST_ITEMS
        return can_split and not self.is_shared.any()

    @cached_property
    def describes_workers(self) -> bool:
        """Whether every worker has one value."""
        worker, n = self.votes.worker, self.votes.n_workers
        if n < 2 or len(worker) < 2 * n or (worker == NO_WORKER).any():
            return False
        return _determines(worker, self.codes, n)

    @property
    def is_population(self) -> bool:
        """Whether the values are shared by workers, and not other names of them."""
        are_few = self.n_values <= min(MOST_POPULATIONS, self.votes.n_workers // 2)
        return are_few and self.describes_workers

    @property
    def is_clustered(self) -> bool:
        """Whether votes with the same value may be correlated."""
        words = words_of(self.name)
        if self.describes_workers or not (UNIT_WORDS | CRITERION_WORDS).intersection(words):
            return False
        votes, codes = self.votes, self.codes
        repeats = len(votes) >= REPEATS * votes.n_items
        if not self.mostly_shared:
            return repeats and bool(self.is_shared.any())
        if repeats and any(
            _determines(side, codes, votes.n_items) for side in (votes.left, votes.right)
        ):
            return False  # an attribute of the item on one side
        low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
        pair = low * np.int64(votes.n_items) + high
        if not _determines(codes, pair, self.n_values):
            return True
        distinct, pair = np.unique(pair, return_inverse=True)
        return not _determines(pair, codes, len(distinct))  # it numbers the pairs

    @property
    def mostly_shared(self) -> bool:
        """Whether most items occur with several values."""
        return bool(self.is_shared.mean() > 0.5)

    @cached_property
    def occurring(self) -> tuple[IntArray, IntArray]:
        """Items and values that occur together."""
        votes, n = self.votes, self.n_values
        cells = np.concatenate(
            [side * np.int64(n) + self.codes for side in (votes.left, votes.right)]
        )
        if votes.n_items * n > MOST_CELLS:
            return np.divmod(np.unique(cells), n)
        occurs = np.zeros(votes.n_items * n, np.bool_)
        occurs[cells] = True
        return np.divmod(np.flatnonzero(occurs), n)

    @property
    def values_per_item(self) -> float:
        """Median number of values that an item occurs with."""
        return float(np.median(np.bincount(self.occurring[0])))

    @property
    def can_be_ranked_each(self) -> bool:
        """Whether every value has enough votes for a ranking, and not of one worker only."""
        votes, n = self.votes, self.n_values
        if n > MOST_GROUPS or (votes.n_workers > 1 and _determines(self.codes, votes.worker, n)):
            return False
        items = np.bincount(self.occurring[1], minlength=n)
        counts = np.bincount(self.codes, votes.votes_per_row, n)
        return bool((items > 2).all() and (counts >= VOTES_PER_ITEM * items).all())


def _determines(codes: CodeArray | IntArray, values: CodeArray | IntArray, n: int) -> bool:
    """Return whether equal codes, which are below n, always have equal values."""
    one = np.empty(n, values.dtype)
    one[codes] = values
    return bool((one[codes] == values).all())


def _group_column(column: pl.Series, votes: Comparisons) -> _GroupColumn | None:
    """Return a column whose values repeat, unless they are dates or fractions."""
    is_text = column.dtype == pl.String or isinstance(column.dtype, pl.Categorical | pl.Enum)
    if not (is_text or column.dtype.is_integer()):
        return None
    if votes.row is not None:
        column = column.gather(votes.row - 1)
    most = 2 * len(column) // 3 if _is_named(column.name) else MOST_GROUPS
    n_distinct = column.n_unique() - bool(column.null_count())
    if not 2 <= n_distinct <= max(2, min(most, 2 * len(column) // 3)):
        return None
    if column.dtype in (pl.UInt64, pl.Int128):  # may be larger than the integers of items
        column = column.cast(pl.String)
    table = pl.DataFrame({"values": column})
    [(values, (codes,))] = encode(table, [["values"]], from_text=False, not_names=NOT_A_NAME)
    is_known = codes != MISSING
    if len(values) < 2 or is_known.mean() <= 0.5 or _are_measured(values):
        return None
    if not is_known.all():
        votes, codes = votes.select(is_known).compacted(), codes[is_known]
    return _GroupColumn(column.name, len(values), codes, votes, bool(is_known.all()))


def _are_measured(values: Sequence[Item]) -> bool:
    """Return whether the values are dates, or numbers with a fraction."""
    texts = [value for value in values if isinstance(value, str)]
    return bool(texts) and (
        all(map(_DATE.fullmatch, texts)) or any(map(_FRACTION.fullmatch, texts))
    )


def _on_split(group: _GroupColumn) -> str:
    name = group.name
    return (
        f"column {name!r} splits the items into {group.n_values:,} groups: no item is in two. "
        f"Rank each group separately with {as_options({'by': name})} (group={name!r})"
    )


def _on_populations(group: _GroupColumn) -> str:
    name = group.name
    return (
        f"column {name!r} describes the workers, who form {group.n_values:,} populations: test "
        f"whether these rank differently with {as_options({'compare': name})}"
    )


def _on_clusters(group: _GroupColumn) -> str:
    """Name the options for votes that may be correlated, the most useful first.

    Measured by `benchmarks.clustered_votes`: if most items occur with most values, intervals are
    right with `--unit`, and `--by` has too few votes for most values. Two or three values are too
    few for `--unit`. If items occur with few of many values, intervals stay too short.
    """
    name, n = group.name, group.n_values
    unit, compare, by = (as_options({option: name}) for option in ("unit", "compare", "by"))
    each = f"rank each value separately with {by} (group={name!r})"
    test = f"To test whether rankings differ, use {compare}."
    start = f"column {name!r} has {n:,} values"
    if not group.mostly_shared:
        shared, total = int(group.is_shared.sum()), len(group.is_shared)
        return (
            f"{start}, and only {shared:,} of {total:,} items occur with more than one: other "
            f"items are compared across values only through these. To be safe, {each}."
        )
    is_crossed = group.values_per_item > n / 2
    start += f", and most items occur with {_how_many(n) if is_crossed else 'several'}."
    if CRITERION_WORDS.intersection(words_of(name)):
        return f"{start} If each is a different question, {each}. {test}"
    if n < FEWEST_UNITS:
        return f"{start} {test} If they do, {each}."
    if not is_crossed and group.values_per_item < VALUES_PER_ITEM:
        start += (
            f" An item occurs with about {group.values_per_item:.0f}: if rankings differ between "
            f"values, intervals of one ranking are too short, even with {unit}."
        )
        if group.can_be_ranked_each:
            return f"{start} To be safe, {each}."
        return f"{start} Collect votes on each item with more values."
    one = (
        f"For one ranking with intervals that allow for correlated votes, use {unit} "
        f"(unit={name!r})."
    )
    if not group.can_be_ranked_each:
        return f"{start} {one}"
    if is_crossed:
        return f"{start} {one} {test} If they do, {each}."
    return f"{start} {one} If rankings differ between values, {each}."


def _how_many(n: int) -> str:
    return "both" if n == 2 else "most of them"
