"""Players: our samplers and their rivals, built by name, with one interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np

import hodgerank as hr
from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals import RIVALS
from hodgerank.sampling.samplers.registry import build_sampler


class Player(Protocol):
    """Chooses pairs and learns from their votes."""

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next, one of the candidates; None stands for all pairs."""

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer, positive for the first of the pair."""


class Ours:
    """A sampler of the library."""

    def __init__(self, sampler: hr.Sampler) -> None:
        self.sampler = sampler

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next."""
        return self.sampler.ask(candidates=candidates)

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        self.sampler.tell(pair, outcome, worker)


REFERENCE = "auto"  # whom the others are compared with
TOP_K = "top-k"  # aims at something else, and is compared on that alone
K = 5

Build = Callable[..., hr.Sampler]
OURS: dict[str, Build] = {
    name: partial(build_sampler, name)
    for name in (REFERENCE, "rank", "bayesian", "d-optimal", "crowd-bt", "rounds", "random")
}
OURS["paper"] = partial(hr.BayesianSampler, paper=True)
OURS[TOP_K] = partial(hr.TopKSampler, k=K)

PLAYERS = (*OURS, *RIVALS)


def build_player(name: str, n: int, seed: int, run: int) -> Player:
    """The player of that name, for items 0 to n - 1; all have the same luck in a run."""
    rng = np.random.default_rng((seed, run))
    if name in OURS:
        return Ours(OURS[name](range(n), seed=int(rng.integers(1 << 62))))
    return RIVALS[name](n, rng)
