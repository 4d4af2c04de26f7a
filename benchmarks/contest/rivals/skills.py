"""Skills: Gaussians, updated as TrueSkill does for two players.

R. Herbrich, T. Minka, T. Graepel: TrueSkill, a Bayesian skill rating system, NIPS 2006. Draws have
no model of their own here, and skills do not change with time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

LOG_ROOT_2PI = np.log(2 * np.pi) / 2


class WinEffect(NamedTuple):
    """Effect of a win, with c^2 = noise + var_winner + var_loser, t = difference / c.

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


def win_effect(difference: np.ndarray, variance: np.ndarray) -> WinEffect:
    """Return the effect of a win, from mean and variance of the difference of performances."""
    c = np.sqrt(variance)
    t = difference / c
    log_probability = log_ndtr(t)
    shift = np.exp(-(t**2) / 2 - LOG_ROOT_2PI - log_probability)
    return WinEffect(c, shift, shift * (shift + t), log_probability)


class Skills:
    """Means and variances of all items, as if they were independent.

    Parameters
    ----------
    variance
        Of skills at first.
    noise
        Variance of the difference of two performances of given skills.
    """

    def __init__(self, n: int, variance: float, noise: float) -> None:
        self.mean = np.zeros(n)
        self.variance = np.full(n, variance)
        self._noise = noise

    def spread(self, i: np.ndarray | int, j: np.ndarray | int) -> np.ndarray:
        """Standard deviation of the difference of performances."""
        return np.asarray(np.sqrt(self._noise + self.variance[i] + self.variance[j]))

    def win(self, i: np.ndarray | int, j: np.ndarray | int) -> WinEffect:
        """Return the effect of a win of i over j."""
        return win_effect(
            self.mean[i] - self.mean[j], self._noise + self.variance[i] + self.variance[j]
        )

    def learn(self, i: int, j: int, outcome: float) -> None:
        """An answer: the mean of both effects where it is a tie or a grade."""
        won, lost = self.win(i, j), self.win(j, i)
        share = (1 + outcome) / 2
        shift = (share * won.shift - (1 - share) * lost.shift) / won.c
        shrinkage = (share * won.shrinkage + (1 - share) * lost.shrinkage) / won.c**2
        for item, sign in ((i, 1), (j, -1)):
            self.mean[item] += sign * self.variance[item] * shift
            self.variance[item] *= 1 - self.variance[item] * shrinkage
