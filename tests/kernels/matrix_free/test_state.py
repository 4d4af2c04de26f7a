"""The arrays of a matrix-free posterior."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.matrix_free.state import (
    CELL,
    FIRST,
    FIRST_PENDING,
    VARIANCE_ALONE,
    empty_grid,
    empty_state,
    longer,
)
from kernels.matrix_free.twin import settings


def test_an_empty_state_has_no_edges_and_nobody_in_its_grid():
    s = empty_state(5, 12, settings())
    assert (s.edges[:, [FIRST, FIRST_PENDING]] == -1).all()
    assert (s.place[:, CELL] == -1).all()
    assert (s.cells == -1).all()
    assert (s.top == -1).all()
    assert not s.counters.any()
    assert len(s.neighbours) == len(s.weights) == 12


def test_where_variances_alone_count_one_bucket_holds_all_means():
    assert len(empty_grid(settings(criterion=VARIANCE_ALONE))["top"]) == 1
    assert len(empty_grid(settings(bucket_width=0.5, mean_range=4.0))["top"]) == 17


@pytest.mark.parametrize("shape", [(3,), (3, 4)])
def test_a_longer_array_keeps_its_rows_and_is_copied_now_and_then(shape):
    array = np.arange(np.prod(shape)).reshape(shape)
    first, copies = array.copy(), 0
    for n in range(3, 200):
        room = array.base
        array = longer(array)
        copies += array.base is not room
        assert array.shape == (n + 1, *shape[1:])
        assert array.dtype == first.dtype
        array[-1] = n
    assert copies < 15
    np.testing.assert_array_equal(array[:3], first)
    assert array.reshape(200, -1)[3:, 0].tolist() == list(range(3, 200))
