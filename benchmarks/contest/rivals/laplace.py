"""Bradley-Terry scores with a Gaussian posterior, by Laplace's method."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

PRIOR_VARIANCE = 4.0  # of scores in logits
MOST_STEPS = 20
SMALL = 1e-4  # a step in logits that changes no choice


class LaplacePosterior:
    """Mode and inverse curvature of the log posterior; each answer starts from the last mode."""

    def __init__(self, n: int) -> None:
        self.mean = np.zeros(n)
        self.covariance = PRIOR_VARIANCE * np.eye(n)
        self._wins = np.zeros((n, n))

    def learn(self, i: int, j: int, outcome: float) -> None:
        """An answer; `settle` takes it in."""
        self._wins[i, j] += (1 + outcome) / 2
        self._wins[j, i] += (1 - outcome) / 2

    def settle(self) -> None:
        """Find the mode by Newton's method."""
        games = self._wins + self._wins.T
        for _ in range(MOST_STEPS):
            p = expit(self.mean[:, None] - self.mean)
            slope = (self._wins - games * p).sum(axis=1) - self.mean / PRIOR_VARIANCE
            weights = games * p * p.T
            curvature = -weights
            np.fill_diagonal(curvature, weights.sum(axis=1) + 1 / PRIOR_VARIANCE)
            self.covariance = np.linalg.inv(curvature)
            step = self.covariance @ slope
            self.mean = self.mean + step
            if np.abs(step).max() < SMALL:
                break
