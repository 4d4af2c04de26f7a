"""Who ties more than others do on the same pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.types import BoolArray, FloatArray

LARGE_EXCESS = 0.15  # more ties than expected, as a share of answers, before it is worth a word
BELIEF = 5.0  # answers of the whole crowd that each pair's own rate is mixed with
LEAST_RATE = 0.01


@dataclass(frozen=True, eq=False)
class TieHabits:
    """Of each worker: share of ties, what others would have tied of the same pairs, p-value."""

    share: FloatArray
    expected: FloatArray
    p_values: FloatArray

    @property
    def is_large(self) -> BoolArray:
        """Whether the excess is worth a word."""
        return np.asarray(self.share - self.expected > LARGE_EXCESS)


def tie_habits(cells: WorkerCells) -> TieHabits:
    """Compare each worker's ties with those of others on the same pairs.

    Close pairs are tied more often, so each pair has a rate of its own, from all others. The level
    is that of the median worker, whom up to half of the crowd cannot move.
    """
    answers, ties = cells.per_worker(cells.answers), cells.per_worker(cells.ties)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = ties / answers
    usual = cells.per_worker(cells.answers * _rates_of_others(cells))
    active = answers > 0
    level = float(np.median(ties[active] / usual[active])) if active.any() else 0.0
    expected = np.minimum(level * usual / np.maximum(answers, 1), 1.0)
    rate = np.clip(expected, LEAST_RATE, 1 - LEAST_RATE)
    z = (ties - answers * rate) / np.sqrt(np.maximum(answers, 1) * rate * (1 - rate))
    # Workers differ in this more than chance, so answers count for less; by how much those who tie
    # rarely show, whom the tie-happy do not hide.
    below = np.abs(z[active & (z < 0)])
    spread = float(np.median(below)) / 0.6745 if len(below) else 1.0
    excess = max(spread, 1.0) ** 2
    k, n = ties / excess, answers / excess
    p_values = np.where(k > 0, betainc(np.maximum(k, 1e-9), n - k + 1, rate), 1.0)
    return TieHabits(share, np.where(active, expected, np.nan), np.where(active, p_values, np.nan))


def _rates_of_others(cells: WorkerCells) -> FloatArray:
    """For each cell, the rate of ties on its edge without the cell's own answers."""
    overall = (cells.ties.sum() + 0.5) / (cells.answers.sum() + 1)
    ties = cells.per_edge(cells.ties)[cells.edge] - cells.ties
    answers = cells.per_edge(cells.answers)[cells.edge] - cells.answers
    return np.asarray((ties + BELIEF * overall) / (answers + BELIEF))
