"""What samplers do where matrices over all pairs would be too large."""

from __future__ import annotations

import time

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.sampling.item_list import BlockedPairs
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
@pytest.mark.parametrize(
    ("link", "spread", "strategy"),
    [("uniform", None, "d-optimal"), ("bradley-terry", 3.0, "bayesian")],
)
def test_labels_are_used_where_opinions_are_strong(link, spread, strategy):
    n = 1200
    rng = np.random.default_rng(1)
    scores = rng.random(n) if spread is None else rng.normal(0, spread, n)
    crowd = hr.SimulatedCrowd(list(range(n)), scores=scores, link=link, rng=rng)
    sampler = hr.AutoSampler(n, seed=1)
    assert sampler.strategy == "d-optimal"
    ask_and_tell(sampler, crowd, 3 * n)
    assert sampler.strategy == strategy
    again = hr.AutoSampler(n, seed=1)
    again.tell_many(sampler.votes)
    assert again.strategy == strategy


@pytest.mark.slow
def test_the_variance_of_scores_is_estimated_without_bias():
    n = 3000
    rng = np.random.default_rng(2)
    scores = rng.random(n)
    crowd = hr.SimulatedCrowd(list(range(n)), scores=scores, link="uniform", rng=rng)
    sampler = hr.AutoSampler(n, seed=1)
    ask_and_tell(sampler, crowd, 3 * n)
    variance, stderr = sampler._design.signal_variance()
    assert abs(variance - 1 / 12) < 3 * stderr < 0.1


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
