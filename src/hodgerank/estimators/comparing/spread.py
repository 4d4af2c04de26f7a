"""How much more, or less, answers vary around the scores than the model says."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.comparing.contrasts import contrast_variances, contrasts
from hodgerank.estimators.comparing.populations import Populations
from hodgerank.types import BoolArray, FloatArray


class Spread(Protocol):
    """From the information about scores to their variances.

    Slopes are those of each answer's log-likelihood at the scores, as fitted.
    """

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """Variance of scores fitted to some answers, over what the information says."""

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Of each population's contrast with the others, by item."""


class AnswerSpread:
    """Each answer varies by itself.

    A plain choice has the variance that its probability gives it; where there are ties and grades,
    the residuals say by how much less they vary.
    """

    def __init__(self, crowds: Populations, slopes: FloatArray, curvatures: FloatArray) -> None:
        freedom = len(slopes) - len(crowds.names) * (crowds.n_items - 1)
        self._inflation = 1.0
        if freedom > 0 and not (np.abs(crowds.outcome) == 1).all():
            found = float((slopes**2 / crowds.weight).sum() / curvatures.sum())
            self._inflation = found * len(slopes) / freedom

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """The same for all."""
        return self._inflation

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """As of independent populations."""
        variances = np.array([np.diag(inverse) for inverse in inverses])
        return self._inflation * contrast_variances(variances)


class WorkerSpread:
    """Each worker with all of his answers varies around the scores.

    The trace of the clustered sandwich over that of the inverse information, which a handful of
    workers tells already; the single variances of the sandwich would need tens of them. Workers who
    happen to agree vary no less than their answers do.
    """

    def __init__(self, crowds: Populations, answers: AnswerSpread) -> None:
        self._answers = answers
        unknown = crowds.worker == NO_WORKER
        alone = crowds.worker.max() + np.cumsum(unknown)  # a worker for each such answer
        _, self._worker = np.unique(np.where(unknown, alone, crowds.worker), return_inverse=True)
        self._crowds = crowds

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """On average over the items."""
        influence = self._influence(slopes, rows, inverse)
        found = float(np.einsum("wi,wi->", influence, influence) / np.trace(inverse))
        return max(found, self._answers.inflation(slopes, rows, inverse))

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Workers who are in several populations take part of their taste out of the contrast."""
        influences = [
            self._influence(slopes, self._crowds.population == g, inverse)
            for g, inverse in enumerate(inverses)
        ]
        of_contrasts = contrasts(np.array(influences))
        model = contrast_variances(np.array([np.diag(inverse) for inverse in inverses]))
        spread = np.einsum("gwi,gwi->g", of_contrasts, of_contrasts)
        found = model * (spread / model.sum(axis=1))[:, None]
        return np.asarray(np.maximum(found, self._answers.contrast_variances(slopes, inverses)))

    def _influence(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> FloatArray:
        """What each worker adds to the scores, larger by what fitting them took out of it."""
        worker, edge = self._worker[rows], self._crowds.edge[rows]
        gradients = np.zeros((int(self._worker.max()) + 1, self._crowds.n_items))
        np.add.at(gradients, (worker, self._crowds.i[edge]), slopes[rows])
        np.add.at(gradients, (worker, self._crowds.j[edge]), -slopes[rows])
        n_workers, freedom = len(np.unique(worker)), self._crowds.n_items - 1
        taken_out = n_workers / (n_workers - 1) * len(edge) / max(len(edge) - freedom, 1)
        return np.asarray(gradients @ inverse * np.sqrt(taken_out))
