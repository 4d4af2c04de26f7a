"""Comparisons: one row per vote, validated once, immutable, with integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgerank.data.extra_columns import ExtraColumns
from hodgerank.data.vote_columns import LAYOUTS, written_names
from hodgerank.display import Displayed, Preview, short
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem, require_one_of
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

NO_WORKER = -1
GRADED_APART = (
    "words such as 'A>B' and 'A>>B' are graded by the words in each file, and the files differ: "
    "read all votes from one file"
)
MOST_UNUSED = 8  # unused columns that are named
LARGEST_MARGIN = 1e100  # sums of squares of larger ones might overflow
MARGIN = "margin"  # unit of margins whose column does not name one
MOST_LINES = 20
MOST_SINGLE = 300_000_000  # votes that may be expanded to one row each
# Columns that are left out where they are empty.
OPTIONAL = ("weight", "time", "multiplicity", "ballot", "row")
_FILLED_IN: Any = None  # a default that __post_init__ replaces with an array


@dataclass(frozen=True)
class ReadReport:
    """How votes were read: source, layout, and rows left out.

    Attributes
    ----------
    rows
        Rows of the table without blank ones.
    both_bad, skipped, unanswered
        Rows without a preference: both items rejected and therefore left out, skipped by the
        worker, or unanswered.
    both_bad_ties
        Votes that reject both items and count as ties, the default.
    strengths
        Strengths of preference that the words of the outcome express, e.g. for 'A>B' and 'A>>B'.
    missing
        Rows in which an item is marked as missing (NA, ?).
    filtered
        Rows that `where` left out.
    rejected, rejections
        Number of invalid rows, and the reasons.
    ballots
        Number of rankings of several items that the votes come from; 0 for plain votes.
    units
        Number of units (prompts, pages ...) whose votes are correlated; 0 if none are named.
    adaptive
        Whether pairs were chosen adaptively, depending on earlier votes.
    margin_unit
        Unit of the outcomes if they are margins, such as 'goals': real numbers without bounds. None
        for choices, ties and grades.
    unused
        Columns that were not used.
    display_doubt
        Why left and right are not taken as the display order; empty if they are, or if the layout
        does not have them.
    split_by
        Unused column that splits the items exactly into their disconnected groups.
    notes
        Warnings about the data.
    """

    source: str = "memory"
    layout: str = "left, right, outcome"
    rows: int = 0
    both_bad: int = 0
    both_bad_ties: int = 0
    strengths: tuple[int, ...] = ()
    skipped: int = 0
    unanswered: int = 0
    missing: int = 0
    filtered: int = 0
    rejected: int = 0
    rejections: tuple[str, ...] = ()
    ballots: int = 0
    units: int = 0
    adaptive: bool = False
    margin_unit: str | None = None
    unused: tuple[str, ...] = ()
    display_doubt: str = ""
    split_by: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def left_out(self) -> dict[str, int]:
        """Number of rows that are not votes, by reason."""
        reasons = {
            "'both bad'": self.both_bad,
            "skipped": self.skipped,
            "unanswered": self.unanswered,
            "with a missing item": self.missing,
            "by the filter": self.filtered,
            "invalid": self.rejected,
        }
        return {reason: count for reason, count in reasons.items() if count}

    def __str__(self) -> str:
        """Return source, layout, rows left out and unused columns in one line."""
        layout = f" as {self.layout}" if self.layout else ""
        parts = [f"{self.source}: {self.rows:,} row{'' if self.rows == 1 else 's'}{layout}"]
        if self.left_out:
            rows = max(self.rows + self.filtered, sum(self.left_out.values()))
            counts = (
                f"{count:,} ({_percentage(count / rows)}) {reason}"
                for reason, count in self.left_out.items()
            )
            parts.append(f"left out: {', '.join(counts)}")
        if self.both_bad_ties:
            parts.append(f"{self.both_bad_ties:,} 'both bad' counted as ties")
        if self.display_doubt:
            parts.append(f"display order unknown: {self.display_doubt}")
        if self.unused:
            more = len(self.unused) - MOST_UNUSED
            tail = f" and {more:,} more" if more > 0 else ""
            names = (short(name) or "(no name)" for name in self.unused[:MOST_UNUSED])
            parts.append(f"not used: {', '.join(names)}{tail}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "source": self.source,
            "layout": self.layout,
            "rows": self.rows,
            "both_bad": self.both_bad,
            "both_bad_ties": self.both_bad_ties,
            "skipped": self.skipped,
            "unanswered": self.unanswered,
            "missing": self.missing,
            "filtered": self.filtered,
            "rejected": self.rejected,
            "adaptive": self.adaptive,
            "margin_unit": self.margin_unit,
            "display_doubt": self.display_doubt or None,
            "unused": list(self.unused),
        }


def _percentage(share: float) -> str:
    """Return a share as a percentage; a small one is not 0%."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def joint_report(reports: Sequence[ReadReport], source: str) -> ReadReport:
    """Combine the reports of votes read in several parts."""
    layouts = dict.fromkeys(report.layout for report in reports)
    notes = dict.fromkeys(note for report in reports for note in report.notes)
    strengths = dict.fromkeys(report.strengths for report in reports if report.strengths)
    if len(strengths) > 1:
        notes[GRADED_APART] = None
    margin_units = list(dict.fromkeys(report.margin_unit for report in reports))
    if len(margin_units) > 1:
        named = " and ".join("none" if unit is None else repr(unit) for unit in margin_units)
        raise InvalidComparisons(
            f"{source}: votes with different units of margins ({named}) cannot be joined: rank "
            "them separately, or keep only who won with signs_only=True (--signs-only)"
        )
    counts = (
        "rows", "both_bad", "both_bad_ties", "skipped", "unanswered", "missing", "filtered",
        "rejected",
    )  # fmt: skip
    return ReadReport(
        source=source,
        layout=" and ".join(layouts),
        rejections=tuple(line for report in reports for line in report.rejections)[:MOST_LINES],
        ballots=sum(report.ballots for report in reports),
        units=sum(report.units for report in reports),
        adaptive=any(report.adaptive for report in reports),
        margin_unit=margin_units[0] if margin_units else None,
        unused=tuple(dict.fromkeys(name for report in reports for name in report.unused)),
        display_doubt=next((r.display_doubt for r in reports if r.display_doubt), ""),
        notes=tuple(notes),
        strengths=tuple(sorted({strength for known in strengths for strength in known})),
        **{name: sum(getattr(report, name) for report in reports) for name in counts},
    )


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Displayed):
    """Votes on pairs of items.

    Attributes
    ----------
    items
        Distinct items; rows refer to them by position.
    left, right
        Item codes as shown.
    outcome
        In [-1, 1]: positive prefers left, 0 is a tie, -1 and 1 are plain choices. If the report has
        a `margin_unit`, any finite number: by how much left is better.
    workers, worker
        Distinct workers and each vote's worker code, `NO_WORKER` (-1) if unknown.
    display_known
        Whether left and right are the display order (default: yes, for all). Position bias is
        estimated from such votes only.
    weight, time
        Optional, one per vote. A weight is a precision: a vote of weight 2 has half the noise
        variance.
    multiplicity
        Optional: how many equal votes a row stands for, each of this weight. Tables of counts and
        aggregated tables have it.
    ballot
        Optional: number of the ballot or unit of each vote. Votes of one ballot (a ranking of
        several items, a best-worst choice) or unit (a prompt, a page) are correlated.
    units
        Names of the units by number; votes without a unit have higher numbers.
    row
        Optional: the source row of each vote, from 1, if it differs from the position here.
    truth
        True scores of the items, if known (simulations, gold standards).
    report
        How the votes were read.
    backend
        Dataframe library in which results are returned; 'auto' is pandas if it is installed, else
        polars.
    extra
        Columns of the source that ranking does not use, by name: one value for each vote. A dict of
        arrays is accepted. Votes from lazy sources have none, since equal votes are counted there.
    """

    items: tuple[Item, ...]
    left: CodeArray
    right: CodeArray
    outcome: FloatArray
    workers: tuple[Item, ...] = ()
    worker: CodeArray = _FILLED_IN
    display_known: BoolArray = _FILLED_IN
    weight: FloatArray | None = None
    time: NDArray[Any] | None = None
    multiplicity: IntArray | None = None
    ballot: CodeArray | None = None
    row: IntArray | None = None
    truth: FloatArray | None = None
    report: ReadReport = field(default_factory=ReadReport)
    backend: str = "auto"
    units: tuple[Item, ...] = ()
    extra: ExtraColumns = field(default_factory=ExtraColumns)

    def __post_init__(self) -> None:
        m = len(self.left)
        worker = np.full(m, NO_WORKER, np.int32) if self.worker is None else self.worker
        known = True if self.display_known is None else self.display_known
        self._set("left", self.left, np.int32)
        self._set("right", self.right, np.int32)
        self._set("outcome", self.outcome, np.float64)
        self._set("worker", worker, np.int32)
        self._set("display_known", np.broadcast_to(known, (m,)), np.bool_)
        for name in ("weight", "truth"):
            if getattr(self, name) is not None:
                self._set(name, getattr(self, name), np.float64)
        if self.time is not None:
            self._set("time", self.time, None)
        if self.multiplicity is not None:
            if np.asarray(self.multiplicity).dtype.kind not in "iu":
                raise InvalidComparisons("multiplicity is a whole number")
            self._set("multiplicity", self.multiplicity, np.int64)
        if self.ballot is not None:
            self._set("ballot", self.ballot, np.int32)
        if self.row is not None:
            self._set("row", self.row, np.int64)
        if not isinstance(self.extra, ExtraColumns):
            object.__setattr__(self, "extra", ExtraColumns.of(self.extra))
        self._validate(m)

    def _set(self, name: str, values: ArrayLike, dtype: Any) -> None:
        array = np.asarray(values, dtype=dtype).view()
        array.flags.writeable = False
        object.__setattr__(self, name, array)

    def _validate(self, m: int) -> None:
        for name in ("left", "right", "outcome", "worker", *OPTIONAL):
            column = getattr(self, name)
            if column is not None and column.shape != (m,):
                raise InvalidComparisons(
                    f"{name} has shape {column.shape}, but there are {m:,} votes"
                )
        if self.extra and self.extra.n_rows != m:
            raise InvalidComparisons(
                f"the extra columns have {self.extra.n_rows:,} rows, but there are {m:,} votes"
            )
        if len(set(self.items)) != len(self.items):
            raise InvalidComparisons("the same item is listed twice")
        if self.truth is not None and self.truth.shape != (len(self.items),):
            raise InvalidComparisons(
                f"truth has shape {self.truth.shape}, but there are {len(self.items):,} items"
            )
        if not m:
            return
        codes_ok = (
            min(self.left.min(), self.right.min()) >= 0
            and max(self.left.max(), self.right.max()) < len(self.items)
            and self.worker.min() >= NO_WORKER
            and self.worker.max() < max(len(self.workers), 0)
        )
        if not codes_ok:
            raise InvalidComparisons("item and worker codes must be positions in items and workers")
        self._refuse(self.left == self.right, "compare an item with itself")
        most = 1.0 if self.report.margin_unit is None else LARGEST_MARGIN
        if not (self.outcome.min() >= -most and self.outcome.max() <= most):
            bounds = "[-1, 1]" if self.report.margin_unit is None else f"+-{LARGEST_MARGIN:g}"
            self._refuse(~(np.abs(self.outcome) <= most), f"have an outcome outside {bounds}")
        if self.weight is not None:
            usable = np.isfinite(self.weight) & (self.weight > 0)
            self._refuse(~usable, "have a weight that is not positive")
        if self.multiplicity is not None:
            self._refuse(self.multiplicity < 1, "have a multiplicity below 1")

    def _refuse(self, bad: BoolArray, what: str) -> None:
        if bad.any():
            shown = ", ".join(str(row) for row in self.rows[bad][:5])
            raise InvalidComparisons(f"{int(bad.sum()):,} votes {what}, first in row {shown}")

    def __len__(self) -> int:
        """Number of rows, which is the number of votes unless rows stand for several."""
        return len(self.left)

    def _headline(self) -> str:
        return f"{self.n_votes:,} votes, {self.n_items:,} items, {self.n_workers:,} workers"

    def _preview(self) -> Preview:
        workers = [*self.workers, ""]  # NO_WORKER is the last
        rows = (
            (
                self.items[self.left[k]],
                self.items[self.right[k]],
                float(self.outcome[k]),
                workers[self.worker[k]],
            )
            for k in range(len(self))
        )
        return Preview(("left", "right", "outcome", "worker"), rows, len(self))

    @property
    def rows(self) -> IntArray:
        """Source row of each vote, from 1."""
        return np.arange(1, len(self) + 1) if self.row is None else self.row

    @property
    def n_ballots(self) -> int:
        """Number of ballots or units; 0 for plain votes."""
        return 0 if self.ballot is None else int(self.ballot.max(initial=-1)) + 1

    @property
    def n_votes(self) -> int:
        """Number of votes; more than rows if rows stand for several."""
        return len(self) if self.multiplicity is None else int(self.multiplicity.sum())

    @property
    def votes_per_row(self) -> IntArray:
        """Number of votes that each row stands for."""
        return np.ones(len(self), np.int64) if self.multiplicity is None else self.multiplicity

    @property
    def total_weight(self) -> FloatArray:
        """Total weight of the votes that each row stands for."""
        return np.asarray(self.votes_per_row * (1.0 if self.weight is None else self.weight))

    @property
    def n_items(self) -> int:
        """Number of items, compared or not."""
        return len(self.items)

    @property
    def n_workers(self) -> int:
        """Number of distinct workers."""
        return len(self.workers)

    @cached_property
    def _codes(self) -> dict[Item, int]:
        return {item: code for code, item in enumerate(self.items)}

    def code(self, item: Item) -> int:
        """Return the position of an item in `items`."""
        try:
            return self._codes[item]
        except KeyError:
            raise UnknownItem(item, self.items) from None

    def select(self, rows: ArrayLike) -> Comparisons:
        """Return some of the votes (a mask or positions), with the same items and workers."""
        chosen = np.asarray(rows)
        chosen = chosen if chosen.size else chosen.astype(np.int64)
        return replace(
            self,
            left=self.left[chosen],
            right=self.right[chosen],
            outcome=self.outcome[chosen],
            worker=self.worker[chosen],
            display_known=self.display_known[chosen],
            row=self.rows[chosen],
            extra=self.extra.at(chosen),
            **{
                name: getattr(self, name)[chosen]
                for name in OPTIONAL
                if name != "row" and getattr(self, name) is not None
            },
        )

    def compacted(self) -> Comparisons:
        """Return the same votes, without items, workers and ballots that have none."""
        items, (left, right) = _used(self.n_items, self.left, self.right)
        workers, (worker,) = _used(self.n_workers, self.worker)
        return replace(
            self,
            items=tuple(self.items[k] for k in items),
            left=left,
            right=right,
            workers=tuple(self.workers[k] for k in workers),
            worker=worker,
            truth=None if self.truth is None else self.truth[items],
        ).with_ballots_numbered()

    def with_ballots_numbered(self) -> Comparisons:
        """Return the same votes, without numbers of ballots and units that have none."""
        if self.ballot is None:
            return self
        kept, ballot = np.unique(self.ballot, return_inverse=True)
        names = (self.units[k] for k in kept.tolist() if k < len(self.units))
        return replace(self, ballot=ballot.astype(np.int32), units=tuple(names))

    def repeated(self) -> Comparisons:
        """Return the same votes, one row for each."""
        if self.multiplicity is None:
            return self
        if self.n_votes > MOST_SINGLE:
            raise InvalidComparisons(
                f"the counts add up to {self.n_votes:,} votes, too many to expand; items can be "
                "ranked from counts, but analyses of single votes are not possible"
            )
        rows = np.repeat(np.arange(len(self)), self.multiplicity)
        return replace(self.select(rows), multiplicity=None)

    def to_frame(
        self,
        backend: str | None = None,
        *,
        layout: str | None = None,
        lossy: bool = False,
        extra: bool = True,
    ) -> Any:
        """Return one row per vote: left, right, outcome, and worker, weight and time if known.

        For adaptively chosen pairs a column `asked_by` records that, and votes that come from one
        ranking of several items have the same number in a column `ballot`. If the display order is
        unknown for some votes, `is_display_known` says for which. Extra columns follow; one whose
        name has another meaning gets the ending `_extra`. `read_comparisons` reads the table back.

        Parameters
        ----------
        backend
            Dataframe library: 'pandas', 'polars' or 'pyarrow'. Default: that of the input, or else
            pandas if it is installed, or else polars.
        layout
            'pairs' (left, right, outcome), 'winners' (winner, loser), 'arena' (model_a, model_b,
            winner, judge, as in Chatbot Arena) or 'margins' (left, right, margin). Default: pairs,
            or winners where the display order is unknown for all votes and there are no ties or
            grades; margins for margins, which no other layout can express.
        lossy
            Leave out votes that the layout cannot express instead of raising `InvalidArgument`:
            grades, and ties of winners.
        extra
            Whether to include the extra columns.
        """
        from hodgerank.data.sources.frames import build_frame

        if self.multiplicity is not None:
            votes = self.repeated()
            return votes.to_frame(backend, layout=layout, lossy=lossy, extra=extra)
        if layout is None:
            is_decided = (
                len(self) and not self.display_known.any() and not self.inexpressible("winners")
            )
            layout = "winners" if is_decided else "pairs"
            layout = layout if self.report.margin_unit is None else "margins"
        if (layout == "margins") != (self.report.margin_unit is not None):
            raise InvalidArgument(
                "the layout 'margins' is for margins, and these votes are not: choose 'pairs' "
                "(--to pairs)"
                if layout == "margins"
                else f"the layout {layout!r} cannot express margins: choose 'margins' (--to "
                "margins), or keep only who won with signs_only=True (--signs-only)"
            )
        n_lost = self.inexpressible(layout)
        if n_lost and (n_lost == len(self) or not lossy):
            or_else = "" if lossy else ", or leave them out with lossy=True (--lossy)"
            raise InvalidArgument(
                f"{n_lost:,} of {len(self):,} votes are ties or grades that the layout {layout!r} "
                f"cannot express: choose the layout 'pairs' (--to pairs){or_else}"
            )
        if n_lost:
            votes = self.select(LAYOUTS[layout].expressible(self.outcome))
            return votes.to_frame(backend, layout=layout, extra=extra)
        return build_frame(self._columns(layout, extra=extra), backend or self.backend)

    def inexpressible(self, layout: str) -> int:
        """Return the number of votes that a layout of `to_frame` cannot express."""
        written = LAYOUTS[require_one_of(layout, LAYOUTS, "layout")]
        lost = ~written.expressible(self.outcome)
        return int(lost.sum() if self.multiplicity is None else self.multiplicity[lost].sum())

    def _columns(self, layout: str, *, extra: bool) -> dict[str, Any]:
        written = LAYOUTS[layout]
        word = next((i for i in self.items if str(i).lower() in (written.words or ())), None)
        if word is not None:
            raise InvalidArgument(
                f"the item {word!r} has the name of an outcome in the layout {layout!r}: rename "
                "it, or choose the layout 'pairs' (--to pairs)"
            )
        items = np.array(self.items, dtype=object)
        columns: dict[str, Any] = written.columns(items[self.left], items[self.right], self.outcome)
        if self.workers:
            names = np.array([*self.workers, None], dtype=object)  # NO_WORKER is the last
            columns[written.worker] = names[self.worker]
        if self.weight is not None:
            columns["weight"] = self.weight
        if self.time is not None:
            columns[written.time] = self.time
        if self.ballot is not None and not self.units:
            columns["ballot"] = self.ballot + 1
        if self.report.margin_unit is not None:
            columns["margin_unit"] = np.full(len(self), self.report.margin_unit, dtype=object)
        if self.report.adaptive:
            columns["asked_by"] = np.full(len(self), "adaptive", dtype=object)
        is_doubtful = written.outcome is not None and not self.display_known.all()
        if is_doubtful or written.is_ambiguous(self.outcome):  # it also says that 0 is a tie
            columns["is_display_known"] = self.display_known
        if extra:
            new = written_names(self.extra, list(columns))
            columns |= {new[name]: column for name, column in self.extra.items()}
        return columns


def require_choices(report: ReadReport, needed_for: str) -> None:
    """Refuse margins, by the report of the votes, for a result that needs a model of choices."""
    if report.margin_unit is not None:
        raise InvalidArgument(
            f"{needed_for} needs choices, but the outcomes are margins (unit: "
            f"{report.margin_unit}): keep only who won with read_comparisons(..., "
            "signs_only=True) (--signs-only)"
        )


def _used(n: int, *codes: CodeArray) -> tuple[IntArray, list[CodeArray]]:
    """Return which of n codes occur, and the columns in terms of these; NO_WORKER is kept."""
    seen = np.zeros(n + 1, bool)  # the last slot is NO_WORKER's
    for column in codes:
        seen[column] = True
    kept = np.flatnonzero(seen[:-1])
    place = np.full(n + 1, NO_WORKER, np.int32)
    place[kept] = np.arange(len(kept))
    return kept, [place[column] for column in codes]
