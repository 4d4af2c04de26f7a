from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.campaign.results import TrackStanding
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.server.analyses import live_view as module
from hodgerank.server.analyses.live_view import certainty_curve

VOTES = hr.simulate_comparisons(6, 120, spread=2, workers={"honest": 3}, rng=1)


def standing(n, **settings):
    votes = VOTES.select(np.arange(n))
    return TrackStanding("", votes, votes.items, CampaignSettings("?", **settings))


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch):
    monkeypatch.setattr(module, "_remembered", {})


def test_each_point_is_the_expected_tau_of_so_many_answers():
    points = certainty_curve(standing(100))
    assert points[-1] == (100, standing(100).expected_tau)
    assert [n for n, _ in points] == sorted({n for n, _ in points})
    for n, tau in points:
        assert tau == pytest.approx(standing(n).expected_tau)


def test_a_longer_log_is_looked_at_only_where_it_is_new(monkeypatch):
    monkeypatch.setattr(module, "MOST_SECONDS", 60)  # of a machine that has other things to do
    certainty_curve(standing(100))
    looked = []
    monkeypatch.setattr(
        module, "_first", lambda votes, n: looked.append(n) or votes.select(np.arange(n))
    )
    assert certainty_curve(standing(110))[-1][0] == 110
    assert looked == []
    certainty_curve(standing(100, ranking="plain"))
    assert looked  # another ranking is another curve


def test_an_answer_that_is_taken_back_is_not_remembered():
    votes = VOTES.select(np.arange(100))
    certainty_curve(TrackStanding("", votes, votes.items, CampaignSettings("?")))
    fewer = VOTES.select(np.arange(1, 101))
    found = dict(certainty_curve(TrackStanding("", fewer, fewer.items, CampaignSettings("?"))))
    there = TrackStanding("", fewer.select(np.arange(64)), fewer.items, CampaignSettings("?"))
    assert found[64] == pytest.approx(there.expected_tau)


def test_what_takes_too_long_is_left_for_later(monkeypatch):
    monkeypatch.setattr(module, "MOST_SECONDS", -1.0)
    assert certainty_curve(standing(100)) == [(100, standing(100).expected_tau)]


def test_only_so_much_is_remembered(monkeypatch):
    monkeypatch.setattr(module, "MOST_REMEMBERED", 5)
    certainty_curve(standing(100))
    assert len(module._remembered) == 5
