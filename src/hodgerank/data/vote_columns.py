"""Columns of tables of votes: words that name a role, and the layouts in which votes are written.

Reading recognises the roles below by name. Writing avoids these names for other columns, so that a
written table is read as it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgerank.types import BoolArray, FloatArray

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
ROLES = (WORKERS, WEIGHTS, COUNTS, ASKERS, TIMES, DISPLAY_KNOWN)
RENAMED = "_extra"  # ending of an extra column whose name has another meaning


@dataclass(frozen=True)
class WrittenLayout:
    """A layout in which votes are written: its columns, and the outcomes it can express."""

    left: str
    right: str
    outcome: str | None
    worker: str = "worker"
    time: str = "time"
    words: tuple[str, str, str] | None = None  # for right, tie and left

    def is_among(self, columns: Sequence[str]) -> bool:
        """Return whether a table has the items and the outcome of this layout."""
        return self.outcome is not None and {self.left, self.right, self.outcome} <= set(columns)

    def expressible(self, outcome: FloatArray) -> BoolArray:
        """Return which outcomes can be written."""
        if self.outcome is None:
            return np.abs(outcome) == 1
        return np.isin(outcome, (-1, 0, 1)) if self.words else np.ones(len(outcome), bool)

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
        elif (outcome == np.rint(outcome)).all():
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
}


def written_names(extra: Iterable[str], own: Sequence[str]) -> dict[str, str]:
    """Return the name under which each extra column is written beside our own columns.

    A name that would be read as one of ours, or as a role that comes before ours, gets an ending.

    >>> written_names(["count", "left", "device"], ["left", "right", "outcome"])
    {'count': 'count_extra', 'left': 'left_extra', 'device': 'device'}
    """
    reserved = {name.lower() for name in own}
    for words in ROLES:
        first = next((place for place, word in enumerate(words) if word in own), len(words))
        reserved.update(words[:first])
    names, taken = {}, {*own, *(extra := list(extra))}
    for name in extra:
        new = name
        if _word(name) in reserved or name.strip().lower() in reserved:
            new += RENAMED
            while new in taken:
                new += RENAMED
            taken.add(new)
        names[name] = new
    return names


def _word(name: str) -> str:
    """Return the word that a column such as worker_id or WorkerID is recognised by."""
    letters = re.sub(r"[\W\d_]+", "", name).lower()
    return re.sub(r"(id|no|nr|number|name)$", "", letters) or letters
