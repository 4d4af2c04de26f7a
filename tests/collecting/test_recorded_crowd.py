"""Recorded votes as a judge."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import NothingToAsk

VOTES = [("a", "b", 1), ("b", "a", 1), ("b", "a", 0.5), ("b", "c", 1)]


def test_each_vote_is_drawn_once():
    crowd = hr.RecordedCrowd(VOTES, rng=1)
    drawn = sorted(crowd(("a", "b")).outcome for _ in range(3))
    assert drawn == [-1, -0.5, 1]
    assert crowd(("a", "b")) is None
    assert crowd.pairs == (hr.Pair("b", "c"),)


def test_votes_are_turned_to_the_pair_as_asked():
    assert hr.RecordedCrowd(VOTES)(("c", "b")).outcome == -1


def test_with_replacement_a_pair_never_runs_out():
    crowd = hr.RecordedCrowd(VOTES, replacement=True, rng=1)
    assert {crowd(("b", "c")).outcome for _ in range(50)} == {1.0}
    assert len(crowd.pairs) == 2


def test_random_pairs_come_in_proportion_to_the_votes_left():
    crowd = hr.RecordedCrowd(VOTES, replacement=True, rng=1)
    drawn = Counter(crowd.random_pair() for _ in range(2000))
    assert drawn[hr.Pair("a", "b")] / 2000 == pytest.approx(0.75, abs=0.04)
    crowd = hr.RecordedCrowd(VOTES, rng=1)
    while crowd.pairs:
        assert crowd(crowd.random_pair()) is not None
    with pytest.raises(NothingToAsk):
        crowd.random_pair()


def test_workers_and_weights_come_with_the_vote():
    rows = {"left": ["a"], "right": ["b"], "label": [1], "worker": ["ann"], "weight": [2.0]}
    answer = hr.RecordedCrowd(pl.DataFrame(rows))(("a", "b"))
    assert (answer.worker, answer.weight) == ("ann", 2.0)


def test_it_drives_a_campaign_until_the_votes_are_used():
    votes = hr.simulate_comparisons(6, 80, spread=2, rng=np.random.default_rng(3))
    crowd = hr.RecordedCrowd(votes, rng=1)
    sampler = hr.AutoSampler(crowd.items)
    while crowd.pairs:
        pair = sampler.ask(candidates=crowd.pairs)
        sampler.tell(pair, crowd(pair).outcome)
    assert sampler.n_votes == 80
