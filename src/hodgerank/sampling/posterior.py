"""Posterior: what a sampler believes about the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.notebook import Displayed, Preview
from hodgerank.types import FloatArray, Item


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Displayed):
    """What the answers so far say about the scores: a Gaussian, as the sampler sees it.

    Attributes
    ----------
    items
        In the order of the sampler.
    mean, covariance
        Of the centred scores.
    """

    items: tuple[Item, ...]
    mean: FloatArray
    covariance: FloatArray

    @property
    def standard_deviations(self) -> FloatArray:
        """Standard deviation of each score."""
        return np.sqrt(np.diag(self.covariance))

    def _headline(self) -> str:
        spread = float(self.mean.std()) if len(self.items) else 0.0
        return f"{len(self.items):,} items, means spread by {spread:.3g}"

    def _preview(self) -> Preview:
        order = np.argsort(-self.mean, kind="stable").tolist()
        deviations = self.standard_deviations
        rows = ((self.items[k], float(self.mean[k]), float(deviations[k])) for k in order)
        return Preview(("item", "mean", "standard deviation"), rows, len(self.items))
