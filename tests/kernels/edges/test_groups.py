"""Grouping by a whole number, against np.unique."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.edges import group_rows


@pytest.mark.parametrize("n_keys", [50, 10**9], ids=["by a table", "by sorting"])
@given(keys=st.lists(st.integers(0, 49), max_size=40))
def test_groups_are_those_of_numpy(n_keys, keys):
    rows = np.array(keys, np.int64) * (n_keys // 50)
    distinct, place = group_rows(rows, n_keys)
    wanted, inverse = np.unique(rows, return_inverse=True)
    np.testing.assert_array_equal(distinct, wanted)
    np.testing.assert_array_equal(place, inverse)
