"""How far two populations agree, beside how far one crowd would agree with itself."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from hodgerank.types import FloatArray, Item

RANGE = (0.025, 0.975)


class Agreement(NamedTuple):
    """Kendall's tau of two populations, and what noise alone would leave of it.

    `expected` is its mean, and `lower` to `upper` 95 % of its values, after what could as well
    have come from the other population was exchanged.
    """

    populations: tuple[Item, Item]
    tau: float
    expected: float
    lower: float
    upper: float


def taus(scores: FloatArray) -> FloatArray:
    """Kendall's tau of every two rows of scores; a tie counts as 0."""
    low, high = np.triu_indices(scores.shape[1], 1)
    order = np.sign(scores[:, low] - scores[:, high])
    return np.array([np.mean(order[a] * order[b]) for a, b in combinations(range(len(order)), 2)])


def agreements(
    names: tuple[Item, ...], found: FloatArray, exchanged: FloatArray
) -> tuple[Agreement, ...]:
    """Of every two populations, from tau and its values after exchanges, a row each."""
    lower, upper = np.quantile(exchanged, RANGE, axis=0)
    return tuple(
        Agreement(pair, *map(float, values))
        for pair, *values in zip(
            combinations(names, 2), found, exchanged.mean(axis=0), lower, upper, strict=True
        )
    )
