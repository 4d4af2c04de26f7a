"""Models that work on a campaign of a server."""

from __future__ import annotations

import asyncio

from campaigns import SCORES, TEXTS, few
from hodgerank.judges.fake_llm import FakeLLM, Faults, ModelProfile
from hodgerank.judges.run_on_campaign import judge_campaign, judge_for


def work(fake_llm, campaign, models, **options):
    """A run; then the judge is closed."""
    judge = judge_for(campaign, models, base_url=fake_llm.base_url)

    async def run():
        try:
            return await judge_campaign(judge, campaign, **options)
        finally:
            await judge.close()

    return asyncio.run(run())


def test_a_judge_needs_no_more_than_its_token(live, clients):
    campaign = live.campaign(few(5))
    client = clients.of(campaign, "judge", "m")
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2)) as fake_llm:
        run = work(fake_llm, client, "m")
        assert len(fake_llm.calls) == 10
    assert (run.n_answers, run.n_counted) == (10, 10)
    assert run.reason == "m has seen every pair"
    [worker] = campaign.workers()
    assert (worker.worker, worker.n_answers) == ("m", 10)


def test_several_models_stop_when_it_is_enough(live, clients):
    campaign = live.campaign(TEXTS, stop="tau >= 0.2")
    client = clients.of(campaign)
    client.progress()  # the process that computes it takes a while to begin
    faults = Faults(latency=0.05)
    with FakeLLM(SCORES, profiles=ModelProfile(acuity=2), faults=faults) as fake_llm:
        run = work(fake_llm, client, ["x", "y"], concurrency=4)
    assert "reached its target" in run.reason
    assert 10 <= run.n_answers == campaign.counts.n_votes < 132
