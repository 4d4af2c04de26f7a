from __future__ import annotations

from dataclasses import replace
from itertools import combinations

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


def remedies(rows, **report):
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(rows))
    with pytest.raises(DisconnectedGraph) as caught:
        graph.described_by(replace(graph.report, **report)).require_connected()
    words = str(caught.value)
    options = ("--by", "--largest-component", "--components separate", "ollect votes")
    return sorted((o for o in options if o in words), key=words.index), words


def test_the_remedy_that_fits_the_votes_comes_first():
    mostly = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("x", "y", 1)]
    order, words = remedies(mostly)
    assert order == ["--largest-component", "--components separate", "ollect votes"]
    assert "3 of 5 items with 75% of the votes" in words
    assert "largest_component(votes)" in words
    halves = [("a", "b", 1), ("x", "y", 1)]
    assert remedies(halves)[0][0] == "--components separate"
    assert remedies(mostly, adaptive=True)[0][0] == "ollect votes"  # somebody can be asked
    order, words = remedies(halves, split_by="the scene")
    assert order == ["--by", "ollect votes"]
    assert "--by 'the scene' (group='the scene')" in words


def test_the_largest_component_is_kept_with_a_note():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("x", "y", 1)]
    votes = hr.read_comparisons(rows)
    part = hr.ComparisonGraph.from_comparisons(votes).largest_component()
    assert part.items == ("a", "b", "c")
    assert part.largest_component() is part
    assert part.report.notes == hr.largest_component(votes).report.notes
    assert part.report.notes == (
        "items not connected to the others left out: 2 (x, y), with 1 of 4 votes (25%)",
    )


def test_arrays_are_read_only():
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons([("a", "b", 1)]))
    with pytest.raises(ValueError, match="read-only"):
        graph.flows[0] = 0


@given(comparisons(weighted=True, connected=False))
def test_operators_are_those_of_the_definitions(votes):
    graph = hr.ComparisonGraph.from_comparisons(votes)
    x, flow = np.random.default_rng(1).normal(size=(2, max(graph.n_items, graph.n_edges)))
    x, flow = x[: graph.n_items], flow[: graph.n_edges]
    np.testing.assert_allclose(graph.D0 @ x, x[graph.i] - x[graph.j])
    along = dict(zip(zip(graph.i.tolist(), graph.j.tolist(), strict=True), flow, strict=True))
    sums = [along[i, j] + along[j, k] - along[i, k] for i, j, k in graph.triangles.tolist()]
    np.testing.assert_allclose(graph.D1 @ flow, sums, atol=1e-12)
    triples = combinations(range(graph.n_items), 3)
    whole = [t for t in triples if all(pair in along for pair in combinations(t, 2))]
    assert sorted(map(tuple, graph.triangles.tolist())) == whole
    assert abs(graph.D1 @ graph.D0).sum() == 0
    dense = np.diag(graph.laplacian.diagonal()) - graph.laplacian.toarray()
    np.testing.assert_allclose(dense[graph.i, graph.j], graph.weights)
    np.testing.assert_allclose(graph.laplacian @ np.ones(graph.n_items), 0, atol=1e-9)


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 4), (6, 5), (9, 2)])
def test_scores_of_complete_balanced_votes_are_wins_minus_losses_over_votes_and_items(n, m):
    rng = np.random.default_rng(n)
    left, right = np.repeat(np.triu_indices(n, 1), m, axis=1)
    outcome = rng.choice([-1.0, 0.0, 1.0], len(left))
    votes = hr.Comparisons(tuple(range(n)), left, right, outcome)
    borda = np.bincount(left, outcome, n) - np.bincount(right, outcome, n)
    ranking = hr.hodge_rank(votes)
    scores = [ranking[item].score for item in range(n)]
    np.testing.assert_allclose(scores, borda / (n * m), atol=1e-12)


def test_scores_of_a_complete_balanced_design_are_borda_counts():
    votes = hr.simulate_comparisons(7, 7 * 6 // 2 * 4, pairs="rounds", rng=4)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    assert set(graph.counts.tolist()) == {4}
    borda = graph.D0.T @ graph.flows / graph.n_items  # mean outcome against all items
    ranking = hr.hodge_rank(graph)
    np.testing.assert_allclose([ranking[item].score for item in graph.items], borda, atol=1e-12)
