from __future__ import annotations

import pytest

from campaign.folded import folded, plain
from campaign.trial import QUESTION, Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.results import TrackStanding
from hodgerank.errors import CampaignError, InvalidArgument, UnknownItem


def test_a_ban_and_its_end_leave_the_ranking_as_if_there_had_been_none():
    trial = Trial("abcdef")
    for worker in ("ann", "bob", "cy"):
        trial.answer_all(worker, 5, 1 if worker != "bob" else -1)
    before = trial.campaign.ranking().score_by_item
    trial.campaign.ban("bob", "careless")
    assert trial.campaign.counts.n_votes == 10
    assert trial.campaign.ranking().score_by_item != before
    assert {row["why_not"] for row in trial.campaign.answers()} == {"", "worker banned"}
    trial.reopen()
    assert trial.campaign.workers()[1].ban_reason == "careless"
    trial.campaign.restore("bob")
    assert trial.campaign.ranking().score_by_item == before
    assert trial.campaign.workers()[1].ban_reason == ""


def test_a_banned_worker_loses_the_tasks_that_are_out():
    trial = Trial("ab", budget=1)
    [task] = trial.campaign.lease("ann")
    trial.campaign.ban("ann")
    with pytest.raises(CampaignError, match="banned"):
        trial.campaign.answer(task, 1)
    assert trial.campaign.lease("bob")
    trial.campaign.restore("ann")
    with pytest.raises(CampaignError, match="no longer valid"):
        trial.campaign.answer(task, 1)


def test_who_has_not_come_yet_can_be_banned_but_not_restored():
    trial = Trial()
    trial.campaign.ban("eve")
    trial.campaign.ban("eve")
    assert trial.campaign.counts.n_banned == 1
    with pytest.raises(CampaignError, match="no worker"):
        trial.campaign.restore("adam")
    trial.campaign.restore("eve")
    trial.campaign.restore("eve")
    assert trial.campaign.lease("eve")
    kinds = [event.kind for event in trial.campaign.events()]
    assert kinds.count("worker_banned") == kinds.count("worker_restored") == 1


def test_imported_answers_of_a_banned_worker_do_not_count():
    trial = Trial("abc")
    trial.campaign.ban("ann")
    trial.campaign.import_votes([("a", "b", 1, "ann"), ("b", "c", 1, "bob")])
    assert trial.campaign.counts.n_votes == 1
    trial.campaign.restore("ann")
    assert trial.campaign.counts.n_votes == 2


def test_a_retired_item_keeps_its_answers_and_those_that_are_out():
    trial = Trial("abc")
    tasks = trial.campaign.lease("ann", 3)
    for item in "ab":
        trial.campaign.retire(item)
        trial.campaign.retire(item)
    assert trial.campaign.retired == ["a", "b"]
    assert trial.campaign.lease("ann", 3) == tasks
    assert all(trial.campaign.answer(task, 1).is_counted for task in tasks)
    assert set(trial.campaign.ranking().items) == set("abc")
    with pytest.raises(UnknownItem, match="not among"):
        trial.campaign.retire("z")
    with pytest.raises(UnknownItem, match="not among"):
        trial.campaign.restore_item("z")


@pytest.mark.parametrize(
    "items",
    [["a", "a"], ["new", "a"], ["x", "x"], [""], ["\0"], [True], [1.5], [None], "abc", ["a\tb"]],
)
def test_items_that_cannot_join_leave_everything_as_it_was(items):
    trial = Trial("abc")
    seq = trial.campaign.counts.seq
    with pytest.raises(InvalidArgument):
        trial.campaign.add(items)
    assert trial.campaign.counts.seq == seq


@pytest.mark.parametrize(
    "items",
    [[], ["a"], ["a", "a"], [CampaignItem("a", track="x"), CampaignItem("b", track="y")]],
)
def test_a_campaign_needs_two_items_in_a_track(items):
    with pytest.raises(InvalidArgument):
        Trial(items)


def test_items_are_not_letters():
    with pytest.raises(InvalidArgument, match="must be a list"):
        Campaign.create(None, "ab", question=QUESTION)


@pytest.mark.parametrize("items", [[1, "1", 2], [1, "a", 2]])
def test_items_that_votes_could_not_tell_apart_are_refused(items):
    with pytest.raises(InvalidArgument):
        Trial(items)


def test_items_have_texts():
    trial = Trial({"a": "An apple", "b": "A bear"})
    assert [item.text for item in trial.campaign.items] == ["An apple", "A bear"]


def test_what_is_shown_of_an_item_changes_and_nothing_else():
    trial = Trial([CampaignItem("a", "An apple", "a.png", "t"), CampaignItem("b", track="t")])
    trial.answer_all("ann", 1)
    scores = trial.campaign.ranking().score_by_item
    trial.campaign.edit("a", text="A pear")
    assert trial.campaign.items[0] == CampaignItem("a", "A pear", "a.png", "t")
    trial.campaign.edit("a", text="", media="media:b.png")
    assert trial.campaign.items[0] == CampaignItem("a", "", "media:b.png", "t")
    assert trial.campaign.ranking().score_by_item == scores
    seq = trial.campaign.counts.seq
    trial.campaign.edit("a")
    trial.campaign.edit("a", text="", media="media:b.png")
    assert trial.campaign.counts.seq == seq
    trial.reopen()
    assert trial.campaign.items[0].media == "media:b.png"
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


def test_what_cannot_be_shown_leaves_an_item_as_it_was():
    trial = Trial({"a": "An apple", "b": "A bear"})
    seq = trial.campaign.counts.seq
    for wrong in ({"text": 3}, {"media": "\ud800"}, {"text": "fine", "media": b"x"}):
        with pytest.raises(InvalidArgument, match="of a "):
            trial.campaign.edit("a", **wrong)
    with pytest.raises(UnknownItem):
        trial.campaign.edit("z", text="Zebra")
    assert trial.campaign.counts.seq == seq
    assert [item.text for item in trial.campaign.items] == ["An apple", "A bear"]


def test_items_are_edited_when_a_campaign_is_closed_too():
    trial = Trial("ab")
    trial.campaign.close()
    trial.campaign.edit("a", text="A slip of the pen")
    assert trial.campaign.items[0].text == "A slip of the pen"


def test_a_reset_takes_votes_and_leaves_items_settings_bans_and_the_log():
    trial = Trial("abcd", budget=6)
    [out] = trial.campaign.lease("dan")
    trial.answer_all("ann", 3, seconds=0.1)
    trial.answer_all("bob", 2)
    trial.campaign.ban("bob")
    trial.campaign.import_votes([("a", "b", 1)])
    trial.campaign.retire("d")
    seq = trial.campaign.counts.seq
    trial.campaign.reset()
    counts = trial.campaign.counts
    assert (counts.n_votes, counts.n_given, counts.n_out) == (0, 0, 0)
    assert (counts.n_items, counts.n_retired, counts.n_banned) == (4, 1, 1)
    assert counts.seq == seq + 1
    assert counts.rules == ()
    assert {row["why_not"] for row in trial.campaign.answers()} == {"reset"}
    with pytest.raises(CampaignError):
        trial.campaign.answer(out, 1)
    assert trial.campaign.import_votes([("a", "b", 1)]) == 1
    assert len(trial.campaign.lease("ann", 6)) == 3
    trial.campaign.restore("bob")
    assert trial.campaign.counts.n_votes == 1
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


def test_an_expired_task_of_before_a_reset_is_over():
    trial = Trial(lease_seconds=10)
    [task] = trial.campaign.lease("ann")
    trial.clock.move(11)
    trial.campaign.expire()
    trial.campaign.reset()
    with pytest.raises(CampaignError, match="no longer valid"):
        trial.campaign.answer(task, 1)


def test_after_the_end_nothing_begins():
    trial = Trial()
    trial.campaign.close()
    trial.campaign.close()
    for act in (
        trial.campaign.pause,
        trial.campaign.resume,
        trial.campaign.reset,
        lambda: trial.campaign.add(["z"]),
        lambda: trial.campaign.import_votes([("a", "b", 1)]),
    ):
        with pytest.raises(CampaignError, match="closed"):
            act()
    assert [event.kind for event in trial.campaign.events()].count("closed") == 1


def test_pausing_twice_is_pausing_once():
    trial = Trial()
    for act in ("pause", "pause", "resume", "resume"):
        getattr(trial.campaign, act)()
    kinds = [event.kind for event in trial.campaign.events()]
    assert kinds.count("paused") == kinds.count("resumed") == 1


def test_settings_change_by_name_and_only_to_what_is_right():
    trial = Trial()
    trial.campaign.change(budget=5, attention={"same_side": 7})
    assert trial.campaign.settings.budget == 5
    assert trial.campaign.settings.attention.same_side == 7
    assert trial.campaign.settings.attention.fastest_seconds == 0.4
    seq = trial.campaign.counts.seq
    trial.campaign.change(budget=5)
    assert trial.campaign.counts.seq == seq
    for wrong in ({"budget": 0}, {"bugdet": 5}, {"attention": {"x": 1}}, {"sampler": "best"}):
        with pytest.raises(InvalidArgument):
            trial.campaign.change(**wrong)
    with pytest.raises(UnknownItem):
        trial.campaign.change(gold=[{"better": "a", "worse": "z"}])
    trial.campaign.change(budget=None)
    trial.reopen()
    assert trial.campaign.settings.budget is None


def test_gold_is_of_one_track():
    items = ["a", "b", CampaignItem("y", track="t"), CampaignItem("z", track="t")]
    with pytest.raises(InvalidArgument, match="two tracks"):
        Trial(items, gold=[{"better": "a", "worse": "z"}])


def test_a_ranking_is_had_whatever_the_settings_allow():
    trial = Trial("abc")
    trial.campaign.import_votes([("a", "b", 1, "w"), ("b", "c", 1, "w"), ("a", "c", 1, "v")] * 10)
    try:
        trial.campaign.change(position_bias="common")
    except InvalidArgument:
        return
    assert trial.campaign.ranking().items == ("a", "b", "c")


def test_enough_is_not_written_down_when_it_has_ceased_to_be_so(monkeypatch):
    trial = Trial("abc", stop="tau >= 0.5", ranking="plain")
    for _ in range(3):
        for worker in ("ann", "bob"):
            [task] = trial.campaign.lease(worker)
            trial.campaign.answer(task, 1 if task.left < task.right else -1)
    progress = TrackStanding.progress

    def reset_meanwhile(*given, **options):
        found = progress(*given, **options)
        trial.campaign.reset()
        return found

    monkeypatch.setattr(TrackStanding, "progress", reset_meanwhile)
    assert trial.campaign.progress().is_enough
    assert trial.campaign.lease("new")
