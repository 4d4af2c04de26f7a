"""Ties are broken at random, so that the numbering of items does not matter."""

from __future__ import annotations

import numpy as np


def random_argmax(values: np.ndarray, rng: np.random.Generator) -> int:
    """The position of the largest value; of several, any."""
    best = np.flatnonzero(values == values.max())
    return int(best[0] if len(best) == 1 else rng.choice(best))
