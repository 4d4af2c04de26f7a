"""Numbers of wins in redrawn answers: binomial, with other numbers and chances in every cell."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray

MOST_DRAWS = 32  # beyond which NumPy, which sets up a method for each cell, is faster


def redrawn_wins(
    draws: IntArray, chances: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Wins in n redrawn crowds, a column each; `chances` are one column, or one for each."""
    wins = rng.random((len(draws), n))
    invert_binomials(wins, np.minimum(draws, MOST_DRAWS), chances)
    many = np.flatnonzero(draws > MOST_DRAWS)
    if len(many):
        clipped = np.clip(chances[many], 0.0, 1.0)
        wins[many] = rng.binomial(draws[many, None], clipped, (len(many), n))
    return wins


@compiled
def invert_binomials(uniforms: FloatArray, draws: IntArray, chances: FloatArray) -> None:
    """Replace uniform numbers by the numbers of wins in so many draws that they stand for.

    Each row has its number of draws, which should be small; `chances` are one column, or one for
    each, and what of them lies beyond 0 and 1 is cut off. The distribution function is added up
    win by win, for all columns of a row together and without a branch, from the end that chances
    leave heavier: there nothing underflows.
    """
    n_rows, n_columns = uniforms.shape
    rare, odds, mass, rest, wins = np.empty((5, n_columns))
    for row in range(n_rows):
        n, own = draws[row], chances[row]
        for column in range(n_columns):
            chance = own[column] if len(own) > 1 else own[0]
            rare[column] = min(max(min(chance, 1 - chance), 0.0), 0.5)
            odds[column] = rare[column] / (1 - rare[column])
            mass[column], wins[column] = 1.0, 0.0
        for _ in range(n):
            for column in range(n_columns):
                mass[column] *= 1 - rare[column]
        for column in range(n_columns):
            rest[column] = uniforms[row, column] - mass[column]
        for won in range(n):
            ratio = (n - won) / (won + 1)
            for column in range(n_columns):
                wins[column] += 1.0 if rest[column] >= 0 else 0.0
                mass[column] *= odds[column] * ratio
                rest[column] -= mass[column]
        for column in range(n_columns):
            chance = own[column] if len(own) > 1 else own[0]
            uniforms[row, column] = wins[column] if chance < 0.5 else n - wins[column]
