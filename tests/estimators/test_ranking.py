from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import t as student

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem

COLUMNS = [
    *("item", "score", "stderr", "lower", "upper"),
    *("rank", "rank_lower", "rank_upper", "votes"),
]


@pytest.fixture(scope="module")
def ranking():
    return hr.hodge_rank(hr.simulate_comparisons(9, 900, spread=2, rng=1))


def test_everything_is_aligned_best_first(ranking):
    frame = ranking.to_frame("polars")
    assert frame.columns == COLUMNS
    assert frame["item"].to_list() == list(ranking.items)
    assert (np.diff(ranking.scores) <= 0).all()
    assert frame["rank"].to_list() == ranking.ranks.tolist()
    assert (ranking.intervals[:, 0] < ranking.scores).all()
    assert (ranking.rank_intervals[:, 0] <= ranking.ranks).all()
    assert (ranking.ranks <= ranking.rank_intervals[:, 1]).all()
    assert ranking.votes.sum() == 2 * 900
    assert ranking.top(3) == ranking.items[:3]


def test_to_dict_is_json_with_the_same_rows(ranking):
    content = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert list(content["items"][0]) == COLUMNS
    assert [row["item"] for row in content["items"]] == list(ranking.items)


def test_integer_items_stay_integers():
    ranking = hr.hodge_rank([(10, 9, 1), (9, 8, 1)])
    assert ranking.items == (10, 9, 8)
    assert type(ranking.to_dict()["items"][0]["item"]) is int


def test_tied_items_share_a_rank():
    ranking = hr.hodge_rank([("a", "b", 1), ("a", "c", 1), ("b", "d", 1), ("c", "d", 1)])
    assert ranking.items == ("a", "b", "c", "d")
    assert ranking.ranks.tolist() == [1, 2, 2, 4]
    assert hr.hodge_rank([("a", "b", 0)]).ranks.tolist() == [1, 1]


def test_probability_and_certainty(ranking):
    best, worst = ranking.items[0], ranking.items[-1]
    assert ranking.probability(best, worst) > 0.5
    assert ranking.probability(best, worst) + ranking.probability(worst, best) == pytest.approx(1)
    assert ranking.certainty(best, worst) > 0.99
    assert ranking.certainty(best, best) == 0.5


def test_certainty_is_the_same_by_every_solver(monkeypatch):
    votes = hr.simulate_comparisons(30, 400, rng=2)
    dense = hr.hodge_rank(votes).certainty("item-03", "item-17")
    from hodgerank.kernels.linalg import normal_equations

    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    assert hr.hodge_rank(votes).certainty("item-03", "item-17") == pytest.approx(dense, abs=1e-9)


def test_unknown_items_are_named_with_their_neighbours(ranking):
    with pytest.raises(UnknownItem, match=r"'item-22' is not among the items \(did you mean"):
        ranking.probability("item-22", "item-1")


def test_items_of_different_components_are_not_compared():
    ranking = hr.hodge_rank([("a", "b", 1), ("c", "d", 1)], components="separate")
    with pytest.raises(InvalidArgument, match="different components"):
        ranking.probability("a", "c")


def test_results_are_read_only(ranking):
    for name in ("scores", "standard_errors", "intervals", "rank_intervals", "votes"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(ranking, name)[0] = 0


def test_intervals_follow_the_confidence():
    votes = hr.simulate_comparisons(5, 300, rng=0)
    narrow, wide = hr.hodge_rank(votes, confidence=0.5), hr.hodge_rank(votes, confidence=0.99)
    width = np.diff(wide.intervals) / np.diff(narrow.intervals)
    assert narrow.freedom == 296
    np.testing.assert_allclose(width, student.ppf(0.995, 296) / student.ppf(0.75, 296))
    plain = hr.bradley_terry(votes, confidence=0.99)
    np.testing.assert_allclose(np.diff(plain.intervals)[:, 0], 2 * 2.5758 * plain.standard_errors,
                               rtol=1e-4)  # fmt: skip


@pytest.mark.parametrize("fit", [hr.hodge_rank, hr.bradley_terry])
def test_intervals_cover_the_truth_as_often_as_they_say(fit):
    rng = np.random.default_rng(0)
    link = "uniform" if fit is hr.hodge_rank else "bradley-terry"
    scores, ranks = [], []
    for _ in range(60):
        truth = rng.permutation(np.linspace(-0.45, 0.45, 12))
        votes = hr.simulate_comparisons(12, 600, scores=truth, link=link, rng=rng)
        ranking = fit(votes)
        place = np.array([votes.code(item) for item in ranking.items])
        true_rank = 1 + (truth[:, None] < truth).sum(axis=1)[place]
        low, high = ranking.intervals.T
        scores += ((low <= truth[place]) & (truth[place] <= high)).tolist()
        best, worst = ranking.rank_intervals.T
        ranks += ((best <= true_rank) & (true_rank <= worst)).tolist()
    assert 0.92 < np.mean(scores) < 0.98
    assert np.mean(ranks) > 0.95


@pytest.mark.slow
def test_many_items_have_standard_errors():
    votes = hr.simulate_comparisons(5_000, 100_000, spread=0.2, link="uniform", rng=0)
    ranking = hr.hodge_rank(votes)
    assert "stochastic estimate" in ranking.uncertainty
    assert ranking.rank_intervals.shape == (5_000, 2)
    some = ranking.items[17]
    graph = hr.ComparisonGraph.from_comparisons(votes)
    from hodgerank.kernels.linalg.normal_equations import NormalEquations

    unit = np.zeros(5_000)
    unit[votes.code(some)] = 1
    equations = NormalEquations(graph.i, graph.j, graph.weights, graph.components)
    exact = equations.solve(unit)[votes.code(some)]
    shown = ranking._covariance.variances[votes.code(some)] / ranking._covariance.scale
    assert shown == pytest.approx(exact, rel=0.05)


def test_separate_components_are_told_apart_in_the_table():
    ranking = hr.hodge_rank([("a", "b", 1), ("c", "d", 1)], components="separate")
    assert ranking.to_frame("polars")["component"].to_list() == [0, 0, 1, 1]


def test_no_votes_is_an_error():
    with pytest.raises(InvalidComparisons, match="no rows"):
        hr.hodge_rank([])
