"""Rules of tournaments and games: Swiss, Elo, TrueSkill, and Gavel's walk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.contest.crowds import Pairs
from benchmarks.contest.rivals.entrant import Allowed, Pair, random_argmax
from benchmarks.contest.rivals.skills import Skills
from hodgerank.sampling.designs.design import Vote
from hodgerank.sampling.samplers.crowd_bt import CrowdBTDesign

BYE = 0.5  # wins for a round without a partner
STEP, SCALE = 32.0, 400.0  # of chess: points at stake, and for odds of ten to one
VARIANCE, NOISE = 1.0, 0.5  # of skills at first, and of the difference of two performances
RANDOM = 0.25  # share of Gavel's steps to any item
RELIABILITY = (10.0, 1.0)
EXPLORATION = 0.1  # weight of what is learned about the judge


class Swiss:
    """From the top of the standings, each item meets the next one it has met least often.

    With pairs in progress the next round begins before the last one is over.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._wins = np.zeros(n)
        self._met = np.zeros((n, n), int)
        self._round: list[Pair] = []

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The next pair of the round."""
        allowed = self._allowed.read(candidates)
        while True:
            while self._round:
                pair = self._round.pop(0)
                if allowed.matrix[pair]:
                    return pair
            self._round = self._paired(allowed)

    def _paired(self, allowed: Allowed) -> list[Pair]:
        pairs = []
        shuffled = self._rng.permutation(len(self._wins))
        standings = shuffled[np.argsort(-self._wins[shuffled], kind="stable")].tolist()
        while standings:
            item = standings.pop(0)
            partners = [other for other in standings if allowed.matrix[item, other]]
            if partners:
                partner = min(partners, key=self._met[item].__getitem__)
                standings.remove(partner)
                pairs.append((item, partner))
            else:
                self._wins[item] += BYE
        return pairs

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        i, j = pair
        self._wins[i] += (1 + outcome) / 2
        self._wins[j] += (1 - outcome) / 2
        self._met[i, j] += 1
        self._met[j, i] += 1


class EloClosest:
    """An item that was asked least meets the one of nearest rating.

    Ratings move by 32 (result - expectation) [A. Elo, The rating of chessplayers, 1978]. Pairs in
    progress count as asked.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._rating = np.zeros(n)
        self._asked = np.zeros(n)

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        item = random_argmax(np.where(allowed.is_open, -self._asked, -np.inf), self._rng)
        partners = allowed.partners(item)
        distances = np.abs(self._rating[partners] - self._rating[item])
        partner = int(partners[random_argmax(-distances, self._rng)])
        self._asked[[item, partner]] += 1
        return item, partner

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        i, j = pair
        expected = 1 / (1 + 10 ** ((self._rating[j] - self._rating[i]) / SCALE))
        step = STEP * ((1 + outcome) / 2 - expected)
        self._rating[i] += step
        self._rating[j] -= step


class TrueSkill:
    """The least known item meets the one it would most likely draw with; see `Skills`.

    Match quality is sqrt(noise / c^2) exp(-(m_i - m_j)^2 / (2 c^2)).
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._skills = Skills(n, VARIANCE, NOISE)

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed, skills = self._allowed.read(candidates), self._skills
        item = random_argmax(np.where(allowed.is_open, skills.variance, -1.0), self._rng)
        partners = allowed.partners(item)
        c = skills.spread(item, partners)
        difference = skills.mean[item] - skills.mean[partners]
        quality = np.exp(-((difference / c) ** 2) / 2) / c
        return item, int(partners[random_argmax(quality, self._rng)])

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        self._skills.learn(*pair, outcome)


class Gavel:
    """A judge walks from item to item, and compares each with the one before.

    The last item shown stays; the other has the largest gain of Crowd-BT [Chen13], as in the
    hackathon judging system of that name. One walk for all workers, since who will answer is not
    known.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._design = CrowdBTDesign(n, 1.0, RELIABILITY, EXPLORATION)
        self._current = int(rng.integers(n))

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next: where the walk stands, and where it goes."""
        allowed = self._allowed.read(candidates)
        if not allowed.is_open[self._current]:
            self._current = int(self._rng.choice(np.flatnonzero(allowed.is_open)))
        current, partners = self._current, allowed.partners(self._current)
        if self._rng.random() < RANDOM:
            return current, int(self._rng.choice(partners))
        i, j = np.minimum(current, partners), np.maximum(current, partners)
        return current, int(partners[random_argmax(self._design.gains(i, j), self._rng)])

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer; the walk goes on from the second of the pair."""
        i, j = pair
        self._current = j
        if i < j:
            self._design.learn(Vote(i, j, outcome, 1.0, worker))
        else:
            self._design.learn(Vote(j, i, -outcome, 1.0, worker))
