"""Crowds: true scores, the pairs that may be asked, and votes on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit

import hodgerank as hr

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
    is_perfect
        Whether the better item always wins.
    """

    truth: np.ndarray
    max_votes: float
    is_perfect: bool

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

    def __init__(
        self,
        truth: np.ndarray,
        judge: Judge,
        candidates: Pairs | None = None,
        *,
        is_perfect: bool = False,
    ) -> None:
        self.truth = truth
        self.candidates = candidates
        self.is_perfect = is_perfect
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


class Archive:
    """Recorded votes: gives each once; the k-th vote on a pair is the same for every player.

    `hodgerank.RecordedCrowd` draws votes in the order in which pairs are asked, so that samplers
    which ask differently would not face the same votes. Weights are not replayed.

    Parameters
    ----------
    votes
        On items which comparisons join.
    truth
        Scores in the order of the items.
    rng
        Shuffles the votes.
    """

    is_perfect = False

    def __init__(self, votes: hr.Comparisons, truth: np.ndarray, rng: np.random.Generator) -> None:
        self.truth = truth
        self.max_votes: float = len(votes) // 2
        workers = [None if worker is None else str(worker) for worker in (*votes.workers, None)]
        self._replies: dict[tuple[int, int], list[Reply]] = {}
        shuffled = votes.select(rng.permutation(len(votes)))
        columns = (shuffled.left, shuffled.right, shuffled.outcome, shuffled.worker)
        for a, b, outcome, worker in zip(*(column.tolist() for column in columns), strict=True):
            pair, sign = ((a, b), 1.0) if a < b else ((b, a), -1.0)
            reply = Reply(sign * outcome, workers[worker])
            self._replies.setdefault(pair, []).append(reply)
        self._candidates: Pairs | None = None
        self._note_what_is_left()

    @property
    def candidates(self) -> Pairs | None:
        """Pairs with votes left."""
        return self._candidates

    def answer(self, left: int, right: int) -> Reply:
        """The next vote on a pair."""
        pair = (left, right) if left < right else (right, left)
        reply = self._replies[pair].pop()
        if not self._replies[pair]:
            del self._replies[pair]
            self._note_what_is_left()
        return reply if left < right else Reply(-reply.outcome, reply.worker)

    def _note_what_is_left(self) -> None:
        n = len(self.truth)
        is_complete = len(self._replies) == n * (n - 1) // 2
        self._candidates = None if is_complete else tuple(self._replies)


WORD = (1 << 64) - 1


class Noise:
    """Common random numbers: one in [0, 1) for each pair and each time it is asked.

    They do not depend on the player, nor on the order in which pairs are asked: each is the
    SplitMix64 hash of the pair and its repetition.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._n = n
        self._seed = int(rng.integers(1 << 62))

    def __call__(self, i: int, j: int, repeat: int) -> float:
        """Return the number of the pair i < j after `repeat` earlier questions."""
        x = self._seed + ((repeat * self._n + i) * self._n + j + 1) * 0x9E3779B97F4A7C15 & WORD
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
        x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
        return ((x ^ x >> 31) >> 11) / (1 << 53)


Link = Callable[[float], float]


def choice(is_first: bool) -> Reply:
    """A plain preference."""
    return Reply(1.0 if is_first else -1.0)


def linked_judge(scores: np.ndarray, rng: np.random.Generator, link: Link = expit) -> Judge:
    """Prefers i to j with probability link(x_i - x_j); by default that is Bradley-Terry."""
    noise = Noise(len(scores), rng)

    def judge(question: Question) -> Reply:
        i, j, repeat, _ = question
        return choice(noise(i, j, repeat) < link(scores[i] - scores[j]))

    return judge


def perceived(scores: np.ndarray, rng: np.random.Generator) -> Callable[[Question], float]:
    """Score differences with logistic noise; their sign would be a Bradley-Terry choice."""
    noise = Noise(len(scores), rng)

    def difference(question: Question) -> float:
        i, j, repeat, _ = question
        u = max(noise(i, j, repeat), 2.0**-54)
        return float(scores[i] - scores[j] + np.log((1 - u) / u))

    return difference
