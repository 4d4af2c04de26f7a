from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import CancelledError
from threading import Event as Signal

import pytest

from campaign.trial import QUESTION, Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import answers, leases, owner
from hodgerank.errors import CampaignError, NoTask


def test_what_is_begun_is_had_from_the_future():
    campaign = Trial().campaign
    futures = [
        campaign.log.begin(
            lambda state, now, name=name: leases.lease(state, now, campaign.new_id, name, 1)
        )
        for name in ("ann", "bob")
    ]
    [[ann], [bob]] = [future.result() for future in futures]
    assert (ann.worker, bob.worker) == ("ann", "bob")
    assert campaign.counts.n_out == 2


def test_a_refusal_is_raised_by_the_future_and_what_was_found_before_it_is_kept():
    trial = Trial(lease_seconds=10)
    trial.campaign.lease("ann")
    trial.campaign.pause()
    trial.clock.move(11)
    future = trial.campaign.log.begin(
        lambda state, now: leases.lease(state, now, trial.campaign.new_id, "bob", 1)
    )
    assert isinstance(future.exception(), NoTask)
    assert [event.kind for event in trial.campaign.events()][-1] == "expired"


def test_a_mistake_in_a_decision_is_raised_by_its_future_alone():
    campaign = Trial().campaign
    wrong = campaign.log.begin(lambda state, now: 1 / 0)
    right = campaign.log.begin(lambda state, now: state.seq)
    with pytest.raises(ZeroDivisionError):
        wrong.result()
    assert right.result() == campaign.counts.seq


def test_coroutines_await_decisions():
    campaign = Trial(range(12)).campaign

    def work(state, now, name):
        [task] = leases.lease(state, now, campaign.new_id, name, 1)
        answers.answer(state, now, task.id, 1, name, None, None, 1.0)

    async def one(name):
        begin = campaign.log.begin
        await asyncio.wrap_future(begin(lambda state, now: work(state, now, name)))
        # A command of its own: one that finds no pair ready runs again from its beginning.
        next_ones = begin(lambda state, now: leases.lease(state, now, campaign.new_id, name, 2))
        return await asyncio.wrap_future(next_ones)

    async def all_at_once():
        tasks = await asyncio.gather(*(one(f"w{k}") for k in range(20)))
        campaign.pause()
        with pytest.raises(NoTask, match="paused"):
            await asyncio.wrap_future(
                campaign.log.begin(
                    lambda state, now: leases.lease(state, now, campaign.new_id, "new", 1)
                )
            )
        return tasks

    tasks = asyncio.run(all_at_once())
    assert [len(each) for each in tasks] == [2] * 20
    assert campaign.counts.n_votes == 20


def test_what_is_cancelled_before_its_turn_does_not_happen():
    campaign = Trial().campaign
    busy, go_on = Signal(), Signal()
    campaign.log.begin(lambda state, now: (busy.set(), go_on.wait()))
    busy.wait()
    future = campaign.log.begin(owner.pause)
    assert future.cancel()
    go_on.set()
    with pytest.raises(CancelledError):
        future.result()
    assert campaign.counts.status == "open"


def test_who_may_only_read_begins_what_changes_nothing(tmp_path):
    path = tmp_path / "campaign.db"
    Campaign.create(path, list("abc"), question=QUESTION).leave()
    with Campaign.open(path, read_only=True) as campaign:
        assert campaign.log.begin(lambda state, now: len(state.items)).result() == 3
        with pytest.raises(CampaignError, match="read only"):
            campaign.log.begin(owner.pause).result()
        with pytest.raises(ZeroDivisionError):
            campaign.log.begin(lambda state, now: 1 / 0).result()


def enough(path) -> Campaign:
    """Answers that leave nothing open, and a rule they reach."""
    campaign = Campaign.create(path, list("abc"), question=QUESTION, stop="tau >= 0.5")
    campaign.import_votes([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 10)
    return campaign


def test_progress_that_was_looked_at_elsewhere_is_noted(tmp_path):
    campaign = enough(tmp_path / "campaign.db")
    with Campaign.open(tmp_path / "campaign.db", read_only=True) as looking:
        progress = pickle.loads(pickle.dumps(looking.progress(with_forecast=True)))
    assert progress.is_enough
    assert campaign.lease("ann")
    campaign.note(progress)
    campaign.note(progress)
    with pytest.raises(NoTask) as refusal:
        campaign.lease("bob")
    assert refusal.value.why == "enough"
    assert [event.kind for event in campaign.events()].count("enough") == 1
    campaign.leave()


@pytest.mark.parametrize(
    "revise",
    [
        lambda campaign: campaign.reset(),
        lambda campaign: campaign.add(["d"]),
        lambda campaign: campaign.change(stop="tau >= 0.9999"),
        lambda campaign: campaign.change(stop=None),
    ],
)
def test_progress_of_before_a_revision_is_not_noted(tmp_path, revise):
    campaign = enough(tmp_path / "campaign.db")
    with Campaign.open(tmp_path / "campaign.db", read_only=True) as looking:
        progress = looking.progress()
    revise(campaign)
    campaign.note(progress)
    assert campaign.lease("ann")
    campaign.leave()
