"""Workers who say the same again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd

import hodgerank as hr
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.repetitions import MANY, counted_once, repeat_themselves


def test_repetitions_are_told_from_answers_that_happen_to_agree():
    again = Crowd(repeats=5, per_pair=20).votes(np.random.default_rng(0))
    assert repeat_themselves(AnsweredGraph.of(again))
    fresh = Crowd(per_pair=40, n_workers=4).votes(np.random.default_rng(1))
    assert not repeat_themselves(AnsweredGraph.of(fresh))
    assert not repeat_themselves(AnsweredGraph.of(hr.read_comparisons([("a", "b", 1)])))


@pytest.mark.parametrize(("n_items", "n_votes", "n_workers"), [(6, 200, 5), (5, 60, 3)])
def test_few_workers_who_answer_afresh_are_seldom_said_to_repeat_themselves(
    n_items, n_votes, n_workers
):
    estimated, said = 0, 0
    for seed in range(40):
        votes = hr.simulate_comparisons(n_items, n_votes, workers={"honest": n_workers}, rng=seed)
        answered = AnsweredGraph.of(votes)
        estimated += bool(answered.signs.repeats.share.mean() < MANY)
        said += repeat_themselves(answered)
    assert estimated >= 4  # what the estimate alone would say
    assert said <= 2


@pytest.mark.parametrize("n_workers", [3, 5, 20])
@pytest.mark.parametrize("times", [3, 10])
def test_few_workers_who_repeat_every_answer_are_told(n_workers, times):
    asked = [(i, j) for i in range(5) for j in range(i)]
    said = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = [
            (f"i{i}", f"i{j}", 1 if rng.random() < 0.7 else -1, f"w{worker}")
            for worker in range(n_workers)
            for i, j in asked
        ]
        said += repeat_themselves(AnsweredGraph.of(hr.read_comparisons(rows * times)))
    assert said >= 9


def test_rows_that_stand_for_several_answers_are_the_same_as_these():
    rows = [("a", "b", y, w) for w, y in (("x", 1), ("y", -1), ("z", 1))]
    rows += [("b", "c", y, w) for w, y in (("x", 1), ("y", -1), ("z", -1))]
    once = hr.read_comparisons(rows)
    counted = replace(once, multiplicity=np.full(len(once), 5))
    assert repeat_themselves(AnsweredGraph.of(counted))
    assert repeat_themselves(AnsweredGraph.of(hr.read_comparisons(rows * 5)))
    assert not repeat_themselves(AnsweredGraph.of(once))


def test_answers_of_a_ballot_are_no_repetitions():
    rows = [("a", "b", y, w) for w, y in (("x", 1), ("y", -1), ("z", 1)) for _ in range(5)]
    votes = hr.read_comparisons(rows)
    assert repeat_themselves(AnsweredGraph.of(votes))
    ballots = replace(votes, ballot=np.repeat([0, 1, 2], 5))
    assert not repeat_themselves(AnsweredGraph.of(ballots))
    single = replace(votes, ballot=np.arange(15))
    assert repeat_themselves(AnsweredGraph.of(single))


@pytest.mark.parametrize(("n_items", "n_workers"), [(2, 2_000), (200, 20)])
def test_of_many_answers_a_part_is_enough_to_tell(n_items, n_workers):
    rng = np.random.default_rng(0)
    m = 20_000
    left = rng.integers(0, n_items, m)
    right = (left + rng.integers(1, n_items, m)) % n_items
    fresh = hr.Comparisons(
        items=tuple(range(n_items)),
        left=left,
        right=right,
        outcome=rng.choice([-1.0, 1.0], m),
        workers=tuple(range(n_workers)),
        worker=rng.integers(0, n_workers, m),
    )
    assert not repeat_themselves(AnsweredGraph.of(fresh))
    again = replace(fresh, multiplicity=np.full(m, 20))
    assert repeat_themselves(AnsweredGraph.of(again))


def test_they_count_once():
    rows = [("a", "b", 1, "x"), ("b", "a", -1, "x"), ("a", "b", -1, "x"), ("a", "b", 1, "y")]
    rows += [("a", "c", 1), ("a", "c", 1)]  # of people nobody knows
    once = counted_once(AnsweredGraph.of(hr.read_comparisons(rows))).votes
    assert len(once) == 4
    assert sorted(once.outcome.round(6).tolist()) == [0.333333, 1.0, 1.0, 1.0]
    assert once.n_workers == 2


def test_trust_says_so_and_reliability_allows_for_it():
    report = hr.assess_trust(Crowd(repeats=5, per_pair=20).votes(np.random.default_rng(2)))
    assert "votes of one worker on the same pair are correlated" in report.verdict
    coins = Crowd(repeats=5, per_pair=20, spread=0).votes(np.random.default_rng(3))
    assert hr.assess_reliability(coins).separation.lower < 0.5


def test_votes_with_further_columns_are_counted_once_too():
    rows = [{"left": "a", "right": "b", "outcome": 1, "worker": "w", "town": k} for k in range(3)]
    once = counted_once(AnsweredGraph.of(hr.read_comparisons(rows))).votes
    assert len(once) == 1
