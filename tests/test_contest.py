"""The contest of samplers in `benchmarks/contest`: small ones, and what makes it fair."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from benchmarks.contest import UnknownName, chosen, contest
from benchmarks.contest.archive import Archive
from benchmarks.contest.measuring import RECALL, TAU, measure
from benchmarks.contest.paired import paired
from benchmarks.contest.players import PLAYERS, build_player
from benchmarks.contest.regimes import SIMULATED
from benchmarks.contest.result import ContestResult, Entry
from benchmarks.contest.rivals.information import choice_information
from benchmarks.contest.rivals.laplace import PRIOR_VARIANCE, LaplacePosterior
from benchmarks.contest.rivals.skills import PERFORMANCE, Skills
from benchmarks.contest.setting import Setting
from benchmarks.contest.tables import as_markdown
from benchmarks.contest.tables.losses import losses
from benchmarks.contest.tasks import tasks
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

import hodgerank as hr

SMALL = Setting(n_items=9)
REGIMES = {regime.name: regime for regime in SIMULATED}
MINDS_WHEN = {"adversaries", "coin-tossers", "drift"}  # who answers, or when, is a matter of turn


def tiny(**options) -> ContestResult:
    few = {"regimes": ["bt-1-30", "sparse-random"], "samplers": ["random", "swiss"], "n_items": 8}
    return contest(**{**few, "runs": 2, "per_item": (2, 4), **options})


def recorded(n: int, answers: int, seed: int) -> hr.Comparisons:
    return hr.simulate_comparisons(n, answers, spread=2, rng=seed)


def test_a_tiny_contest_gives_finite_numbers():
    result = tiny()
    assert result.players == ("auto", "random", "swiss")
    assert len(result.measures) == 6
    for measures in result.measures.values():
        assert all(values.shape == (2, 2) for values in measures.values())
        assert all(np.isfinite(values).all() for values in measures.values())
        assert (np.abs(measures[TAU]) <= 1).all()
        assert (measures[RECALL] >= 0).all()
    written = as_markdown(result)
    assert "nan" not in written
    assert "| sparse-random | swiss |" in written


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REGIMES))
def test_tasks_can_be_sent_to_other_processes(name):
    (task,) = tasks([REGIMES[name]], ["swiss"], runs=2, setting=Setting(per_item=(2,), n_items=9))
    here, there = measure(*task), measure(*pickle.loads(pickle.dumps(task)))
    np.testing.assert_array_equal(here[TAU], there[TAU])


@pytest.mark.parametrize("name", sorted(REGIMES.keys() - MINDS_WHEN))
def test_the_kth_answer_to_a_pair_is_the_same_whoever_asks(name):
    first, second = (REGIMES[name].crowd(3, SMALL) for _ in range(2))
    assert first.candidates == second.candidates
    np.testing.assert_array_equal(first.truth, second.truth)
    pairs = first.candidates or [(i, j) for j in range(9) for i in range(j)]
    asked = 3 * list(pairs)
    answers = [first.answer(i, j) for i, j in asked]
    turned = [second.answer(j, i) for i, j in sorted(asked)]
    by_pair, by_pair_turned = {}, {}
    for (i, j), reply in zip(asked, answers, strict=True):
        by_pair.setdefault((i, j), []).append(reply.outcome)
    for (i, j), reply in zip(sorted(asked), turned, strict=True):
        by_pair_turned.setdefault((i, j), []).append(-reply.outcome)
    assert by_pair == by_pair_turned
    assert (REGIMES[name].crowd(4, SMALL).truth != first.truth).any()


def test_recorded_votes_wait_in_one_order_for_everybody():
    votes = recorded(5, 60, seed=1)
    one, other = (Archive(votes, np.arange(5.0), np.random.default_rng(7)) for _ in range(2))
    pair = (int(votes.left[0]), int(votes.right[0]))
    others = {(i, j) for j in range(5) for i in range(j)} - {pair, pair[::-1]}
    for i, j in others:
        other.answer(i, j)
    assert [one.answer(*pair) for _ in range(2)] == [other.answer(*pair) for _ in range(2)]


@pytest.mark.parametrize("name", PLAYERS)
def test_players_ask_only_what_they_may(name):
    sparse = REGIMES["sparse-random"].crowd(0, SMALL)
    votes = recorded(9, 60, seed=2)
    used_up = Archive(votes, np.arange(9.0), np.random.default_rng(0))
    free = REGIMES["grades"].crowd(0, SMALL)
    for crowd, answers in ((sparse, 40), (used_up, 60), (free, 40)):
        player = build_player(name, 9, seed=1, run=0)
        for _ in range(answers):
            i, j = player.ask(crowd.candidates)
            assert i != j
            assert {i, j} <= set(range(9))
            if crowd.candidates is not None:
                assert {(i, j), (j, i)} & set(crowd.candidates)
            player.tell((i, j), *crowd.answer(i, j))


@pytest.mark.parametrize("name", PLAYERS)
def test_players_ask_about_every_item(name):
    crowd, player = REGIMES["bt-1-30"].crowd(0, SMALL), build_player(name, 9, seed=1, run=0)
    asked = set()
    for _ in range(45):
        i, j = player.ask(None)
        player.tell((i, j), *crowd.answer(i, j))
        asked |= {i, j}
    assert asked == set(range(9))


def test_a_folder_of_votes_is_played_as_far_as_it_goes(tmp_path):
    recorded(6, 100, seed=3).to_frame("polars").write_csv(tmp_path / "many.csv")
    recorded(6, 30, seed=4).to_frame("polars").write_csv(tmp_path / "few.csv")
    (tmp_path / "notes.txt").write_text("nothing\n")
    result = tiny(regimes=["*.csv"], folder=tmp_path, per_item=(2, 5, 20))
    assert result.regimes == ("few.csv", "many.csv")
    assert any(note.startswith("notes.txt") for note in result.notes)
    reached = {name: np.isfinite(result.measures[name, "swiss"][TAU][0]) for name in result.regimes}
    assert reached["few.csv"].tolist() == [True, False, False]
    assert reached["many.csv"].tolist() == [True, True, False]
    written = as_markdown(result)
    assert "nan" not in written
    assert "| few.csv | swiss |" in written


def test_names_may_be_patterns():
    assert chosen(["b*", "a"], ["a", "bc", "bd", "c"]) == ["a", "bc", "bd"]
    with pytest.raises(UnknownName, match="there is no x: name some of a, b"):
        chosen(["x"], ["a", "b"])


def test_differences_are_paired():
    found = paired(np.array([0.5, 0.7, 0.9]), np.array([0.4, 0.6, 0.7]))
    assert found.mean == pytest.approx(0.4 / 3)
    assert found.stderr == pytest.approx(0.1 / 3)
    assert found.z == pytest.approx(4.0)


def test_losses_are_the_cells_where_another_is_clearly_ahead():
    auto, better = np.array([[0.5, 0.5], [0.6, 0.6]]), np.array([[0.6, 0.4], [0.71, 0.7]])
    measures = {("r", "auto"): {TAU: auto}, ("r", "x"): {TAU: better}}
    result = ContestResult(Setting(per_item=(2, 5)), 2, ("r",), ("auto", "x"), measures)
    entries = [Entry(name, name, TAU) for name in ("auto", "x")]
    assert "- r, 2 answers per item: x +0.105" in losses(result, entries[0], entries[1:])
    assert losses(result, entries[0], entries[:1]).startswith("In none of 2 cells")


def test_skills_have_the_exact_moments_after_one_win():
    skills = Skills(2)
    skills.mean[:] = 0.3, -0.2
    skills.learn(0, 1, 1.0)
    noise = np.sqrt(2 * PERFORMANCE**2 + 1)  # the loser's skill and both performances

    def moment(k):
        return quad(lambda x: x**k * norm.pdf(x, 0.3) * norm.cdf((x + 0.2) / noise), -10, 10)[0]

    mean = moment(1) / moment(0)
    assert skills.mean[0] == pytest.approx(mean)
    assert skills.variance[0] == pytest.approx(moment(2) / moment(0) - mean**2)


def test_choice_information_is_the_integral():
    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log1p(-p)

    def expected(function):
        return quad(lambda x: norm.pdf(x, 0.8, 1.5) * function(expit(x)), -12, 12)[0]

    exact = entropy(expected(lambda p: p)) - expected(entropy)
    found = choice_information(np.array([0.8]), np.array([1.5]))
    assert found[0] == pytest.approx(exact, rel=1e-3)


def test_the_laplace_posterior_settles_at_the_mode():
    posterior = LaplacePosterior(3)
    for i, j, outcome in ((0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.0), (0, 1, 1.0)):
        posterior.learn(i, j, outcome)
    posterior.settle()
    ranking = hr.bradley_terry(
        [(0, 1, 1), (1, 2, 1), (0, 2, 0), (0, 1, 1)], ridge=1 / PRIOR_VARIANCE
    )
    scores = [ranking.score_by_item[k] for k in range(3)]
    np.testing.assert_allclose(posterior.mean, scores, atol=1e-4)
