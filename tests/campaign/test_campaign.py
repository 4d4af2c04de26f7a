from __future__ import annotations

from random import Random
from threading import Thread

import pytest

from campaign.folded import folded, plain
from campaign.trial import QUESTION, Clock, Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.errors import CampaignError, CannotRead, HodgeRankError, InvalidArgument, NoTask


def test_a_campaign_is_there_when_it_is_opened_again(tmp_path):
    path = tmp_path / "campaign.db"
    with Campaign.create(path, ["a", "b", "c"], question=QUESTION) as campaign:
        [task] = campaign.lease("ann")
        campaign.answer(task, 1)
        ranking = campaign.ranking().score_by_item
    with Campaign.open(path) as campaign:
        assert campaign.settings.question == QUESTION
        assert campaign.ranking().score_by_item == ranking
        assert campaign.answer(task.id, 1).is_repeated


def test_a_name_is_given_once(tmp_path):
    with Database(tmp_path / "campaigns.db") as database:
        Campaign.create(database, ["a", "b"], question=QUESTION, id="one")
        with pytest.raises(CampaignError, match="already"):
            Campaign.create(database, ["c", "d"], question=QUESTION, id="one")
        Campaign.create(database, ["c", "d"], question=QUESTION, id="two")
        assert database.campaigns() == ["one", "two"]
        with pytest.raises(CampaignError, match="name one of one, two"):
            Campaign.open(database)
        with pytest.raises(CampaignError, match="no campaign 'three'"):
            Campaign.open(database, "three")
        assert Campaign.open(database, "two").items[0].id == "c"


@pytest.mark.parametrize("id", ["", " ", "\0", "a\nb", 5, None, "x" * 501])
def test_names_of_campaigns_are_names(id):
    with pytest.raises(InvalidArgument):
        Campaign.create(None, ["a", "b"], question=QUESTION, id=id)


def test_a_campaign_that_could_not_be_created_leaves_the_file_to_others(tmp_path):
    path = tmp_path / "campaign.db"
    for items, options in (([], {"question": QUESTION}), (["a", "b"], {}), (["a", "a"], {})):
        with pytest.raises(InvalidArgument):
            Campaign.create(path, items, **options)
    with Campaign.create(path, ["a", "b"], question=QUESTION):
        pass


def test_where_there_is_no_campaign_none_is_opened(tmp_path):
    with pytest.raises(HodgeRankError):
        Campaign.open(tmp_path / "none.db")
    with pytest.raises(CampaignError, match="no campaign"):
        Campaign.open(None)


def test_a_second_one_on_the_file_is_refused_but_may_look_on(tmp_path):
    path = tmp_path / "campaign.db"
    with (
        Campaign.create(path, ["a", "b", "c"], question=QUESTION) as campaign,
        Campaign.open(path, read_only=True) as looking,
    ):
        with pytest.raises(HodgeRankError):
            Campaign.open(path)
        assert looking.counts.n_votes == 0
        campaign.answer(campaign.lease("ann")[0], 1)
        assert looking.counts.n_votes == 1
        assert looking.ranking().score_by_item == campaign.ranking().score_by_item
        assert looking.progress().counts == campaign.counts
        assert plain(looking.log.state) == plain(folded(campaign))


def test_who_looks_on_changes_nothing_and_sees_on(tmp_path):
    path, clock = tmp_path / "campaign.db", Clock()
    with (
        Campaign.create(
            path, ["a", "b", "c"], question=QUESTION, budget=1, lease_seconds=10, clock=clock
        ) as campaign,
        Campaign.open(path, read_only=True, clock=clock) as looking,
    ):
        [task] = campaign.lease("ann")
        clock.move(11)  # whoever decides finds a lease that has ended
        for act in (
            lambda: looking.lease("bob"),
            lambda: looking.answer(task, 1),
            lambda: looking.answer("none", 1),
            lambda: looking.undo("ann"),
            looking.expire,
            looking.pause,
            looking.reset,
        ):
            with pytest.raises(CampaignError):
                act()
            assert looking.counts.seq == campaign.counts.seq
        campaign.ban("eve")
        campaign.answer(campaign.lease("bob")[0], 1)
        with pytest.raises(NoTask):
            campaign.lease("cy")
        assert looking.counts == campaign.counts


def test_two_campaigns_of_one_process_on_the_same_log_agree():
    clock = Clock()
    with Database() as database:
        one = Campaign.create(
            database, list(range(8)), question=QUESTION, clock=clock, random=Random(1)
        )
        other = Campaign.open(database, clock=clock, random=Random(2))
        for step in range(40):
            first, second = (one, other) if step % 2 else (other, one)
            [task] = first.lease(f"w{step % 5}")
            assert second.lease(f"w{step % 5}") == [task]
            second.answer(task, 1 if step % 3 else -1)
        assert one.counts == other.counts
        assert plain(one.log.state) == plain(other.log.state) == plain(folded(one))
        assert one.ranking().score_by_item == other.ranking().score_by_item


@pytest.mark.parametrize("owner_acts", [False, True])
def test_threads_may_do_everything_at_once(tmp_path, owner_acts):
    with Campaign.create(
        tmp_path / "campaign.db", list(range(12)), question=QUESTION, budget=150
    ) as campaign:
        troubles = []

        def work(seed: int) -> None:
            random = Random(seed)
            try:
                for _ in range(40):
                    name = f"w{random.randrange(6)}"
                    try:
                        for task in campaign.lease(name, 2):
                            if random.random() < 0.8:
                                campaign.answer(task, random.choice([-1, 1]))
                        if random.random() < 0.1:
                            campaign.undo(name)
                        if owner_acts and random.random() < 0.05:
                            campaign.ban(name)
                            campaign.restore(name)
                    except CampaignError:
                        pass
            except BaseException as error:
                troubles.append(error)

        threads = [Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert troubles == []
        assert campaign.counts.n_votes <= 150 or owner_acts  # who may restore what was banned
        assert plain(campaign.log.state) == plain(folded(campaign))


def test_a_campaign_that_was_left_says_so(tmp_path):
    campaign = Campaign.create(tmp_path / "campaign.db", ["a", "b"], question=QUESTION)
    campaign.leave()
    campaign.leave()
    with pytest.raises(CannotRead, match="closed"):
        campaign.lease("ann")


def test_who_waits_hears_of_answers():
    trial = Trial("abc")
    seq = trial.campaign.counts.seq
    assert not trial.campaign.wait(seq, 0)
    trial.campaign.lease("ann")
    assert trial.campaign.wait(seq, 0)
    [event] = trial.campaign.events(seq)
    assert (event.kind, event.worker, event.at) == ("issued", "ann", trial.clock.now)


def test_events_are_in_order_and_have_the_time_of_the_clock_though_it_goes_back():
    trial = Trial("abcd")
    times = []
    for seconds in (5, -100, 3, -1, 50):
        trial.clock.move(seconds)
        trial.answer_all("ann", 1)
        times += [trial.clock.now] * 2
    events = list(trial.campaign.events())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.at for event in events[-10:]] == times


def test_a_campaign_tells_what_it_is():
    trial = Trial("abc", id="cups")
    trial.answer_all("ann", 1)
    assert repr(trial.campaign) == "Campaign(cups: 3 items, 1 votes, open)"
    assert trial.campaign.trust() is not None
