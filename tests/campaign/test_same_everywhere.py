"""The same log and seed give the same tasks and ranking, wherever the log is kept."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from campaign.trial import Trial
from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import CampaignError, NoTask

ITEMS = [CampaignItem(f"item {k}", track="ab"[k % 2]) for k in range(14)]


def live(where: Any) -> dict[str, Any]:
    """A campaign with a bit of everything; all that it said."""
    trial = Trial(
        ITEMS,
        where,
        lease_seconds=20,
        repeat_share=0.2,
        gold=[{"better": "item 0", "worse": "item 2"}],
    )
    random, said = Random(7), []
    for step in range(160):
        campaign, worker = trial.campaign, f"w{random.randrange(8)}"
        trial.clock.move(random.random() * 6)
        try:
            tasks = campaign.lease(worker, random.choice([1, 1, 3]))
        except NoTask as refusal:
            tasks = []
            said.append(str(refusal))
        for task in tasks:
            said.append(task)
            if random.random() < 0.8:
                said.append(campaign.answer(task, random.choice([-1, 1]), seconds=random.random()))
        if step % 20 == 19:
            with suppress(CampaignError):
                said.append(campaign.undo(worker))
        if step == 50:
            campaign.ban("w3")
            campaign.add(["item 100", CampaignItem("item 101", track="a")])
        if step == 90:
            campaign.restore("w3")
            campaign.retire("item 4")
            trial.reopen()
    campaign = trial.campaign
    found = {
        "said": said,
        "log": list(campaign.events()),
        "rankings": {track: campaign.ranking(track).score_by_item for track in campaign.tracks},
        "workers": campaign.workers(),
    }
    campaign.leave()
    return found


def test_the_same_log_and_seed_give_the_same_on_every_store(tmp_path, postgres_url):
    in_memory = live(None)
    assert sum(event.kind == "answered" for event in in_memory["log"]) > 100
    assert live(tmp_path / "campaign.db") == in_memory
    assert live(postgres_url) == in_memory


def test_it_makes_no_difference_when_a_campaign_is_opened_again():
    def tasks(restarts: bool) -> list[Any]:
        trial, found = Trial(ITEMS, ranking="plain"), []
        random = Random(3)
        for step in range(120):
            [task] = trial.campaign.lease(f"w{random.randrange(6)}")
            found.append((task.left, task.right))
            trial.campaign.answer(task, random.choice([-1, 1]))
            if step in (70, 75, 95):
                trial.campaign.undo(task.worker)
            if restarts and step % 9 == 0:
                trial.reopen(ids=step + 10)
        return found

    assert tasks(True) == tasks(False)
