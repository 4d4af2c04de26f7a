"""Random graphs with given degrees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.edges import rewired


@given(st.integers(3, 20), st.integers(0, 2**32 - 1))
def test_degrees_stay_and_no_edge_is_a_loop_or_there_twice(n, seed):
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    kept = rng.random(len(a)) < rng.random()
    i, j = rewired(a[kept], b[kept], n, rng)
    assert (i < j).all()
    assert len(set(zip(i.tolist(), j.tolist(), strict=True))) == kept.sum()
    before = np.bincount(a[kept], minlength=n) + np.bincount(b[kept], minlength=n)
    assert (np.bincount(i, minlength=n) + np.bincount(j, minlength=n) == before).all()


def test_a_long_ring_does_not_stay_one():
    n = 60
    ends = np.arange(n)
    i, j = np.minimum(ends, (ends + 1) % n), np.maximum(ends, (ends + 1) % n)
    a, b = rewired(i, j, n, np.random.default_rng(0))
    same = np.isin(a * n + b, i * n + j).mean()
    assert same < 0.2
