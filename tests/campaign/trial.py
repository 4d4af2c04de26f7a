"""Small campaigns for tests: a clock that is told the time, ids that can be replayed."""

from __future__ import annotations

from random import Random
from typing import Any

from hodgerank.campaign.campaign import Campaign

QUESTION = "Which one?"


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


class Trial:
    """A campaign with its clock; `campaign` is another object after `reopen`."""

    def __init__(self, items: Any = "abcdef", where: Any = None, **options: Any) -> None:
        self.clock = Clock()
        self.where = where
        self.campaign = Campaign.create(
            where,
            list(items) if isinstance(items, str) else items,
            clock=self.clock,
            random=Random(options.pop("ids", 1)),
            **{"question": QUESTION, **options},
        )

    def reopen(self, ids: int = 2) -> None:
        """Leave, and open again."""
        if self.where is not None:
            self.campaign.leave()
        where = self.campaign.database if self.where is None else self.where
        self.campaign = Campaign.open(where, self.campaign.id, clock=self.clock, random=Random(ids))

    def answer_all(self, worker: str, n: int, outcome: float = 1.0, **with_it: Any) -> list[Any]:
        """Let a worker answer n tasks one after the other; the receipts."""
        receipts = []
        for _ in range(n):
            [task] = self.campaign.lease(worker)
            receipts.append(self.campaign.answer(task, outcome, **with_it))
        return receipts
