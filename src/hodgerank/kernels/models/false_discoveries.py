"""Many tests at once: which are significant if few of those are to be false [Benjamini95].

Written out, because importing scipy.stats takes longer than most of what is tested.
"""

from __future__ import annotations

import numpy as np

from hodgerank.types import BoolArray, FloatArray


def discoveries(p_values: FloatArray, rate: float) -> BoolArray:
    """The largest number k of smallest p-values, the largest of them at most rate k / n.

    NaN is not tested, and does not count.
    """
    found = np.zeros(len(p_values), bool)
    order = np.argsort(p_values, kind="stable")[: int(np.isfinite(p_values).sum())]
    allowed = rate * np.arange(1, len(order) + 1) / max(len(order), 1)
    passed = np.flatnonzero(p_values[order] <= allowed)
    if len(passed):
        found[order[: passed[-1] + 1]] = True
    return found
