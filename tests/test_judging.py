"""Calls to judges in `benchmarks/judging`: small ones, and what makes the count fair."""

from __future__ import annotations

import csv
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from benchmarks.judging import UnknownName, judging
from benchmarks.judging.judges import Judges, recorded, simulated
from benchmarks.judging.players import DEFAULT, PLAYERS, USUAL, likelihood, win_rate
from benchmarks.judging.reaching import TARGETS, _crossing, calls_to_reach
from benchmarks.judging.result import JudgingResult
from benchmarks.judging.scenarios import Scenario
from benchmarks.judging.tables import as_csv, as_markdown

PANEL = (-1.0, 1.0)


def few(n: int = 6, biases: tuple[float, ...] = PANEL) -> Judges:
    return simulated(np.random.default_rng(1), n=n, spread=1.5, biases=biases)


class Counting(Judges):
    """Remembers what it was asked."""

    def __init__(self, judges: Judges) -> None:
        super().__init__(judges.truth, judges.replies, judges.pairs)
        self.asked: list[tuple[int, int, int]] = []

    def reply(self, left: int, right: int, judge: int) -> float:
        self.asked.append((left, right, judge))
        return super().reply(left, right, judge)


@pytest.mark.parametrize("name", PLAYERS)
def test_players_ask_everything_once_and_then_stop(name):
    judges = Counting(few())
    made = sum(1 for _ in PLAYERS[name](judges, 3).calls())
    everything = {(i, j, k) for i, j in permutations(range(6), 2) for k in range(2)}
    assert made == judges.most_calls == len(judges.asked) == len(everything)
    assert set(judges.asked) == everything


@pytest.mark.parametrize("name", PLAYERS)
def test_players_find_the_order_of_judges_who_know_it(name):
    truth = np.array([0.0, 3.0, 1.0, 2.0, 4.0])
    replies = np.sign(truth[:, None] - truth[None, :])[None]
    judges = Judges(truth, replies, few(5).pairs)
    player = PLAYERS[name](judges, 0)
    for _ in player.calls():
        pass
    assert np.argsort(player.scores()).tolist() == [0, 2, 3, 1, 4]


def test_simulated_judges_are_as_biased_as_they_should_be():
    rng = np.random.default_rng(2)
    judges = simulated(rng, n=80, spread=0.0, biases=(0.0, 2.0))
    off_diagonal = ~np.eye(80, dtype=bool)
    shares = [(reply[off_diagonal] > 0).mean() for reply in judges.replies]
    assert shares == pytest.approx([0.5, 1 / (1 + np.exp(-2))], abs=0.03)


def test_disagreement_of_the_two_orders_is_a_tie():
    replies = np.ones((1, 3, 3))  # left, whatever is shown
    judges = Judges(np.arange(3.0), replies, few(3).pairs)
    player = PLAYERS["usual, win rate"](judges, 1)
    for _ in player.calls():
        pass
    assert player.scores().tolist() == [0.5, 0.5, 0.5]


def test_win_rates_count_ties_as_half():
    answers = [(0, 1, 1.0), (0, 2, 0.0), (1, 2, -1.0)]
    assert win_rate(answers, 4).tolist() == [0.75, 0.0, 0.75, 0.5]
    assert likelihood(answers, 3)[1] < likelihood(answers, 3)[0]


def test_recorded_votes_are_used_once_each(data_folder):
    judges = recorded(np.random.default_rng(1), name="pc-vqa", n_references=10, n_judges=3)
    assert judges.is_complete
    assert judges.most_calls == 720
    assert (np.abs(judges.replies[:, *np.triu_indices(16, 1)]) == 1).all()


def test_calls_between_looks_grow_evenly_in_their_logarithm():
    assert _crossing([10, 40], [0.7, 0.9], 0.8) == pytest.approx(20)
    assert _crossing([10, 40], [0.85, 0.9], 0.8) == 10
    assert _crossing([10, 40], [0.5, 0.7], 0.8) == np.inf


def test_judges_who_toss_coins_never_get_a_ranking_right():
    rng = np.random.default_rng(3)
    replies = rng.choice([-1.0, 1.0], (1, 12, 12))
    judges = Judges(np.arange(12.0), replies, few(12).pairs)
    assert calls_to_reach(PLAYERS[USUAL](judges, 1), judges) == [np.inf, np.inf]


def result_of(own: list[float], other: list[float]) -> JudgingResult:
    """Two players, the same calls for both targets; the others never get there."""
    calls = np.full((len(own), len(PLAYERS), len(TARGETS)), np.inf)
    names = list(PLAYERS)
    calls[:, names.index(DEFAULT)] = np.array(own)[:, None]
    calls[:, names.index(USUAL)] = np.array(other)[:, None]
    scenario = Scenario("s", "simulated", "a scenario", partial(few))
    return JudgingResult(1, (scenario,), {"s": calls}, {"s": 400})


def test_runs_that_never_get_there_are_counted():
    result = result_of([100, 120, 140, np.inf], [200, np.inf, np.inf, np.inf])
    assert result.of("s", DEFAULT, 0.8) == (130, 3)
    assert result.of("s", USUAL, 0.8) == (400, 1)
    saving = result.saving(["s"], DEFAULT, USUAL, 0.8)
    assert saving.ratio == pytest.approx(400 / 130)
    assert saving.bound == "≥"
    assert saving.low <= saving.ratio <= saving.high
    turned = result.saving(["s"], USUAL, DEFAULT, 0.8)
    assert (turned.ratio, turned.bound) == (pytest.approx(130 / 400), "≤")
    assert result.saving(["s"], "random pairs", "usual, win rate", 0.8) is None
    assert "| ≥ 3.08" in as_markdown(result)


def test_an_equal_player_saves_nothing():
    result = result_of([100, 200, 300], [100, 200, 300])
    assert result.saving(["s"], DEFAULT, USUAL, 0.9) == (1, 1, 1, "")


@pytest.mark.slow
def test_a_small_count_is_printed_and_written():
    result = judging(scenarios=["one-20-bias-1"], runs=1, seed=2)
    again = judging(scenarios=["one-20-bias-1"], runs=1, seed=2)
    np.testing.assert_array_equal(*(each.calls["one-20-bias-1"] for each in (result, again)))
    written = as_markdown(result)
    assert "| 20 items, one judge, bias 1 | 380 |" in written
    assert "nan" not in written
    rows = list(csv.DictReader(as_csv(result).splitlines()))
    assert len(rows) == len(PLAYERS) * len(TARGETS)
    assert {row["player"] for row in rows} == set(PLAYERS)


def test_unknown_scenarios_are_said():
    with pytest.raises(UnknownName, match="there is no two: name some of one-20-bias-0"):
        judging(scenarios=["two"])
