"""Likelihood of each worker's votes under every type, given score differences from other workers.

Where the display order is known, honest, random and adversarial workers may have a position bias,
and position-clicking ones choose the same side in a share of their votes without looking. Pairs
far apart separate the two: a bias gives way to a clear preference, a click does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray, IntArray

ACUITIES = np.exp(np.linspace(-np.log(16), np.log(16), 33))
GAPS = np.r_[0.0, np.geomspace(0.02, 12.0, 48)]  # bins of score differences
BIASES = np.linspace(-2, 2, 13)  # position bias of honest workers, in logits
BIAS_SD = 0.6
CLICK_SHARES = np.array([0.6, 0.7, 0.8, 0.9, 0.98])  # of votes that ignore what is shown
CLICKING_ACUITIES = (0.5, 1.0, 2.0)  # in the other votes
SLIPS = 0.04
ROWS = 1000  # workers at a time, to save memory


class Evidence(NamedTuple):
    """Log-likelihoods of the types, one row per worker.

    Attributes
    ----------
    honest, opposite
        Of honest and adversarial workers, one column per acuity.
    random, clicking
        Of random and position-clicking workers; None if the display order is unknown.
    """

    honest: FloatArray
    opposite: FloatArray
    random: FloatArray
    clicking: FloatArray | None


def _bin_of(size: FloatArray) -> IntArray:
    return np.minimum(np.searchsorted(GAPS, size, side="right"), len(GAPS)) - 1


@dataclass(frozen=True, eq=False)
class AcuityLikelihood:
    """Votes of each worker for and against the better item, binned by score difference.

    Attributes
    ----------
    gap
        Mean difference of each bin.
    with_scores, against
        Total size of votes, one row per worker, one column per bin.
    """

    gap: FloatArray
    with_scores: FloatArray
    against: FloatArray

    @classmethod
    def of(cls, cells: WorkerCells, difference: FloatArray, share: FloatArray) -> AcuityLikelihood:
        """Bin the cells, each with a score difference and an effective share of its votes."""
        size = np.abs(difference)
        which = _bin_of(size)
        n_classes, n_rows = len(GAPS), cells.n_workers + 1
        place, better = cells.worker * n_classes + which, difference > 0

        def table(values: FloatArray) -> FloatArray:
            sums = np.bincount(place, share * values, n_rows * n_classes)
            return sums.astype(float).reshape(n_rows, n_classes)[:-1]

        with_scores = table(np.where(better, cells.won, cells.lost))
        against = table(np.where(better, cells.lost, cells.won))
        counts = np.bincount(which, minlength=n_classes)
        gap = np.bincount(which, size, n_classes) / np.maximum(counts, 1)
        return cls(gap, with_scores, against)

    @cached_property
    def at_acuities(self) -> tuple[FloatArray, FloatArray]:
        """Log-likelihood of each worker at every acuity, for honest and for adversarial votes."""
        logits = self.gap[:, None] * ACUITIES
        right, wrong = log_expit(logits), log_expit(-logits)
        honest = self.with_scores @ right + self.against @ wrong
        return honest, self.with_scores @ wrong + self.against @ right

    @property
    def evidence(self) -> Evidence:
        """Log-likelihoods of types without position bias."""
        return Evidence(*self.at_acuities, self.by_chance, None)

    @cached_property
    def by_chance(self) -> FloatArray:
        """Log-likelihood of each worker under random votes."""
        return np.asarray(-np.log(2) * (self.with_scores + self.against).sum(axis=1))

    def of_coins(self, workers: IntArray, rng: np.random.Generator) -> AcuityLikelihood:
        """Return random votes on the pairs of these workers, one row for each."""
        with_scores, against = _coins((self.with_scores + self.against)[workers], rng)
        return AcuityLikelihood(self.gap, with_scores, against)

    @cached_property
    def surplus(self) -> tuple[FloatArray, FloatArray]:
        """Votes with minus against the scores of each worker, weighted by difference, and their
        variance under random votes.
        """
        both = self.with_scores + self.against
        return (self.with_scores - self.against) @ self.gap, both @ self.gap**2


@dataclass(frozen=True, eq=False)
class SidedLikelihood:
    """Votes of each worker for the left and the right item, binned by difference as shown.

    Attributes
    ----------
    difference
        Mean difference between left and right item of each bin: the negative half, then the
        positive half.
    left, right
        Total size of votes with known display order, one row per worker, one column per bin.
    unseen
        The other votes.
    """

    difference: FloatArray
    left: FloatArray
    right: FloatArray
    unseen: AcuityLikelihood

    @classmethod
    def of(
        cls, cells: WorkerCells, difference: FloatArray, share: FloatArray, all_: AcuityLikelihood
    ) -> SidedLikelihood:
        """Bin the cells as `AcuityLikelihood.of`, which gives `all_`."""
        which = _bin_of(np.abs(difference))
        half, n_rows = len(GAPS), cells.n_workers + 1
        upright = cells.worker * 2 * half + which + half * (difference > 0)
        turned = cells.worker * 2 * half + which + half * (difference <= 0)

        def table(values: FloatArray, turned_values: FloatArray) -> FloatArray:
            sums = np.bincount(upright, share * values, n_rows * 2 * half).astype(float)
            sums += np.bincount(turned, share * turned_values, n_rows * 2 * half)
            return sums.reshape(n_rows, 2 * half)[:-1]

        won, lost = cells.shown_won, cells.shown_lost
        left, right = table(won[0], lost[1]), table(lost[0], won[1])
        seen_with = left[:, half:] + right[:, :half]
        seen_against = right[:, half:] + left[:, :half]
        unseen = AcuityLikelihood(
            all_.gap,
            np.maximum(all_.with_scores - seen_with, 0.0),
            np.maximum(all_.against - seen_against, 0.0),
        )
        return cls(np.r_[-all_.gap, all_.gap], left, right, unseen)

    @property
    def evidence(self) -> Evidence:
        """Log-likelihoods of the types, each with any position bias."""
        unseen, half = self.unseen.evidence, len(GAPS)
        swapped = np.r_[half : 2 * half, :half]  # as if better and worse were swapped
        by_acuity = self.difference[:, None] * ACUITIES
        return Evidence(
            _with_bias(self.left, self.right, by_acuity) + unseen.honest,
            _with_bias(self.left[:, swapped], self.right[:, swapped], by_acuity) + unseen.opposite,
            _with_bias(self.left, self.right, 0 * by_acuity[:, :1])[:, 0] + unseen.random,
            self._clicking + unseen.random,
        )

    def of_coins(self, workers: IntArray, rng: np.random.Generator) -> SidedLikelihood:
        """Return random votes on the pairs of these workers, one row for each."""
        left, right = _coins((self.left + self.right)[workers], rng)
        return SidedLikelihood(self.difference, left, right, self.unseen.of_coins(workers, rng))

    @property
    def _clicking(self) -> FloatArray:
        chance = SLIPS / 2 + (1 - SLIPS) * expit(self.difference[:, None] * CLICKING_ACUITIES)
        shares = CLICK_SHARES[:, None, None]
        to_left, to_right = ((1 - shares) * part for part in (chance, 1 - chance))
        # clicks on the left and on the right, one column per share and acuity
        p = np.concatenate((shares + to_left, to_left)).swapaxes(0, 1).reshape(len(chance), -1)
        q = np.concatenate((to_right, shares + to_right)).swapaxes(0, 1).reshape(len(chance), -1)
        with few_threads(ROWS):
            found = self.left @ np.log(p) + self.right @ np.log(q)
        return sum_and_shares(found - np.log(p.shape[1]))[0]


def _with_bias(left: FloatArray, right: FloatArray, logits: FloatArray) -> FloatArray:
    """Return the log-likelihood for each column of logits, averaged over position biases."""
    density = np.exp(-((BIASES / BIAS_SD) ** 2) / 2)
    biased = (logits[:, :, None] + BIASES).reshape(len(logits), -1)
    for_left, for_right = log_expit(biased), log_expit(-biased)
    shape = (-1, logits.shape[1], len(BIASES))
    found = np.empty((len(left), logits.shape[1]))
    for start in range(0, len(left), ROWS):
        rows = slice(start, start + ROWS)
        with few_threads(ROWS):
            joint = (left[rows] @ for_left + right[rows] @ for_right).reshape(shape)
        found[rows] = sum_and_shares(joint + np.log(density / density.sum()))[0]
    return found


def _coins(size: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Split each size, a sum of votes that may be fractions, at random."""
    n = np.ceil(size)
    heads = size * rng.binomial(n.astype(np.int64), 0.5) / np.maximum(n, 1)
    return heads, size - heads


def sum_and_shares(logarithms: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the logarithm of the sum over the last axis, and the share of each entry."""
    largest = logarithms.max(axis=-1, keepdims=True)
    shares = np.exp(logarithms - largest)
    total = shares.sum(axis=-1, keepdims=True)
    shares /= total
    return (largest + np.log(total))[..., 0], shares
