"""Means with standard errors, and paired differences with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from hodgerank.types import FloatArray


@dataclass(frozen=True)
class Estimate:
    """A mean over runs.

    Attributes
    ----------
    mean, stderr
        And its standard error; nan from a single run.
    n
        Number of runs.
    """

    mean: float
    stderr: float
    n: int

    @classmethod
    def of(cls, values: FloatArray) -> Estimate:
        """From one value per run."""
        values = np.asarray(values, float)
        n = len(values)
        stderr = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
        return cls(float(values.mean()), stderr, n)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """By Student's t; unbounded from a single run."""
        if self.n < 2:
            return -np.inf, np.inf
        half = float(stdtrit(self.n - 1, (1 + confidence) / 2)) * self.stderr
        return self.mean - half, self.mean + half

    def over(self, base: float) -> Estimate:
        """As a share of a number taken as known."""
        return Estimate(self.mean / base, self.stderr / base, self.n)
