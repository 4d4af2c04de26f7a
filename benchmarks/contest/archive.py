"""Recorded votes as a crowd."""

from __future__ import annotations

import numpy as np

import hodgerank as hr
from benchmarks.contest.crowd import Pairs, Reply


class Archive:
    """Gives each vote once; the k-th vote on a pair is the same for every player.

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

    def __init__(self, votes: hr.Comparisons, truth: np.ndarray, rng: np.random.Generator) -> None:
        self.truth = truth
        self.max_votes = len(votes) // 2
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
