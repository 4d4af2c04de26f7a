"""Samplers are told what counts, and who reads the same log has the same sampler."""

from __future__ import annotations

from random import Random
from threading import Event

import pytest

from campaign.folded import asked_next, folded
from campaign.trial import Trial
from hodgerank.campaign import pair_chooser
from hodgerank.errors import NoTask
from hodgerank.sampling.samplers.auto import AutoSampler


def asks_the_same_as_its_log(trial: Trial) -> bool:
    return asked_next(trial.campaign.log.state) == asked_next(folded(trial.campaign))


def busy(trial: Trial, n: int, seed: int = 1, n_workers: int = 12) -> None:
    """Answers of some workers."""
    random = Random(seed)
    for _ in range(n):
        try:
            [task] = trial.campaign.lease(f"w{random.randrange(n_workers)}")
        except NoTask:
            continue
        trial.campaign.answer(task, random.choice([-1, 1]))


@pytest.mark.parametrize("sampler", ["auto", "rank", "bayesian", "crowd-bt", "rounds", "random"])
def test_a_campaign_asks_the_same_after_any_number_of_answers(sampler):
    trial = Trial(range(12), sampler=sampler)
    for step in range(12):
        busy(trial, 10, step)
        assert asks_the_same_as_its_log(trial)


@pytest.mark.parametrize("n_before", [0, 10, 16, 17, 60, 160])
def test_items_that_join_between_answers_join_at_the_same_place_when_the_log_is_read(n_before):
    trial = Trial(range(8))
    busy(trial, n_before)
    trial.campaign.add([100, 101])
    assert asks_the_same_as_its_log(trial)
    busy(trial, 20, 2)
    trial.campaign.add([102])
    busy(trial, 3, 3)
    assert asks_the_same_as_its_log(trial)
    trial.reopen()
    busy(trial, 3, 4)
    assert asks_the_same_as_its_log(trial)


@pytest.mark.parametrize("is_opened_again", [False, True])
def test_a_sampler_is_replaced_at_the_same_place_of_the_log(is_opened_again):
    trial = Trial(range(12))
    busy(trial, 150)
    for step in range(12):
        if step in (0, 1, 4):
            trial.campaign.undo(f"w{step}")
        if step == 2:
            trial.campaign.ban("w5")
        if step == 6:
            trial.campaign.restore("w5")
        if is_opened_again and step % 3 == 0:
            trial.reopen(ids=step + 10)
        assert asks_the_same_as_its_log(trial)
        busy(trial, 1, step + 50)
        assert asks_the_same_as_its_log(trial)


def test_few_answers_are_forgotten_at_once():
    trial = Trial(range(12))
    busy(trial, 30)
    trial.campaign.reset()
    fresh = Trial(range(12))
    assert asked_next(trial.campaign.log.state) == asked_next(fresh.campaign.log.state)


def test_changing_who_chooses_begins_with_all_that_counts():
    trial = Trial(range(12))
    busy(trial, 60)
    trial.campaign.change(sampler="rank", seed=9)
    assert asks_the_same_as_its_log(trial)
    busy(trial, 5, 2)
    trial.campaign.change(budget=1000)
    assert asks_the_same_as_its_log(trial)


def stood_in(trial: Trial) -> bool:
    return trial.campaign.log.state.chooser(0)._current._settings.sampler == "bayesian"


@pytest.mark.parametrize("n_waiting", [0, 60])
def test_nobody_waits_for_a_sampler_that_learns_slowly_when_a_log_is_opened(monkeypatch, n_waiting):
    trial = Trial(range(30))
    busy(trial, 200)
    for number in range(n_waiting):  # so many are out that pairs were chosen ahead
        trial.campaign.lease(f"waiting {number}")
    monkeypatch.setattr(pair_chooser, "LONGEST_WAIT", 0.0)
    slow = Event()
    tell_many = AutoSampler.tell_many
    monkeypatch.setattr(
        AutoSampler, "tell_many", lambda self, votes: (slow.wait(), tell_many(self, votes))
    )
    trial.reopen()
    assert trial.campaign.lease("newcomer")
    assert stood_in(trial)
    slow.set()


def test_workers_may_be_chosen_while_another_sampler_chooses_the_pairs(monkeypatch):
    trial = Trial(range(12))
    busy(trial, 150)
    trial.campaign.change(easy_share=0.2, choose_workers=True)
    monkeypatch.setattr(pair_chooser, "LONGEST_WAIT", 0.0)
    trial.reopen()
    assert trial.campaign.lease("newcomer")
    assert stood_in(trial)


def test_the_sampler_takes_over_when_a_fiftieth_more_answers_have_come(monkeypatch):
    trial = Trial(range(12), ids=1)
    busy(trial, 150)
    monkeypatch.setattr(pair_chooser, "LONGEST_WAIT", 0.0)
    trial.reopen()
    for _ in range(150 // pair_chooser.PATIENCE):
        assert asks_the_same_as_its_log(trial)
        assert stood_in(trial)
        busy(trial, 1, n_workers=1)
    assert not stood_in(trial)
    monkeypatch.undo()
    assert asks_the_same_as_its_log(trial)


def test_undoing_while_another_sampler_chooses_ends_with_one_that_knows_what_counts(monkeypatch):
    trial = Trial(range(12))
    busy(trial, 150)
    monkeypatch.setattr(pair_chooser, "LONGEST_WAIT", 0.0)
    trial.campaign.undo("w1")
    trial.reopen()
    busy(trial, 1)
    trial.campaign.undo("w2")
    busy(trial, 12, seed=3)
    chooser = trial.campaign.log.state.chooser(0)
    assert chooser._next is None
    assert sorted(chooser._current._steps) == sorted(chooser._answers.counted().tolist())
    assert not stood_in(trial)
