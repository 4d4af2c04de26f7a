"""Crowds: true scores, the pairs that may be asked, and votes on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

Pairs = tuple[tuple[int, int], ...]
"""Pairs that may be asked, by position of the items."""


class Reply(NamedTuple):
    """An outcome in [-1, 1], positive for the first item of the pair, and who gave it."""

    outcome: float
    worker: str | None = None


class Crowd(Protocol):
    """A crowd that a sampler asks.

    Attributes
    ----------
    truth
        The true scores.
    max_votes
        Number of votes after which there is too little left to choose from.
    """

    truth: np.ndarray
    max_votes: float

    @property
    def candidates(self) -> Pairs | None:
        """Return the pairs that may be asked now, None for all; the same object while unchanged."""

    def answer(self, left: int, right: int) -> Reply:
        """Return another vote."""


class Question(NamedTuple):
    """A question, with everything that its vote may depend on.

    Attributes
    ----------
    i, j
        The pair, i < j.
    repeat
        How often it was asked before.
    step
        Number of votes before, on all pairs.
    """

    i: int
    j: int
    repeat: int
    step: int


Judge = Callable[[Question], Reply]


class ImaginaryCrowd:
    """Asks a judge without position bias."""

    max_votes = np.inf

    def __init__(self, truth: np.ndarray, judge: Judge, candidates: Pairs | None = None) -> None:
        self.truth = truth
        self.candidates = candidates
        self._judge = judge
        self._asked: dict[tuple[int, int], int] = {}
        self._step = 0

    def answer(self, left: int, right: int) -> Reply:
        """Return another vote."""
        pair = (left, right) if left < right else (right, left)
        repeat = self._asked.get(pair, 0)
        reply = self._judge(Question(*pair, repeat, self._step))
        self._asked[pair] = repeat + 1
        self._step += 1
        return reply if left < right else Reply(-reply.outcome, reply.worker)
