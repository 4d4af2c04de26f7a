"""Columns of tables of votes: words that name a role, and the layouts in which votes are written.

Reading recognises the roles below by name. Writing avoids these names for other columns, so that a
written table is read as it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgerank.types import BoolArray, FloatArray

# Words that distinguish the two columns of a pair, the left item first.
SIDES = (
    ("left", "right"),
    ("l", "r"),
    ("a", "b"),
    ("1", "2"),
    ("0", "1"),
    ("first", "second"),
    ("one", "two"),
    ("home", "away"),
    ("white", "black"),
    ("links", "rechts"),
    ("gauche", "droite"),
    ("izquierda", "derecha"),
    ("x", "y"),
    ("i", "j"),
    ("ij", "ji"),
)

# Words for a role, the likeliest first.
WORKERS = (
    "worker", "performer", "annotator", "judge", "rater", "assessor", "participant", "observer",
    "subject", "respondent", "user", "voter", "evaluator", "reviewer", "juror", "coder", "labeler",
    "labeller", "expert", "person", "pid", "session",
)  # fmt: skip
WEIGHTS = ("weight",)
COUNTS = ("count", "counts", "n", "freq", "frequency", "multiplicity")
ASKERS = ("asked_by",)
TIMES = ("time", "timestamp", "tstamp", "created_at", "answered_at", "submitted_at", "datetime")
DISPLAY_KNOWN = ("is_display_known",)
BALLOTS = ("ballot",)
MARGIN_UNITS = ("margin_unit",)
ROLES: tuple[tuple[str, ...], ...] = (
    WORKERS, WEIGHTS, COUNTS, ASKERS, TIMES, DISPLAY_KNOWN, BALLOTS,
    MARGIN_UNITS,
)  # fmt: skip
IDS = ("id", "no", "nr", "number", "name")  # words that add nothing to a role
RENAMED = "_extra"  # ending of an extra column whose name has another meaning
EXACT = 2.0**53  # below it, whole numbers have no gaps
MOST_WORDS = 20  # of the name of a column; more are a text


@dataclass(frozen=True)
class WrittenLayout:
    """A layout in which votes are written: its columns, and the outcomes it can express."""

    left: str
    right: str
    outcome: str | None
    worker: str = "worker"
    time: str = "time"
    words: tuple[str, str, str] | None = None  # for right, tie and left

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the items and the outcome."""
        return (self.left, self.right, *([self.outcome] if self.outcome is not None else []))

    def expressible(self, outcome: FloatArray) -> BoolArray:
        """Return which outcomes can be written."""
        if self.outcome is None:
            return np.equal(np.abs(outcome), 1)
        return np.equal(outcome, np.rint(outcome)) if self.words else np.ones(len(outcome), bool)

    def columns(
        self, left: NDArray[Any], right: NDArray[Any], outcome: FloatArray
    ) -> dict[str, NDArray[Any]]:
        """Return the columns of the two items and the outcome."""
        if self.outcome is None:
            left_won = outcome > 0
            return {
                self.left: np.where(left_won, left, right),
                self.right: np.where(left_won, right, left),
            }
        values: NDArray[Any] = outcome
        if self.words is not None:
            values = np.array(self.words, object)[outcome.astype(int) + 1]
        elif (outcome == np.rint(outcome)).all() and np.abs(outcome).max(initial=0.0) < EXACT:
            values = outcome.astype(np.int64)
        return {self.left: left, self.right: right, self.outcome: values}

    def is_ambiguous(self, outcome: FloatArray) -> bool:
        """Return whether these numbers might be read as 0 (right) to 1 (left)."""
        is_number = self.outcome is not None and self.words is None and len(outcome) > 0
        return is_number and outcome.min() == 0 and outcome.max() == 1


LAYOUTS: Mapping[str, WrittenLayout] = {
    "pairs": WrittenLayout("left", "right", "outcome"),
    "winners": WrittenLayout("winner", "loser", None),
    "arena": WrittenLayout(
        "model_a", "model_b", "winner", "judge", "tstamp", ("model_b", "tie", "model_a")
    ),
    "margins": WrittenLayout("left", "right", "margin"),
}


@lru_cache(1 << 15)
def words_of(name: str) -> tuple[str, ...]:
    """Split a column name into words in lower case.

    >>> words_of("is_A_selected"), words_of("choiceId1"), words_of("worker_id")
    (('is', 'a', 'selected'), ('choice', 'id', '1'), ('worker', 'id'))
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+|\d+", spaced))


def written_names(extra: Iterable[str], own: Sequence[str]) -> dict[str, str]:
    """Return the name under which each extra column is written beside our own columns.

    A name that reading would understand as something else gets an ending.

    >>> written_names(["count", "left", "device"], ["left", "right", "outcome"])
    {'count': 'count_extra', 'left': 'left_extra', 'device': 'device'}
    """
    names = list(extra)
    meant = {name for layout in LAYOUTS.values() for name in layout.names} | set(own)
    for words in ROLES:
        first = next((place for place, word in enumerate(words) if word in own), len(words))
        meant.update(words[:first])  # the likeliest word present is the role
    sided = set() if "loser" not in own else _sided(names)  # two items take precedence over these
    taken, found = {*own, *names}, {}
    for name in names:
        new, parts = name, words_of(name)
        spellings = {name.strip().lower(), "_".join(parts), base_word(name)}
        if not meant.isdisjoint(spellings) or name in sided:
            new += RENAMED
            while new in taken:
                new += RENAMED
            taken.add(new)
        found[name] = new
    return found


def base_word(name: str) -> str:
    """Return the name without an id or number word: `worker` for WorkerID, worker_id, worker_no.

    >>> base_word("participant_id"), base_word("workerid"), base_word("Judge")
    ('participant', 'worker', 'judge')
    """
    words = [word for word in words_of(name) if word not in IDS]
    name = "_".join(words)
    return name.removesuffix("id") if len(name) > len("pid") else name


def _sided(names: Sequence[str]) -> set[str]:
    """Return the names that differ from another one only in the side."""
    by_words = {words_of(name): name for name in names if not name.endswith(RENAMED)}
    found = set()
    for words, name in by_words.items():
        for place, word in enumerate(words[:MOST_WORDS]):
            for sides in SIDES:
                if word in sides:
                    other = sides[1 - sides.index(word)]
                    if (*words[:place], other, *words[place + 1 :]) in by_words:
                        found.add(name)
    return found
