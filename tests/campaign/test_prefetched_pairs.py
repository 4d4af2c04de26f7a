"""Where very many pairs are out, others are chosen ahead: the same ones by all who read the log."""

from __future__ import annotations

from concurrent.futures import Future
from random import Random

import numpy as np
import pytest

from campaign.folded import asked_next, folded
from campaign.test_any_order import run
from campaign.trial import Trial
from hodgerank.campaign import pair_chooser
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.pair_chooser import FEWEST_OUT, PrefetchedPairs
from hodgerank.campaign.sampler_feed import SamplerFeed
from hodgerank.errors import NoTask
from hodgerank.sampling.sampler import Sampler


class Briefed:
    """A sampler that has chosen these pairs."""

    n_steps = 5

    def __init__(self, pairs, error=None):
        self.pairs, self.error, self.wanted = pairs, error, []

    def choose(self, wanted):
        self.wanted.append(wanted)
        future = Future()
        if self.error is None:
            future.set_result(list(self.pairs))
        else:
            future.set_exception(self.error)
        return future


def ahead_of(feed, n_out=16, n_items=10):
    out = [(k % n_items, (k + 1) % n_items) for k in range(n_out)]
    return PrefetchedPairs.begun(feed, n_items, out, {(0, 1)}, {7})


def test_they_are_due_when_an_eighth_of_what_is_out_has_gone_out():
    ahead = ahead_of(Briefed([]), n_out=24)
    for gone in range(3):
        assert not ahead.is_due
        ahead.goes_out((gone, 9))
    assert ahead.is_due


def test_what_has_gone_out_since_is_not_offered_as_often_as_it_has():
    pairs = [(1, 2), (3, 4), (2, 1), (1, 2)]
    before, after = ahead_of(Briefed(pairs)), ahead_of(Briefed(pairs))
    assert list(after.pairs()) == pairs
    for ahead in (before, after):
        ahead.goes_out((2, 1))
        ahead.goes_out((8, 9))
    assert list(before.pairs()) == list(after.pairs()) == pairs[1:]
    for _ in range(3):
        after.goes_out((1, 2))
    assert list(after.pairs()) == [(3, 4)]


def test_the_sampler_is_asked_once_as_of_the_place_where_it_was_decided():
    feed = Briefed([(1, 2)])
    ahead = ahead_of(feed)
    feed.n_steps = 8
    ahead.begin()
    ahead.begin()
    ahead.pairs()
    [wanted] = feed.wanted
    assert (wanted.n_steps, wanted.n, wanted.resting) == (5, 2 * 2 + pair_chooser.SPARE, {7})
    assert (len(wanted.pending), wanted.exclude) == (16, {(0, 1)})


@pytest.mark.parametrize(("n_items", "are_different"), [(10, True), (30, False)])
def test_where_pairs_are_few_each_is_chosen_once(n_items, are_different):
    feed = Briefed([])
    ahead_of(feed, 16, n_items).begin()
    assert feed.wanted[0].are_different == are_different


def test_there_are_none_where_they_could_not_be_chosen():
    assert not list(ahead_of(Briefed([(1, 2)], ValueError("broken"))).pairs())


# In a campaign


class Crowd:
    """Workers with some tasks each, so that very many are out."""

    def __init__(self, trial, n_workers=14, n_each=4, seed=1):
        self.trial, self.n_each, self.random = trial, n_each, Random(seed)
        self.workers = [f"w{k}" for k in range(n_workers)]
        for worker in self.workers:
            trial.campaign.lease(worker, n_each)

    def work(self, n):
        """So many answers; the tasks that were given for them."""
        for _ in range(n):
            worker = self.random.choice(self.workers)
            try:
                task = self.random.choice(self.trial.campaign.lease(worker, self.n_each))
            except NoTask:
                continue
            self.trial.campaign.answer(task, self.random.choice([-1, 1]))
        return self.tasks()

    def tasks(self):
        issued = (event for event in self.trial.campaign.events() if event.kind == "issued")
        return [(event.worker, event.left, event.right) for event in issued]


def asks_the_same_as_its_log(trial):
    return asked_next(trial.campaign.log.state) == asked_next(folded(trial.campaign))


def is_ahead(trial, track=0):
    return trial.campaign.log.state.chooser(track)._ahead is not None


@pytest.mark.parametrize("sampler", ["auto", "rank", "bayesian", "random", "top-3"])
def test_what_is_asked_next_hangs_on_the_log_alone(sampler):
    trial = Trial(range(30), sampler=sampler)
    crowd = Crowd(trial)
    for _ in range(20):
        crowd.work(9)
        assert asks_the_same_as_its_log(trial)
    assert is_ahead(trial)


def test_it_makes_no_difference_when_a_campaign_is_opened_again():
    def tasks(restarts):
        trial = Trial(range(30))
        crowd = Crowd(trial)
        for step in range(40):
            crowd.work(5)
            if step == 10:
                trial.campaign.undo("w3")
                trial.campaign.retire(4)
            if step == 20:
                trial.campaign.ban("w5")
                trial.campaign.add([100, 101])
            if step == 30:
                trial.campaign.change(seed=4)
            if restarts and step % 3 == 0:
                trial.reopen(ids=step + 10)
        assert is_ahead(trial)
        return crowd.tasks()

    assert tasks(True) == tasks(False)


def test_nobody_gets_what_is_retired_or_gold_or_what_they_have_seen():
    items = [CampaignItem(k, track="ab"[k % 2]) for k in range(24)]
    gold = [{"better": 0, "worse": 2}, {"better": 1, "worse": 3}]
    trial = Trial(items, gold=gold, gold_share=0.0)
    crowd = Crowd(trial, n_workers=20, n_each=6)
    crowd.work(60)
    assert is_ahead(trial, 0)
    assert is_ahead(trial, 1)
    trial.campaign.retire(6)
    trial.campaign.retire(7)
    n_before = len(crowd.tasks())
    tasks = [(worker, frozenset(pair)) for worker, *pair in crowd.work(200)]
    assert len(set(tasks)) == len(tasks)
    later = [pair for _, pair in tasks[n_before:]]
    assert len(later) > 100
    assert not any(pair & {6, 7} for pair in later)
    assert not {frozenset((0, 2)), frozenset((1, 3))} & {pair for _, pair in tasks}


def test_who_has_seen_all_that_was_chosen_ahead_gets_another_pair():
    trial = Trial(range(9))  # of 36 pairs
    crowd = Crowd(trial, n_workers=16, n_each=3)
    crowd.work(40)
    seen = set()
    for _ in range(36):
        [task] = trial.campaign.lease("everything")
        seen.add(frozenset(task.pair))
        trial.campaign.answer(task, 1)
    assert len(seen) == 36
    with pytest.raises(NoTask, match="every pair"):
        trial.campaign.lease("everything")


def test_few_tasks_out_are_asked_as_by_the_sampler_at_each_time(monkeypatch):
    def tasks():
        trial = Trial(range(12))
        crowd = Crowd(trial, n_workers=FEWEST_OUT // 2 - 1, n_each=2)
        return crowd.work(80)

    found = tasks()
    monkeypatch.setattr(pair_chooser, "FEWEST_OUT", 10**6)
    assert tasks() == found


@pytest.mark.parametrize("options", [{"vetting": 2}, {"sampler": "crowd-bt"}])
def test_a_sampler_that_minds_who_answers_is_asked_each_time(options):
    trial = Trial(range(30), **options)
    crowd = Crowd(trial)
    crowd.work(20)
    assert not is_ahead(trial)
    assert asks_the_same_as_its_log(trial)


def test_when_few_are_out_again_pairs_are_chosen_one_by_one():
    trial = Trial(range(30), lease_seconds=60)
    crowd = Crowd(trial)
    crowd.work(20)
    assert is_ahead(trial)
    trial.clock.move(61)
    for _ in range(10):
        trial.answer_all("alone", 1)
    assert not is_ahead(trial)
    assert asks_the_same_as_its_log(trial)


def test_an_item_is_in_no_more_tasks_than_the_owner_allows():
    trial = Trial(range(80), open_per_item=2)
    crowd = Crowd(trial, n_workers=30, n_each=2)
    for _ in range(10):
        crowd.work(10)
        out = [place for pair in trial.campaign.log.state.out[0].values() for place in pair]
        assert np.bincount(out).max() <= 2
    assert is_ahead(trial)


def test_a_thread_that_fails_costs_nobody_a_task(monkeypatch):
    trial = Trial(range(30))
    crowd = Crowd(trial)
    crowd.work(20)
    ask = Sampler.ask

    def fail_ahead(self, n=None, *args, **options):
        if n is not None:
            raise MemoryError
        return ask(self, n, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Sampler, "ask", fail_ahead)
        n_before = len(crowd.tasks())
        assert len(crowd.work(60)) > n_before + 50
    crowd.work(60)
    assert is_ahead(trial)
    assert list(trial.campaign.log.state.chooser(0)._ahead.pairs())


def test_a_thread_that_fails_to_tell_says_why_to_who_asks(monkeypatch):
    trial = Trial(range(30))
    crowd = Crowd(trial)
    crowd.work(40)

    def fail(self, votes):
        raise MemoryError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(Sampler, "tell_many", fail)
        trial.reopen()
        with pytest.raises(MemoryError, match="no room"):
            trial.campaign.lease("newcomer")
    assert trial.campaign.lease("newcomer")


def test_threads_begin_nothing_while_a_log_is_read(monkeypatch):
    trial = Trial(range(30))
    Crowd(trial).work(60)

    def never(self, work):
        raise AssertionError("a thread was begun")

    monkeypatch.setattr(SamplerFeed, "_begin", never)
    folded(trial.campaign)


def test_in_any_order(monkeypatch):
    monkeypatch.setattr(pair_chooser, "FEWEST_OUT", 3)
    reached = run(None, 4)
    assert reached["answered"] > 3
