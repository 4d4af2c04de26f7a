"""Workers of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from hodgerank.campaign.page_settings import Outcome


def arrival_data(panel: Mapping[str, str], is_person: bool) -> dict[str, Any] | None:
    """Return the data of an event: the parameters themselves unless a browser has joined."""
    return {"person": dict(panel)} if is_person else dict(panel) or None


def arrival_of(data: Mapping[str, Any] | None) -> tuple[dict[str, str], bool]:
    """Return the parameters of the panel, which are texts, and whether a browser has joined."""
    data = data or {}
    if isinstance(panel := data.get("person"), Mapping):
        return dict(panel), True
    return dict(data), False


@dataclass(slots=True)
class Worker:
    """A worker, with rows of the task table.

    Attributes
    ----------
    joined_at, panel
        When they joined, and the parameters of the panel; programs need not join.
    is_person
        Whether they joined in a browser; programs never act under this name.
    n_failed_tries, has_passed
        Failed tries of the comprehension questions, and whether they were passed.
    outcome
        How their participation ended; None until then.
    is_forgotten
        Whether their name has been removed.
    last_at
        When they were last given a task, answered or skipped.
    open
        Tasks in progress, those to be answered again first.
    answers
        Rows answered and not undone, in order.
    imported
        Imported votes.
    checks
        Answers to gold pairs and repeats.
    repeated
        Rows that were repeated.
    n_issued, n_checks
        Number of tasks assigned, and of gold pairs and repeats among them.
    """

    name: str
    is_banned: bool = False
    ban_reason: str = ""
    joined_at: float | None = None
    panel: dict[str, str] = field(default_factory=dict)
    is_person: bool = False
    n_failed_tries: int = 0
    has_passed: bool = False
    outcome: Outcome | None = None
    is_forgotten: bool = False
    last_at: float | None = None
    open: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    repeated: set[int] = field(default_factory=set)
    n_issued: int = 0
    n_checks: Counter[str] = field(default_factory=Counter)
    n_expired: int = 0

    @property
    def has_left(self) -> bool:
        """Whether the worker gets no more tasks."""
        return self.outcome is not None or self.is_forgotten

    def seen(self) -> Iterator[int]:
        """Return rows with pairs that are not shown again."""
        return chain(self.answers, self.open, self.skipped, self.imported)

    def forget_votes(self) -> None:
        """Discard the answers, as after a reset."""
        self.open, self.answers, self.skipped, self.imported = [], [], [], []
        self.checks, self.repeated = [], set()
        self.n_issued = self.n_expired = 0
        self.n_checks = Counter()
        if self.outcome == "completed":
            self.outcome = None  # there is more to do
