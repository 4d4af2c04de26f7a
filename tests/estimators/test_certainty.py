"""Who may lead, and who is better than the next."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.estimators.certainty import (
    certainty_over_next,
    leader_is_certain,
    possible_leaders,
    top_certainties,
)

CLEAR = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 10
TIED = [("a", "c", 1), ("b", "c", 1), ("a", "b", 1), ("a", "b", -1)] * 9


def test_a_clear_leader_is_the_only_possible_one():
    ranking = hr.hodge_rank(CLEAR)
    assert possible_leaders(ranking) == ("a",)
    assert leader_is_certain(ranking)


def test_tied_leaders_are_both_possible():
    ranking = hr.hodge_rank(TIED)
    assert set(possible_leaders(ranking)) == {"a", "b"}
    assert not leader_is_certain(ranking)


def test_few_answers_that_fit_by_chance_make_no_leader_certain():
    ranking = hr.hodge_rank([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)])
    assert not leader_is_certain(ranking)


def test_certainty_over_the_next_is_that_of_the_pair():
    ranking = hr.bradley_terry(hr.simulate_comparisons(8, 300, rng=2))
    over = certainty_over_next(ranking)
    single = [ranking.certainty(a, b) for a, b in pairwise(ranking.items)]
    np.testing.assert_allclose(over[:-1], single, atol=1e-9)
    assert np.isnan(over[-1])


def test_the_last_of_a_component_is_not_compared_with_the_first_of_the_next():
    ranking = hr.hodge_rank([*CLEAR, ("x", "y", 1), ("x", "y", 1)], components="separate")
    assert np.isnan(certainty_over_next(ranking)).tolist() == [False, False, True, False, True]
    assert possible_leaders(ranking) == ("a",)


@pytest.mark.parametrize(
    "fit", [hr.hodge_rank, pytest.param(hr.bradley_terry, marks=pytest.mark.slow), hr.bayes_rank]
)
def test_equally_good_leaders_are_seldom_told_apart(fit):
    wrong = 0
    for seed in range(60):
        votes = hr.simulate_comparisons(4, 120, scores=[1, 1, -1, -1], rng=seed)
        wrong += leader_is_certain(fit(votes))
    assert wrong <= 8  # 5 % of 60 are 3


def test_several_tops_at_once_are_those_one_by_one():
    ranking = hr.bradley_terry(hr.simulate_comparisons(6, 200, rng=3))
    together = top_certainties(ranking, (1, 3, 6))
    assert together == [hr.top_k_certainty(ranking, k) for k in (1, 3, 6)]
    assert together[-1] == 1.0
