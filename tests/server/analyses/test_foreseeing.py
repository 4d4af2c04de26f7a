from __future__ import annotations

from dataclasses import replace

import pytest

import hodgerank as hr
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import TrackStanding
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import ExpectedTau
from hodgerank.server.analyses.live_view import AnswersForecast, forecast_answers

RULE = "tau >= 0.95"
VOTES = hr.simulate_comparisons(4, 30, rng=1)
NOW = TrackStanding("", VOTES, VOTES.items, CampaignSettings("?", stop=RULE))
AHEAD = Forecast(ExpectedTau(0.95), 0.5, 40, 3, 90)


def foreseen(n_answers, forecast=AHEAD, n_items=4, rule=RULE):
    return AnswersForecast(n_answers, n_items, rule, forecast, is_doubtful=False)


def test_a_forecast_is_counted_from_the_answers_that_are_there():
    found = foreseen(20).from_here(NOW)
    assert (found.votes, found.lower, found.upper) == (30, 0, 80)
    assert found.now == pytest.approx(NOW.expected_tau)


@pytest.mark.parametrize(
    "known",
    [
        foreseen(20, forecast=None),
        foreseen(20, n_items=5),
        foreseen(20, rule="top 1"),
        foreseen(31),  # answers were taken back
        foreseen(20, replace(AHEAD, upper=10)),  # it should have been reached
    ],
)
def test_what_was_foreseen_of_something_else_is_not_said(known):
    assert known.from_here(NOW) is None


@pytest.mark.parametrize(("then", "holds"), [(30, True), (28, True), (20, False), (31, False)])
def test_a_tenth_more_answers_are_foreseen_anew(then, holds):
    track = NOW.progress(with_forecast=False)
    assert foreseen(then).holds_for(track, RULE) is holds


def test_what_still_holds_is_not_played_again(monkeypatch):
    monkeypatch.setattr("hodgerank.collecting.forecast.CONTINUATIONS", 8)
    with Campaign.create(None, ["a", "b", "c"], question="?", stop="tau >= 0.8") as campaign:
        for _ in range(3):
            [task] = campaign.lease("ann")
            campaign.answer(task, 1 if task.left < task.right else -1)
        first = forecast_answers(campaign, {})
        assert first[""].forecast is not None
        assert forecast_answers(campaign, first)[""] is first[""]


def test_a_rule_that_is_reached_is_not_foreseen():
    with Campaign.create(None, ["a", "b"], question="?", stop="tau >= 0.1") as campaign:
        for name in ("ann", "bob"):
            [task] = campaign.lease(name)
            campaign.answer(task, 1 if task.left == "a" else -1)
        assert forecast_answers(campaign, {})[""].forecast is None
