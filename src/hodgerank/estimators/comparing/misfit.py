"""What pairs have of their own: no scores fit all of them.

Workers err, lose interest and differ in taste, so that a pair's answers deviate from any scores by
more than chance. Populations that compared different pairs would look different for that alone.
"""

from __future__ import annotations

import numpy as np

from hodgerank.estimators.comparing.populations import Populations
from hodgerank.estimators.comparing.shared_scores import SharedScores
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.types import FloatArray

ENOUGH_REPEATS = 30


def misfit_shares(crowds: Populations, shared: SharedScores) -> FloatArray:
    """How much of the mean residual of each pair is the pair's own, not chance.

    m v / (m v + q), with q the variance of an answer, v that of the pairs' misfits, and m the
    answers to the pair; v and q are estimated from their moments.
    """
    weights = np.bincount(crowds.edge, crowds.weight)
    repeats = len(crowds.edge) - len(weights)
    if repeats < ENOUGH_REPEATS:
        return np.zeros(len(weights))
    squares = float((shared.slopes**2 / crowds.weight).sum())
    between = float((np.bincount(crowds.edge, shared.slopes) ** 2 / weights).sum())
    noise = max((squares - between) / repeats, float(np.finfo(float).tiny))
    freedom = max(len(weights) - crowds.n_items + 1, 0)
    misfit = max(between - freedom * noise, 0.0) / float(weights.sum())
    return np.asarray(weights * misfit / (weights * misfit + noise))


def without_misfit(crowds: Populations, shared: SharedScores, shares: FloatArray) -> FloatArray:
    """Slopes of the answers without these shares of the mean of their pair."""
    means = np.bincount(crowds.edge, shared.slopes) / np.bincount(crowds.edge, crowds.weight)
    return np.asarray(shared.slopes - crowds.weight * (shares * means)[crowds.edge])


def balanced(crowds: Populations, shared: SharedScores, slopes: FloatArray) -> FloatArray:
    """Slopes that the shared scores do not balance, after a Newton step to scores that do."""
    acuity = shared.acuity[crowds.population]
    left_over = np.bincount(crowds.edge, acuity * slopes).astype(float)
    gradient = divergence(crowds.i, crowds.j, left_over, crowds.n_items)
    step = shared.information(crowds).solve(gradient)
    moved = (step[crowds.i] - step[crowds.j])[crowds.edge]
    return np.asarray(slopes - acuity * shared.curvatures * moved)
