"""Huber's loss on cells, against answers one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import huber
from hodgerank.kernels.huber import FLAT, group_cells, huber_objective, soft

N_EDGES = 3
answers = st.lists(
    st.tuples(
        st.integers(0, N_EDGES - 1),
        st.sampled_from([-1.0, -0.5, 0.0, 1.0]),
        st.sampled_from([0.5, 1.0, 2.0]),
    ),
    min_size=1,
    max_size=20,
)


def arrays(rows):
    edge, value, weight = map(np.array, zip(*rows, strict=True))
    return edge, value, weight


def loss_of(r, penalty):
    """min over e of (r - e)^2 / 2 + penalty |e|."""
    e = np.linspace(-4, 4, 80_001)
    return np.min((r - e) ** 2 / 2 + penalty * np.abs(e))


@given(answers)
def test_cells_hold_the_weight_of_their_answers(rows):
    edge, value, weight = arrays(rows)
    cells, cell = group_cells(edge, value, weight)
    assert cells.edge[cell].tolist() == edge.tolist()
    assert cells.value[cell].tolist() == value.tolist()
    pairs = list(zip(cells.edge.tolist(), cells.value.tolist(), strict=True))
    assert pairs == sorted(set(zip(edge.tolist(), value.tolist(), strict=True)))
    for k, pair in enumerate(pairs):
        assert cells.weight[k] == sum(w for e, v, w in rows if (e, v) == pair)


@given(st.floats(-3, 3), st.floats(0.01, 2))
def test_soft_thresholding_solves_for_the_outlier(r, penalty):
    e = float(soft(np.array([r]), penalty)[0])
    assert (r - e) ** 2 / 2 + penalty * abs(e) <= loss_of(r, penalty) + 1e-12


@given(answers, st.floats(0.2, 1.5))
def test_the_loss_is_least_squares_with_outliers_taken_out(rows, penalty):
    edge, value, weight = arrays(rows)
    cells, _ = group_cells(edge, value, weight)
    t = np.array([0.3, -0.7, 1.1])
    found, _, _ = huber_objective(cells, penalty, N_EDGES)(t)
    wanted = sum(w * loss_of(v - t[e], penalty) for e, v, w in rows)
    assert found == pytest.approx(-wanted, rel=1e-5, abs=1e-6)


@given(answers, st.floats(0.2, 1.5))
def test_slopes_and_curvatures_are_the_derivatives(rows, penalty):
    edge, value, weight = arrays(rows)
    cells, _ = group_cells(edge, value, weight)
    objective = huber_objective(cells, penalty, N_EDGES)
    t, h = np.array([0.3137, -0.7071, 1.1211]), 1e-6
    _, slope, curvature = objective(t)
    for e in range(N_EDGES):
        step = h * np.eye(N_EDGES)[e]
        up, down = objective(t + step), objective(t - step)
        assert slope[e] == pytest.approx((up[0] - down[0]) / (2 * h), abs=1e-4)
    inside = np.abs(value - t[edge]) <= penalty
    wanted = np.bincount(edge, weight * (inside + FLAT), N_EDGES)
    np.testing.assert_allclose(curvature, wanted, rtol=1e-9)


@given(answers, st.floats(0.05, 2))
def test_many_cells_are_summed_as_few_are(rows, penalty):
    cells, _ = group_cells(*arrays(rows))
    t = np.array([0.3, -0.8, 0.1])
    few = huber_objective(cells, penalty, N_EDGES)(t)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(huber, "MANY_CELLS", 0)
        many = huber_objective(cells, penalty, N_EDGES)(t)
    for one, other in zip(few, many, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
