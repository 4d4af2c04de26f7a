"""Latent classes of workers, with acuity and position bias of every worker.

logit P(left) = a_w (x_gi - x_gj) + b_w for worker w of class g, with priors a ~ N(1, 1),
b ~ N(0, 1), and class scores x_g shrunk to their mean over classes. Careless, adversarial and
position-biased workers are therefore no classes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hodgerank.estimators.preference_groups.worker_votes import WorkerVotes
from hodgerank.kernels.latent_classes import (
    gradient_products,
    own_influence,
    predict,
    score_equations,
    update_workers,
)
from hodgerank.types import FloatArray, IntArray

RIDGE = 0.1  # precision of the mean scores
LOOSEST, TIGHTEST = 0.25, 20.0  # precision of the classes' deviations from them
SHARED = 0.5  # expected share of the variance of scores that classes share
MOST_STEPS, FINAL_STEPS = 40, 200
OWN_STEPS = 4
CLOSE = 0.02  # step of the scores
LEAST_RISE, LEAST_SHARE = 0.3, 1e-5  # of the log likelihood, and of it per vote
SURE_START = 0.8  # responsibility of the class of the first partition
N_STARTS, N_ROUNDS = 4, 20  # of k-means


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """Fitted classes; all arrays have one row per class.

    Attributes
    ----------
    x
        Scores.
    a, b, precision
        Acuity and position bias of every worker in every class, and their posterior precision
        (entries aa, ab, bb).
    share
        Responsibility: posterior probability that a worker belongs to a class.
    ridge
        Precision of the deviations of a class from the mean scores; of the scores if there is one.
    """

    x: FloatArray
    a: FloatArray
    b: FloatArray
    precision: FloatArray
    share: FloatArray
    ridge: float
    converged: bool

    def __len__(self) -> int:
        """Number of classes."""
        return len(self.x)

    @property
    def sizes(self) -> FloatArray:
        """Expected share of workers in each class, with one worker more in each."""
        n, k = self.share.shape[1], len(self)
        return np.asarray((self.share.sum(axis=1) + 1) / (n + k))

    def covariances(self, votes: WorkerVotes) -> FloatArray:
        """Return the covariance of the scores of each class, given the classes of the workers."""
        information, _ = self._equations(votes)
        return np.asarray(np.linalg.inv(information + self.ridge * np.eye(votes.n_items)), float)

    def predictions(self, votes: WorkerVotes, covariances: FloatArray) -> FloatArray:
        """Return the probability that item i of each cell is preferred."""
        d = votes.differences(self.x)
        return predict(
            votes.row, votes.i, votes.j, votes.side, d,
            self.a, self.b, self.precision, self.share, covariances,
        )  # fmt: skip

    def derivatives(self, votes: WorkerVotes, scale: FloatArray) -> FloatArray:
        """Return (votes won - expected) of every cell and class, times a factor of its row."""
        t = self.a[:, votes.row] * votes.differences(self.x) + self.b[:, votes.row] * votes.side
        miss = votes.won - votes.weight / (1 + np.exp(-t))
        return np.asarray(scale[:, votes.row] * miss)

    def clustered(self, votes: WorkerVotes, covariances: FloatArray) -> FloatArray:
        """Return the covariances of the scores of each class, clustered by worker."""
        miss = self.derivatives(votes, self.share * self.a)
        return np.array(
            [
                inverse @ gradient_products(votes.starts, votes.i, votes.j, own, votes.n_items)
                @ inverse
                for inverse, own in zip(covariances, miss, strict=True)
            ]
        )  # fmt: skip

    def without_own_votes(self, votes: WorkerVotes, covariances: FloatArray) -> LatentClasses:
        """Return the same classes, with each worker compared to scores without their own votes.

        A worker pulls the scores of their class towards their own votes, which would make
        responsibilities too certain.
        """
        miss = self.derivatives(votes, self.share * self.a)
        own = [
            own_influence(votes.starts, votes.i, votes.j, each, covariance)
            for each, covariance in zip(miss, covariances, strict=True)
        ]
        a, b = self.a.copy(), self.b.copy()
        d = votes.differences(self.x) - np.array(own)
        marginal, precision = update_workers(
            votes.starts, votes.side, votes.won, votes.weight, d, a, b, OWN_STEPS
        )
        return replace(self, a=a, b=b, precision=precision, share=_shares(marginal, self.sizes))

    def with_scores_refitted(self, votes: WorkerVotes) -> LatentClasses:
        """Return the same classes and workers with new scores."""
        found = replace(self, x=np.repeat(self.x.mean(axis=0, keepdims=True), len(self), axis=0))
        for _ in range(MOST_STEPS):
            step = found.score_step(votes)
            found = replace(found, x=found.x + step)
            if np.abs(step).max() < CLOSE:
                break
        return found

    def score_step(self, votes: WorkerVotes) -> FloatArray:
        """Return a Newton step of all scores."""
        information, gradient = self._equations(votes)
        mean = self.x.mean(axis=0)
        rest = RIDGE * mean if len(self) == 1 else RIDGE / len(self) * mean
        rest = rest + (self.ridge * (self.x - mean) if len(self) > 1 else 0.0)
        matrices = information + self.ridge * np.eye(votes.n_items)
        step = np.linalg.solve(matrices, (gradient - rest)[:, :, None])[:, :, 0]
        reach = np.maximum(np.ptp(step, axis=1, keepdims=True), 1e-9)
        return np.asarray(step * np.log1p(reach) / reach)  # as for workers

    def _equations(self, votes: WorkerVotes) -> tuple[FloatArray, FloatArray]:
        return score_equations(
            votes.row, votes.i, votes.j, votes.side, votes.won, votes.weight,
            votes.differences(self.x),
            self.a, self.b, self.precision, self.share, votes.n_items,
        )  # fmt: skip


def fit_one_class(votes: WorkerVotes) -> LatentClasses:
    """Fit one class with common scores."""
    shape = 1, votes.n_workers
    found = LatentClasses(
        x=np.zeros((1, votes.n_items)),
        a=np.ones(shape),
        b=np.zeros(shape),
        precision=np.ones((*shape, 3)),
        share=np.ones(shape),
        ridge=RIDGE,
        converged=False,
    )
    for _ in range(MOST_STEPS):
        found, _ = _with_workers_updated(found, votes)
        step = found.score_step(votes)
        found = replace(found, x=found.x + step)
        if np.abs(step).max() < CLOSE:
            found = replace(found, converged=True)
            break
    return _with_workers_updated(found, votes, 2)[0]


def expected_spread(votes: WorkerVotes, common: LatentClasses) -> float:
    """Return the variance of the scores of one class, without that of their errors."""
    n = votes.n_items
    x = common.x[0] - common.x[0].mean()
    errors = np.trace(common.covariances(votes)[0]) - 1 / RIDGE  # without their common level
    return float(max(x @ x - errors, 1e-9) / max(n - 1, 1))


def fit_classes(
    votes: WorkerVotes,
    common: LatentClasses,
    n_classes: int,
    rng: np.random.Generator,
    most_steps: int = MOST_STEPS,
) -> LatentClasses:
    """Fit several classes by EM, from the partition of the residuals of one class."""
    own_variance = (1 - SHARED) * expected_spread(votes, common)
    found = replace(
        common,
        **{
            name: np.repeat(getattr(common, name), n_classes, axis=0)
            for name in ("x", "a", "b", "precision")
        },
        share=_first_partition(votes, common, n_classes, rng),
        ridge=float(np.clip(1 / own_variance, LOOSEST, TIGHTEST)),
        converged=False,
    )
    before, close = -np.inf, max(LEAST_RISE, LEAST_SHARE * float(votes.weight.sum()))
    for _ in range(most_steps):
        step = found.score_step(votes)
        found, marginal = _with_workers_updated(replace(found, x=found.x + step), votes)
        now = _log_likelihood(marginal, found.sizes)
        found = replace(found, share=_shares(marginal, found.sizes))
        if abs(now - before) < close:
            return replace(found, converged=True)
        before = now
    return found


def _with_workers_updated(
    classes: LatentClasses, votes: WorkerVotes, n_steps: int = 1
) -> tuple[LatentClasses, FloatArray]:
    a, b = classes.a.copy(), classes.b.copy()
    d = votes.differences(classes.x)
    marginal, precision = update_workers(
        votes.starts, votes.side, votes.won, votes.weight, d, a, b, n_steps
    )
    return replace(classes, a=a, b=b, precision=precision), marginal


def _log_likelihood(marginal: FloatArray, sizes: FloatArray) -> float:
    log = marginal + np.log(sizes)[:, None]
    return float(np.logaddexp.reduce(log, axis=0).sum())


def _shares(marginal: FloatArray, sizes: FloatArray) -> FloatArray:
    log = marginal + np.log(sizes)[:, None]
    share = np.exp(log - log.max(axis=0))
    return np.asarray(share / share.sum(axis=0))


def _first_partition(
    votes: WorkerVotes, common: LatentClasses, n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Partition the workers by their residuals along the directions in which these vary most."""
    n = np.maximum(votes.per_worker(votes.weight), 1.0)
    miss = common.derivatives(votes, np.clip(common.a, -1, 1) / np.sqrt(n))[0]
    products = gradient_products(votes.starts, votes.i, votes.j, miss, votes.n_items)
    _, vectors = np.linalg.eigh(products)
    along = vectors[:, -(n_classes - 1) :]
    where = np.column_stack([votes.per_worker(miss * (v[votes.i] - v[votes.j])) for v in along.T])
    label = _k_means(where, n_classes, rng)
    share = np.full((n_classes, votes.n_workers), (1 - SURE_START) / (n_classes - 1))
    share[label, np.arange(votes.n_workers)] = SURE_START
    return share


def _k_means(where: FloatArray, k: int, rng: np.random.Generator) -> IntArray:
    """Return the best partition into k parts of several starts."""
    best, lowest = np.zeros(len(where), np.int64), np.inf
    for _ in range(N_STARTS):
        centres = where[[rng.integers(len(where))]]
        while len(centres) < k:
            away = _squares(where, centres).min(axis=1) + 1e-12
            centres = np.vstack([centres, where[rng.choice(len(where), p=away / away.sum())]])
        label = np.full(len(where), -1)
        for _ in range(N_ROUNDS):
            squares, last = _squares(where, centres), label
            label = squares.argmin(axis=1)
            if (label == last).all():
                break
            mine = label[:, None] == np.arange(k)
            sums = mine.T.astype(float) @ where
            n = mine.sum(axis=0)[:, None]
            centres = np.where(n > 0, sums / np.maximum(n, 1), centres)
        if squares.min(axis=1).sum() < lowest:
            best, lowest = label, float(squares.min(axis=1).sum())
    return best


def _squares(where: FloatArray, centres: FloatArray) -> FloatArray:
    return np.asarray(((where[:, None] - centres) ** 2).sum(axis=2))
