"""Answers added one by one and all at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import hodgerank as hr
from hodgerank.data.comparisons import NO_WORKER
from hodgerank.sampling.answers import History
from hodgerank.sampling.display_order import DisplayBalance


def test_answers_told_at_once_are_those_told_one_by_one():
    rng = np.random.default_rng(1)
    n = 200
    left, right = rng.integers(0, 5, n), rng.integers(5, 9, n)
    turned = rng.random(n) < 0.5
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    outcome, weight = rng.choice([-1.0, 0.0, 0.3, 1.0], n), rng.uniform(0.5, 2, n)
    worker, known = rng.integers(NO_WORKER, 3, n), rng.random(n) < 0.8
    single, bulk = History(), History()
    for history in (single, bulk):
        for name in ("ann", "ben", "eve"):
            history.worker_code(name)
    columns = (left, right, outcome, worker, weight, known)
    for row in zip(*(column.tolist() for column in columns), strict=True):
        single.append(*row)
    for part in (slice(0, 50), slice(50, 50), slice(50, n)):
        bulk.extend(*(column[part] for column in columns))
    assert vars(bulk) == vars(single)
    assert bulk.pairs_of("ben") == single.pairs_of("ben")


def test_sides_counted_at_once_are_those_counted_one_by_one():
    rng = np.random.default_rng(2)
    single, bulk = DisplayBalance("balanced", 6, 0), DisplayBalance("balanced", 6, 0)
    for _ in range(3):
        pairs = np.array([rng.permutation(6)[:2] for _ in range(40)])
        for left, right in pairs.tolist():
            single.count(left, right)
        bulk.count_many(*pairs.T)
        assert vars(bulk) == vars(single)
        single.enlarge()
        bulk.enlarge()


def test_a_sampler_told_answers_at_once_asks_as_if_told_one_by_one():
    votes = hr.simulate_comparisons(8, 60, workers={"honest": 3}, rng=1)
    votes = replace(votes, display_known=np.arange(60) % 3 > 0)
    at_once = hr.AutoSampler(votes.items, seed=4, display="balanced")
    at_once.tell_many(votes)
    in_pieces = hr.AutoSampler(votes.items, seed=4, display="balanced")
    for row in range(60):
        in_pieces.tell_many(votes.select(np.array([row])))
    assert at_once.ask(10) == in_pieces.ask(10)
