"""Every layout that docs/guides/reading-votes.md promises to read."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fuzz.answer_rows import (
    chosen_items,
    counted,
    decided,
    flags,
    numbers,
    without_header,
    words,
)
from fuzz.other_rows import best_and_worst, long_ballots, tallies, wide_ballots, win_matrix
from fuzz.sheets import Sheet
from fuzz.votes import Crowd


def draw_sheet(rng: Random, crowd: Crowd) -> Sheet:
    """The votes in some layout."""
    makers: list[Callable[[Random, Crowd], Sheet]] = [
        numbers, words, chosen_items, flags, decided, counted, tallies, win_matrix,
        long_ballots, wide_ballots, best_and_worst, without_header,
    ]  # fmt: skip
    weights = [20, 15, 15, 5, 8, 6, 6, 6, 6, 5, 5, 6]
    return rng.choices(makers, weights)[0](rng, crowd)
