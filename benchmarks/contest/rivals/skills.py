"""Skills: independent Gaussians, updated as TrueSkill does for two players.

R. Herbrich, T. Minka, T. Graepel: TrueSkill, a Bayesian skill rating system, NIPS 2006. Draws have
no model of their own here, and skills do not change with time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

PERFORMANCE = 0.5  # beta: standard deviation of a performance, where that of skills is 1 at first
LOG_ROOT_2PI = np.log(2 * np.pi) / 2


class WinEffect(NamedTuple):
    """Effect of a win, with c^2 = 2 beta^2 + var_winner + var_loser, t = difference / c.

    Attributes
    ----------
    c
        Standard deviation of the difference of performances.
    shift
        v(t) = N(t) / Phi(t): means move by var v / c.
    shrinkage
        w(t) = v (v + t): variances shrink by the share var w / c^2.
    log_probability
        ln Phi(t).
    """

    c: np.ndarray
    shift: np.ndarray
    shrinkage: np.ndarray
    log_probability: np.ndarray


class Skills:
    """Means and variances of all items."""

    def __init__(self, n: int) -> None:
        self.mean = np.zeros(n)
        self.variance = np.ones(n)

    def spread(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Standard deviation of the difference of performances."""
        return np.sqrt(2 * PERFORMANCE**2 + self.variance[i] + self.variance[j])

    def win(self, i: np.ndarray, j: np.ndarray) -> WinEffect:
        """Return the effect of a win of i over j."""
        c = self.spread(i, j)
        t = (self.mean[i] - self.mean[j]) / c
        log_probability = log_ndtr(t)
        shift = np.exp(-(t**2) / 2 - LOG_ROOT_2PI - log_probability)
        return WinEffect(c, shift, shift * (shift + t), log_probability)

    def learn(self, i: int, j: int, outcome: float) -> None:
        """An answer: the mean of both effects where it is a tie or a grade."""
        won, lost = self.win(i, j), self.win(j, i)
        share = (1 + outcome) / 2
        shift = (share * won.shift - (1 - share) * lost.shift) / won.c
        shrinkage = (share * won.shrinkage + (1 - share) * lost.shrinkage) / won.c**2
        for item, sign in ((i, 1), (j, -1)):
            self.mean[item] += sign * self.variance[item] * shift
            self.variance[item] *= 1 - self.variance[item] * shrinkage
