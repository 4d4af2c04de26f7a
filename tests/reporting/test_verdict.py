"""The verdict on the order: one criterion for the first place, from which places follow."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.estimators.certainty import top_k_certainty
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.reporting.verdict import Verdict, reach_verdict


def verdict_on(votes, **options):
    votes = hr.read_comparisons(votes)
    graph = ComparisonGraph.from_comparisons(votes)
    return reach_verdict(hr.bayes_rank(votes), graph, **options)


def unanimous(n_items, times):
    names = [f"i{k:02d}" for k in range(n_items)]
    return [(a, b, 1) for k, a in enumerate(names) for b in names[k + 1 :]] * times


@pytest.mark.parametrize("n_items", [3, 10, 20])
def test_who_wins_every_direct_vote_is_the_best(n_items):
    found = verdict_on(unanimous(n_items, 10))
    assert found.is_settled
    assert found.leaders == ("i00",)
    assert found.places[0].tolist() == [1, 1]
    assert found.places[1:, 0].min() == 2


def test_few_votes_of_one_opinion_settle_nothing():
    assert not verdict_on(unanimous(10, 4)).is_settled


def test_one_vote_against_the_leader_leaves_it_to_the_posterior():
    votes = [*unanimous(10, 10), ("i01", "i00", 1)]
    direct = verdict_on(votes)
    assert direct.certainty <= top_k_certainty(hr.bayes_rank(votes), 1) + 0.02


def test_the_side_on_which_the_leader_stood_does_not_matter():
    votes = [(b, a, -y) for a, b, y in unanimous(6, 10)]
    assert verdict_on(votes).is_settled


def test_equally_good_leaders_are_seldom_told_apart():
    wrong = sum(
        verdict_on(hr.simulate_comparisons(4, 120, scores=[1, 1, -1, -1], rng=seed)).is_settled
        for seed in range(60)
    )
    assert wrong <= 7  # 5% of 60 are 3


@pytest.mark.parametrize("seed", range(12))
def test_the_best_is_settled_from_its_level_on_and_places_agree(seed):
    found = verdict_on(hr.simulate_comparisons(8, 150, spread=1 + seed / 6, rng=seed))
    assert found.is_settled == (found.certainty >= found.level)
    assert (len(found.leaders) == 1) == found.is_settled
    could_be_first = int((found.places[:, 0] == 1).sum())
    assert could_be_first == len(found.leaders)
    assert (found.places[0, 1] == 1) == found.is_settled


@pytest.mark.parametrize("seed", range(8))
def test_no_place_goes_beyond_its_tier(seed):
    found = verdict_on(hr.simulate_comparisons(9, 200, spread=2, rng=seed))
    assert found.tiers[0][0] == 0
    assert found.tiers[-1][1] == 8
    for first, last in found.tiers:
        assert (found.places[first : last + 1] >= first + 1).all()
        assert (found.places[first : last + 1] <= last + 1).all()


def test_tiers_are_as_small_as_places_allow():
    places = np.array([[1, 2], [1, 2], [3, 3], [4, 6], [4, 5], [5, 6]])
    found = Verdict("tied", ("a", "b"), 0.5, 0.95, places, 0.9, np.zeros(6))
    assert found.tiers == ((0, 1), (2, 2), (3, 5))


def test_the_best_is_at_least_as_certainly_better_than_the_next():
    found = verdict_on(unanimous(6, 10))
    assert found.over_next[0] >= found.certainty


@pytest.mark.parametrize("reason", ["chance", "cyclic", "level", "disconnected"])
def test_without_an_order_nobody_leads(reason):
    found = verdict_on(unanimous(4, 10), no_order=reason)
    assert found.state == reason
    assert found.leaders == ()
    assert found.to_dict()["places"] is None


def test_correlated_votes_settle_nothing():
    found = verdict_on(unanimous(4, 10), is_correlated=True)
    assert found.state == "correlated"
    assert not found.is_settled
