"""What a campaign remembers of each worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain


@dataclass(slots=True)
class Worker:
    """A worker, by rows of the task table.

    Attributes
    ----------
    open
        Tasks that are out, those to be answered again first.
    answers
        Rows answered and not taken back, in that order.
    imported
        Answers that came from elsewhere.
    checks
        Those among the answers that tell about the worker: gold pairs and repeats.
    repeated
        Rows that were shown a second time.
    n_issued, n_checks
        Tasks ever given, and gold pairs and repeats among them: these come at regular places.
    """

    name: str
    is_banned: bool = False
    ban_reason: str = ""
    open: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    repeated: set[int] = field(default_factory=set)
    n_issued: int = 0
    n_checks: Counter[str] = field(default_factory=Counter)
    n_expired: int = 0

    def seen(self) -> Iterator[int]:
        """Rows with pairs that are not shown again."""
        return chain(self.answers, self.open, self.skipped, self.imported)

    def forget_votes(self) -> None:
        """Begin anew, as after a reset."""
        self.open, self.answers, self.skipped, self.imported = [], [], [], []
        self.checks, self.repeated = [], set()
        self.n_issued = self.n_expired = 0
        self.n_checks = Counter()
