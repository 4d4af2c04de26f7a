"""When two results are the same."""

from __future__ import annotations

import numpy as np


def assert_same_graph(one, two) -> None:
    """Items and counts exactly, sums up to rounding."""
    assert one.items == two.items
    for name in ("i", "j", "counts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    for name in ("weights", "weight_squares", "flows", "squares"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-12)
