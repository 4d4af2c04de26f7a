"""What samplers do where matrices over all pairs would be too large."""

from __future__ import annotations

import time

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.samplers import auto
from hodgerank.sampling.samplers.random import CountingManyDesign


def ask_and_tell(sampler, crowd, answers):
    for _ in range(answers):
        pair = sampler.ask()
        sampler.tell(pair, *crowd(pair))


def test_rounds_ask_every_pair_once_before_any_again():
    design = CountingManyDesign(6, in_rounds=True)
    for _ in range(3):
        asked = set()
        for _ in range(15):
            pair = design.search(BlockedPairs(6), len(asked))
            asked.add(pair)
            design.expect(*pair)
        assert len(asked) == 15


def test_a_lapsed_pair_is_open_again():
    design = CountingManyDesign(3, in_rounds=True)
    for pair in [(0, 1), (0, 2), (1, 2)]:
        design.expect(*pair)
    design.expect_exactly([(0, 1), (1, 2)])
    assert design.search(BlockedPairs(3), 5) == (0, 2)


def test_retired_items_and_blocked_pairs_are_left_out():
    design = CountingManyDesign(5, in_rounds=False)
    blocked = BlockedPairs(5, retired={0, 1}, pairs={(2, 3)})
    found = {design.search(blocked, key) for key in range(60)}
    assert found == {(2, 4), (3, 4)}
    assert design.search(BlockedPairs(5, retired={0, 1, 2, 3}), 1) == (-1, -1)


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "strategy"), [(0.3, "d-optimal"), (3.0, "bayesian")])
def test_labels_are_used_until_opinions_prove_weak(spread, strategy):
    n = 1200
    rng = np.random.default_rng(1)
    crowd = hr.SimulatedCrowd(list(range(n)), scores=rng.normal(0, spread, n), rng=rng)
    sampler = hr.AutoSampler(n, seed=1)
    assert sampler.strategy == "bayesian"
    ask_and_tell(sampler, crowd, 3 * n)
    assert sampler.strategy == strategy
    again = hr.AutoSampler(n, seed=1)
    again.tell_many(sampler.votes)
    assert again.strategy == strategy
    assert again.ask(3) == sampler.ask(3)


def in_the_time_of_probes(monkeypatch, n=60):
    monkeypatch.setattr(auto, "MANY_ITEMS", 0)
    sampler = hr.AutoSampler(n, seed=1)
    rng = np.random.default_rng(2)
    ask_and_tell(sampler, lambda pair: (1.0 if rng.random() < 0.5 else -1.0,), n + 9)
    return sampler


def distance(sampler, pair):
    mean = sampler._design.chooser.running_mean
    return abs(mean[pair[0]] - mean[pair[1]])


def test_every_tenth_pair_is_a_probe_if_there_are_few_items(monkeypatch):
    sampler = in_the_time_of_probes(monkeypatch)
    probe, after = sampler.ask(2)
    assert distance(sampler, probe) > 0.5 > distance(sampler, after)


def test_a_probe_keeps_to_the_pairs_that_may_be_asked(monkeypatch):
    sampler = in_the_time_of_probes(monkeypatch)
    for item in range(3, 60):
        sampler.retire_item(item)
    assert set(sampler.ask(exclude=[(0, 1), (0, 2)])) == {1, 2}
    candidates = [(0, 1), (0, 2), (1, 2)]
    widest = max(candidates, key=lambda pair: distance(sampler, pair))
    assert set(sampler.ask(candidates=candidates)) == set(widest)
    assert set(sampler.ask(candidates=candidates, exclude=[(0, 1), (0, 2)])) == {1, 2}


def test_preferences_are_weak_if_votes_hardly_follow_what_earlier_votes_predict(monkeypatch):
    """Adding an item meanwhile does no harm."""
    monkeypatch.setattr(auto, "MANY_ITEMS", 0)
    for follows, strategy in ((0.5, "d-optimal"), (0.95, "bayesian")):
        rng = np.random.default_rng(3)
        sampler = hr.AutoSampler(60, seed=1)
        for step in range(170):
            if step == 100:
                sampler.add_item(60)
            a, b = (int(item) for item in rng.choice(60, 2, replace=False))
            sampler.tell((a, b), 1.0 if (a < b) == (rng.random() < follows) else -1.0)
        assert sampler.strategy == strategy


def test_a_ranking_of_long_cycles_does_not_take_them_for_the_only_pairs():
    """At one vote per item every item has two votes, so the graph consists of cycles."""
    n = 1000
    truth = np.random.default_rng(9).normal(0, 1, n)
    noise = np.random.default_rng(10)
    sampler = hr.BayesianSampler(n, seed=9000)

    def judge(pair):
        return (1.0 if truth[pair[0]] - truth[pair[1]] > noise.logistic() else -1.0,)

    ask_and_tell(sampler, judge, n)
    ranking = sampler.ranking()
    assert not any("chains" in note for note in ranking.notes)
    assert ranking.scores.std() < 1


@pytest.mark.parametrize("build", [hr.AutoSampler, hr.BayesianSampler, hr.RandomSampler])
def test_a_hundred_thousand_items_are_no_matter(build):
    sampler = build(100_000, seed=1)
    pair = sampler.ask()
    sampler.tell(pair, 1)
    start = time.perf_counter()
    for _ in range(500):
        sampler.tell(sampler.ask(), 1)
    assert (time.perf_counter() - start) / 500 < 2e-3
    assert len(sampler.ranking()) == 100_000
