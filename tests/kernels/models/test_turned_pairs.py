from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.rank_order import turned_pairs


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64, 65])
def test_they_are_those_that_counting_finds(n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        before, after = rng.integers(0, 8, (2, n)).astype(float)  # with ties
        differ = np.sign(before[:, None] - before) * np.sign(after[:, None] - after) < 0
        assert turned_pairs(before, after) == differ.sum() // 2
