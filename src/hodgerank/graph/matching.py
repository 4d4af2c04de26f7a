"""The scale at which a crowd would show as much of a ranking as the votes do."""

from __future__ import annotations

from collections.abc import Callable

STEPS = 12


def matched_at(surplus: Callable[[float], float], widest: float) -> float:
    """Where a rising function is 0, between 0 and `widest`: by halving, to a 4,000th of that.

    Importing SciPy's root finders takes longer than the steps they save.
    """
    if surplus(0.0) >= 0:
        return 0.0
    low, high = 0.0, widest
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if surplus(middle) > 0 else (middle, high)
    return (low + high) / 2
