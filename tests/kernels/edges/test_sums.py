"""Sums over the answers of each pair, against a dictionary."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import edges

rows = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(1, 5),
        st.sampled_from([-1.0, 1.0, 0.0, 0.5]),
        st.sampled_from([0.5, 1.0, 3.0]),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=30,
)


def in_a_dictionary(left, right, outcome, weight, multiplicity):
    total = defaultdict(lambda: np.zeros(5))
    for a, b, y, w, k in zip(left, right, outcome, weight, multiplicity, strict=True):
        pair, turned = ((a, b), y) if a < b else ((b, a), -y)
        total[pair] += k * np.array([1, w, w * w, w * turned, w * turned * turned])
    return dict(sorted(total.items()))


def assert_same(found, wanted):
    assert list(zip(found.i.tolist(), found.j.tolist(), strict=True)) == list(wanted)
    columns = np.array(list(wanted.values())).T
    np.testing.assert_array_equal(found.counts, columns[0])
    np.testing.assert_allclose(found.weights, columns[1])
    np.testing.assert_allclose(found.weight_squares, columns[2])
    np.testing.assert_allclose(found.sums, columns[3], atol=1e-12)
    np.testing.assert_allclose(found.squares, columns[4], atol=1e-12)


@pytest.mark.parametrize("n_items", [6, 300], ids=["in a table", "by sorting"])
@given(rows=rows, plain=st.booleans(), weighted=st.booleans(), repeated=st.booleans())
def test_edges_are_those_of_a_dictionary(n_items, rows, plain, weighted, repeated):
    left, shift, outcome, weight, multiplicity = map(np.array, zip(*rows, strict=True))
    left = (left * (n_items // 6)).astype(np.int32)
    right = ((left + shift * (n_items // 6)) % n_items).astype(np.int32)
    if plain:
        outcome = np.where(outcome > 0, 1.0, -1.0)
    ones = np.ones(len(rows))
    found = edges.sum_by_edge(
        left, right, outcome, weight if weighted else None, multiplicity if repeated else None,
        n_items,
    )  # fmt: skip
    wanted = in_a_dictionary(
        left.tolist(), right.tolist(), outcome, weight if weighted else ones,
        multiplicity if repeated else ones,
    )  # fmt: skip
    assert_same(found, wanted)


@given(rows)
def test_edges_that_occur_several_times_and_either_way_round_are_added_up(rows):
    left, shift, outcome, weight, multiplicity = map(np.array, zip(*rows, strict=True))
    left = left.astype(np.int32)
    right = ((left + shift) % 6).astype(np.int32)
    each = edges.EdgeSums(
        left, right, multiplicity, multiplicity * weight, multiplicity * weight**2,
        multiplicity * weight * outcome, multiplicity * weight * outcome**2,
    )  # fmt: skip
    wanted = in_a_dictionary(left.tolist(), right.tolist(), outcome, weight, multiplicity)
    assert_same(edges.add_up(left, right, each, 6), wanted)


def test_more_answers_than_a_block_are_all_counted(monkeypatch):
    monkeypatch.setattr(edges, "BLOCK", 7)
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4, 100, dtype=np.int32)
    right = ((left + rng.integers(1, 4, 100)) % 4).astype(np.int32)
    outcome = rng.choice([-1.0, 1.0], 100)
    wanted = in_a_dictionary(left.tolist(), right.tolist(), outcome, np.ones(100), np.ones(100))
    assert_same(edges.sum_by_edge(left, right, outcome, None, None, 4), wanted)
