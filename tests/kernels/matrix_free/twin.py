"""A matrix-free state beside dense matrices that know the same answers."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.matrix_free import grid, search, state
from hodgerank.kernels.matrix_free.state import (
    INFORMATION,
    MEAN,
    N_LEARNED,
    VARIANCE,
    Settings,
    empty_state,
)


def settings(**changes) -> Settings:
    """A coarse grid, which plain Python goes through fast enough."""
    return Settings(
        prior_strength=1.0,
        locality=1.0,
        criterion=INFORMATION,
        link=0,
        reach=0.1,
        residual=0.1,
        bucket_width=0.25,
        mean_range=5.0,
        lowest_variance=1e-4,
        log_ratio=float(np.log(1.05)),
    )._replace(**changes)


def laplacian(weights: np.ndarray) -> np.ndarray:
    """Of a symmetric matrix of weights."""
    return np.diag(weights.sum(axis=0)) - weights


class Twin:
    """Learns everything twice."""

    def __init__(self, n: int, **changes) -> None:
        self.n, self.t = n, settings(**changes)
        self.s = empty_state(n, 4 * n + 16, self.t)._replace(journal=np.empty((50_000, 7)))
        self.s.x[:, VARIANCE] = 1 / self.t.locality
        grid.rebuild(self.s, self.t, np.arange(n), 0)
        self.answered, self.pending = np.zeros((n, n)), np.zeros((n, n))
        self.force = np.zeros(n)
        self._below = None  # counters and list before any pair went out

    def learn(self, i, j, outcome, weight=1.0) -> None:
        search.learn(self.s, self.t, i, j, outcome, weight)
        self._add(self.answered, i, j, weight)
        self.force[i] += weight * outcome
        self.force[j] -= weight * outcome

    def expect(self, i, j) -> None:
        if self._below is None:
            self._below = self.s.counters.copy(), self.s.listed.copy()
        search.expect(self.s, self.t, i, j)
        self._add(self.pending, i, j, 1.0)

    def take_off(self) -> None:
        """No pair is out any more."""
        state.undo(self.s)
        self.s.counters[:], self.s.listed[:] = self._below
        self._below = None
        self.pending[:] = 0.0

    @staticmethod
    def _add(matrix, i, j, weight) -> None:
        matrix[i, j] += weight
        matrix[j, i] += weight

    def learn_randomly(self, rng, times, *, spread=1.5) -> None:
        """Answers to random pairs by a crowd with an opinion."""
        truth = np.linspace(-spread, spread, self.n)
        for _ in range(times):
            i, j = (int(k) for k in rng.choice(self.n, 2, replace=False))
            self.learn(i, j, float(np.sign(truth[i] - truth[j] + rng.logistic())))

    @property
    def covariance(self) -> np.ndarray:
        """With what is out, at the prior strength of the variances."""
        matrix = laplacian(self.answered + self.pending) + self.t.locality * np.eye(self.n)
        return np.linalg.inv(matrix)

    @property
    def resistance(self) -> np.ndarray:
        """Variances of all differences."""
        S = self.covariance
        return np.diag(S)[:, None] + np.diag(S) - 2 * S

    @property
    def precision(self) -> np.ndarray:
        """Of the answers alone, at the prior strength of the means."""
        return laplacian(self.answered) + self.t.prior_strength * np.eye(self.n)

    @property
    def mean(self) -> np.ndarray:
        return np.linalg.solve(self.precision, self.force)

    @property
    def gains(self) -> np.ndarray:
        """Expected information of each pair on the uniform link, 0 on the diagonal."""
        C, mean = self.resistance, self.s.x[:, MEAN]
        v = np.clip(1 - (mean[:, None] - mean) ** 2, 0, 1)
        gains = 0.5 * (v * C / (1 + C) ** 2 + np.log1p(C) - C / (1 + C))
        np.fill_diagonal(gains, 0.0)
        return gains

    @property
    def n_learned(self) -> int:
        return int(self.s.counters[N_LEARNED])
