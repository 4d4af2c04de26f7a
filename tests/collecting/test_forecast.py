"""forecast: futures that end where the campaign would."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.collecting import forecast
from hodgerank.errors import InvalidArgument


@pytest.fixture
def few_futures(monkeypatch):
    """Even fewer than elsewhere: next to all tests of this file play futures."""
    monkeypatch.setattr(forecast, "CONTINUATIONS", 4)


def test_the_extremes_of_19_continuations_enclose_the_next_one_with_probability_90_percent():
    inside = []
    for left_out in range(20):
        _, lower, upper = forecast._range(np.delete(np.arange(20.0), left_out))
        inside.append(lower < left_out < upper)
    assert np.mean(inside) == 0.9


@pytest.mark.parametrize(("n", "ends"), [(4, (1, 4)), (19, (1, 19)), (38, (1, 38)), (39, (2, 38))])
def test_the_interval_has_the_same_rank_at_both_ends(n, ends):
    takes = np.random.default_rng(0).permutation(np.arange(1.0, n + 1))
    assert forecast._range(takes)[1:] == ends


def test_a_forecast_reports_its_continuations(monkeypatch):
    takes = np.array([[*range(100, 290, 10)], [*range(10, 190, 10), np.inf]])
    monkeypatch.setattr(forecast, "_play_on", lambda *_: takes)
    near, far = forecast.forecasts(hr.RandomSampler(6), [0.8, 0.9])
    assert (near.lower, near.upper, near.is_narrow) == (100, 280, True)
    assert "100 to 280 more votes to reach 0.8 (about " in str(near)
    assert (far.lower, far.upper, far.is_narrow) == (10, np.inf, False)
    assert "at least 10 more votes to reach 0.9 (main unknown: how widely quality" in str(far)
    assert far.to_dict()["upper"] is None


def outlook(votes, lower, upper, spread_is_unknown=False):
    return hr.Forecast(hr.ExpectedTau(0.9), 0.5, votes, lower, upper, spread_is_unknown)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (outlook(200, 100, 300, True), "100 to 300 more votes to reach 0.9 (about 200)"),
        (outlook(200, 100, 301), "100 to 301 more votes to reach 0.9"),
        (outlook(200, 100, 301, True), f"votes to reach 0.9 ({forecast.UNKNOWN_SPREAD})"),
        (outlook(200, 100, np.inf), "at least 100 more votes to reach 0.9"),
        (outlook(np.inf, 100, np.inf), "0.9 is out of reach, or at least 100 more votes away"),
        (outlook(np.inf, np.inf, np.inf, True), "out of reach, or too far away to forecast"),
        (outlook(0, 0, 0, True), "target 0.9 reached"),
    ],
)
def test_the_range_is_always_named_and_an_estimate_only_where_it_is_narrow(made, words):
    assert str(made).endswith(words)


@pytest.mark.usefixtures("few_futures")
@pytest.mark.parametrize(("n_votes", "is_unknown"), [(30, True), (72, False)])
def test_the_spread_is_the_main_unknown_at_few_votes_per_item(n_votes, is_unknown):
    crowd = hr.SimulatedCrowd(6, spread=2, rng=1)
    sampler = hr.RandomSampler(crowd.items, seed=1)
    hr.run(sampler, crowd, n_votes)
    assert hr.forecast(sampler, 0.9).spread_is_unknown is is_unknown


def drawn_crowds(votes):
    truths = forecast._Truths(votes, hr.bayes_rank(votes))
    rng = np.random.default_rng(1)
    return [truths.draw(rng.random(), rng) for _ in range(60)]


def even_share(votes):
    gaps = [np.diff(sorted(crowd.scores.values())) for crowd in drawn_crowds(votes)]
    return np.mean([np.ptp(gap) < 1e-9 for gap in gaps])


def test_truths_are_evenly_spaced_as_often_as_the_votes_allow():
    one_vote = hr.read_comparisons([("a", "b", 1), ("c", "d", 1)])
    assert 0.05 < even_share(one_vote) < 0.5
    ties = [(a, b, y) for a, b in ("ab", "cd") for y in (1, -1)]
    wins = [(a, b, 1) for a in "ab" for b in "cd"]
    assert even_share(hr.read_comparisons((ties + wins) * 30)) == 0


def test_either_link_is_drawn_at_few_votes_on_its_own_scale():
    crowd = hr.SimulatedCrowd(6, spread=2, rng=1)
    sampler = hr.RandomSampler(crowd.items, seed=1)
    hr.run(sampler, crowd, 30)
    scales = {"thurstone-mosteller": [], "bradley-terry": []}
    for drawn in drawn_crowds(sampler.votes):
        scales[drawn.link].append(drawn.scale)
    assert set(scales["thurstone-mosteller"]) == {1.0}
    assert 1.2 < min(scales["bradley-terry"]) < max(scales["bradley-terry"]) < 2.4


def test_evenly_spaced_scores_keep_order_mean_and_spread():
    scores = np.array([0.3, -2.0, 5.0, 0.1])
    even = forecast._evenly_spaced(scores)
    assert np.array_equal(np.argsort(even), np.argsort(scores))
    assert np.ptp(np.diff(np.sort(even))) < 1e-12
    assert (even.mean(), even.std()) == pytest.approx((scores.mean(), scores.std()))
    assert forecast._evenly_spaced(np.zeros(1)).tolist() == [0]


@pytest.mark.usefixtures("few_futures")
def test_a_forecast_leaves_the_sampler_alone():
    sampler = hr.AutoSampler(6, seed=1)
    for _ in range(10):
        pair = sampler.ask()
        sampler.tell(pair, 1 if pair.left < pair.right else -1)
    before = sampler.ask(3)
    outlook = hr.forecast(sampler, 0.75)
    assert sampler.ask(3) == before
    assert sampler.n_votes == 10
    assert 0 < outlook.lower <= outlook.votes <= outlook.upper
    assert outlook == hr.forecast(sampler, 0.75)
    assert "more votes" in str(outlook)
    reached = hr.forecast(sampler, 0.1)
    assert reached.votes == 0
    assert "reached" in str(reached)


@pytest.mark.slow
@pytest.mark.usefixtures("few_futures")
@pytest.mark.parametrize(
    "build", [pytest.param(hr.AutoSampler, marks=pytest.mark.slow), hr.RandomSampler]
)
def test_the_model_of_many_items_foresees_what_playing_on_does(build, monkeypatch):
    crowd = hr.SimulatedCrowd(30, spread=1.5, rng=1)
    sampler = build(crowd.items, seed=1)
    hr.run(sampler, crowd, 150)
    played = hr.forecast(sampler, 0.7)
    monkeypatch.setattr(forecast, "MOST_PLAYED", 10)
    monkeypatch.setattr(forecast, "MODEL_ITEMS", 20)
    modelled = hr.forecast(sampler, 0.7)
    assert modelled.now == played.now
    assert played.lower / 2 < modelled.votes < 2 * played.upper


@pytest.mark.usefixtures("few_futures")
def test_futures_are_judged_by_the_ranking_of_the_sampler():
    sampler = hr.CrowdBTSampler(6, seed=1)
    sampler.tell_many([(k, k + 1, 1) for k in range(5)])
    outlook = hr.forecast(sampler, 0.4)
    assert outlook.now == hr.expected_tau(sampler.ranking())
    assert outlook.now != pytest.approx(hr.expected_tau(hr.bayes_rank(sampler.votes)), abs=1e-3)


@pytest.mark.usefixtures("few_futures")
def test_targets_foreseen_together_are_foreseen_as_each_alone():
    crowd = hr.SimulatedCrowd(8, spread=1, rng=1)
    sampler = hr.AutoSampler(crowd.items, seed=1)
    hr.run(sampler, crowd, 60)
    targets = (hr.TopKCertain(1, 0.9), 0.8, 0.1)
    together = forecast.forecasts(sampler, targets)
    assert together == tuple(hr.forecast(sampler, target) for target in targets)
    assert [outlook.votes > 0 for outlook in together] == [True, True, False]
    assert forecast.forecasts(sampler, []) == ()


@pytest.mark.usefixtures("few_futures")
def test_asking_several_pairs_at_once_changes_a_forecast_little(monkeypatch):
    crowd = hr.SimulatedCrowd(8, spread=1.5, rng=2)
    sampler = hr.AutoSampler(crowd.items, seed=1)
    hr.run(sampler, crowd, 100)
    at_once = hr.forecast(sampler, 0.85)
    monkeypatch.setattr(forecast, "AT_ONCE", 10**6)
    one_by_one = hr.forecast(sampler, 0.85)
    assert one_by_one.votes / 2 < at_once.votes < 2 * one_by_one.votes


@pytest.mark.usefixtures("few_futures")
def test_what_takes_longer_than_is_played_is_extrapolated(monkeypatch):
    crowd = hr.SimulatedCrowd(8, spread=2, rng=1)
    sampler = hr.RandomSampler(crowd.items, seed=1)
    hr.run(sampler, crowd, 40)
    played = hr.forecast(sampler, 0.85)
    monkeypatch.setattr(forecast, "PER_ITEM", (5.0, 5.0))
    extrapolated = hr.forecast(sampler, 0.85)
    assert extrapolated.upper < float("inf")
    assert played.votes / 2.5 < extrapolated.votes < 2.5 * played.votes


@pytest.mark.usefixtures("few_futures")
def test_the_top_is_foreseen_too():
    crowd = hr.SimulatedCrowd(12, spread=2, rng=2)
    sampler = hr.TopKSampler(crowd.items, 3, seed=1)
    hr.run(sampler, crowd, 60)
    rule = hr.TopKCertain(3, 0.8)
    outlook = hr.forecast(sampler, rule)
    assert outlook.now == hr.top_k_certainty(sampler.ranking(), 3)
    assert (outlook.target, outlook.rule) == (0.8, rule)
    assert 0 < outlook.lower <= outlook.votes <= outlook.upper
    assert str(outlook).startswith("top 3 certain to ")
    assert "more votes to reach 80%" in str(outlook)
    ended = hr.run(sampler, crowd, 5_000, stop=rule)
    assert ended.n_votes < 5_000
    assert "reached" in str(hr.forecast(sampler, rule))


@pytest.mark.usefixtures("few_futures")
def test_what_cannot_be_reached_is_said_to_be_out_of_reach():
    sampler = hr.AutoSampler(8, seed=1, candidates=[(0, 1)])
    assert "out of reach" in str(hr.forecast(sampler, 0.9))
    nothing = hr.AutoSampler(3, seed=1, candidates=[])
    assert "out of reach" in str(hr.forecast(nothing, 0.9))


def test_ties_alone_foretell_nothing():
    sampler = hr.AutoSampler(6, seed=1)
    sampler.tell_many([(k, k + 1, 0) for k in range(5)] * 4)
    outlook = hr.forecast(sampler, 0.8)
    assert str(outlook) == "expected tau 0; 0.8 is out of reach, or too far away to forecast"
    assert set(sampler.ranking().ranks.tolist()) == {1}


@pytest.mark.usefixtures("few_futures")
@pytest.mark.parametrize("certainty", [0.3, pytest.param(0.5, marks=pytest.mark.slow)])
def test_any_certainty_can_be_foreseen(certainty):
    sampler = hr.TopKSampler(6, 2, seed=1)
    outlook = hr.forecast(sampler, hr.TopKCertain(2, certainty))
    assert 0 < outlook.lower <= outlook.votes <= outlook.upper


@pytest.mark.parametrize("target", ["x", hr.Budget(3), hr.ExpectedTau(0.9) | hr.Budget(3), None])
def test_a_target_is_a_number_or_a_rule_about_a_ranking(target):
    with pytest.raises(InvalidArgument, match="expected tau"):
        hr.forecast(hr.RandomSampler(3), target)


def test_all_items_are_the_best_of_more():
    ended = hr.run(hr.TopKSampler(2, 3), lambda pair: 1, 5, stop=hr.TopKCertain(3))
    assert ended.n_votes == 0


@pytest.mark.slow
def test_forecasts_do_not_jump_from_one_answer_to_the_next():
    crowd = hr.SimulatedCrowd(16, spread=1.5, rng=3)
    sampler = hr.AutoSampler(crowd.items, seed=1, probes=True)
    hr.run(sampler, crowd, 96)
    foreseen = []
    for n_votes in range(97, 100):
        hr.run(sampler, crowd, n_votes)
        foreseen.append(hr.forecast(sampler, 0.8).votes)
    assert max(foreseen) < 2 * min(foreseen)


def test_a_fresh_sampler_has_the_same_options_and_no_answers():
    sampler = hr.BayesianSampler(["a", "b"], ridge=3.0, prior_scores={"a": 1.0, "b": 0.0})
    sampler.tell(("a", "b"), 1)
    fresh = deepcopy(sampler).fresh(5, seed=2)
    assert fresh.n_votes == 0
    assert fresh.items == (0, 1, 2, 3, 4)
    assert fresh.gain((0, 1)) == hr.BayesianSampler(5, ridge=3.0).gain((0, 1))


@pytest.mark.slow
@pytest.mark.usefixtures("few_futures")
def test_judges_who_lean_take_longer():
    """Their answers tell less, and the futures know it."""
    answers = {}
    for lean in (0.0, 3.0):
        rng = np.random.default_rng(3)
        x = np.linspace(-2, 2, 8)
        sampler = hr.AutoSampler(8, seed=1, position_bias="worker")
        for _ in range(60):
            pair = sampler.ask()
            chance = 1 / (1 + np.exp(x[pair.right] - x[pair.left] - lean))
            sampler.tell(pair, 1 if rng.random() < chance else -1, "judge")
        answers[lean] = hr.forecast(sampler, 0.85).votes
    assert answers[3.0] > answers[0.0]
