"""How many calls a player takes until its ranking is right enough."""

from __future__ import annotations

import numpy as np

from benchmarks.judging.judges import Judges
from benchmarks.judging.players import Player
from hodgerank.metrics import kendall_tau

TARGETS = (0.8, 0.9)
"""Kendall's tau to the truth."""
FIRST, STEP = 3, 1.2
"""Looks: after so many calls per item, and then each after so many times the calls of the last."""


def calls_to_reach(player: Player, judges: Judges) -> list[float]:
    """Calls until tau is first seen to reach each target; infinite where it never does.

    Between two looks tau is taken to grow evenly with the logarithm of the calls.
    """
    looks = _looks(len(judges.truth), judges.most_calls)
    taus: list[float] = []
    for made, _ in enumerate(player.calls(), start=1):
        if made == looks[len(taus)]:
            taus.append(kendall_tau(np.round(player.scores(), 9), judges.truth))
            if taus[-1] >= TARGETS[-1] or len(taus) == len(looks):
                break
    return [_crossing(looks, taus, target) for target in TARGETS]


def _looks(n: int, most: int) -> list[int]:
    """Even numbers, as usual practice makes two calls at a time; the last is when all is asked."""
    steps = int(np.log(most / (FIRST * n)) / np.log(STEP)) + 1
    found = {2 * round(FIRST * n * STEP**k / 2) for k in range(steps)}
    return sorted({*(look for look in found if look < most), most})


def _crossing(looks: list[int], taus: list[float], target: float) -> float:
    for k, tau in enumerate(taus):
        if tau >= target:
            if k == 0:
                return float(looks[0])
            share = (target - taus[k - 1]) / (tau - taus[k - 1])
            return float(looks[k - 1] * (looks[k] / looks[k - 1]) ** share)
    return np.inf
