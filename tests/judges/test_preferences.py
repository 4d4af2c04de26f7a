"""Preferences of single judges, with planted truth."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.judges.preferences import judge_preferences

ITEMS = [f"i{k:02d}" for k in range(12)]


def campaign(seed, *, judges=3, votes=600, preference=0.0, own=2):
    """Votes of judges on random pairs, and the items of their own families."""
    rng = random.Random(seed)
    scores = {item: rng.gauss(0, 1) for item in ITEMS}
    names = [f"j{k}" for k in range(judges)]
    families = {name: ITEMS[k * own : (k + 1) * own] for k, name in enumerate(names)}
    rows = []
    for k in range(votes):
        left, right = rng.sample(ITEMS, 2)
        judge = names[k % judges]
        mine = (left in families[judge]) - (right in families[judge])
        z = scores[left] - scores[right] + preference * mine
        wins = rng.random() < 1 / (1 + math.exp(-z))
        rows.append((left, right, 1 if wins else -1, judge))
    return hr.read_comparisons(rows), families


def test_a_planted_preference_is_found_with_its_size():
    votes, families = campaign(1, preference=2.0)
    own = judge_preferences(votes, families).own_family
    assert own.is_significant
    assert abs(own.estimate - 2.0) < 3 * own.stderr
    assert own.n_judges == 3


def test_without_a_preference_none_is_stated():
    found = [judge_preferences(*campaign(seed)) for seed in range(5)]
    assert sum(each.own_family.is_significant for each in found) <= 1
    assert sum(bool(each.favourites) for each in found) <= 1


def test_a_favourite_is_named():
    votes, _ = campaign(2, preference=3.0, own=1, votes=900)
    favourites = judge_preferences(votes).favourites
    assert favourites
    for judge, items in favourites.items():
        assert items == (ITEMS[int(judge[1:])],)


def test_tau_of_judges_who_agree_is_high_and_of_a_contrary_one_is_low():
    rng = random.Random(3)
    rows = []
    for k in range(900):
        left, right = rng.sample(range(12), 2)
        better = 1 if left > right else -1
        judge = f"j{k % 3}"
        rows.append((ITEMS[left], ITEMS[right], -better if judge == "j2" else better, judge))
    tau = judge_preferences(hr.read_comparisons(rows)).tau
    assert tau["j2"] < -0.5
    assert tau["j0"] > tau["j2"]


@pytest.mark.parametrize(
    ("judges", "named", "why"),
    [(1, 1, "one_judge"), (3, 1, "one_family"), (3, 0, "")],
)
def test_a_family_term_that_cannot_be_told_is_refused(judges, named, why):
    votes, families = campaign(4, judges=judges)
    kept = {judge: items if k < named else [] for k, (judge, items) in enumerate(families.items())}
    found = judge_preferences(votes, kept)
    assert found.own_family is None
    assert found.why_not == why


def test_families_that_never_meet_others_are_not_identified():
    """Each judge compares only items of its own family."""
    rng = random.Random(5)
    rows = []
    for k in range(200):
        judge = k % 2
        left, right = rng.sample(ITEMS[6 * judge : 6 * judge + 6], 2)
        rows.append((left, right, rng.choice([-1, 1]), f"j{judge}"))
    votes = hr.read_comparisons(rows)
    found = judge_preferences(votes, {"j0": ITEMS[:6], "j1": ITEMS[6:]})
    assert found.own_family is None
    assert found.why_not == "not_identified"


def test_many_items_are_left_out_and_that_is_said():
    rng = np.random.default_rng(1)
    votes = hr.simulate_comparisons(900, 2000, workers=2, rng=rng)
    found = judge_preferences(votes, {worker: ["x"] for worker in votes.workers})
    assert found.why_not == "too_many"
