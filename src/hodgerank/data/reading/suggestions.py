"""Options that fit a table whose layout is not recognised, each tried on the table first.

Candidates for the two items and for the outcome come from names and values. A suggestion must read
almost all rows, compare no item with itself, and name columns that hold items. A column of numbers
whose name does not show that it is the outcome must also be consistent: items that win in one half
of the rows win in the other. Where the columns do not show which end is better, both readings are
given with the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

import numpy as np
import polars as pl

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.candidates import Options, Suggestion, candidates, possible_pairs
from hodgerank.data.reading.column_names import item_pairs, words_of
from hodgerank.data.reading.column_values import FEWEST_ROWS, MOST_ITSELF
from hodgerank.data.reading.layout_detection import LOOKED_AT, is_pattern, listed
from hodgerank.data.reading.layouts import VAGUE_OUTCOMES, Layout
from hodgerank.data.reading.options import ReadOptions, as_arguments, as_options
from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidComparisons

MOST_COLUMNS = 60
LONGEST_NAME = 200  # of a column that is worth suggesting
MOST_TRIED = 40  # combinations of columns
MOST_LEFT_OUT = 0.25
ENOUGH = 60  # votes whose winner is predicted, in both halves
HARDLY = 1.5  # standard errors below which votes are no more consistent than chance
SURELY = 4.0  # standard errors, since several columns are tried
MANY_PER_ITEM = 30
FEWEST_PER_ITEM = 6  # votes on which it shows whether items win again
KNOWN = "left,right,outcome; left,right,winner; model_a,model_b,winner; winner,loser"

Attempt: TypeAlias = Callable[[Options], Comparisons | None]


def not_recognised(
    table: Table, given: ReadOptions, attempt: Attempt, reason: str | None = None
) -> InvalidComparisons:
    """Return the error for a layout that is not recognised.

    `reason` is why the values contradict the layout that the names of the columns show, if any.
    """
    columns = table.columns
    what = "the outcome" if any(item_pairs(columns)) else "the two items"
    reason = reason or f"no column for {what} was recognised"
    start = f"{table.name}: {reason}. The columns are {listed(columns)}."
    if len(columns) == 1 and table.from_text:
        start += " If a text file has another separator than comma, tab, ; or |, name it with "
        start += "--separator."
    head = _head(table)
    fitting = suggest(head, given, attempt)
    if fitting:
        return InvalidComparisons(f"{start}\n{worded(fitting)}")
    return InvalidComparisons(
        f"{start} {_considered(head, given)} Name the columns (--left A --right B --outcome C, or "
        f"--winner A --loser B), or rename them to a known layout: {KNOWN}"
    )


def better_outcome(
    table: Table, given: ReadOptions, layout: Layout, attempt: Attempt
) -> str | None:
    """Return options with a consistent outcome if that of the layout is not consistent.

    None means that it is consistent, and an empty text that nothing else is.
    """
    votes = attempt({"left": layout.left, "right": layout.right, "outcome": layout.outcome})
    if votes is None or (fits(votes) and has_signal(votes) is not False):
        return None
    fitting = suggest(_head(table), given, attempt, only_consistent=True)
    return worded(fitting) if fitting else ""


def better_options(
    table: Table, given: ReadOptions, layout: Layout, attempt: Attempt
) -> str | None:
    """Return other options than those of a layout that did not fit the rows, if any do."""
    fitting = suggest(_head(table), given, attempt)
    failed = {"left": layout.left, "right": layout.right, "outcome": layout.outcome}
    if any(failed.items() <= found.options.items() for found in fitting):
        return None
    return worded(fitting) if fitting else None


def worded(fitting: Sequence[Suggestion]) -> str:
    """Return suggestions as text: one, or one line for each answer to a question."""
    if len(fitting) == 1:
        options = fitting[0].options
        return f"Perhaps this fits: {as_options(options)} (in Python {as_arguments(options)})"
    lines = ["Perhaps one of these fits. The columns do not show which:"]
    lines += [f"  {as_options(options)} (if {when})" for options, when in fitting]
    return "\n".join(lines)


def suggest(
    head: pl.DataFrame, given: ReadOptions, attempt: Attempt, *, only_consistent: bool = False
) -> list[Suggestion]:
    """Return the first options that fit, or the alternatives between which a question decides.

    Columns whose votes are consistent come before others that only look like an outcome.
    """
    named = given.columns
    unsure: list[Suggestion] = []
    for alternatives, evidence in islice(candidates(head, named), MOST_TRIED):
        fitting = [Suggestion({**named, **options}, when) for options, when in alternatives]
        tried = [attempt(options) for options, _ in fitting]
        votes = [
            found
            for found, (options, _) in zip(tried, fitting, strict=True)
            if found is not None and fits(found, has_outcome=not _may_be_one_sided(options))
        ]
        if len(votes) < len(fitting):
            continue
        signal = has_signal(votes[0])
        if signal:
            return fitting
        # Many votes would show that they are consistent, if they were.
        are_few = 2 * votes[0].n_votes < MANY_PER_ITEM * votes[0].n_items
        is_enough = evidence == "name" or (evidence == "values" and signal is None and are_few)
        unsure = unsure or (fitting if is_enough else [])
    return [] if only_consistent else unsure


def most_consistent(layouts: Sequence[Layout], attempt: Attempt) -> Layout:
    """Return the first layout whose votes are consistent, or else the first whose rows fit.

    Several columns may be called like an outcome: the label of an experiment, the response of a
    server.
    """
    fitting = []
    for layout in layouts:
        votes = attempt({"left": layout.left, "right": layout.right, "outcome": layout.outcome})
        if votes is not None and fits(votes, most_invalid=MOST_LEFT_OUT):
            if has_signal(votes):
                return layout
            fitting.append(layout)
    sure = [o for o in fitting if not VAGUE_OUTCOMES.intersection(words_of(str(o.outcome)))]
    return sure[0] if sure else layouts[0]


def fits(
    votes: Comparisons, *, has_outcome: bool = True, most_invalid: float = MOST_ITSELF
) -> bool:
    """Return whether votes read on trial are plausible."""
    report = votes.report
    rows = max(report.rows, 1)
    left_out = sum(report.left_out.values()) - report.filtered
    if report.rejected > most_invalid * rows or left_out > MOST_LEFT_OUT * rows:
        return False
    if votes.n_items < 2:
        return False
    if votes.n_votes < FEWEST_ROWS:
        return True
    is_one_sided = len(set(np.sign(votes.outcome).tolist())) < 2
    return 2 * votes.n_votes >= 3 * votes.n_items and not (is_one_sided and has_outcome)


def has_signal(votes: Comparisons) -> bool | None:
    """Return whether items that win in one half of the votes also win in the other half.

    None means that the votes do not show whether they do.
    """
    if votes.n_votes < FEWEST_ROWS or 2 * votes.n_votes < FEWEST_PER_ITEM * votes.n_items:
        return None
    decided = votes.select(votes.outcome != 0)
    half = np.arange(len(decided)) % 2 == 0
    right, n = 0, 0
    for train, test in ((half, ~half), (~half, half)):
        seen, unseen = decided.select(train), decided.select(test)
        wins = np.bincount(seen.left, np.sign(seen.outcome), votes.n_items)
        wins -= np.bincount(seen.right, np.sign(seen.outcome), votes.n_items)
        shown = np.bincount(seen.left, minlength=votes.n_items) + np.bincount(
            seen.right, minlength=votes.n_items
        )
        strength = wins / (shown + 2)
        expected = np.sign(strength[unseen.left] - strength[unseen.right])
        is_sure = expected != 0
        right += int((expected == np.sign(unseen.outcome))[is_sure].sum())
        n += int(is_sure.sum())
    z = (right - n / 2) / np.sqrt(max(n, 1) / 4)
    if z > SURELY:
        return True
    return False if n >= ENOUGH and z < HARDLY else None


def _may_be_one_sided(options: Options) -> bool:
    """Return whether left may win every vote: of winners, or where margins of winners are asked."""
    low, high = options.get("scale", (0, 1))
    return "loser" in options or "margin" in options or low == -high


def _head(table: Table) -> pl.DataFrame:
    """Return the first rows of the columns that can be named."""
    times = Counter(table.columns)
    names = [name for name, n in times.items() if n == 1 and not is_pattern(name)]
    names = [name for name in names if len(name) <= LONGEST_NAME]
    columns = []
    for name in [name for name in names if name not in table.nested][:MOST_COLUMNS]:
        with suppress(InvalidComparisons):  # a column that cannot be read need not be used
            column = table.head([name], LOOKED_AT)[name]
            is_label = isinstance(column.dtype, pl.Categorical | pl.Enum)
            columns.append(column.cast(pl.String) if is_label else column)
    return pl.DataFrame(columns)


def _considered(head: pl.DataFrame, given: ReadOptions) -> str:
    """Return which columns were considered for which role."""
    pairs = [f"{pair.left} and {pair.right}" for pair in possible_pairs(head, given.columns)][:3]
    if not pairs:
        return "No two columns hold the same items."
    taken = {name for pair in pairs for side in pair.split(" and ") for name in side.split("+")}
    others = [name for name in head.columns if name not in taken]
    if not others:
        return f"{pairs[0]} may hold the items, but no other column is left for the outcome."
    return (
        f"Considered as items: {'; '.join(pairs)}. Considered as the outcome: "
        f"{listed(others, 10)}; no answer was recognised in any of them. If one holds codes or "
        "other words, say what they mean: --map WORD=left|right|tie|skip."
    )
