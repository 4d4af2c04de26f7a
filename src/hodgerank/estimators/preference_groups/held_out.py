"""HeldOut: how well classes predict votes that they were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hodgerank.estimators.preference_groups.latent_classes import (
    LatentClasses,
    fit_classes,
    fit_one_class,
)
from hodgerank.estimators.preference_groups.worker_votes import WorkerVotes
from hodgerank.kernels.hypothesis_tests import tail_of_t
from hodgerank.types import FloatArray

NEVER = 1e-9  # least probability of a vote


class Gain(NamedTuple):
    """Gain of the log likelihood of held-out votes: sum, standard error over workers, p-value."""

    total: float
    stderr: float
    p_value: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of the votes of each fold from all others, by number of classes.

    Attributes
    ----------
    fits
        The classes fitted without each fold.
    logs
        Log likelihood of the held-out votes of each worker.
    correct
        Share of the decided votes that were predicted.
    """

    fits: dict[int, tuple[LatentClasses, ...]]
    logs: dict[int, FloatArray]
    correct: dict[int, float]

    def gain(self, n_classes: int, over: int) -> Gain:
        """Compare two numbers of classes; the p-value is one-sided."""
        gains = self.logs[n_classes] - self.logs[over]
        n = len(gains)
        total, stderr = float(gains.sum()), float(np.sqrt(n) * gains.std(ddof=1))
        z = abs(total) / max(stderr, 1e-300)
        tail = tail_of_t(min(z, 1e6), n - 1) if z > 0 else 0.5
        return Gain(total, stderr, tail if total > 0 else 1 - tail)


def hold_out(
    votes: WorkerVotes,
    numbers: Sequence[int],
    rng: np.random.Generator,
    on_fold: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Fit one class, and these numbers of classes, without each fold, and predict its votes."""
    counts = (1, *numbers)
    fits: dict[int, list[LatentClasses]] = {k: [] for k in counts}
    logs = {k: np.zeros(len(votes.won)) for k in counts}
    hits = dict.fromkeys(counts, 0.0)
    lost = votes.weight - votes.won
    for fold in range(votes.n_folds):
        held = votes.fold == fold
        rest = votes.only(~held)
        common = fit_one_class(rest)
        for k in counts:
            classes = common if k == 1 else fit_classes(rest, common, k, rng)
            fits[k].append(classes)
            p = classes.predictions(rest, classes.covariances(rest))
            p = np.clip(p, NEVER, 1 - NEVER)
            log = votes.won * np.log(p) + lost * np.log1p(-p)
            logs[k][held] = log[held]
            hits[k] += float(((votes.won - lost) * np.sign(p - 0.5))[held].sum())
        on_fold()
    # A vote of outcome y counts as |y| decided votes.
    decided = float(np.abs(votes.won - lost).sum())
    return HeldOut(
        {k: tuple(found) for k, found in fits.items()},
        {k: votes.per_worker(log) for k, log in logs.items()},
        {k: (1 + hit / decided) / 2 if decided else np.nan for k, hit in hits.items()},
    )


def cross_fitted(
    votes: WorkerVotes, classes: LatentClasses, fits: Sequence[LatentClasses]
) -> LatentClasses:
    """Refit the scores, counting each vote for the class that the other folds assign its worker to.

    Votes that made up the classes would exaggerate the differences between these.
    """
    from scipy.optimize import linear_sum_assignment

    matched = [linear_sum_assignment(-classes.share @ fit.share.T)[1] for fit in fits]

    def joined(name: str) -> FloatArray:
        parts = [getattr(fit, name)[order] for fit, order in zip(fits, matched, strict=True)]
        stacked = np.stack(parts, axis=2)
        shape = stacked.shape
        return np.ascontiguousarray(stacked.reshape(shape[0], shape[1] * shape[2], *shape[3:]))

    start = LatentClasses(
        x=classes.x,
        a=joined("a"),
        b=joined("b"),
        precision=joined("precision"),
        share=joined("share"),
        ridge=classes.ridge,
        converged=classes.converged,
    )
    return start.with_scores_refitted(votes.by_fold())
