"""Paired differences of two players, which remove the luck of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Paired(NamedTuple):
    """Mean difference over runs, and its standard error."""

    mean: float
    stderr: float

    @property
    def z(self) -> float:
        """How many standard errors it is away from 0."""
        return self.mean / self.stderr if self.stderr else 0.0

    @property
    def is_missing(self) -> bool:
        """Whether nothing was measured."""
        return bool(np.isnan(self.mean))

    def __str__(self) -> str:
        """Difference, error and z."""
        return "" if self.is_missing else f"{self.mean:+.3f} ± {self.stderr:.3f} ({self.z:+.1f})"


def paired(values: np.ndarray, reference: np.ndarray) -> Paired:
    """Return the paired difference of runs that faced the same crowds."""
    difference = values - reference
    return Paired(
        float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))
    )


def mean_of(found: Sequence[Paired]) -> Paired:
    """The mean over regimes, which are independent; those with nothing measured do not count."""
    kept = [each for each in found if not each.is_missing]
    if not kept:
        return Paired(np.nan, np.nan)
    error = np.sqrt(sum(each.stderr**2 for each in kept)) / len(kept)
    return Paired(float(np.mean([each.mean for each in kept])), float(error))
