"""Sampler.assign: the worker and the pair."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons, NothingToAsk
from hodgerank.sampling.samplers.registry import STRATEGIES, build_sampler
from hodgerank.sampling.worker_choice import LEAST, PRIOR, Slope, WorkerChoice

HALF = {"honest": 5, "random": 5}


def told(n=8, n_votes=160, workers=HALF, seed=1, build=hr.FisherSampler, **options):
    crowd = hr.SimulatedCrowd(n, spread=2, workers=workers, rng=seed)
    sampler = build(crowd.items, seed=seed, **options)
    for _ in range(n_votes):
        pair = sampler.ask()
        sampler.tell(pair, *crowd(pair))
    return sampler, crowd


def slopes_by_hand(votes):
    """From the definition: least squares with precision a^2 before each vote."""
    n = len(votes.items)
    precision, force, sums, found = np.eye(n), np.zeros(n), {}, {}
    for row in range(len(votes)):
        d = np.eye(n)[votes.left[row]] - np.eye(n)[votes.right[row]]
        p, y, w = d @ np.linalg.solve(precision, force), votes.outcome[row], votes.worker[row]
        products, squares = sums.get(w, (0.0, 0.0))
        slope = (products + PRIOR) / (squares + PRIOR)
        sums[w] = products + y * p, squares + p * p
        found[votes.workers[w]] = (sums[w][0] + PRIOR) / (sums[w][1] + PRIOR)
        if slope > LEAST:
            precision += slope**2 * np.outer(d, d)
            force += slope * y * d
    return found


def test_slopes_follow_their_definition():
    sampler, _ = told()
    by_hand = slopes_by_hand(sampler.votes)
    assert sampler.worker_slopes == pytest.approx(by_hand, rel=1e-9)


def test_random_workers_have_lower_slopes_than_honest_ones():
    sampler, _ = told(n_votes=600)
    slopes = sampler.worker_slopes
    honest, random = (
        [slope for worker, slope in slopes.items() if worker.startswith(kind)]
        for kind in ("honest", "random")
    )
    assert min(honest) > max(random)


def test_the_triplet_has_the_largest_information():
    """By brute force over workers, with the slopes that are drawn."""
    for seed in range(8):
        sampler, crowd = told(n=5, n_votes=45, seed=seed)
        pending = [tuple(sampler.ask())]
        worker, pair = sampler.assign(crowd.workers, pending)
        choice = WorkerChoice(seed)
        choice.learn(sampler._history, 5)
        gains = {}
        out = tuple(sorted(sampler.items.index(item) for item in pending[0]))
        choice._design.expect_exactly([out])
        for each in crowd.workers:
            try:
                shown = sampler.ask(worker=each, pending=pending)
            except NothingToAsk:
                continue
            i, j = sorted(sampler.items.index(item) for item in shown)
            variance = choice._design.gains(np.array([i]), np.array([j]))[0]
            slope = max(choice.draw(each, sampler.n_votes + 1), 0)
            gains[each] = 0.5 * math.log1p(slope**2 * variance)
        assert gains[worker] == max(gains.values())
        assert pair == sampler.ask(worker=worker, pending=pending)


def test_draws_have_the_posterior_of_the_slope():
    choice = WorkerChoice(3)
    draws = [choice.draw("ann", step) for step in range(4000)]
    mean, deviation = choice.slope("ann")
    assert Slope(mean, deviation) == (1, PRIOR**-0.5)
    assert np.mean(draws) == pytest.approx(mean, abs=0.05)
    assert np.std(draws) == pytest.approx(deviation, rel=0.05)


@pytest.mark.parametrize("strategy", [*STRATEGIES, "top-2"])
def test_every_sampler_assigns_and_a_replay_assigns_the_same(strategy):
    crowd = hr.SimulatedCrowd(7, workers=HALF, n_available=3, rng=2)
    sampler = build_sampler(strategy, crowd.items, seed=4)
    for _ in range(40):
        available = crowd.available_workers()
        worker, pair = sampler.assign(available)
        assert worker in available
        assert sampler.assign(available[::-1]) == (worker, pair)
        assert sampler.ask(worker=worker) == pair
        sampler.tell(pair, *crowd(pair, worker))
    replayed = build_sampler(strategy, crowd.items, seed=4)
    replayed.tell_many(sampler.votes)
    restored = pickle.loads(pickle.dumps(sampler))
    wanted = sampler.assign(crowd.workers)
    assert restored.assign(crowd.workers) == wanted
    assert replayed.assign(crowd.workers) == wanted
    assert replayed.worker_slopes == pytest.approx(sampler.worker_slopes)


def test_assigning_changes_nothing():
    sampler, crowd = told()
    before = sampler.ask(3)
    sampler.assign(crowd.workers, pending=before)
    assert sampler.ask(3) == before


def test_a_new_worker_is_tried():
    sampler, crowd = told(n_votes=400)
    new = [f"new-{k}" for k in range(5)]
    chosen = set()
    for _ in range(60):
        worker, pair = sampler.assign([*crowd.workers, *new])
        chosen.add(worker)
        sampler.tell(pair, *crowd(pair))
    assert chosen & {*new}


def test_a_worker_who_has_seen_every_pair_is_passed_over():
    sampler = hr.AutoSampler(3)
    for pair in ((0, 1), (1, 2), (0, 2)):
        sampler.tell(pair, 1, "ann")
    assert {sampler.assign(["ann", "bob"]).worker for _ in range(3)} == {"bob"}
    with pytest.raises(NothingToAsk, match="'ann' has judged"):
        sampler.assign(["ann"])


def test_candidates_and_excluded_pairs_are_kept():
    sampler = hr.AutoSampler(5)
    _, pair = sampler.assign(["ann", "bob"], candidates=iter([(0, 1), (2, 3)]), exclude=[(1, 0)])
    assert sorted(pair) == [2, 3]


def test_items_may_join_between_votes():
    sampler, crowd = told(n=5)
    first = sampler.worker_slopes
    sampler.add_item("late")
    assert sampler.worker_slopes == pytest.approx(first)
    sampler.tell(("late", crowd.items[0]), 1, "honest-01")
    assert sampler.assign(crowd.workers).worker in crowd.workers


def test_many_items_are_possible():
    crowd = hr.SimulatedCrowd(1200, workers=HALF, rng=3)
    sampler = hr.FisherSampler(crowd.items, seed=1)
    sampler.tell_many(hr.simulate_comparisons(crowd.items, 3000, workers=HALF, rng=1))
    for _ in range(5):
        worker, pair = sampler.assign(crowd.workers)
        sampler.tell(pair, *crowd(pair, worker))
    assert len(sampler.worker_slopes) == 10


def test_who_is_not_named_cannot_be_chosen():
    sampler = hr.AutoSampler(3)
    for wrong in ([], [None], "ann"):
        with pytest.raises(InvalidArgument, match="available"):
            sampler.assign(wrong)
    with pytest.raises(InvalidComparisons, match="worker"):
        sampler.assign([1.5])


def test_slopes_may_weight_the_votes_of_a_ranking():
    sampler, _ = told(n=8, n_votes=500, workers={"honest": 3, "random": 7})
    plain, weighted = sampler.ranking(), sampler.ranking(worker_weights="slopes")
    assert plain.scores.tolist() != weighted.scores.tolist()
    honest, _ = told(workers={"honest": 1}, n_votes=0)
    assert honest.ranking(worker_weights="slopes").items
    with pytest.raises(InvalidArgument, match="worker_weights"):
        sampler.ranking(worker_weights="slope")
