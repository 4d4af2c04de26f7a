"""The flag of each worker, and the tests behind it."""

from __future__ import annotations

import numpy as np

from hodgerank.estimators.position.bias import PositionBias
from hodgerank.estimators.workers.assessment import (
    ADVERSARIAL,
    CARELESS,
    CLICKING,
    IMPRECISE,
    LEANS_LEFT,
    LEANS_RIGHT,
    NOT_KNOWN,
    OK,
    TIE_HAPPY,
    TOO_FEW,
)
from hodgerank.estimators.workers.honesty import FEWEST_ANSWERS, WorkerTypes
from hodgerank.estimators.workers.tie_habits import TieHabits
from hodgerank.kernels.models.false_discoveries import discoveries
from hodgerank.types import BoolArray, FloatArray

LARGE_BIAS = 0.2  # mean answers surely lean further than this before it is called clicking


def flag_workers(
    answers: FloatArray,
    ties: TieHabits,
    bias: PositionBias,
    types: WorkerTypes,
    rate: float,
) -> tuple[str, ...]:
    """The first flag that applies; tests across workers share their false discoveries."""
    few = answers < FEWEST_ANSWERS
    leans = significant(bias.p_values, ~few, rate)
    clicks = leans & ((bias.lower > LARGE_BIAS) | (bias.upper < -LARGE_BIAS))
    dishonest = _least_honest(types, ~few & types.comparable, rate)
    choices = [
        (few, TOO_FEW),
        (clicks, CLICKING),
        (dishonest & (types.adversarial > types.random), ADVERSARIAL),
        (dishonest, CARELESS),
        (significant(ties.p_values, ~few, rate) & ties.is_large, TIE_HAPPY),
        (leans & (bias.bias > 0), LEANS_LEFT),
        (leans, LEANS_RIGHT),
        (significant(types.imprecision_p_value, ~few & types.comparable, rate), IMPRECISE),
        (~types.comparable, NOT_KNOWN),
    ]
    return tuple(
        next((flag for applies, flag in choices if applies[worker]), OK)
        for worker in range(len(answers))
    )


def _least_honest(types: WorkerTypes, tested: BoolArray, rate: float) -> BoolArray:
    """The largest group of least honest workers whose mean probability of honesty is small."""
    found = np.zeros(len(types.honest), bool)
    order = np.flatnonzero(tested)[np.argsort(types.honest[tested], kind="stable")]
    mean = np.cumsum(types.honest[order]) / np.arange(1, len(order) + 1)
    found[order[: int((mean <= rate).sum())]] = True
    return found


def significant(p_values: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """By the procedure of [Benjamini95] over those tested."""
    return discoveries(np.where(tested, p_values, np.nan), rate)
