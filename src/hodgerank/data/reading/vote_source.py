"""VoteSource, through which all votes are read, and read_comparisons."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import polars as pl

from hodgerank.data.comparisons import Comparisons, ReadReport, joint_report
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.decode import each_by_itself
from hodgerank.data.reading.options import (
    BothBad,
    OutcomeKind,
    ReadOptions,
    options_file_of,
    read_options_file,
)
from hodgerank.data.reading.table_votes import TableVotes
from hodgerank.data.reading.values import MISSING, NOT_A_NAME, Encoding, encode
from hodgerank.data.sources.files import PARQUET
from hodgerank.data.sources.open_table import open_table
from hodgerank.data.sources.table import Table
from hodgerank.data.subsets import join_comparisons
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import VotesLike


@dataclass(frozen=True, eq=False)
class VoteSource:
    """Votes in any source, to be read in one of three ways.

    `answers` reads all votes, `distinct_answers` counts equal votes of a worker, and `pieces`
    yields batches from which edges can be summed without all votes in memory. Nothing is read
    before.

    Attributes
    ----------
    source
        Any source that `read_comparisons` accepts.
    options
        Options for reading. Files beside the votes may add to them: see `is_set` and `group`.
    """

    source: VotesLike
    options: ReadOptions = field(default_factory=ReadOptions)

    @cached_property
    def _tables(self) -> list[TableVotes]:
        """Open the table, or those of several files."""
        return [TableVotes(_open(file, how), how.options) for file, how in self._files]

    @cached_property
    def _files(self) -> list[tuple[Any, _HowToRead]]:
        """Return every file, or other source, with its options."""
        return [(file, _how_to_read(file, self.options)) for file in _files(self.source)]

    def is_set(self, *options: str) -> bool:
        """Return whether the caller, or a file beside the votes, gives any of these options."""
        return any(
            getattr(how.options, name) is not None for _, how in self._files for name in options
        )

    @property
    def group(self) -> str | None:
        """Column of the groups, if the votes are in groups."""
        if isinstance(self.source, Comparisons):
            return self.options.group
        if isinstance(self.source, VoteGroups):
            return None
        names = list(dict.fromkeys(how.options.group for _, how in self._files))
        if len(names) > 1:
            named = " and ".join("none" if name is None else repr(name) for name in names)
            raise InvalidArgument(
                f"the options files name different groups ({named}): name one for all with "
                "group=... (--by)"
            )
        return names[0]

    @property
    def name(self) -> str:
        """Name in messages."""
        if isinstance(self.source, Comparisons):
            return self.source.report.source
        names = list(dict.fromkeys(table.name for table in self._tables))
        return names[0] if len(names) == 1 else f"{len(names):,} files ({names[0]}, ...)"

    @property
    def n_tables(self) -> int:
        """Number of files, or of other sources."""
        return len(self._tables)

    @property
    def is_lazy(self) -> bool:
        """Whether the votes are stored elsewhere and may be too many to load."""
        if isinstance(self.source, Comparisons | VoteGroups):
            return False
        return any(table.is_lazy for table in self._tables)

    @property
    def has_margins(self) -> bool:
        """Whether the outcomes are margins; nothing but the first rows is read."""
        if self.options.signs_only or isinstance(self.source, VoteGroups):
            return False
        if isinstance(self.source, Comparisons):
            return self.source.report.margin_unit is not None
        return any(table.has_margins for table in self._tables)

    def answers(self) -> Comparisons:
        """Read every vote, one row each."""
        return self.distinct_answers().repeated() if not self.is_lazy else self._all()

    def groups(self) -> VoteGroups:
        """Read the votes of each group that `options.group` names."""
        column = self.group
        if column is None:
            raise InvalidArgument("name the column of the groups: group=... (--by)")
        if isinstance(self.source, Comparisons):
            return _in_groups(_with_units(self.source, self.options), column, self.options)
        found = [table.groups() for table in self._tables]
        if len(found) == 1:
            return found[0]
        names = dict.fromkeys(name for groups in found for name in groups)
        parts = {
            name: join_comparisons([groups[name] for groups in found if name in groups])
            for name in names
        }
        return VoteGroups(column, parts, joint_report([g.report for g in found], self.name))

    def distinct_answers(self, *, by_worker: bool = True) -> Comparisons:
        """Read votes without times; of lazy sources, equal votes (of a worker) are one row."""
        if isinstance(self.source, VoteGroups):
            raise InvalidArgument(
                f"these votes are in groups by {self.source.column}: rank each group separately "
                "with rank_groups(votes), or take one: votes[name]"
            )
        self._require_no_groups()
        if isinstance(self.source, Comparisons):
            return _with_units(self.source, self.options)
        return self._joined([t.distinct_answers(by_worker=by_worker) for t in self._tables])

    def pieces(self) -> Iterator[Comparisons]:
        """Yield votes without workers and times: counted at the source, or in batches."""
        if not self.is_lazy:
            yield self.distinct_answers()
            return
        self._require_no_groups()
        for table in self._tables:
            yield from table.pieces()

    def _require_no_groups(self) -> None:
        if self.group is not None:
            raise InvalidArgument(
                f"{self.name}: the votes are in groups by {self.group}: rank each group "
                "separately with rank_groups(read_comparisons(...)), or take one: "
                "read_comparisons(...)[name]"
            )

    def _all(self) -> Comparisons:
        self._require_no_groups()
        return self._joined([table.answers() for table in self._tables]).repeated()

    def _joined(self, parts: list[Comparisons]) -> Comparisons:
        return join_comparisons(parts, self.name)


def _with_units(votes: Comparisons, options: ReadOptions) -> Comparisons:
    """Return the votes with the unit of each, if the options name one; refuse other options."""
    meant = ReadOptions(
        group=options.group,
        unit=options.unit,
        keep_na=options.keep_na,
        signs_only=options.signs_only,
    )
    if options != meant:
        raise InvalidArgument(
            "these votes have been read already: only group=..., unit=... and signs_only=True can "
            "still be given; give other options when reading the file"
        )
    votes = _signs(votes) if options.signs_only else votes
    if options.unit is None:
        return votes
    units, (codes,) = _encoded(votes, options.unit, options)
    if not units:
        raise InvalidComparisons(f"the unit column {options.unit!r} is empty")
    ballot = each_by_itself(codes, len(units))
    found = replace(votes, ballot=ballot, units=units).with_ballots_numbered()
    report = _using(votes.report, options.unit)
    return replace(found, report=replace(report, units=found.n_ballots, ballots=0))


def _signs(votes: Comparisons) -> Comparisons:
    """Return margins as choices and ties."""
    if votes.report.margin_unit is None:
        raise InvalidArgument("signs_only=True is for margins, and these votes are not: omit it")
    report = replace(votes.report, margin_unit=None)
    return replace(votes, outcome=np.sign(votes.outcome), report=report)


def _in_groups(votes: Comparisons, column: str, options: ReadOptions) -> VoteGroups:
    """Split votes by an extra column; votes without a group are left out and counted."""
    names, (codes,) = _encoded(votes, column, options)
    is_in = codes != MISSING
    if not is_in.any():
        raise InvalidComparisons(f"the group column {column!r} is empty")
    n_out = int(votes.votes_per_row[~is_in].sum())
    report = _using(votes.report, column)
    report = replace(report, missing=report.missing + n_out)
    kept = votes.select(is_in) if n_out else votes
    return VoteGroups.split(replace(kept, report=report), names, codes[is_in], column)


def _using(report: ReadReport, column: str) -> ReadReport:
    return replace(report, unused=tuple(name for name in report.unused if name != column))


def _encoded(votes: Comparisons, column: str, options: ReadOptions) -> Encoding:
    return encode(
        pl.DataFrame({column: votes.extra.require(column)}),
        [[column]],
        from_text=votes.extra.from_text,
        not_names=frozenset() if options.keep_na else NOT_A_NAME,
    )[0]


class _HowToRead(NamedTuple):
    """Options of one file, and the file beside it that gave some of them."""

    options: ReadOptions
    beside: Path | None = None


def _how_to_read(file: Any, given: ReadOptions) -> _HowToRead:
    beside = None if given.options_file is False else options_file_of(file)
    if beside is None:
        return _HowToRead(given)
    return _HowToRead(given.or_else(read_options_file(beside)), beside)


def _open(file: Any, how: _HowToRead) -> Table:
    options = how.options
    return open_table(
        file,
        encoding=options.encoding,
        separator=options.separator,
        sheet=options.sheet,
        remark="" if how.beside is None else f" with {how.beside.name}",
    )


def _files(source: VotesLike) -> Sequence[Any]:
    """Return several files or streams, or a single source."""
    parts: Any = source
    is_list = isinstance(parts, list | tuple) and len(parts) > 0
    if not is_list:
        parts = [source]
    if not all(isinstance(p, str | os.PathLike) or hasattr(p, "read") for p in parts):
        return [source]
    return [file for part in parts for file in _found(part)]


def _found(part: Any) -> list[Any]:
    """Return the files that match a pattern such as 'votes/*.csv'; Parquet files are one table."""
    if hasattr(part, "read") or not has_magic(str(part)) or os.path.exists(part):
        return [part]
    if str(part).lower().endswith(PARQUET):
        return [part]
    return sorted(glob(str(part), recursive=True)) or [part]


@overload
def read_comparisons(source: VotesLike, *, group: None = None, **options: Any) -> Comparisons: ...


@overload
def read_comparisons(source: VotesLike, *, group: str, **options: Any) -> VoteGroups: ...


def read_comparisons(  # type: ignore[misc]  # the overloads do not list the options again
    source: VotesLike,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    margin: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    worker: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    count: str | None = None,
    group: str | None = None,
    unit: str | None = None,
    ballot: str | None = None,
    item: str | None = None,
    place: str | None = None,
    where: str | None = None,
    outcome_as: OutcomeKind | None = None,
    scale: tuple[float, float] | None = None,
    tie: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    map: Mapping[str, str] | Sequence[str] | None = None,
    both_bad: BothBad | None = None,
    worse: bool | None = None,
    signs_only: bool | None = None,
    names: str | None = None,
    display_known: bool | None = None,
    keep_na: bool | None = None,
    skip_invalid: bool | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    options_file: bool | None = None,
) -> Comparisons | VoteGroups:
    """Read votes.

    Options that are not given are taken from a TOML file beside the votes, if it exists:
    `votes.toml` for `votes.csv`, with the names below. `report.source` then mentions it.

    Parameters
    ----------
    source
        A path or a list of paths (CSV, TSV, either gzipped; Parquet, also many files as
        'votes/*.parquet'; JSON, JSON lines; PrefLib; Excel with the extra `excel`), a binary
        stream, any
        dataframe narwhals knows (pandas, polars, pyarrow, duckdb, dask, pyspark ...), or rows:
        tuples (left, right, outcome[, worker]) or dicts. Votes that were read already can be given
        again with `group` or `unit`, which may name any of their `extra` columns.
    left, right, outcome, margin, winner, loser, worker, weight, time, count
        Column names. Columns that are not named are recognised: `left,right,outcome`,
        `left,right,winner`, `model_a,model_b,winner`, `winner,loser` and similar names.
        `report.layout` lists them. 'type+level' joins two columns into the name of an item, and
        outcome='score_a-score_b' prefers left where the first number is larger. `margin` takes the
        place of `outcome` for real-valued outcomes, such as goal differences, which have no scale:
        by how much left, or the winner, is better. margin='goals_a-goals_b' is the difference.
    group
        Column of scene, topic, prompt ...: items are compared within a group only, and `VoteGroups`
        are returned.
    unit
        Column of prompt, page, session ...: votes of one unit are correlated, so standard errors
        are clustered by it. Items are compared across units.
    ballot, item, place
        Columns of rankings of several items: which ranking, which item, and its place from 1.
    where
        Rows to read, e.g. "worker != 'bot' and seconds > 2".
    outcome_as
        Kind of outcome: a 'number', a 'word' (left, right, tie) or the chosen 'item'. Default: the
        kind that explains most rows.
    scale
        Numbers that mean "right is best" and "left is best", e.g. (0, 1) or (1, 7). Default: (-1,
        1), unless the values are only 0 and 1.
    tie, skip, map
        Further words: for a tie, for a skipped pair, or with their meaning ('left', 'right', 'tie'
        or 'skip'), e.g. map={'f': 'left', 'j': 'right'}.
    both_bad
        Whether 'both bad' is a 'tie' (the default, as on leaderboards) or is dropped ('drop').
    worse
        The chosen item is the worse one, e.g. the more distorted.
    signs_only
        Keep who won of margins, not by how much, for models of choices. Can also be given for
        margins that were read already.
    names
        File with a table of ids and names; items get these names.
    display_known
        Whether left and right are the display order. Default: yes, except for winner and loser
        columns, counts and rankings, and if left is almost always chosen or pairs are sorted;
        `report.display_doubt` then gives the reason.
    keep_na
        Whether NA, N/A, nan, null, - and ? are names of items. Default: they are missing values.
    skip_invalid
        Leave out and count invalid rows instead of raising `InvalidComparisons`.
    header
        False for text without a header; its columns are called 1, 2, 3 ...
    sheet
        Sheet of a workbook; default: the first.
    encoding, separator
        Of text files; detected if not given (UTF-8 or a byte order mark; comma, tab, ; or |).
    options_file
        False ignores the TOML file beside the votes.

    Examples
    --------
    >>> votes = read_comparisons([("tea", "coffee", 1), ("tea", "milk", -1, "ann")])
    >>> votes.items, len(votes), votes.workers
    (('coffee', 'milk', 'tea'), 2, ('ann',))
    """
    given = locals()
    options = ReadOptions(**{option.name: given[option.name] for option in fields(ReadOptions)})
    votes = VoteSource(source, options)
    return votes.answers() if votes.group is None else votes.groups()


def read_ungrouped(source: VotesLike) -> Comparisons:
    """Read votes for an analysis of one set of items; refuse groups."""
    return (source if isinstance(source, VoteSource) else VoteSource(source)).answers()
