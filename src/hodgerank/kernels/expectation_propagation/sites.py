"""Sites: one Gaussian factor per pair, fitted until its moments are those of the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.expectation_propagation.tilt import LEAST_PRECISION, update_sites
from hodgerank.types import FloatArray, IntArray

DAMPING = 0.8


class Answers(NamedTuple):
    """Wins of i and losses against j, in plain answers, on a link by its code.

    Pair e has the entries from `first[e]` up to `first[e + 1]`, one for each `pull` towards i under
    which it was answered.
    """

    link: int
    first: IntArray
    wins: FloatArray
    losses: FloatArray
    pull: FloatArray

    @classmethod
    def without_pull(cls, link: int, wins: FloatArray, losses: FloatArray) -> Answers:
        """One entry per pair."""
        return cls(link, np.arange(len(wins) + 1), wins, losses, np.zeros(len(wins)))


class Sites(NamedTuple):
    """Factors exp(-t d^2 / 2 + u d) of the difference of each pair, and how they were found.

    `change` is that of the last sweep, see `update_sites`.
    """

    t: FloatArray
    u: FloatArray
    log_evidence: float = np.nan
    sweeps: int = 0
    change: float = np.inf


class Differences(NamedTuple):
    """Mean and variance of the difference of each pair under prior and sites.

    With the two parts of the evidence that all pairs share: ln det of the precision over that of
    the prior, and the product of mean and shifts.
    """

    mean: FloatArray
    variance: FloatArray
    log_determinant: float
    energy: float


def fit_sites(
    answers: Answers,
    posterior: Callable[[FloatArray, FloatArray], Differences],
    most_variance: FloatArray,
    start: Sites,
    tolerance: float,
    max_sweeps: int,
) -> Sites:
    """All sites moved at once, from where they are, in at most so many sweeps.

    `posterior` gives the differences for precisions and shifts; `most_variance` is theirs
    beforehand, which no other pair's answers can raise.
    """
    # never quite zero, so that sparse matrices have an entry for every pair
    t, u = np.maximum(start.t, LEAST_PRECISION), start.u.copy()
    sweeps, change, log_evidence = 0, np.inf, np.nan
    while sweeps < max_sweeps and change > tolerance:
        sweeps += 1
        mean, variance, log_determinant, energy = posterior(t, u)
        cavity_variance = 1 / np.maximum(1 / variance - t, 1 / most_variance)
        cavity_mean = cavity_variance * (mean / variance - u)
        shared = np.log1p(t * cavity_variance) - mean**2 / variance
        log_mass, change = update_sites(*answers, cavity_mean, cavity_variance, t, u, DAMPING)
        own = log_mass + 0.5 * (shared + cavity_mean**2 / cavity_variance)
        log_evidence = float(own.sum()) + 0.5 * (energy - log_determinant)
    return Sites(t, u, log_evidence, sweeps, change)
