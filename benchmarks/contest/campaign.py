"""One campaign: a player asks a crowd, and its ranking is evaluated from time to time."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import hodgerank as hr
from benchmarks.contest.crowd import Crowd
from benchmarks.contest.players import Player


class Campaign:
    """The votes so far.

    Attributes
    ----------
    seconds
        Time of the player, without that of the crowd.
    """

    def __init__(self, crowd: Crowd, player: Player) -> None:
        self.crowd, self.player = crowd, player
        self.candidates = crowd.candidates
        self.seconds = 0.0
        self._pairs: list[tuple[int, int]] = []
        self._outcomes: list[float] = []
        self._workers: list[str | None] = []

    def continue_to(self, n_votes: int) -> None:
        """Ask and tell until there are `n_votes` votes."""
        crowd, player = self.crowd, self.player
        while len(self._outcomes) < n_votes:
            candidates = crowd.candidates
            began = perf_counter()
            pair = player.ask(candidates)
            asked = perf_counter()
            outcome, worker = crowd.answer(*pair)
            answered = perf_counter()
            player.tell(pair, outcome, worker)
            self.seconds += asked - began + perf_counter() - answered
            self._pairs.append(pair)
            self._outcomes.append(outcome)
            self._workers.append(worker)

    @property
    def answers(self) -> hr.Comparisons:
        """Return all votes, for estimators."""
        left, right = np.array(self._pairs).T
        workers = list(dict.fromkeys(worker for worker in self._workers if worker is not None))
        codes: dict[str | None, int] = {worker: code for code, worker in enumerate(workers)}
        return hr.Comparisons(
            items=tuple(range(len(self.crowd.truth))),
            left=left,
            right=right,
            outcome=np.array(self._outcomes),
            workers=tuple(workers),
            worker=np.array([codes.get(worker, -1) for worker in self._workers]),
        )
