"""TableVotes: the votes of one table, in full, counted, or in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from polars import selectors

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.extra_columns import SourceColumns
from hodgerank.data.groups import VoteGroups
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.column_values import MOST_ITSELF
from hodgerank.data.reading.decode import Decoded, decode
from hodgerank.data.reading.derived_columns import DerivedTable
from hodgerank.data.reading.group_columns import point_out_groups
from hodgerank.data.reading.item_names import read_names
from hodgerank.data.reading.layout_detection import (
    LOOKED_AT,
    DetectedLayout,
    NotRecognised,
    detect_layout,
    is_pattern,
)
from hodgerank.data.reading.layouts import VAGUE_OUTCOMES, Layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.report import Reading
from hodgerank.data.reading.row_filter import columns_in, names_in, rows_where
from hodgerank.data.reading.values import Encoding, as_text, without_running_number
from hodgerank.data.sources.table import Table
from hodgerank.display import short
from hodgerank.errors import HodgeRankError, InvalidComparisons
from hodgerank.types import BoolArray, IntArray

if TYPE_CHECKING:
    from hodgerank.data.sources.frames import Frame

BATCH = 1 << 20  # rows in memory at once
VALID = frozenset({"valid", "is_valid", "accepted", "approved"})
MOST_INVALID = 0.5  # share of invalid rows from which on other columns are tried
SAMPLE = 1 << 16  # rows inspected to see whether votes repeat
# Beyond this many distinct votes, counting them at the source takes longer than fetching them.
MANY_DISTINCT = 1 << 18
# Columns that are kept although they are used, or whose use depends on their values.
MAY_BE_KEPT = ("group", "unit", "count", "time", "asked_by", "is_display_known")


@dataclass(frozen=True, eq=False)
class TableVotes:
    """Votes of a table: all of them, distinct ones counted, or in batches."""

    opened: Table
    options: ReadOptions = field(default_factory=ReadOptions)
    is_trial: bool = False  # whether options are only tried, so that none are suggested

    @cached_property
    def _recognised(self) -> DetectedLayout:
        table = self.opened.with_fields(self.options.columns.values())
        if self.options.where is not None:
            table = table.with_fields(names_in(self.options.where))
        if self.options.where is not None and table.is_lazy:
            columns_in(self.options.where, table.columns, table.name)
            table = cast("Frame", table).filtered(self.options.where)
        try:
            detected = detect_layout(table, self.options)
        except NotRecognised as error:
            if self.is_trial:
                raise
            from hodgerank.data.reading.suggestions import not_recognised

            raise not_recognised(error.table, self.options, self._attempt, error.reason) from None
        layout = detected.shape
        is_told = self.options.outcome or self.options.margin or self.is_trial
        is_plain = isinstance(layout, Layout) and not (is_told or layout.is_margin)
        if table.is_lazy or not is_plain:
            return detected
        layout = cast(Layout, layout)
        if detected.others:
            from hodgerank.data.reading.suggestions import most_consistent

            layout = most_consistent((layout, *detected.others), self._attempt)
        is_vague = layout.difference or VAGUE_OUTCOMES.intersection(words_of(layout.outcome or ""))
        if is_vague and len(detected.table.columns) > len(layout.columns):
            from hodgerank.data.reading.suggestions import better_outcome

            doubt = better_outcome(table, self.options, layout, self._attempt)
            if doubt is not None:
                read = f"{layout.left}, {layout.right} and {layout.outcome}"
                why = f"the votes read from {read} are not consistent"
                if doubt:
                    raise InvalidComparisons(f"{self.name}: {why}, while others are.\n{doubt}")
                detected = detected._replace(
                    notes=(*detected.notes, f"{why}: check that {layout.outcome} is the outcome")
                )
        return detected._replace(shape=layout)

    @property
    def _plain_columns(self) -> list[str]:
        """Columns that can be named: one of each name, and not a pattern."""
        times = Counter(self.opened.columns)
        return [name for name, n in times.items() if n == 1 and not is_pattern(name)]

    def _attempt(self, options: dict[str, Any]) -> Comparisons | None:
        """Read the first rows with other options; None if that is not possible."""
        from hodgerank.data.sources.frames import Frame

        tried = replace(self.options, skip_invalid=True, **options)
        texts = [*tried.columns.values(), tried.where or ""]
        columns = [name for name in self._plain_columns if any(name in text for text in texts)]
        head = Frame(self.opened.head(columns, LOOKED_AT), self.name, scale=self.opened.scale)
        head.from_text = self.opened.from_text
        try:
            return TableVotes(head, tried, is_trial=True).answers()
        except HodgeRankError:
            return None

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.opened.name

    @property
    def is_lazy(self) -> bool:
        """Whether the votes are stored elsewhere and may be too many to load."""
        return self.opened.is_lazy

    @property
    def can_be_reduced(self) -> bool:
        """Whether rows are plain votes that can be counted, or fetched in batches."""
        is_plain = isinstance(self._recognised.shape, Layout)
        is_plain = is_plain and self.options.group is None and self.options.unit is None
        return self.is_lazy and is_plain

    @property
    def has_margins(self) -> bool:
        """Whether the outcomes are margins."""
        shape = self._recognised.shape
        return isinstance(shape, Layout) and shape.is_margin and not self.options.signs_only

    def answers(self) -> Comparisons:
        """Read every vote; rows may stand for several if the table counts them."""
        decoded = self._decoded_or_better()
        return decoded.votes if decoded.groups is None else self._split(decoded).together()

    def groups(self) -> VoteGroups:
        """Read the votes of each group."""
        return self._split(self._decoded_or_better())

    def distinct_answers(self, *, by_worker: bool = True) -> Comparisons:
        """Read votes without times; of lazy sources, equal votes (of a worker) are one row."""
        if not self.can_be_reduced:
            return self.answers()
        return self._distinct(self._plain_layout(by_worker=by_worker))

    def pieces(self) -> Iterator[Comparisons]:
        """Yield votes without workers and times: counted at the source, or in batches.

        Counting at the source is faster if votes repeat. If the first rows hardly repeat, fetching
        them in batches is faster and takes less memory.
        """
        if not self.can_be_reduced:
            yield self.answers()
            return
        layout = self._plain_layout(by_worker=False)
        table = self._recognised.table
        if not table.is_streamable:
            yield self._distinct(layout)
            return
        if _n_distinct(table, layout.columns) < MANY_DISTINCT:
            yield self._distinct_or_fault(layout)
        else:
            yield from self._batches(layout)

    def _plain_layout(self, *, by_worker: bool) -> Layout:
        """Return the layout of a lazy table, without times."""
        table, shape, *_ = self._recognised
        layout = replace(cast(Layout, shape), time=None)
        if layout.count is not None and self.options.count is None:
            layout = without_running_number(layout, table.head([layout.count], SAMPLE))
        return layout if by_worker else replace(layout, worker=None)

    def _decoded_or_better(self) -> Decoded:
        """Decode all rows; if many are invalid, suggest other columns that fit."""
        try:
            return self._decoded_rows()
        except InvalidComparisons as error:
            shape = self._recognised.shape
            is_guess = isinstance(shape, Layout) and not (self.options.left and self.options.right)
            is_wrong = error.share > MOST_INVALID or error.itself > MOST_ITSELF
            if self.is_trial or not is_wrong or not is_guess or self.options.skip_invalid:
                raise
            from hodgerank.data.reading.suggestions import better_options

            better = better_options(self.opened, self.options, cast(Layout, shape), self._attempt)
            if not better:
                raise
            raise InvalidComparisons(f"{error}\n{better}") from None

    def _decoded_rows(self) -> Decoded:
        """Decode all rows; a table of another shape is first converted to votes."""
        table, shape, notes, _ = self._recognised
        unused = self._unused()
        kept = self._kept()
        # Before the rows, since files may change. A lazy table may have another order next time.
        read = None if table.is_lazy or not kept else table.reader(kept)
        rows, ragged = table.rows([*shape.columns, *self._where_columns])
        more: dict[str, Any] = {"unused": unused}
        if kept:
            read = read or {name: rows[name] for name in kept}.__getitem__
            more["extra"] = SourceColumns(
                kept, len(rows), read, from_text=table.from_text, source=self.name
            )
        more["notes"] = [*notes, *self._about_the_file(unused)]
        if isinstance(shape, Layout) and self.options.count is None:
            sure = without_running_number(shape, rows)
            if sure != shape:
                more["notes"].append(
                    f"column {shape.count!r} only numbers the rows: it is not read as counts"
                )
            shape = sure
        n_rows, row = len(rows), None
        if self.options.where is not None and not table.is_lazy:
            holds = rows_where(self.options.where, rows, from_text=table.from_text)
            rows, row = rows.filter(holds), np.flatnonzero(holds) + 1
            ragged = None if ragged is None else ragged[holds]
            more["filtered"] = n_rows - len(rows)
            if not len(rows):
                raise InvalidComparisons(
                    f"{self.name}: the condition {self.options.where!r} holds for no row"
                )
        if isinstance(shape, Layout):
            decoded = self._decoded(rows, shape, ragged=ragged, row=row, **more)
            return self._with_groups_pointed_out(decoded)
        try:
            pairs = shape.to_pairs(rows.select(selectors.by_name(*shape.columns)))
        except pl.exceptions.PolarsError as error:
            raise self._unusable(error) from None
        except InvalidComparisons as error:
            raise InvalidComparisons(f"{self.name}: {error}") from None
        decoded = self._decoded(
            pairs.table,
            pairs.layout,
            ragged=None if ragged is None else ragged[pairs.row - 1],
            row=pairs.row if row is None else row[pairs.row - 1],
            shape=str(shape),
            n_rows=n_rows,
            **more,
        )
        return self._with_groups_pointed_out(decoded)

    @cached_property
    def _names(self) -> Table | None:
        """Return the table of ids and names of items, if one is given."""
        return None if self.options.names is None else read_names(self.options.names)

    @cached_property
    def _where_columns(self) -> list[str]:
        """Return further columns that `where` needs; a lazy table is filtered at the source."""
        table, shape, *_ = self._recognised
        if self.options.where is None or table.is_lazy:
            return []
        names = columns_in(self.options.where, table.columns, self.name)
        return [name for name in names if name not in shape.columns]

    def _unused(self) -> tuple[str, ...]:
        table, shape, *_ = self._recognised
        used = {*shape.columns, *self._where_columns}
        if isinstance(table, DerivedTable):
            used |= table.parts_of(shape.columns)
        return tuple(name for name in dict.fromkeys(table.columns) if name not in used)

    def _kept(self) -> list[str]:
        """Return the columns that stay with the votes; decoding may still use some of them."""
        table, shape, *_ = self._recognised
        maybe = {getattr(shape, part, None) for part in MAY_BE_KEPT}
        if table.is_lazy:
            return [name for name in shape.columns if name in maybe]
        own = {name for name in shape.columns if name not in maybe}
        names = table.columns
        if len(set(names)) < len(names):  # which of two columns of a name would be meant?
            own |= {name for name, times in Counter(names).items() if times > 1}
        return [name for name in names if name not in own]

    def _about_the_file(self, unused: tuple[str, ...]) -> list[str]:
        """Return notes on lines before the table, and on rows that are marked as invalid."""
        table, notes = self._recognised.table, []
        skipped = [line.strip() for line in getattr(self.opened, "skipped", ()) if line.strip()]
        if skipped:
            what = "the first line is" if len(skipped) == 1 else f"{len(skipped)} lines are"
            notes.append(f"{what} not part of the table: {short(skipped[0])!r}")
        shape = self._recognised.shape
        margin = next((name for name in unused if "margin" in words_of(name)), None)
        if margin is not None and isinstance(shape, Layout) and shape.outcome is None:
            notes.append(
                f"column {margin!r} is not used: to rank by how much winners are better, use "
                f"--margin {quote(margin)}"
            )
        name = next((name for name in unused if "_".join(words_of(name)) in VALID), None)
        if name is None or table.is_lazy:
            return notes
        column = table.rows([name])[0][name]
        cells = column.cast(pl.String, strict=False).str.to_lowercase()
        is_invalid = cells.is_in(["false", "f", "no", "0"]).fill_null(value=False)
        n_invalid = int(is_invalid.sum())
        if 0 < n_invalid < len(cells) and cells.drop_nulls().n_unique() == 2:
            kept = column.filter(~is_invalid).drop_nulls()[0]
            value = f"'{kept}'" if isinstance(kept, str) else str(kept).lower()
            called = name if name.isidentifier() else f'\\"{name}\\"'
            notes.append(
                f"{n_invalid:,} of {len(cells):,} rows are marked as invalid in column {name!r} "
                f'and count here: leave them out with --where "{called} = {value}"'
            )
        return notes

    def _with_groups_pointed_out(self, decoded: Decoded) -> Decoded:
        """Add notes on unused columns that look like groups, unless groups were named."""
        table, votes = self._recognised.table, decoded.votes
        is_ranking = votes.ballot is not None and not votes.units
        if self.options.group is not None or table.is_lazy or is_ranking:
            return decoded
        times = Counter(table.columns)
        nested = table.nested
        unused = [n for n in votes.report.unused if times[n] == 1 and n not in nested]
        try:
            noted = point_out_groups(votes, unused, lambda names: table.rows(names)[0])
        except InvalidComparisons:  # an unused column need not be readable
            return decoded
        return replace(decoded, votes=noted)

    def _split(self, decoded: Decoded) -> VoteGroups:
        names, (codes,) = cast(Encoding, decoded.groups)
        return VoteGroups.split(decoded.votes, names, codes, str(self.options.group))

    def _distinct_or_fault(self, layout: Layout) -> Comparisons:
        """Read distinct votes; after an error, read batches to find the invalid rows."""
        try:
            return self._distinct(layout)
        except InvalidComparisons:
            for _ in self._batches(layout):
                pass
            raise

    def _batches(self, layout: Layout) -> Iterator[Comparisons]:
        start = 0
        for batch in self._recognised.table.batches(layout.columns, BATCH):
            row = np.arange(start + 1, start + len(batch) + 1) if start else None
            yield self._decoded(batch, layout, row=row, unused=self._unused()).votes
            start += len(batch)

    def _distinct(self, layout: Layout) -> Comparisons:
        table, counts = self._recognised.table.distinct_rows(layout.columns)
        return self._decoded(table, layout, multiplicity=counts, unused=self._unused()).votes

    def _decoded(
        self,
        table: pl.DataFrame,
        layout: Layout,
        *,
        multiplicity: IntArray | None = None,
        ragged: BoolArray | None = None,
        **reading: Any,
    ) -> Decoded:
        opened = self.opened
        layout = replace(layout, scale=layout.scale or opened.scale)
        for name in dict.fromkeys((layout.worker, layout.group, layout.unit)):
            if name is not None and (text := as_text(table[name])).dtype != table[name].dtype:
                table = table.with_columns(text)
        how = Reading(
            layout, self.name, opened.from_text, self.options, names=self._names, **reading
        )
        try:
            return decode(
                table, how, multiplicity=multiplicity, ragged=ragged, backend=opened.backend
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: BaseException) -> InvalidComparisons:
        reason = str(error).split("\n", 1)[0]
        return InvalidComparisons(f"{self.name}: a column cannot be used: {reason}")


def _n_distinct(table: Table, columns: list[str]) -> float:
    """Estimate the number of distinct rows from repetitions among the first.

    Of s rows drawn from N equally frequent ones about s^2 / 2N are repetitions.
    """
    sample = table.head(columns, SAMPLE)
    if len(sample) < SAMPLE:  # these are all rows
        return float(len(sample))
    repetitions = len(sample) - sample.n_unique()
    return len(sample) ** 2 / (2 * repetitions) if repetitions else float("inf")
