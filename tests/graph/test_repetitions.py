"""Workers who say the same again."""

from __future__ import annotations

import numpy as np
from benchmarks.calibration.crowds import Crowd

import hodgerank as hr
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.repetitions import counted_once, repeat_themselves


def test_repetitions_are_told_from_answers_that_happen_to_agree():
    again = Crowd(repeats=5, per_pair=20).votes(np.random.default_rng(0))
    assert repeat_themselves(AnsweredGraph.of(again))
    fresh = Crowd(per_pair=40, n_workers=4).votes(np.random.default_rng(1))
    assert not repeat_themselves(AnsweredGraph.of(fresh))
    assert not repeat_themselves(AnsweredGraph.of(hr.read_comparisons([("a", "b", 1)])))


def test_they_count_once():
    rows = [("a", "b", 1, "x"), ("b", "a", -1, "x"), ("a", "b", -1, "x"), ("a", "b", 1, "y")]
    rows += [("a", "c", 1), ("a", "c", 1)]  # of people nobody knows
    once = counted_once(AnsweredGraph.of(hr.read_comparisons(rows))).votes
    assert len(once) == 4
    assert sorted(once.outcome.round(6).tolist()) == [0.333333, 1.0, 1.0, 1.0]
    assert once.n_workers == 2


def test_trust_says_so_and_reliability_allows_for_it():
    report = hr.assess_trust(Crowd(repeats=5, per_pair=20).votes(np.random.default_rng(2)))
    assert "say the same again" in report.verdict
    coins = Crowd(repeats=5, per_pair=20, spread=0).votes(np.random.default_rng(3))
    assert hr.assess_reliability(coins).separation.lower < 0.5
