"""Which columns hold what: the layouts people already have, recognised by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hodgerank.data.reading.options import ReadOptions
from hodgerank.errors import InvalidComparisons, did_you_mean

# Pairs of columns that name the two items as shown, then the columns that say who won.
SHOWN = (
    ("left", "right"),
    ("item_left", "item_right"),
    ("left_item", "right_item"),
    ("model_a", "model_b"),
    ("item_a", "item_b"),
    ("option_a", "option_b"),
    ("model_1", "model_2"),
    ("item_1", "item_2"),
    ("item1", "item2"),
    ("player1", "player2"),
    ("first", "second"),
    ("a", "b"),
    ("i", "j"),
)
OUTCOME = [
    "outcome",
    "label",
    "winner",
    "result",
    "preference",
    "preferred",
    "choice",
    "chosen",
    "vote",
    "answer",
    "judgement",
    "judgment",
]
# Pairs of columns where the answer is the order of the columns and the display order is lost.
DECIDED = (
    ("winner", "loser"),
    ("better", "worse"),
    ("preferred", "rejected"),
    ("chosen", "rejected"),
)

WORKER = [
    "worker",
    "worker_id",
    "workerid",
    "performer",
    "annotator",
    "annotator_id",
    "judge",
    "judge_id",
    "rater",
    "rater_id",
    "assessor",
    "user",
    "user_id",
    "voter",
    "participant",
    "subject",
]
WEIGHT = ["weight"]
TIME = ["time", "timestamp", "tstamp", "created_at", "answered_at"]

# A column of this name most likely holds the chosen item, not a number.
NAMES_AN_ITEM = frozenset({"winner", "chosen", "choice", "preferred"})


@dataclass(frozen=True)
class Layout:
    """The column that plays each part; `outcome` is None when `left` beat `right` by definition."""

    left: str
    right: str
    outcome: str | None
    worker: str | None = None
    weight: str | None = None
    time: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns to read, each once."""
        parts = (self.left, self.right, self.outcome, self.worker, self.weight, self.time)
        return list(dict.fromkeys(part for part in parts if part is not None))

    def __str__(self) -> str:
        """The layout as the reading report names it."""
        return ", ".join(self.columns)


def recognise(columns: Sequence[str], given: ReadOptions, source: str) -> Layout:
    """The layout of a table with these columns, or an error with the nearest names.

    >>> recognise(["Model_A", "Model_B", "winner", "judge"], ReadOptions(), "votes.csv").worker
    'judge'
    """
    for name in given.named_columns:
        if name not in columns:
            raise InvalidComparisons(
                f"{source}: there is no column {name!r}{did_you_mean(name, columns)}. "
                f"Its columns are {', '.join(columns)}"
            )
    if given.loser and not given.winner:
        raise InvalidComparisons(f"{source}: a loser column needs a winner column beside it")
    known = {name.strip().lower(): name for name in columns}
    taken = _answer_columns(columns, known, given, source)
    layout = Layout(
        *taken,
        worker=given.worker or _one(WORKER, known, taken),
        weight=given.weight or _one(WEIGHT, known, taken),
        time=given.time or _one(TIME, known, taken),
    )
    parts = [part for part in vars(layout).values() if part is not None]
    if len(set(parts)) < len(parts):
        twice = next(part for part in parts if parts.count(part) > 1)
        raise InvalidComparisons(f"{source}: column {twice!r} cannot play two parts at once")
    return layout


def _answer_columns(
    columns: Sequence[str], known: Mapping[str, str], given: ReadOptions, source: str
) -> tuple[str, str, str | None]:
    """The two items and the outcome, which is None where the columns themselves tell it."""
    if given.winner and given.loser:
        return given.winner, given.loser, None
    shown = (given.left, given.right) if given.left and given.right else _pair(SHOWN, known)
    if shown is not None:
        left, right = given.left or shown[0], given.right or shown[1]
        outcome = given.outcome or given.winner or _one(OUTCOME, known, shown)
        if outcome is None:
            raise _missing(
                "the outcome", "outcome=... or --outcome", columns, ("outcome", "winner"), source
            )
        return left, right, outcome
    decided = _pair(DECIDED, known)
    if decided is None or given.outcome is not None:
        options = "left=..., right=... or --left, --right"
        raise _missing("the two items", options, columns, ("left", "right"), source)
    return *decided, None


def _pair(
    candidates: Iterable[tuple[str, str]], known: Mapping[str, str]
) -> tuple[str, str] | None:
    """The first pair of names that are both columns, as they are spelled."""
    found = ((known.get(a), known.get(b)) for a, b in candidates)
    return next(((a, b) for a, b in found if a is not None and b is not None), None)


def _one(
    candidates: Iterable[str], known: Mapping[str, str], taken: Iterable[str | None]
) -> str | None:
    """The first name that is a column with no part yet, as it is spelled."""
    used = set(taken)
    return next((known[c] for c in candidates if c in known and known[c] not in used), None)


def _missing(
    what: str, options: str, columns: Sequence[str], wanted: Sequence[str], source: str
) -> InvalidComparisons:
    near = [clause for name in wanted if (clause := did_you_mean(name, columns))]
    return InvalidComparisons(
        f"{source}: no column for {what}{''.join(near[:1])}. Its columns are "
        f"{', '.join(columns)}. Name the columns ({options}), or rename them to "
        "left,right,outcome or left,right,winner or model_a,model_b,winner or winner,loser"
    )
