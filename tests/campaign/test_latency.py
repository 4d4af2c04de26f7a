"""Campaigns of one database do not wait for each other, and answers not for samplers."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Event
from typing import Any

import pytest

from campaign.folded import asked_next, folded
from campaign.trial import Trial
from hodgerank.campaign import Campaign, Database
from hodgerank.campaign.commands.leases import lease
from hodgerank.errors import CannotRead
from hodgerank.sampling.samplers.auto import AutoSampler

SOON = 5.0  # seconds; without a loaded machine it takes milliseconds


@pytest.fixture
def learning(monkeypatch):
    """Set when samplers may learn what they are told at once."""
    may_learn = Event()
    tell_many = AutoSampler.tell_many

    def tell_when_allowed(self, votes):
        assert may_learn.wait(60)
        tell_many(self, votes)

    monkeypatch.setattr(AutoSampler, "tell_many", tell_when_allowed)
    yield may_learn
    may_learn.set()


def soon(campaign: Campaign, worker: str) -> Any:
    """A task; it fails if it does not come soon."""
    return asking(campaign, worker).result(SOON)[0]


def asking(campaign: Campaign, worker: str) -> Future[Any]:
    return campaign.log.begin(lambda state, now: lease(state, now, campaign.new_id, worker, 1))


def two_campaigns(learning: Event, where: Any = None) -> tuple[Trial, Trial]:
    """One that is in use, and one with votes in the same database whose sampler knows none."""
    learning.set()
    database = Database(where)
    busy, cold = Trial(range(8), database, id="a"), Trial(range(12), database, id="b")
    busy.answer_all("ann", 3)
    for worker in ("ben", "cem", "dan"):
        cold.answer_all(worker, 10)
    learning.clear()
    cold.campaign = Campaign.open(database, "b", clock=cold.clock)
    return busy, cold


@pytest.mark.parametrize("is_file", [False, True])
def test_nobody_waits_while_the_sampler_of_another_campaign_learns(learning, tmp_path, is_file):
    busy, cold = two_campaigns(learning, tmp_path / "campaigns.db" if is_file else None)
    first = asking(cold.campaign, "eva")
    for _ in range(3):
        task = soon(busy.campaign, "ann")
        busy.campaign.log.begin(lambda state, now: None).result(SOON)
        assert busy.campaign.answer(task, 1).is_counted
    assert not first.done()
    learning.set()
    [task] = first.result(SOON)
    assert task.worker == "eva"
    busy.campaign.database.close()


def test_answers_are_saved_while_the_sampler_of_their_campaign_learns(learning):
    learning.set()
    trial = Trial(range(12))
    trial.answer_all("ann", 20)
    [task] = trial.campaign.lease("ben")
    learning.clear()
    trial.reopen()
    first = asking(trial.campaign, "eva")
    assert trial.campaign.answer(task, 1).is_counted
    assert not first.done()
    learning.set()
    assert first.result(SOON)


@pytest.mark.parametrize("change", ["reset", "change"])
def test_nobody_waits_after_a_reset_or_another_sampler(learning, change):
    busy, cold = two_campaigns(learning)
    learning.set()
    cold.campaign.lease("eva")
    learning.clear()
    cold.campaign.change(seed=5) if change == "change" else cold.campaign.reset()
    first = asking(cold.campaign, "fay")
    assert busy.campaign.answer(soon(busy.campaign, "ann"), 1).is_counted
    learning.set()
    assert first.result(SOON)


def test_who_waited_gets_the_pair_that_the_log_says(learning):
    _, cold = two_campaigns(learning)
    learning.set()
    [(a, b)] = asked_next(folded(cold.campaign))
    [task] = cold.campaign.lease("eva")
    assert set(task.pair) == {a, b}


def test_who_waits_for_a_pair_is_told_that_the_database_was_closed(learning):
    busy, cold = two_campaigns(learning)
    first = asking(cold.campaign, "eva")
    assert soon(busy.campaign, "ann")
    busy.campaign.database.close()
    learning.set()
    with pytest.raises(CannotRead, match="closed"):
        first.result(SOON)
