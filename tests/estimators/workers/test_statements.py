"""What is said of workers is true of crowds that do not follow the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd
from benchmarks.calibration.workers import (
    COIN,
    HONEST,
    LEFT,
    OPPOSITE,
    TIES,
    VARIED,
    assessed,
    misbehave,
)

import hodgerank as hr
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.estimators.trust_statements import about_workers
from hodgerank.estimators.workers.assessment import IMPRECISE, NOT_KNOWN, OK, WARNINGS
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.graph.answered_graph import AnsweredGraph

HONEST_CROWDS = {
    "varied acuity": replace(VARIED, n_items=16, per_pair=25),
    "ties": replace(VARIED, answer="tie"),
    "repeated answers": replace(VARIED, repeats=5),
    "sparse": replace(VARIED, n_items=30, per_pair=10, design="sparse"),
    "varied tastes": replace(VARIED, tastes=0.7),
}


FIRST = ("ties", "varied tastes")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [*FIRST, *(pytest.param(n, marks=pytest.mark.slow) for n in HONEST_CROWDS if n not in FIRST)],
)
def test_honest_workers_have_no_faults(name):
    found = assessed(HONEST_CROWDS[name], {}, 12, np.random.default_rng(0))
    assert np.mean(found.false_warnings) < 0.3


def test_coins_and_opposition_are_found_among_honest_workers_of_varied_acuity():
    crowd = replace(VARIED, n_items=16, per_pair=25)
    found = assessed(crowd, {COIN: 0.2, OPPOSITE: 0.1, LEFT: 0.1}, 8, np.random.default_rng(1))
    assert np.mean(found.false_warnings) < 0.05
    assert found.share(COIN, "careless", "adversarial")[0] > 0.75
    assert found.share(COIN, "careless", "adversarial", IMPRECISE)[0] > 0.95
    assert found.share(OPPOSITE, "adversarial")[0] > 0.9
    assert found.share(LEFT, "position-clicking")[0] > 0.9


def test_many_coins_do_not_hide_each_other():
    found = assessed(VARIED, {COIN: 0.4}, 10, np.random.default_rng(2))
    assert np.mean(found.false_warnings) < 0.1
    assert found.share(COIN, "careless", "adversarial")[0] > 0.5


@pytest.mark.parametrize("crowd", [Crowd(per_pair=20), Crowd(per_pair=20, repeats=5)])
def test_nobody_is_blamed_where_all_toss_coins(crowd):
    rng = np.random.default_rng(3)
    blamed = 0
    for _ in range(10):
        votes, _ = misbehave(crowd.votes(rng), {COIN: 1.0}, rng)
        found = hr.assess_workers(replace(votes, display_known=np.zeros(len(votes), bool)))
        blamed += len(found.flagged)
        assert any("show no agreement beyond chance" in note for note in found.notes)
        assert OK not in found.flag
    assert blamed == 0


def test_one_worker_is_measured_by_nobody():
    found = hr.assess_workers(Crowd(n_workers=1).votes(np.random.default_rng(0)))
    assert found.flag == (NOT_KNOWN,)
    assert any("cannot be compared with others" in note for note in found.notes)


def test_of_two_who_contradict_each_other_nobody_is_blamed():
    votes = Crowd(n_workers=2, per_pair=10).votes(np.random.default_rng(0))
    votes = replace(votes, outcome=np.where(votes.worker == 1, -votes.outcome, votes.outcome))
    found = hr.assess_workers(votes)
    assert found.flag == (NOT_KNOWN, NOT_KNOWN)
    assert np.isnan(found.reliability).all()
    said = [said.words for said in hr.assess_trust(votes).statements if said.about == "workers"]
    assert any("2 of 2 workers cannot be assessed" in words for words in said)
    assert not any("no worker was flagged" in words for words in said)


def test_low_acuity_is_a_habit_and_no_fault():
    rng = np.random.default_rng(4)
    flags = []
    for _ in range(6):
        votes = Crowd(n_items=16, per_pair=50).votes(rng)
        dull = votes.worker == 3
        chance = 1 / (1 + np.exp(-0.35 * (votes.truth[votes.left] - votes.truth[votes.right])))
        drawn = np.where(rng.random(len(votes)) < chance, 1.0, -1.0)
        found = hr.assess_workers(replace(votes, outcome=np.where(dull, drawn, votes.outcome)))
        flags.append(found.flag[3])
        assert found.acuity[3] < 0.7
        assert set(found.flag) <= {"ok", IMPRECISE, "left-biased", "right-biased"}
    assert flags.count(IMPRECISE) >= 4


def test_the_tie_happy_are_seen_even_if_they_are_many():
    found = assessed(VARIED, {TIES: 0.4}, 5, np.random.default_rng(5))
    assert found.share(TIES, "tie-happy")[0] > 0.9
    assert found.share(HONEST, "tie-happy")[0] < 0.02


def test_ties_on_close_pairs_are_no_habit():
    """One worker is asked close pairs only, and ties them as everybody does."""
    rng = np.random.default_rng(6)
    votes = replace(VARIED, acuities=0.0, per_pair=40).votes(rng)
    close = np.abs(votes.truth[votes.left] - votes.truth[votes.right]) < 0.7
    votes = replace(
        votes, outcome=np.where(close & (rng.random(len(votes)) < 0.7), 0.0, votes.outcome)
    )
    found = hr.assess_workers(votes.select((votes.worker != 0) | close))
    assert found.tie_share[0] > found.tie_share[1:].max() + 0.2
    assert found.expected_tie_share[0] == pytest.approx(found.tie_share[0], abs=0.25)
    assert found.flag[0] != "tie-happy"


def test_a_lean_is_a_habit_and_clicking_a_fault():
    rng = np.random.default_rng(7)
    votes = Crowd(n_items=12, per_pair=150, n_workers=5).votes(rng)
    click = (votes.worker == 0) & (rng.random(len(votes)) < 0.6)
    lean = (votes.worker == 1) & (rng.random(len(votes)) < 0.12)
    found = hr.assess_workers(replace(votes, outcome=np.where(click | lean, 1.0, votes.outcome)))
    assert found.flag[:2] == ("position-clicking", "left-biased")
    assert found.flagged == ("w000",)
    assert found.position_bias_lower[1] > 0
    assert found.position_bias_lower[1] < found.position_bias[1] < found.position_bias_upper[1]


def test_honest_workers_with_position_bias_are_no_clickers():
    rng = np.random.default_rng(11)
    crowd = Crowd(n_items=16, per_pair=10, spread=2, acuities=0.5, leans=0.5)
    found = [hr.assess_workers(misbehave(crowd.votes(rng), {LEFT: 0.1}, rng)[0]) for _ in range(3)]
    flags = [flag for one in found for flag in one.flag]
    assert 4 <= flags.count("position-clicking") <= 6  # two in each crowd click


def test_what_close_pairs_hide_is_said_and_nothing_where_they_hide_nothing():
    rng = np.random.default_rng(12)
    crowd = Crowd(n_items=16, per_pair=3, n_workers=14, spread=3)
    votes = crowd.votes(rng)
    close = np.abs(votes.truth[votes.left] - votes.truth[votes.right]) < 3
    votes = replace(votes, report=replace(votes.report, adaptive=True))
    clear = hr.assess_workers(votes)
    assert clear.power > 0.5
    assert not clear.hides_random_workers
    hidden = hr.assess_workers(votes.select(close))
    assert hidden.power < 0.5
    assert hidden.hides_random_workers
    [said] = [said for said in about_workers(hidden, 14) if said.code == "random_hidden"]
    assert said.words.startswith("pairs were chosen to be close: with about")
    assert said.words in hidden.notes
    assert hidden.to_dict()["hides_random_workers"]
    assert not clear.to_dict()["hides_random_workers"]


@pytest.mark.slow
def test_the_power_that_is_told_is_that_of_random_workers():
    rng = np.random.default_rng(13)
    crowd = Crowd(n_items=12, per_pair=6, spread=2, n_workers=12)  # 33 votes each
    told, found = [], []
    for _ in range(6):
        votes, kinds = misbehave(crowd.votes(rng), {COIN: 1 / 12}, rng)
        assessment = hr.assess_workers(votes)
        told.append(assessment.power)
        [flag] = np.array(assessment.flag)[kinds == COIN]
        found.append(flag in (*WARNINGS, IMPRECISE))
    assert np.mean(told) == pytest.approx(np.mean(found), abs=0.4)


def test_repeated_answers_count_once_and_new_ones_fully():
    rng = np.random.default_rng(8)
    trust = np.ones(20)
    for repeats, low, high in ((1, 0.8, 1.0), (5, 0.19, 0.35)):
        votes = Crowd(per_pair=40, repeats=repeats).votes(rng)
        cells = WorkerCells.of(AnsweredGraph.of(votes))
        several = cells.votes == 5
        assert low <= cells.independent_share(trust)[several].mean() <= high


def test_rows_that_stand_for_many_answers_and_odd_weights():
    votes = Crowd(n_items=5, per_pair=30, n_workers=4).votes(np.random.default_rng(9))
    plain = hr.assess_workers(votes)
    for weight in (1e-6, 1e6):
        weighted = hr.assess_workers(replace(votes, weight=np.full(len(votes), weight)))
        assert weighted.flag == plain.flag
    many = VoteSource(votes.to_frame("polars").lazy()).distinct_answers()
    many = replace(many, multiplicity=many.multiplicity * 10**6)
    assert not set(hr.assess_workers(many).flag) & set(WARNINGS)


@pytest.mark.parametrize("outcome", [0.0, 0.5, 1.0])
def test_crowds_without_any_contrast(outcome):
    rows = [(a, b, outcome, w) for a, b in ("ab", "bc", "ac") for w in "uvw" for _ in range(6)]
    found = hr.assess_workers(hr.read_comparisons(rows, display_known=False))
    assert not found.flagged
    assert ((found.reliability > 0.7) | np.isnan(found.reliability)).all()
