"""VoteSource: the one door through which votes come in, and read_comparisons on its threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.decode import decode
from hodgerank.data.reading.layouts import Layout, recognise
from hodgerank.data.reading.options import PLAIN_SCALE, OutcomeKind, ReadOptions
from hodgerank.data.reading.report import Reading
from hodgerank.data.sources.opening import open_table
from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import VotesLike

BATCH = 1 << 20  # rows in memory at once
SAMPLE = 1 << 16  # rows looked at to see whether answers repeat
# Beyond so many distinct answers, counting them where they live takes longer than fetching them.
MANY_DISTINCT = 1 << 21


@dataclass(frozen=True, eq=False)
class VoteSource:
    """Votes wherever they are, with three ways to have them.

    `answers` is all of them, `distinct_answers` equal ones of a worker counted, and `pieces` what
    edges can be summed up from without all answers in memory. Nothing is read before that.

    Attributes
    ----------
    source
        What `read_comparisons` takes.
    options
        How it is to be read.
    """

    source: VotesLike
    options: ReadOptions = field(default_factory=ReadOptions)

    @cached_property
    def _table(self) -> Table:
        return open_table(
            self.source, encoding=self.options.encoding, separator=self.options.separator
        )

    @cached_property
    def _layout(self) -> Layout:
        return recognise(self._table.columns, self.options, self.name)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._table.name

    @property
    def is_lazy(self) -> bool:
        """Whether the votes live elsewhere, and may be too many to bring over."""
        return not isinstance(self.source, Comparisons) and self._table.is_lazy

    def answers(self) -> Comparisons:
        """Read every answer."""
        if isinstance(self.source, Comparisons):
            if self.options.named_columns:
                raise InvalidArgument(
                    "these votes have been read already: columns cannot be named now"
                )
            return self.source.repeated()
        table, ragged = self._table.rows(self._layout.columns)
        return self._decoded(table, self._layout, ragged=ragged)

    def distinct_answers(self, *, by_worker: bool = True) -> Comparisons:
        """Answers without times; where votes are lazy, equal ones (of a worker) are one row."""
        if isinstance(self.source, Comparisons):
            return self.source
        if not self.is_lazy:
            return self.answers()
        layout = replace(self._layout, time=None)
        return self._distinct(layout if by_worker else replace(layout, worker=None))

    def pieces(self) -> Iterator[Comparisons]:
        """Answers without workers and times: reduced where they live, or some at a time.

        Counting answers where they live pays where they repeat. Where the first rows show that
        they hardly do, fetching them batch by batch is faster and takes less memory.
        """
        if not self.is_lazy:
            yield self.answers()
            return
        layout = replace(self._layout, worker=None, time=None)
        if not self._table.is_streamable:
            yield self._distinct(layout)
            return
        if _n_distinct(self._table, layout.columns) < MANY_DISTINCT:
            yield self._distinct_or_fault(layout)
        else:
            yield from self._batches(layout)

    def _distinct_or_fault(self, layout: Layout) -> Comparisons:
        """Distinct answers; if there is a fault, batches tell in which rows it is."""
        try:
            return self._distinct(layout)
        except InvalidComparisons:
            for _ in self._batches(layout):
                pass
            raise

    def _batches(self, layout: Layout) -> Iterator[Comparisons]:
        start = 0
        for batch in self._table.batches(layout.columns, BATCH):
            name = f"{self.name}, from row {start + 1:,}" if start else self.name
            yield self._decoded(batch, layout, name=name)
            start += len(batch)

    def _distinct(self, layout: Layout) -> Comparisons:
        table, counts = self._table.distinct_rows(layout.columns)
        return self._decoded(table, layout, multiplicity=counts)

    def _decoded(
        self, table: pl.DataFrame, layout: Layout, *, name: str | None = None, **how: Any
    ) -> Comparisons:
        reading = Reading(layout, name or self.name, self._table.from_text, self.options)
        try:
            return decode(table, reading, backend=self._table.backend, **how)
        except pl.exceptions.PolarsError as error:
            reason = str(error).split("\n", 1)[0]
            raise InvalidComparisons(
                f"{reading.source}: a column cannot be used: {reason}"
            ) from None


def _n_distinct(table: Table, columns: list[str]) -> float:
    """Number of distinct rows, estimated from how few of the first rows are equal.

    Of s rows drawn from N equally frequent ones about s^2 / 2N are repetitions.
    """
    sample = table.head(columns, SAMPLE)
    if len(sample) < SAMPLE:  # that is all there is
        return float(len(sample))
    repetitions = len(sample) - sample.n_unique()
    return len(sample) ** 2 / (2 * repetitions) if repetitions else float("inf")


def read_comparisons(
    source: VotesLike,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    worker: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    outcome_as: OutcomeKind | None = None,
    scale: tuple[float, float] = PLAIN_SCALE,
    display_known: bool | None = None,
    skip_invalid: bool = False,
    encoding: str | None = None,
    separator: str | None = None,
) -> Comparisons:
    """Read votes.

    Parameters
    ----------
    source
        A path (CSV, TSV, either gzipped; Parquet, also many files as 'votes/*.parquet'; JSON
        lines), a binary stream of CSV, any dataframe narwhals knows (pandas, polars, pyarrow,
        duckdb, dask, pyspark ...), or rows: tuples (left, right, outcome[, worker]) or dicts.
    left, right, outcome, winner, loser, worker, weight, time
        Column names. What is not named is recognised: `left,right,outcome`, `left,right,winner`,
        `model_a,model_b,winner`, `winner,loser` and their kin. `report.layout` says what was taken.
    outcome_as
        What the outcome column holds: a 'number', a 'word' (left, right, tie) or the chosen
        'item'. Default: whichever explains most rows.
    scale
        The numbers that mean "right is best" and "left is best", e.g. (0, 1) or (1, 7).
    display_known
        Whether left and right are as shown. Default: yes, except for winner and loser columns.
    skip_invalid
        Drop and count rows that cannot be used instead of raising `InvalidComparisons`.
    encoding, separator
        Of text files; found out if not given (UTF-8 or a byte order mark; comma, tab, ; or |).

    Examples
    --------
    >>> votes = read_comparisons([("tea", "coffee", 1), ("tea", "milk", -1, "ann")])
    >>> votes.items, len(votes), votes.workers
    (('coffee', 'milk', 'tea'), 2, ('ann',))
    """
    if isinstance(source, VoteSource):
        return source.answers()
    options = ReadOptions(
        left, right, outcome, winner, loser, worker, weight, time,
        outcome_as, scale, display_known, skip_invalid, encoding, separator,
    )  # fmt: skip
    return VoteSource(source, options).answers()
