"""Players: ways to spend calls, and to rank by their replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import numpy as np

import hodgerank as hr
from benchmarks.judging.judges import Judges
from hodgerank.collecting.run_async import Allowance
from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.errors import NothingToAsk
from hodgerank.judges.panel import JudgeSchedule
from hodgerank.types import Pair

RIDGE = 0.01  # small: it keeps the scores of items that always win finite
TOGETHER = 16  # calls in progress at once, the default of `hodgerank judge`
Said = tuple[int, int, float]
"""Two items, and the outcome of the first by both orders together."""


class Player(Protocol):
    """Spends calls one after the other."""

    def calls(self) -> Iterator[None]:
        """Makes a call each time it is asked for the next."""

    def scores(self) -> np.ndarray:
        """In the order of the items, by the calls so far."""


class Campaign:
    """Asks as `hodgerank judge` does: the same pairs, orders, and turns of models.

    Parameters
    ----------
    build
        Builds the sampler.
    both
        Whether a pair is asked in both orders at once; both replies are kept.
    together
        Number of calls in progress at once.
    """

    def __init__(
        self,
        judges: Judges,
        seed: int,
        *,
        build: Callable[..., hr.Sampler] = hr.AutoSampler,
        both: bool = False,
        together: int = TOGETHER,
    ) -> None:
        n = len(judges.truth)
        self._judges, self._both, self._together = judges, both, together
        names = [str(k) for k in range(n)]
        listed = None if judges.is_complete else [(names[i], names[j]) for i, j in judges.pairs]
        self._sampler = build(names, seed=seed, candidates=listed, position_bias="worker")
        items = JudgedItems.of({name: name for name in names})
        self._turns = JudgeSchedule(items, judges.names, repeats=1, seed=seed)
        self._allowance = Allowance(self._sampler, self._turns.n_open)

    def calls(self) -> Iterator[None]:
        """Until every judge has been asked everything."""
        out: list[Pair] = []
        while True:
            while len(out) < self._together and (new := self._next(out)):
                out += new
            if not out:
                return
            self._tell(out.pop(0))
            yield

    def _next(self, out: list[Pair]) -> list[Pair]:
        try:
            (pair,) = self._sampler.ask(1, pending=out, exclude=self._allowance.used_up)
        except NothingToAsk:
            return []
        pairs = [pair, Pair(pair.right, pair.left)] if self._both else [pair]
        return [each for each in pairs if self._allowance.take(each)]

    def _tell(self, pair: Pair) -> None:
        turn = self._turns.next(pair)
        assert turn is not None
        judge = self._judges.names.index(turn.model)
        outcome = self._judges.reply(int(pair.left), int(pair.right), judge)
        self._sampler.tell(pair, outcome, turn.model)

    def scores(self) -> np.ndarray:
        """Return the scores of the sampler's own ranking, with the judges' biases in the model."""
        score = self._sampler.ranking().score_by_item
        return np.array([score[str(k)] for k in range(len(score))])


class UsualPractice:
    """Random pairs and judges, both orders, two calls; where the two disagree, it is a tie."""

    def __init__(
        self, judges: Judges, seed: int, *, rank: Callable[[list[Said], int], np.ndarray]
    ) -> None:
        self._judges, self._rank = judges, rank
        self._rng = np.random.default_rng(seed)
        self._answers: list[Said] = []

    def calls(self) -> Iterator[None]:
        """Until every judge has been asked everything."""
        judges = self._judges
        units = [(*pair, k) for pair in judges.pairs for k in range(len(judges.names))]
        for which in self._rng.permutation(len(units)):
            i, j, k = units[which]
            yield
            there, back = judges.reply(i, j, k), -judges.reply(j, i, k)
            self._answers.append((i, j, (there + back) / 2))
            yield

    def scores(self) -> np.ndarray:
        """Return the scores from both orders together."""
        return self._rank(self._answers, len(self._judges.truth))


def likelihood(answers: list[Said], n: int) -> np.ndarray:
    """Bradley-Terry with a small ridge; a tie is half a win."""
    left, right, outcome = (np.array(column) for column in zip(*answers, strict=True))
    votes = hr.Comparisons(tuple(range(n)), left, right, outcome)
    score = hr.bradley_terry(votes, ridge=RIDGE, components="separate").score_by_item
    return np.array([score[k] for k in range(n)])


def win_rate(answers: list[Said], n: int) -> np.ndarray:
    """The share of comparisons won, a tie being half; one half where there are none."""
    won, asked = np.zeros(n), np.zeros(n)
    for i, j, outcome in answers:
        won[i] += (1 + outcome) / 2
        won[j] += (1 - outcome) / 2
        asked[[i, j]] += 1
    return np.where(asked > 0, won / np.maximum(asked, 1), 0.5)


DEFAULT, USUAL = "hodgerank judge", "usual, Bradley-Terry"
PLAYERS: dict[str, Callable[[Judges, int], Player]] = {
    DEFAULT: Campaign,
    "one call at a time": partial(Campaign, together=1),
    "both orders": partial(Campaign, both=True),
    "random pairs": partial(Campaign, build=hr.RandomSampler),
    USUAL: partial(UsualPractice, rank=likelihood),
    "usual, win rate": partial(UsualPractice, rank=win_rate),
}
"""What differs from the first is in the name."""
