"""Orders that few arcs contradict, against all orders."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import feedback_arcs as kernel
from hodgerank.kernels.feedback_arcs import Arcs


@st.composite
def arcs_with_costs(draw):
    """The number of items, arcs i < j, and their costs, some of them 0."""
    n = draw(st.integers(2, 6))
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True))
    i, j = np.array(sorted(pairs), np.int32).reshape(-1, 2).T
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = rng.normal(size=len(i)) * (rng.random(len(i)) < 0.8)
    return n, i, j, costs


def least_cost(n, i, j, costs):
    """The least cost against any order of the items."""
    return min(
        sum(abs(c) for a, b, c in zip(i, j, costs, strict=True) if c * (at[b] - at[a]) < 0)
        for at in permutations(range(n))
    )


def cost_of_best(n, i, j, costs):
    arcs = Arcs.of(i, j, n)
    places = kernel.best_order(arcs, costs)
    assert sorted(places) == list(range(n))
    return kernel.contradicted(arcs, costs, places)


@given(arcs_with_costs())
def test_a_graph_is_acyclic_if_some_order_costs_nothing(given_arcs):
    n, i, j, costs = given_arcs
    least = least_cost(n, i, j, costs)
    assert kernel.is_acyclic(Arcs.of(i, j, n), costs) == (least == 0)
    if least == 0:
        assert cost_of_best(n, i, j, costs) == 0


@given(arcs_with_costs())
def test_no_single_item_can_be_moved_to_a_cheaper_place(given_arcs):
    n, i, j, costs = given_arcs
    arcs = Arcs.of(i, j, n)
    places = kernel.best_order(arcs, costs)
    found = kernel.contradicted(arcs, costs, places)
    order = np.argsort(places)
    for v in range(n):
        for to in range(n):
            moved = np.insert(order[order != v], to, v)
            assert kernel.contradicted(arcs, costs, np.argsort(moved)) >= found - 1e-8


@given(arcs_with_costs(), st.randoms(use_true_random=False))
def test_the_cost_does_not_depend_on_the_names_of_items(given_arcs, random):
    n, i, j, costs = given_arcs
    name = np.array(random.sample(range(n), n))
    a, b = name[i], name[j]
    turned = np.where(a < b, costs, -costs)
    renamed = (np.minimum(a, b).astype(np.int32), np.maximum(a, b).astype(np.int32), turned)
    assert cost_of_best(n, *renamed) == pytest.approx(cost_of_best(n, i, j, costs))


@pytest.mark.parametrize("n", [3, 8, 60])
def test_a_long_cycle_is_opened_at_its_weakest_arc(n):
    rng = np.random.default_rng(n)
    name = rng.permutation(n)
    a, b = name, np.roll(name, -1)
    costs = rng.uniform(0.1, 1, n)
    i, j = np.minimum(a, b).astype(np.int32), np.maximum(a, b).astype(np.int32)
    assert cost_of_best(n, i, j, np.where(a < b, costs, -costs)) == pytest.approx(costs.min())


def test_columns_are_measured_separately():
    i, j = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    costs = np.array([[2.0, 2.0], [1.0, -1.0], [3.0, 3.0]])
    np.testing.assert_array_equal(kernel.least_contradicted(Arcs.of(i, j, 3), costs), [0.0, 1.0])
