"""Players: our samplers and their rivals, by name, and who plays in which regime."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

import hodgerank as hr
from benchmarks.contest.crowds import Pairs
from benchmarks.contest.regimes import Regime, Setting
from benchmarks.contest.rivals import RIVALS, Entrant
from benchmarks.contest.rivals.entrant import Player
from hodgerank.sampling.samplers.registry import build_sampler


class Ours:
    """A sampler of the library."""

    def __init__(self, n: int, rng: np.random.Generator, build: Callable[..., hr.Sampler]) -> None:
        self.sampler = build(range(n), seed=int(rng.integers(1 << 62)))

    def ask(
        self, candidates: Pairs | None, pending: Sequence[tuple[int, int]] = ()
    ) -> tuple[int, int]:
        """The pair to show next."""
        left, right = self.sampler.ask(pending=pending, candidates=candidates)
        return int(left), int(right)

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        self.sampler.tell(pair, outcome, worker)


def ours(build: str | Callable[..., hr.Sampler], most_items: float = np.inf) -> Entrant:
    """A sampler of the library, by the name of its strategy or from items and a seed."""
    sampler = partial(build_sampler, build) if isinstance(build, str) else build
    return Entrant(partial(Ours, build=sampler), most_items, "is told the pairs in progress")


REFERENCE = "auto"  # whom the others are compared with
TOP_K = "top-5"  # aims at the best, and is the one others are compared with there
K = 5

OURS = {
    REFERENCE: ours("auto"),
    "rank": ours("rank"),
    "bayesian": ours("bayesian"),
    "d-optimal": ours("d-optimal"),
    "a-optimal": ours("a-optimal", most_items=200),
    "sort": ours("sort", most_items=200),
    "crowd-bt": ours("crowd-bt", most_items=200),
    "rounds": ours("rounds"),
    "random": ours("random"),
    "paper": ours(partial(hr.BayesianSampler, paper=True), most_items=200),
    TOP_K: ours(TOP_K),
}
PLAYERS: dict[str, Entrant] = OURS | RIVALS


def build_player(name: str, n: int, seed: int, run: int) -> Player:
    """The player of that name, for items 0 to n - 1; all have the same luck in a run."""
    return PLAYERS[name].build(n, np.random.default_rng((seed, run)))


def plays(name: str, regime: Regime, setting: Setting) -> bool:
    """Whether a player can play in a regime."""
    return not _obstacle(PLAYERS[name], regime, setting)


def _obstacle(entrant: Entrant, regime: Regime, setting: Setting) -> str:
    """Why a player cannot play in a regime, empty if it can."""
    if (setting.n_items or regime.n_items) > entrant.most_items:
        return f"more than {entrant.most_items:,} items (it would take too long)"
    if entrant.needs_all_pairs and not regime.all_pairs:
        return "regimes in which some pairs cannot be asked"
    if regime.in_progress > 1 and not entrant.in_progress:
        return "pairs in progress (it waits for every vote)"
    return ""


def who_stays_out(names: Iterable[str], regimes: Sequence[Regime], setting: Setting) -> list[str]:
    """Return what some do not play, by rule, and what rivals do with pairs in progress."""
    notes = []
    for name in names:
        entrant = PLAYERS[name]
        reasons = dict.fromkeys(_obstacle(entrant, regime, setting) for regime in regimes)
        reasons.pop("", None)
        if reasons:
            notes.append(f"{name} does not play {'; '.join(reasons)}.")
        at_once = any(regime.in_progress > 1 for regime in regimes)
        if name in RIVALS and at_once and entrant.in_progress:
            notes.append(f"With pairs in progress {name} {entrant.in_progress}.")
    return notes
