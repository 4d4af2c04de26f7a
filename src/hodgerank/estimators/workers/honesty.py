"""Who answers honestly: EM over types of workers.

A worker is honest (follows the scores, more or less closely), random (tosses a coin) or adversarial
(answers the opposite). Given scores, each worker's answers say which; given types, random workers
are left out, adversarial ones turned round, and the scores fitted again. In the end each worker is
judged by scores that others alone have determined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.acuity import ACUITIES, Agreement, Kinds
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.estimators.workers.predictions import (
    RIDGE,
    differences_by_others,
    known_differences,
)
from hodgerank.types import BoolArray, FloatArray

# A worker is trusted fully until honesty is this improbable: on weak signals everybody looks a
# little random, and discounting honest workers costs more than it gains.
SUSPICION = 0.3
MAX_ROUNDS = 30
FEWEST_ANSWERS = 8  # below this a worker cannot be told from any other
COMMON = 4.0  # standard errors by which the others must agree before anybody is measured by them
IMPRECISE = 2 / 3  # of the typical acuity: who is surely below follows the scores less closely


@dataclass(frozen=True, eq=False)
class WorkerTypes:
    """Probability of each type, one row per worker, and the ranking that takes them into account.

    Attributes
    ----------
    acuity
        How closely the worker follows the scores, if honest; 1 is typical.
    imprecision_p_value
        Of an acuity of at least IMPRECISE.
    comparable
        Whether the others agree with each other, so that the worker can be measured by them.
    trust
        Weight of the worker's answers in the ranking: 1 as they are, 0 not at all, negative
        turned round.
    """

    honest: FloatArray
    random: FloatArray
    adversarial: FloatArray
    acuity: FloatArray
    imprecision_p_value: FloatArray
    comparable: BoolArray
    trust: FloatArray
    ranking: Ranking
    iterations: int
    converged: bool

    @property
    def reliability(self) -> FloatArray:
        """How much of a worker's answers follow the scores: 1 honest, 1/2 random, 0 adversarial.

        NaN where there is nobody to measure the worker by.
        """
        return np.where(self.comparable, self.honest + self.random / 2, np.nan)


def worker_types(cells: WorkerCells) -> WorkerTypes:
    """EM from the plain ranking; items no trusted answer joins are ranked separately.

    Weights count relative to each other: they are scaled to sum to the effective number of
    answers, so that their unit does not matter.
    """
    cells = cells.in_effective_answers()
    trust, scores = np.ones(cells.n_workers), np.zeros(cells.graph.n_items)
    rounds, change = 0, np.inf
    while change > 1e-3 and rounds < MAX_ROUNDS:
        rounds += 1
        difference, scores = known_differences(cells, trust, scores)
        share = cells.independent_share(trust)
        kinds = Kinds.fitted(Agreement.of(cells, difference[cells.edge], share))
        updated = _trust(kinds)
        change = float(np.abs(updated - trust).max(initial=0.0))
        trust = updated
    agreement = Agreement.of(cells, differences_by_others(cells, trust, scores), share)
    kinds = Kinds.fitted(agreement)
    comparable = _comparable(cells)
    trust = np.where(comparable, _trust(kinds), trust)
    honest, random, adversarial = kinds.probabilities
    return WorkerTypes(
        honest=honest,
        random=random,
        adversarial=adversarial,
        acuity=kinds.acuity,
        imprecision_p_value=_imprecision(agreement, kinds.typical),
        comparable=comparable,
        trust=trust,
        ranking=bradley_terry(cells.trusting(trust), ridge=RIDGE, components="separate"),
        iterations=rounds,
        converged=change <= 1e-3,
    )


def _trust(kinds: Kinds) -> FloatArray:
    honest, _, adversarial = kinds.probabilities
    return np.where(honest < SUSPICION, honest - adversarial, 1.0)


def _imprecision(agreement: Agreement, typical: float) -> FloatArray:
    """By the likelihood ratio of the best acuity to the best that is not small."""
    honest, _ = agreement.at_acuities
    honest = np.column_stack((agreement.by_chance, honest))
    small = np.append(0.0, ACUITIES) < IMPRECISE * typical
    best, otherwise = honest.max(axis=1), honest[:, ~small].max(axis=1)
    return np.asarray(ndtr(-np.sqrt(2 * np.maximum(best - otherwise, 0.0))))


def _comparable(cells: WorkerCells) -> BoolArray:
    """Of each worker, whether the others agree with each other, to measure the worker by.

    All are trusted alike: of coins too, some that happen to agree would be trusted.
    """
    trust, start = np.ones(cells.n_workers), np.zeros(cells.graph.n_items)
    agreement = Agreement.of(
        cells, differences_by_others(cells, trust, start), cells.independent_share(trust)
    )
    surplus, variance = agreement.surplus
    z = surplus / np.sqrt(np.maximum(variance, 1e-300))
    total, squares, count = (part.sum() - part for part in (z, z**2, 1.0 * (variance > 0)))
    # Together they agree; or, where some are adversarial, most agree and each one surely does or
    # does not.
    count = np.maximum(count, 1.0)
    together, each = total / np.sqrt(count), (squares - count) / np.sqrt(2 * count)
    return np.asarray((together > COMMON) | ((each > COMMON) & (together > 1)))
