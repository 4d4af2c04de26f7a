from __future__ import annotations

import json

import pytest

from campaign.folded import folded, plain
from campaign.trial import Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CampaignError, InvalidArgument, InvalidComparisons, NoTask

ARRIVAL = {"study": "st", "session": "se"}


def kinds(trial: Trial, *wanted: str) -> list[str]:
    return [event.kind for event in trial.campaign.events() if event.kind in wanted]


def only_worker(trial: Trial):
    [worker] = trial.campaign.log.state.workers
    return worker


def test_who_joins_again_has_joined_once():
    trial = Trial()
    trial.campaign.join("ann", ARRIVAL)
    at = trial.clock.now
    trial.clock.move(60)
    trial.campaign.join("ann", ARRIVAL)
    trial.campaign.join("ann")
    [ann] = trial.campaign.workers()
    assert (ann.joined_at, ann.panel, ann.outcome, ann.last_at) == (at, ARRIVAL, None, None)
    assert kinds(trial, "joined") == ["joined"]


def test_who_comes_again_by_another_session_is_sent_back_to_that_one():
    trial = Trial()
    trial.campaign.join("ann", ARRIVAL)
    at = trial.clock.now
    trial.clock.move(60)
    trial.campaign.join("ann", {"session": "later"})
    [ann] = trial.campaign.workers()
    assert (ann.joined_at, ann.panel) == (at, {"session": "later"})
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


@pytest.mark.parametrize(
    ("worker", "panel"),
    [
        ("", {}),
        (" ann", {}),
        (3, {}),
        ("ann", "study=s"),
        ("ann", None),
        ("ann", {"study": 3}),
        ("ann", {3: "study"}),
        ("ann", {"study": "a\nb"}),
        ("ann", {"study": "\ud800"}),
        ("ann", {"study": "s" * 2001}),
        ("ann", {"s" * 2001: "study"}),
        ("ann", {str(k): "s" for k in range(21)}),
    ],
)
def test_what_cannot_be_kept_of_who_comes_is_refused_in_words(worker, panel):
    trial = Trial()
    with pytest.raises(InvalidArgument):
        trial.campaign.join(worker, panel)
    assert trial.campaign.counts.n_workers == 0


def test_nobody_new_joins_a_campaign_that_is_closed():
    trial = Trial()
    trial.campaign.join("ann")
    trial.campaign.close()
    trial.campaign.join("ann")
    with pytest.raises(NoTask) as refusal:
        trial.campaign.join("bob")
    assert refusal.value.why == "closed"
    assert trial.campaign.counts.n_workers == 1


def test_who_is_banned_neither_joins_nor_tries_nor_finishes():
    trial = Trial()
    trial.campaign.ban("ann")
    for act in (
        lambda: trial.campaign.join("ann"),
        lambda: trial.campaign.quiz("ann", True),
        lambda: trial.campaign.finish("ann", "completed"),
    ):
        with pytest.raises(NoTask) as refusal:
            act()
        assert refusal.value.why == "banned"
    trial.campaign.restore("ann")
    trial.campaign.join("ann")
    assert trial.campaign.lease("ann")


def test_who_fails_every_try_is_screened_out():
    trial = Trial(joining={"tries": 3})
    trial.campaign.join("ann")
    assert [trial.campaign.quiz("ann", False) for _ in range(3)] == [2, 1, 0]
    ann = only_worker(trial)
    assert (ann.outcome, ann.n_failed_tries, ann.has_passed) == ("screened_out", 3, False)
    for act in (lambda: trial.campaign.quiz("ann", True), lambda: trial.campaign.lease("ann")):
        with pytest.raises(NoTask) as refusal:
            act()
        assert refusal.value.why == "left"
    trial.campaign.join("ann", ARRIVAL)
    with pytest.raises(CampaignError, match="has already left this campaign: screened out"):
        trial.campaign.finish("ann", "completed")
    assert kinds(trial, "joined", "quizzed", "left") == ["joined", *["quizzed"] * 3, "left"]


def test_who_has_passed_cannot_fail_any_more():
    trial = Trial(joining={"tries": 2})
    trial.campaign.join("ann")
    assert trial.campaign.quiz("ann", False) == 1
    assert trial.campaign.quiz("ann", True) == 1
    assert trial.campaign.quiz("ann", False) == 1
    ann = only_worker(trial)
    assert (ann.outcome, ann.n_failed_tries, ann.has_passed) == (None, 1, True)
    assert kinds(trial, "quizzed") == ["quizzed"] * 2


def test_fewer_tries_than_were_failed_screen_out_at_the_next_one():
    trial = Trial(joining={"tries": 5})
    trial.campaign.join("ann")
    for _ in range(3):
        trial.campaign.quiz("ann", False)
    trial.campaign.change(joining={"tries": 2})
    assert only_worker(trial).outcome is None
    assert trial.campaign.quiz("ann", False) == 0
    assert only_worker(trial).outcome == "screened_out"


def test_who_finishes_gives_tasks_back_and_gets_no_more():
    trial = Trial("ab", budget=1)
    [task] = trial.campaign.lease("ann")
    trial.campaign.finish("ann", "withdrawn")
    trial.campaign.finish("ann", "withdrawn")
    assert trial.campaign.counts.n_out == 0
    with pytest.raises(NoTask) as refusal:
        trial.campaign.lease("ann")
    assert refusal.value.why == "left"
    with pytest.raises(CampaignError):
        trial.campaign.answer(task, 1)
    assert trial.campaign.lease("bob")
    assert kinds(trial, "left") == ["left"]


@pytest.mark.parametrize("first", ["completed", "screened_out", "withdrawn"])
@pytest.mark.parametrize("then", ["completed", "screened_out", "withdrawn"])
def test_how_it_ended_does_not_change(first, then):
    trial = Trial()
    trial.campaign.join("ann")
    trial.campaign.finish("ann", first)
    if first == then:
        trial.campaign.finish("ann", then)
    else:
        with pytest.raises(CampaignError, match="has already left this campaign"):
            trial.campaign.finish("ann", then)
    assert trial.campaign.workers()[0].outcome == first


def test_answers_of_who_has_left_stand():
    trial = Trial(lease_seconds=10)
    [receipt] = trial.answer_all("ann", 1)
    [late] = trial.campaign.lease("ann")
    trial.clock.move(11)
    trial.campaign.expire()
    trial.campaign.finish("ann")
    assert trial.campaign.answer(receipt.task, 1).is_repeated
    with pytest.raises(CampaignError, match="has left"):
        trial.campaign.answer(late, 1)
    with pytest.raises(CampaignError, match="has left"):
        trial.campaign.skip(late)
    with pytest.raises(CampaignError, match="answers cannot be undone"):
        trial.campaign.undo("ann")
    assert trial.campaign.counts.n_votes == 1


def test_workers_of_a_campaign_that_is_closed_finish():
    trial = Trial()
    trial.answer_all("ann", 1)
    trial.campaign.close()
    trial.campaign.finish("ann", "completed")
    assert trial.campaign.workers()[0].outcome == "completed"


def test_strangers_neither_try_nor_finish():
    trial = Trial()
    trial.campaign.join("anna")
    for act in (
        lambda: trial.campaign.quiz("ann", True),
        lambda: trial.campaign.finish("ann", "completed"),
    ):
        with pytest.raises(CampaignError, match="did you mean anna"):
            act()
    with pytest.raises(InvalidArgument, match="outcome"):
        trial.campaign.finish("anna", "fine")
    with pytest.raises(InvalidArgument, match="passed must be true or false"):
        trial.campaign.quiz("anna", 1)


def test_after_a_reset_who_had_completed_goes_on_and_others_stay_away():
    trial = Trial(joining={"tries": 2})
    for worker in ("ann", "bob", "cy", "dan"):
        trial.campaign.join(worker, ARRIVAL)
        trial.campaign.quiz(worker, True)
    trial.answer_all("ann", 1)
    for worker, outcome in (("ann", "completed"), ("bob", "screened_out"), ("cy", "withdrawn")):
        trial.campaign.finish(worker, outcome)
    trial.campaign.reset()
    workers = {who.worker: who for who in trial.campaign.workers()}
    assert [who.outcome for who in workers.values()] == [None, "screened_out", "withdrawn", None]
    assert all(who.joined_at and who.panel == ARRIVAL for who in workers.values())
    assert all(who.has_passed for who in trial.campaign.log.state.workers)
    assert trial.campaign.lease("ann")
    with pytest.raises(NoTask):
        trial.campaign.lease("bob")
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


def test_programs_that_answer_need_not_join():
    trial = Trial()
    trial.answer_all("model", 2)
    trial.campaign.finish("model")
    [model] = trial.campaign.workers()
    assert (model.joined_at, model.outcome, model.n_counted) == (None, "completed", 2)


def test_who_was_last_here_when():
    trial = Trial(lease_seconds=10)
    trial.campaign.join("ann")
    assert trial.campaign.workers()[0].last_at is None
    times = []
    for act in (
        lambda: trial.campaign.lease("ann"),
        lambda: trial.answer_all("ann", 1),
        lambda: trial.campaign.skip(trial.campaign.lease("ann")[0]),
        lambda: trial.campaign.undo("ann"),
    ):
        trial.clock.move(3)
        act()
        times.append(trial.campaign.workers()[0].last_at - trial.clock.now)
    assert times == [0] * 4
    trial.clock.move(11)
    trial.campaign.expire()
    assert trial.campaign.workers()[0].last_at == trial.clock.now - 11


def test_all_of_it_is_in_the_exported_log(tmp_path):
    trial = Trial(joining={"tries": 1})
    for worker in ("ann", "bob", "cy"):
        trial.campaign.join(worker, ARRIVAL if worker == "ann" else {})
    trial.campaign.quiz("ann", True)
    trial.campaign.quiz("bob", False)
    trial.answer_all("ann", 3)
    trial.campaign.finish("ann", "completed")
    trial.campaign.edit("a", text="other words")
    trial.campaign.forget("cy")
    path = tmp_path / "log.jsonl"
    trial.campaign.export(path)
    again = Campaign.load(tmp_path / "again.db", path, clock=trial.clock)
    assert list(again.events()) == list(trial.campaign.events())
    assert plain(again.log.state) == plain(trial.campaign.log.state)
    assert again.workers() == trial.campaign.workers()
    again.leave()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("joined", {"worker": "eve", "data": {"study": 3}}),
        ("joined", {}),
        ("quizzed", {"worker": "eve", "data": {"passed": 1}}),
        ("quizzed", {"worker": "eve"}),
        ("left", {"worker": "eve", "data": {"outcome": "gone"}}),
        ("left", {"worker": "eve", "data": {"outcome": []}}),
        ("left", {"worker": "eve"}),
        ("item_changed", {"data": {"text": "x"}}),
        ("item_changed", {"left": "a", "data": {"text": 1}}),
        ("item_changed", {"left": "a"}),
        ("worker_forgotten", {"worker": "ann"}),
        ("worker_forgotten", {"worker": "x", "data": {"number": 0}}),
        ("worker_forgotten", {"worker": "ann", "data": {"number": 1}}),
        ("worker_forgotten", {"worker": "ann", "data": {"number": -1}}),
        ("worker_forgotten", {"worker": "ann", "data": {"number": "0"}}),
    ],
)
def test_a_log_that_says_nonsense_about_workers_is_refused_in_words(tmp_path, kind, fields):
    trial = Trial()
    trial.campaign.join("ann")
    trial.campaign.join("bob")
    path = tmp_path / "log.jsonl"
    trial.campaign.export(path)
    *lines, _ = path.read_text().splitlines()
    seq = len(lines)
    more = [{"seq": seq, "at": 1.0, "kind": kind, **fields}, {"events": seq}]
    path.write_text("\n".join([*lines, *map(json.dumps, more)]))
    with pytest.raises(InvalidComparisons, match=f"line {seq + 1}"):
        Campaign.load(None, path)
