"""Who leads, by the posterior and by direct answers of one opinion."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.estimators.certainty import leader_is_certain
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.reporting.findings import leading


def led(votes, fit=hr.bayes_rank):
    votes = hr.read_comparisons(votes)
    return leading(fit(votes), ComparisonGraph.from_comparisons(votes))


def unanimous(n_items, times):
    names = [f"i{k:02d}" for k in range(n_items)]
    return [(a, b, 1) for k, a in enumerate(names) for b in names[k + 1 :]] * times


@pytest.mark.parametrize("n_items", [3, 10, 20])
def test_who_wins_every_direct_comparison_is_certain_to_lead(n_items):
    found = led(unanimous(n_items, 10))
    assert found.is_certain
    assert found.items == ("i00",)
    assert found.certainty > 0.95


def test_few_answers_of_one_opinion_are_not_enough():
    assert not led(unanimous(10, 4)).is_certain


def test_one_answer_against_the_leader_is_taken_by_the_posterior_alone():
    votes = unanimous(10, 10)
    ranking = hr.bayes_rank([*votes, ("i01", "i00", 1)])
    found = led([*votes, ("i01", "i00", 1)])
    assert found.is_certain == leader_is_certain(ranking)


def test_the_side_on_which_the_leader_stood_does_not_matter():
    votes = [(b, a, -y) for a, b, y in unanimous(6, 10)]
    assert led(votes).is_certain


def test_equally_good_leaders_are_seldom_told_apart():
    wrong = sum(
        led(hr.simulate_comparisons(4, 120, scores=[1, 1, -1, -1], rng=seed)).is_certain
        for seed in range(60)
    )
    assert wrong <= 8  # 5 % of 60 are 3
