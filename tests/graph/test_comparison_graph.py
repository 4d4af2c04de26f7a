from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph
from strategies import comparisons


def test_edges_by_hand():
    graph = hr.ComparisonGraph.from_comparisons(
        hr.read_comparisons([("a", "b", 1), ("b", "a", 1), ("a", "b", 0.5), ("c", "b", -1)])
    )
    assert graph.items == ("a", "b", "c")
    assert list(zip(graph.i, graph.j, strict=True)) == [(0, 1), (1, 2)]
    assert graph.counts.tolist() == [3, 1]
    np.testing.assert_allclose(graph.flows, [0.5 / 3, 1])
    np.testing.assert_allclose(graph.squares, [2.25, 1])
    assert graph.votes_per_item.tolist() == [3, 4, 1]


@given(comparisons(weighted=True, connected=False))
def test_sums_equal_those_over_the_answers(votes):
    graph = hr.ComparisonGraph.from_comparisons(votes)
    turned = np.where(votes.left < votes.right, votes.outcome, -votes.outcome)
    for a, b, count, weight, flow, square in zip(
        graph.i, graph.j, graph.counts, graph.weights, graph.flows, graph.squares, strict=True
    ):
        mine = (np.minimum(votes.left, votes.right) == a) & (
            np.maximum(votes.left, votes.right) == b
        )
        assert count == mine.sum()
        assert weight == pytest.approx(votes.weight[mine].sum())
        assert flow == pytest.approx((votes.weight * turned)[mine].sum() / weight)
        assert square == pytest.approx((votes.weight * turned**2)[mine].sum())
    assert graph.n_votes == len(votes)


def test_the_sorted_and_the_tabulated_sums_agree():
    votes = hr.simulate_comparisons(400, 3_000, workers={"tie-happy": 3}, rng=0)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    dense = np.zeros((400, 400))
    np.add.at(dense, (votes.left, votes.right), votes.outcome)
    dense -= dense.T
    np.testing.assert_allclose(graph.flows * graph.weights, dense[graph.i, graph.j], atol=1e-12)
    assert (np.diff(graph.i * 400 + graph.j) > 0).all()
    assert (graph.squares <= graph.weights).all()


def test_components_are_named_with_pairs_that_join_them():
    votes = hr.read_comparisons(
        [("a", "b", 1), ("b", "c", 1), ("x", "y", 1), ("x", "y", 1), ("p", "q", 0)]
    )
    graph = hr.ComparisonGraph.from_comparisons(votes)
    assert graph.n_components == 3
    assert not graph.is_connected
    assert graph.component_items()[0] == ("a", "b", "c")
    with pytest.raises(DisconnectedGraph) as caught:
        graph.require_connected()
    assert caught.value.components[0] == ("a", "b", "c")
    assert ("b", "x") in caught.value.bridges
    joined = [
        *votes.to_frame("polars").select("left", "right", "outcome").rows(),
        *[(a, b, 1) for a, b in caught.value.bridges],
    ]
    assert hr.hodge_rank(joined).n_components == 1
    assert "3 disconnected groups" in str(caught.value)
    assert "components='separate'" in str(caught.value)


def test_arrays_are_read_only():
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons([("a", "b", 1)]))
    with pytest.raises(ValueError, match="read-only"):
        graph.flows[0] = 0
