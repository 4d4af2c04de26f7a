from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.rank_order import rank_bounds, rank_bounds_independent


def test_bounds_by_hand():
    scores = np.array([3.0, 1.0, 0.9])
    assert rank_bounds(scores, np.eye(3) * 0.1, z=2).tolist() == [[1, 1], [2, 3], [2, 3]]


def test_correlated_scores_are_told_apart_where_independent_ones_are_not():
    scores = np.array([1.0, 0.0])
    together = np.array([[1.0, 0.99], [0.99, 1.0]])
    assert rank_bounds(scores, together, z=2).tolist() == [[1, 1], [2, 2]]
    assert rank_bounds(scores, np.eye(2), z=2).tolist() == [[1, 2], [1, 2]]


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=15))
def test_the_fast_form_equals_the_dense_one(rows):
    rows.sort(reverse=True)
    scores = np.array([float(score) for score, _ in rows])
    variances = np.array([0.31 * v for _, v in rows])
    np.testing.assert_array_equal(
        rank_bounds_independent(scores, variances, 1.7),
        rank_bounds(scores, np.diag(variances), 1.7),
    )
