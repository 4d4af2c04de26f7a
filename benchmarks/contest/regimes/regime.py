"""Regime: a kind of crowd that can be drawn again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from benchmarks.contest.crowd import Crowd
from benchmarks.contest.setting import Setting


@dataclass(frozen=True)
class Regime:
    """A kind of crowd: its votes, and the pairs that may be asked.

    Attributes
    ----------
    draw
        From a number of items and random numbers to a crowd. It goes to other processes, so it is
        a function of a module or a `partial` of one.
    """

    name: str
    about: str
    n_items: int
    draw: Callable[[int, np.random.Generator], Crowd]

    def crowd(self, run: int, setting: Setting) -> Crowd:
        """The crowd of one run: the same for every sampler."""
        rng = np.random.default_rng((setting.seed, crc32(self.name.encode()), run))
        return self.draw(setting.n_items or self.n_items, rng)
