"""TrueSkill: the least known item meets the one it would most likely draw with."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed
from benchmarks.contest.rivals.skills import PERFORMANCE, Skills
from benchmarks.contest.rivals.ties import random_argmax


class TrueSkill:
    """Match quality sqrt(2 beta^2 / c^2) exp(-(m_i - m_j)^2 / (2 c^2)); see `skills`."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._skills = Skills(n)

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next."""
        allowed, skills = self._allowed.read(candidates), self._skills
        item = random_argmax(np.where(allowed.is_open, skills.variance, -1.0), self._rng)
        partners = allowed.partners(item)
        c = skills.spread(item, partners)
        difference = skills.mean[item] - skills.mean[partners]
        quality = np.sqrt(2) * PERFORMANCE / c * np.exp(-((difference / c) ** 2) / 2)
        return item, int(partners[random_argmax(quality, self._rng)])

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        self._skills.learn(*pair, outcome)
