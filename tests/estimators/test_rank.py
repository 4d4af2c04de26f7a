"""The default model, and the other models by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph, InvalidArgument, InvalidComparisons
from hodgerank.kernels import expectation_propagation as ep

CROWD = {"honest": 8, "random": 2, "adversarial": 1}
ROWS = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1), ("c", "d", -1)] * 3


def crowd(n=8, m=400, seed=1):
    return hr.simulate_comparisons(n, m, spread=2, workers=CROWD, rng=seed)


@pytest.mark.parametrize(
    ("model", "fit"),
    [
        ("bayes", hr.bayes_rank),
        ("hodgerank", hr.hodge_rank),
        ("bradley-terry", hr.bradley_terry),
        ("thurstone-mosteller", hr.thurstone_mosteller),
        ("robust", hr.robust_rank),
    ],
)
def test_models_are_known_by_name(model, fit):
    votes = crowd()
    assert hr.rank(votes, model=model).score_by_item == fit(votes).score_by_item


def test_options_of_other_models_are_refused():
    votes = crowd()
    for options in (
        {"link": "angular"},
        {"model": "hodgerank", "worker_weights": True},
        {"model": "hodgerank", "components": "together"},
        {"model": "robust", "ridge": 1.0},
        {"model": "least-squares"},
    ):
        with pytest.raises(InvalidArgument):
            hr.rank(votes, **options)


def test_workers_who_choose_at_random_or_reversed_weigh_less():
    ranking = hr.rank(crowd(m=900))
    weights = ranking.worker_weights
    assert all(weights[worker] > 0.9 for worker in weights if str(worker).startswith("honest"))
    assert weights["adversarial-01"] < 0
    assert set(ranking.to_dict()["worker_weights"]) >= {"random-02", "adversarial-01"}


def test_items_outside_of_the_largest_component_are_listed():
    many = [(f"i{k}", f"i{k + 1}", 1) for k in range(20)] + [("x", "y", 1)]
    ranking = hr.rank(many)
    assert set(ranking.not_connected) == {"x", "y"}
    assert len(ranking) == 21
    with pytest.raises(DisconnectedGraph):
        hr.rank([*ROWS, ("x", "y", 1)])
    assert hr.rank([*ROWS, ("x", "y", 1)], components="separate").n_components == 2
    assert len(hr.rank([*ROWS, ("x", "y", 1)], components="together")) == 6


@pytest.mark.parametrize("model", ["bayes", "hodgerank"])
def test_items_without_votes_do_not_spoil_the_ranking(model):
    votes = hr.read_comparisons(ROWS)
    more = replace(votes, items=(*votes.items, "new"))
    graph = hr.ComparisonGraph.from_comparisons(more)
    plain = hr.rank(votes, model=model)
    for source in (more, graph):
        ranking = hr.rank(source, model=model)
        assert ranking.no_votes == ("new",)
        assert ranking.score_by_item == plain.score_by_item
    with pytest.raises(InvalidComparisons, match="no votes"):
        hr.rank(replace(votes.select(np.zeros(len(votes), bool)), items=("a", "b")))


def test_separate_components_are_ranked_each_by_themselves():
    ranking = hr.rank([*ROWS, ("x", "y", 1), ("x", "y", 1)], components="separate")
    assert ranking.items[4:] == ("x", "y")
    assert ranking.ranks.tolist()[4:] == [1, 2]
    for component in (0, 1):
        assert ranking.scores[ranking.components == component].sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("shared", [0.0, 1.5])
def test_units_count_by_what_they_have_in_common(shared):
    rng = np.random.default_rng(3)
    n, units = 8, 30
    truth, per_unit = rng.normal(0, 1, n), rng.normal(0, shared, (units, n))
    unit = rng.integers(0, units, 1500)
    left, right = rng.integers(0, n, (2, 1500))
    keep = left != right
    left, right, unit = left[keep], right[keep], unit[keep]
    taste = truth + per_unit[unit]
    rows = np.arange(len(left))
    logit = taste[rows, left] - taste[rows, right]
    outcome = np.where(rng.random(len(left)) < 1 / (1 + np.exp(-logit)), 1.0, -1.0)
    votes = hr.Comparisons(
        items=tuple(range(n)), left=left, right=right, outcome=outcome,
        ballot=unit.astype(np.int32), units=tuple(f"u{k}" for k in range(units)),
    )  # fmt: skip
    clustered, plain = hr.rank(votes), hr.rank(votes, covariance="model")
    wider = (clustered.standard_errors / plain.standard_errors).mean()
    assert clustered.is_clustered
    assert (wider > 1.5) == bool(shared), wider


def test_numpy_and_numba_move_sites_alike(monkeypatch):
    votes = hr.simulate_comparisons(12, 200, spread=2, rng=5)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    found = []
    for loaded in (True, False):
        monkeypatch.setattr(ep, "numba_is_loaded", lambda loaded=loaded: loaded)
        found.append((hr.bayes_rank(graph), hr.bayes_rank(votes, position_bias="worker")))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(one.standard_errors, other.standard_errors, rtol=1e-8)


def test_many_votes_are_ranked_by_the_mode(monkeypatch):
    votes = hr.simulate_comparisons(60, 6000, rng=2)
    exact = hr.bayes_rank(votes)
    monkeypatch.setattr("hodgerank.estimators.empirical_bayes.MANY_PAIRS", 100)
    mode = hr.bayes_rank(votes)
    assert mode.converged
    difference = [mode.score_by_item[item] - exact.score_by_item[item] for item in exact.items]
    assert np.max(np.abs(difference) / exact.standard_errors) < 0.3
    np.testing.assert_allclose(
        mode.standard_errors[mode.positions(exact.items)], exact.standard_errors, rtol=0.03
    )


OTHERS = [("b", "c", 1), ("c", "b", 1), ("b", "d", 1), ("c", "d", 1)] * 3


def few(ranking):
    return [note for note in ranking.notes if "rank first" in note or "the leader" in note]


def test_a_leader_with_few_votes_is_noted_with_the_remedy():
    votes = [*OTHERS, ("a", "b", 1), ("a", "c", 1)]
    for model in ("bayes", "hodgerank", "bradley-terry"):
        ranking = hr.rank(votes, model=model)
        assert ranking.items[0] == "a"
        assert few(ranking) == [
            "the leader, a, has only 2 votes: collect more votes, or leave out items with few "
            "votes (--min-votes 3)"
        ]
    assert few(hr.rank([*votes, ("a", "d", 1)])) == []
    kept = hr.keep_items_with(hr.read_comparisons(votes), 3)
    assert few(hr.rank(kept)) == []


def test_the_remedy_is_one_that_the_votes_allow():
    votes = hr.read_comparisons([*OTHERS, ("a", "b", 1), ("a", "c", 1)])
    graph = hr.ComparisonGraph.from_comparisons(votes)
    assert few(hr.rank(graph)) == ["the leader, a, has only 2 votes: collect more votes"]
    tiny = hr.rank([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)])
    assert few(tiny) == ["the leader, a, has only 2 votes: collect more votes"]


def test_votes_with_a_count_are_as_many_votes():
    rows = {"left": ["a", "b", "a"], "right": ["b", "c", "c"], "wins_left": [3, 3, 3]}
    table = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    votes = hr.read_comparisons([{**row, "wins_right": 1} for row in table])
    assert few(hr.rank(votes)) == []


def test_no_leader_is_noted_where_all_items_are_tied():
    assert few(hr.rank([("a", "b", 0)])) == []


def test_leaders_of_several_components_are_counted():
    apart = hr.rank([("a", "b", 1), ("c", "d", 1)], components="separate")
    assert few(apart) == [
        "2 items that rank first have fewer than 3 votes each: collect more votes"
    ]
