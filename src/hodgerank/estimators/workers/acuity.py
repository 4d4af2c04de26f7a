"""How closely workers follow the scores: likelihood of their answers at every acuity.

A worker of acuity a prefers the better of two items with probability 1 / (1 + exp(-a d)), d the
difference of their scores: 1 is as the common scores say, 0 a coin, below 0 the opposite. Acuities
of honest workers differ: their logarithms are normal, with mean and spread found from the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_expit, logsumexp

from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.types import FloatArray

ACUITIES = np.exp(np.linspace(-np.log(16), np.log(16), 33))
LEAST_SPREAD = 0.5  # of the logarithm: honest workers are never taken to be more alike than this
# What is believed before any answer, as strong as so many workers.
BELIEF = 5.0
GAPS = np.r_[0.0, np.geomspace(0.02, 12.0, 48)]  # limits of classes of differences
PRIOR = {"honest": 0.7, "random": 0.2, "adversarial": 0.1}
MAX_ACUITY_ROUNDS = 50
TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Agreement:
    """Of each worker: size of answers for and against the better item, by how much better it is.

    Attributes
    ----------
    gap
        Mean difference of each class of differences.
    with_scores, against
        One row per worker, one column per class.
    """

    gap: FloatArray
    with_scores: FloatArray
    against: FloatArray

    @classmethod
    def of(cls, cells: WorkerCells, difference: FloatArray, share: FloatArray) -> Agreement:
        """Classify the cells, each with a difference of scores and a share that counts."""
        size = np.abs(difference)
        which = np.minimum(np.searchsorted(GAPS, size, side="right"), len(GAPS)) - 1
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
        """Log likelihood of each worker at every acuity, for honest and for opposite answers."""
        logits = self.gap[:, None] * ACUITIES
        right, wrong = log_expit(logits), log_expit(-logits)
        honest = self.with_scores @ right + self.against @ wrong
        return honest, self.with_scores @ wrong + self.against @ right

    @cached_property
    def by_chance(self) -> FloatArray:
        """Log likelihood of each worker, tossing a coin."""
        return np.asarray(-np.log(2) * (self.with_scores + self.against).sum(axis=1))

    @cached_property
    def surplus(self) -> tuple[FloatArray, FloatArray]:
        """Of each worker, answers with the scores beyond those against, and their variance if all
        were coins; large differences count for more.
        """
        both = self.with_scores + self.against
        return (self.with_scores - self.against) @ self.gap, both @ self.gap**2


@dataclass(frozen=True, eq=False)
class Kinds:
    """What the answers say about each worker's kind, where honest workers differ as these do.

    Attributes
    ----------
    probabilities
        Of being honest, random and adversarial, one column per worker.
    acuity
        Of each worker if honest, as a multiple of the typical one.
    typical, spread
        Acuity of the typical honest worker, and the standard deviation of its logarithm.
    """

    probabilities: FloatArray
    acuity: FloatArray
    typical: float
    spread: float

    @classmethod
    def fitted(cls, agreement: Agreement) -> Kinds:
        """EM over the kinds of workers: their shares, and mean and spread of log acuities."""
        honest, opposite = agreement.at_acuities
        place, believed = np.log(ACUITIES), np.array(list(PRIOR.values()))
        shares, mean, spread, change = believed, 0.0, LEAST_SPREAD, np.inf
        for _ in range(MAX_ACUITY_ROUNDS):
            prior = -(((place - mean) / spread) ** 2) / 2
            prior -= logsumexp(prior)
            with_acuity, against = honest + prior, opposite + prior
            kinds = np.vstack(
                (logsumexp(with_acuity, axis=1), agreement.by_chance, logsumexp(against, axis=1))
            )
            evidence = kinds + np.log(shares)[:, None]
            probabilities = np.exp(evidence - logsumexp(evidence, axis=0))
            among = np.exp(with_acuity - kinds[0][:, None])
            found = cls(probabilities, np.exp(among @ place - mean), float(np.exp(mean)), spread)
            if change < TOLERANCE:
                break
            before = np.array([mean, spread, *shares])
            weight = probabilities[0] @ among
            total = float(weight.sum()) + BELIEF
            mean = float(weight @ place) / total
            variance = (float(weight @ (place - mean) ** 2) + BELIEF * LEAST_SPREAD**2) / total
            spread = max(float(np.sqrt(variance)), LEAST_SPREAD)
            shares = probabilities.sum(axis=1) + BELIEF * believed
            shares = shares / shares.sum()
            change = float(np.abs(np.array([mean, spread, *shares]) - before).max())
        return found
