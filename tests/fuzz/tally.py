"""What a file holds, counted from the votes it was written from."""

from __future__ import annotations

from dataclasses import dataclass, field

LEFT_OUT = {
    "skip": "skipped",
    "unanswered": "unanswered",
    "missing": "missing",
}


@dataclass
class Tally:
    """Counts as the JSON of the commands names them; items and workers by name."""

    answers: int = 0
    ties: int = 0
    both_bad: int = 0
    both_bad_ties: int = 0
    skipped: int = 0
    unanswered: int = 0
    missing: int = 0
    rejected: int = 0
    items: set[str] = field(default_factory=set)
    workers: set[str] = field(default_factory=set)

    def answer(
        self,
        left: str,
        right: str,
        *,
        is_tie: bool,
        worker: str | None = None,
        times: int = 1,
    ) -> None:
        """Count an answer."""
        self.answers += times
        self.ties += times if is_tie else 0
        self.items |= {left.strip(), right.strip()}
        if worker is not None:
            self.workers.add(worker.strip())

    def leave_out(self, flaw: str) -> None:
        """Count a row that is no answer."""
        name = LEFT_OUT.get(flaw, "rejected")
        setattr(self, name, getattr(self, name) + 1)

    def __add__(self, other: Tally) -> Tally:
        """What two files hold together."""
        numbers = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("answers", "ties", "both_bad_ties", *LEFT_OUT.values(), "rejected")
        }
        return Tally(
            items=self.items | other.items, workers=self.workers | other.workers, **numbers
        )

    def counts(self) -> dict[str, int]:
        """Every count by its name."""
        return {
            name: len(value) if isinstance(value, set) else value
            for name, value in vars(self).items()
        }
