"""One default model: the same votes give the same scores, order and intervals everywhere."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.clusters import Crowd

import hodgerank as hr
from hodgerank.campaign.results import rank_votes
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.collecting.stopping import ExpectedTau

CROWD = {"honest": 8, "random": 2, "adversarial": 1}


def some_careless() -> hr.Comparisons:
    return hr.simulate_comparisons(8, 400, spread=2, workers=CROWD, rng=1)


def varied_tastes() -> hr.Comparisons:
    crowd = Crowd(n_items=8, n_votes=100, n_workers=12, tastes=0.8)
    votes = crowd.people(np.random.default_rng(1)).votes()
    assert hr.rank(votes).design_effect > 1.2
    return replace(votes, items=tuple("abcdefgh"))


@pytest.mark.parametrize("crowd", [some_careless, varied_tastes])
def test_the_same_votes_have_the_same_ranking_everywhere(run, tmp_path, crowd):
    votes = crowd()
    votes.to_frame("polars").write_csv(tmp_path / "votes.csv")
    ranking = hr.rank(votes)
    ranked = json.loads(run("rank", tmp_path / "votes.csv", "--json")[1])
    report = hr.report(votes, with_forecast=False)
    written = report.to_dict()
    planned = json.loads(run("plan", tmp_path / "votes.csv", "--target", 0.999, "--json")[1])
    for rows in (ranked["items"], written["ranking"]["items"]):
        assert [row["item"] for row in rows] == list(ranking.items)
        np.testing.assert_allclose([row["score"] for row in rows], ranking.scores, atol=1e-9)
        np.testing.assert_allclose([row["lower"] for row in rows], ranking.intervals[:, 0])
    tau = hr.expected_tau(ranking)
    assert written["expected_tau"] == pytest.approx(tau, abs=1e-9)
    assert planned["forecast"]["now"] == pytest.approx(tau, abs=1e-9)
    sampler = hr.AutoSampler(votes.items)
    sampler.tell_many(votes)
    assert hr.forecast(sampler, ExpectedTau(0.1)).now == pytest.approx(tau, abs=1e-6)
    assert sampler.ranking().design_effect == ranking.design_effect
    settings = CampaignSettings(question="Which?", position_bias=None)
    assert rank_votes(votes, settings).score_by_item == ranking.score_by_item
