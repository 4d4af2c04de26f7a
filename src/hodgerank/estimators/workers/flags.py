"""The flag of each worker, and the tests behind it."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from hodgerank.estimators.workers.assessment import (
    ADVERSARIAL,
    CARELESS,
    CLICKING,
    OK,
    TIE_HAPPY,
    TOO_FEW,
)
from hodgerank.estimators.workers.honesty import FEWEST_ANSWERS, WorkerTypes
from hodgerank.estimators.workers.position_bias import PositionBias
from hodgerank.types import BoolArray, FloatArray

LARGE_BIAS = 0.2  # mean answers lean this far before it is called clicking
MANY_TIES = 0.3


def flag_workers(
    answers: FloatArray, ties: FloatArray, bias: PositionBias, types: WorkerTypes, rate: float
) -> tuple[str, ...]:
    """The first flag that applies; tests across workers share their false discoveries."""
    few = answers < FEWEST_ANSWERS
    clicks = _significant(bias.p_values, ~few, rate) & (np.abs(bias.bias) > LARGE_BIAS)
    dishonest = _least_honest(types.honest, ~few, rate)
    hostile = dishonest & (types.adversarial > types.random)
    tie_happy = _significant(_tie_p_values(answers, ties), ~few, rate)
    tie_happy &= ties > MANY_TIES * answers
    choices = [
        (few, TOO_FEW),
        (clicks, CLICKING),
        (tie_happy, TIE_HAPPY),
        (hostile, ADVERSARIAL),
        (dishonest, CARELESS),
    ]
    return tuple(
        next((flag for applies, flag in choices if applies[worker]), OK)
        for worker in range(len(answers))
    )


def _tie_p_values(answers: FloatArray, ties: FloatArray) -> FloatArray:
    """Is a worker's tie rate above that of the others, whose rates differ among themselves too?"""
    rate = (ties.sum() - ties + 1) / (answers.sum() - answers + 2)
    z = (ties - answers * rate) / np.sqrt(np.maximum(answers, 1) * rate * (1 - rate))
    usual = float(np.median(np.abs(z))) / 0.6745  # the spread of a normal distribution is 1
    return np.asarray(ndtr(-z / max(usual, 1.0)))


def _significant(p_values: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """By the procedure of [Benjamini95] over those tested."""
    tested = tested & np.isfinite(p_values)
    found = np.zeros(len(p_values), bool)
    if tested.any():
        found[tested] = false_discovery_control(p_values[tested]) <= rate
    return found


def _least_honest(honest: FloatArray, tested: BoolArray, rate: float) -> BoolArray:
    """The largest group of least honest workers whose mean probability of honesty is small."""
    found = np.zeros(len(honest), bool)
    order = np.flatnonzero(tested)[np.argsort(honest[tested], kind="stable")]
    mean = np.cumsum(honest[order]) / np.arange(1, len(order) + 1)
    found[order[: int((mean <= rate).sum())]] = True
    return found
