from __future__ import annotations

import numpy as np
import pytest

from campaign.folded import folded, plain
from campaign.trial import Trial
from hodgerank.errors import CampaignError, HodgeRankError, InvalidArgument, InvalidComparisons


def test_a_receipt_says_what_became_of_an_answer():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    receipt = trial.campaign.answer(task, 1)
    assert (receipt.task, receipt.is_counted, receipt.why_not) == (task.id, True, "")
    assert (receipt.marks, receipt.is_late, receipt.is_repeated) == ((), False, False)
    assert trial.campaign.ranking().items[0] == task.left


def test_the_same_answer_again_changes_nothing():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 1)
    seq = trial.campaign.counts.seq
    for _ in range(3):
        receipt = trial.campaign.answer(task.id, 1, worker="ann", seconds=9)
        assert receipt.is_repeated
        assert receipt.is_counted
    trial.campaign.close()
    assert trial.campaign.answer(task, 1).is_repeated
    assert trial.campaign.counts.seq == seq + 1
    assert trial.campaign.counts.n_votes == 1


def test_another_answer_to_the_same_task_is_refused():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 1)
    with pytest.raises(CampaignError, match="undo"):
        trial.campaign.answer(task, -1)
    assert trial.campaign.answers()[0]["outcome"] == 1


def test_what_was_acknowledged_is_acknowledged_again_though_the_answers_allowed_have_changed():
    trial = Trial(ties=True)
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 0)
    trial.campaign.change(ties=False)
    assert trial.campaign.answer(task, 0).is_repeated


@pytest.mark.parametrize("task", ["", "0" * 32, "a\0", 5, None, b"x"])
def test_an_unknown_task_is_refused(task):
    trial = Trial()
    trial.campaign.import_votes([("a", "b", 1)])  # rows without a task
    with pytest.raises(CampaignError, match="no task"):
        trial.campaign.answer(task, 1)


def test_a_task_of_somebody_else_is_refused_where_the_worker_is_said():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    for act in (
        lambda: trial.campaign.answer(task, 1, worker="bob"),
        lambda: trial.campaign.skip(task, worker="bob"),
    ):
        with pytest.raises(CampaignError, match="not assigned to bob"):
            act()
    assert trial.campaign.answer(task, 1, worker="ann").is_counted


@pytest.mark.parametrize(
    ("settings", "allowed", "refused"),
    [
        ({}, [1, -1, 1.0], [0, 0.5, -0.5, 2, -1.01]),
        ({"ties": True}, [1, 0, -0.0, -1], [0.5, 1.5]),
        ({"grades": 3}, [1 / 3, -2 / 3, 1, 0.333333333333], [0, 0.5, 0.3]),
        ({"grades": 0}, [0.123, -1, 0, 1], [1.0001, -7]),
    ],
)
def test_answers_are_those_that_the_settings_allow(settings, allowed, refused):
    trial = Trial(range(10), **settings)
    for outcome in (*refused, float("nan"), float("inf"), "left", None, [1]):
        with pytest.raises((InvalidArgument, InvalidComparisons)):
            trial.campaign.answer(trial.campaign.lease("ann")[0], outcome)
    for outcome in allowed:
        assert trial.campaign.answer(trial.campaign.lease("ann")[0], outcome).is_counted


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "3", True, 1e9])
def test_seconds_are_a_time(seconds):
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    with pytest.raises(InvalidArgument, match="seconds"):
        trial.campaign.answer(task, 1, seconds=seconds)


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_a_weight_is_above_zero(weight):
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    with pytest.raises(HodgeRankError):
        trial.campaign.answer(task, 1, weight=weight)


def test_a_weight_is_kept_and_counts():
    trial = Trial("ab")
    for worker, outcome, weight in (("ann", 1, 5.0), ("bob", -1, 1.0)):
        [task] = trial.campaign.lease(worker)
        side = 1 if task.left == "a" else -1
        trial.campaign.answer(task, outcome * side, weight=weight)
    assert [row["weight"] for row in trial.campaign.answers()] == [5, 1]
    assert trial.campaign.ranking().items == ("a", "b")


@pytest.mark.parametrize(
    "is_focused", [np.bool_(False), "no", 0, float("nan"), object()], ids=range(5)
)
def test_what_cannot_be_kept_with_an_answer_spoils_nothing(is_focused):
    trial = Trial()
    one, other = trial.campaign.lease("ann", 2)
    try:
        receipt = trial.campaign.answer(one, 1, is_focused=is_focused)
    except HodgeRankError:
        assert trial.campaign.counts.n_votes == 0
    else:
        assert receipt.marks in ((), ("focus",))
    assert trial.campaign.answer(other, 1).is_counted
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))


# Late


def test_a_late_answer_counts_where_nobody_was_given_the_place():
    trial = Trial(lease_seconds=10)
    [task] = trial.campaign.lease("ann")
    trial.clock.move(1000)
    receipt = trial.campaign.answer(task, 1)
    assert receipt.is_counted
    assert receipt.is_late
    assert trial.campaign.answer(task, 1).is_late
    assert trial.campaign.answers()[0]["is_late"]


def test_a_late_answer_whose_place_was_taken_is_kept_and_does_not_count():
    trial = Trial("ab", lease_seconds=10)
    [task] = trial.campaign.lease("ann")
    trial.clock.move(11)
    [other] = trial.campaign.lease("bob")
    receipt = trial.campaign.answer(task, 1)
    assert (receipt.is_counted, receipt.is_late) == (False, True)
    assert "taken" in receipt.why_not
    assert trial.campaign.answer(other, 1).is_counted
    assert trial.campaign.counts.n_votes == 1
    assert trial.campaign.counts.n_given == 2
    trial.reopen()
    assert [row["is_counted"] for row in trial.campaign.answers()] == [False, True]


def test_a_late_answer_does_not_pass_the_budget():
    trial = Trial("abcdef", lease_seconds=10, budget=2)
    late = trial.campaign.lease("ann", 2)
    trial.clock.move(11)
    new = trial.campaign.lease("bob", 2)
    for task in (*new, *late):
        trial.campaign.answer(task, 1)
    assert trial.campaign.counts.n_votes == 2
    assert trial.campaign.counts.n_given == 4


def test_undoing_what_did_not_count_does_not_pass_the_budget():
    trial = Trial("abcd", lease_seconds=10, budget=1)
    [late] = trial.campaign.lease("ann")
    trial.clock.move(11)
    [other] = trial.campaign.lease("bob")
    trial.campaign.answer(late, 1)
    again = trial.campaign.undo("ann")
    trial.campaign.answer(again, 1)
    trial.campaign.answer(other, 1)
    assert trial.campaign.counts.n_votes == 1


def test_a_pair_given_back_by_undo_takes_nobodys_place():
    trial = Trial("ab", lease_seconds=10)
    trial.answer_all("ann", 1)
    [task] = trial.campaign.lease("bob")
    trial.clock.move(11)
    trial.campaign.undo("ann")
    assert trial.campaign.answer(task, 1).is_counted


def test_the_same_worker_may_answer_late_what_came_again():
    trial = Trial("ab", lease_seconds=10)
    [task] = trial.campaign.lease("ann")
    trial.clock.move(11)
    [again] = trial.campaign.lease("ann")
    assert frozenset(again.pair) == frozenset(task.pair)
    counted = [trial.campaign.answer(each, 1).is_counted for each in (task, again)]
    assert sum(counted) == 1


def test_nothing_is_taken_after_the_end_but_what_was_given_before():
    trial = Trial()
    one, other = trial.campaign.lease("ann", 2)
    trial.campaign.answer(one, 1)
    trial.campaign.close()
    for act in (
        lambda: trial.campaign.answer(other, 1),
        lambda: trial.campaign.undo("ann"),
        lambda: trial.campaign.skip(other),
    ):
        with pytest.raises(CampaignError, match="closed"):
            act()
    assert trial.campaign.counts.n_votes == 1


def test_answers_to_tasks_that_are_out_are_taken_while_paused():
    trial = Trial()
    one, other = trial.campaign.lease("ann", 2)
    trial.campaign.pause()
    assert trial.campaign.answer(one, 1).is_counted
    trial.campaign.skip(other)


# Skip


def test_a_skip_says_why_and_once():
    trial = Trial(skip_reasons=["too close", "not loaded"])
    [task] = trial.campaign.lease("ann")
    with pytest.raises(InvalidArgument, match="too close"):
        trial.campaign.skip(task, "bored")
    trial.campaign.skip(task, "not loaded")
    trial.campaign.skip(task)
    [event] = [event for event in trial.campaign.events() if event.kind == "skipped"]
    assert event.data == {"reason": "not loaded"}
    with pytest.raises(CampaignError, match="skipped"):
        trial.campaign.answer(task, 1)
    assert trial.campaign.counts.n_out == 0


def test_skipping_may_be_forbidden():
    trial = Trial(skip_reasons=[])
    with pytest.raises(CampaignError, match="does not allow"):
        trial.campaign.skip(trial.campaign.lease("ann")[0])


def test_an_answered_task_cannot_be_skipped():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 1)
    with pytest.raises(CampaignError, match="different answer"):
        trial.campaign.skip(task)


# Undo


def test_undo_gives_the_pair_back_as_it_was_shown():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 1)
    again = trial.campaign.undo("ann")
    assert again.pair == task.pair
    assert again.id != task.id
    assert trial.campaign.counts.n_votes == 0
    assert trial.campaign.lease("ann") == [again]
    assert trial.campaign.answer(again, -1).is_counted
    with pytest.raises(CampaignError, match="undone"):
        trial.campaign.answer(task, 1)


def test_undo_twice_takes_back_two_and_the_last_comes_first():
    trial = Trial()
    [first] = trial.campaign.lease("ann")
    trial.campaign.answer(first, 1)
    [second] = trial.campaign.lease("ann")
    trial.campaign.answer(second, 1)
    [third] = trial.campaign.lease("ann")
    trial.campaign.undo("ann")
    trial.campaign.undo("ann")
    pairs = [task.pair for task in trial.campaign.lease("ann", 3)]
    assert pairs == [first.pair, second.pair, third.pair]
    assert trial.campaign.counts.n_votes == 0
    with pytest.raises(CampaignError, match="no answer"):
        trial.campaign.undo("ann")


def test_undo_is_for_ones_own_answers():
    trial = Trial()
    trial.answer_all("ann", 1)
    with pytest.raises(CampaignError, match="no answer"):
        trial.campaign.undo("bob")


def test_undo_works_while_paused_and_when_items_were_retired():
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    trial.campaign.answer(task, 1)
    trial.campaign.retire(task.left)
    trial.campaign.pause()
    again = trial.campaign.undo("ann")
    assert trial.campaign.answer(again, -1).is_counted


def test_undo_is_refused_to_the_banned_and_after_a_reset():
    trial = Trial()
    trial.answer_all("ann", 2)
    trial.campaign.ban("ann")
    with pytest.raises(CampaignError, match="banned"):
        trial.campaign.undo("ann")
    trial.campaign.restore("ann")
    trial.campaign.reset()
    with pytest.raises(CampaignError, match="no answer"):
        trial.campaign.undo("ann")


def test_undo_of_gold_and_repeats_gives_the_same_kind_back():
    trial = Trial(range(12), gold=[{"better": 0, "worse": 1}], gold_share=0.3, repeat_share=0.3)
    kinds = set()
    for _ in range(30):
        [task] = trial.campaign.lease("ann")
        trial.campaign.answer(task, 1)
        again = trial.campaign.undo("ann")
        assert (again.purpose, again.pair) == (task.purpose, task.pair)
        kinds.add(again.purpose)
        trial.campaign.answer(again, -1)
    assert kinds == {"chosen", "gold", "repeat"}
    assert trial.campaign.workers()[0].n_answers == 30


def test_undo_leaves_the_ranking_as_if_the_answer_had_never_been():
    def ranking(with_undo: bool):
        trial = Trial("abcd", sampler="random", ranking="plain")
        trial.answer_all("ann", 4)
        if with_undo:
            trial.answer_all("bob", 1, -1)
            trial.campaign.undo("bob")
        return trial.campaign.ranking().score_by_item

    assert ranking(True) == ranking(False)


@pytest.mark.parametrize(
    "act",
    [
        lambda campaign: campaign.undo([]),
        lambda campaign: campaign.retire([]),
        lambda campaign: campaign.restore({}),
        lambda campaign: campaign.expire("soon"),
        lambda campaign: campaign.ban("ann", float("nan")),
        lambda campaign: campaign.expire(float("nan")),
        lambda campaign: campaign.expire(float("inf")),
        lambda campaign: campaign.import_votes(3),
        lambda campaign: campaign.change(question=None),
        lambda campaign: campaign.add([object()]),
    ],
    ids=range(10),
)
def test_nonsense_spoils_nothing_for_others(act):
    trial = Trial()
    [task] = trial.campaign.lease("ann")
    failures = trial.campaign.database.commits.failures.total()
    try:
        act(trial.campaign)
    except HodgeRankError:
        assert trial.campaign.counts.n_out == 1
        assert trial.campaign.answer(task, 1).is_counted
    trial.campaign.lease("bob")
    assert trial.campaign.database.commits.failures.total() == failures
    assert plain(trial.campaign.log.state) == plain(folded(trial.campaign))
