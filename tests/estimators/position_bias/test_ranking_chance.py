"""Whether a ranking shows in answers that lean to a side."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration.judges import Judges

import hodgerank as hr
from hodgerank.estimators.position_bias import bias_test as home
from hodgerank.estimators.position_bias.bias_test import ranking_chance
from hodgerank.graph.answered_graph import AnsweredGraph


def chances(spread, lean, runs=30):
    found = []
    for seed in range(runs):
        rng = np.random.default_rng([seed, 8])
        x = rng.normal(0, spread, 8)
        left, right = np.array([rng.permutation(8)[:2] for _ in range(80)]).T
        strength = x[left] - x[right] + lean
        outcome = np.where(rng.random(80) < 1 / (1 + np.exp(-strength)), 1.0, -1.0)
        votes = hr.Comparisons(tuple(range(8)), left, right, outcome)
        found.append(ranking_chance(AnsweredGraph.of(votes), "common"))
    return np.array(found)


def test_answers_that_lean_to_no_item_show_no_ranking():
    assert np.mean(chances(0.0, 2.0) < 0.05) < 0.2


def test_a_ranking_shows_through_a_lean():
    assert np.mean(chances(1.5, 2.0) <= 0.005) > 0.5


def test_many_answers_are_not_dealt_anew(monkeypatch):
    monkeypatch.setattr(home, "MOST_VOTES", 10)
    assert chances(1.0, 0.0, runs=1)[0] is None


@pytest.mark.slow
def test_a_report_with_sides_sees_the_ranking_that_a_lean_hides():
    judges = Judges(leans=(2.5,), answers=130, spread=1.2)
    seen = []
    for seed in range(5):
        votes = judges.votes(np.random.default_rng([seed, 1]))
        plain, sided = (
            hr.report(votes, with_forecast=False, position_bias=position).findings.shows_a_ranking
            for position in (None, "worker")
        )
        assert sided or not plain
        seen.append((plain, sided))
    assert sum(sided for _, sided in seen) > sum(plain for plain, _ in seen)
