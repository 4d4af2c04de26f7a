"""SortSampler proves an order, and says so only if answers confirm it."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.sampling.designs.design import Vote
from hodgerank.sampling.designs.sort import SortDesign
from hodgerank.sampling.established import is_established
from hodgerank.sampling.item_list import BlockedPairs


def votes_to_sort(truth, n_pending=1, known=()):
    """Play until the order is known; return the number of votes per item."""
    n = len(truth)
    design, out, n_votes = SortDesign(n), [], len(known)
    for i, j in known:
        design.learn(Vote(i, j, float(np.sign(truth[i] - truth[j])), 1.0))
    while not design.is_known:
        while len(out) < n_pending:
            out.append(design.search(BlockedPairs(n), key=len(out) + n_votes))
            design.expect(*out[-1])
        i, j = out.pop(0)
        design.learn(Vote(i, j, float(np.sign(truth[i] - truth[j])), 1.0))
        n_votes += 1
        assert design.is_consistent
    return n_votes / n


def mean_votes(n, runs, **options):
    return np.mean(
        [votes_to_sort(np.random.default_rng(run).permutation(n), **options) for run in range(runs)]
    )


def finished(sampler, judge, most):
    while not sampler.is_established and sampler.n_votes < most:
        pair = sampler.ask()
        sampler.tell(pair, judge(*pair))
    return sampler


def test_as_few_votes_as_merge_insertion_takes():
    assert mean_votes(10, 20) < 2.35  # the least possible on average is 2.18
    assert mean_votes(30, 6) < 3.8  # 3.59


def test_some_pairs_in_progress_cost_little():
    assert mean_votes(30, 6, n_pending=4) < 4.0


def test_what_other_votes_imply_is_not_asked():
    truth = np.random.default_rng(3).permutation(12)
    rows = np.argsort(truth)
    chain = [
        tuple(sorted(pair)) for pair in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True)
    ]
    assert votes_to_sort(truth, known=chain) == len(chain) / 12
    assert votes_to_sort(truth, known=chain[:-1]) <= (len(chain) - 1 + log2(12) + 1) / 12


def test_ties_make_items_equal():
    truth = np.random.default_rng(4).permutation(12) // 3
    assert votes_to_sort(truth) < votes_to_sort(np.random.default_rng(4).permutation(12))
    design = SortDesign(3)
    design.learn(Vote(0, 1, 0.0, 1.0))
    design.learn(Vote(0, 2, 1.0, 1.0))
    assert design.is_known
    design.learn(Vote(1, 2, 0.0, 1.0))
    assert not design.is_consistent


@pytest.mark.parametrize(
    "contradiction", [(0, 2, -1.0), (0, 2, 0.0), (0, 1, -1.0), (0, 1, 0.0), (1, 2, -0.2)]
)
def test_a_contradiction_ends_it_for_good(contradiction):
    sampler = hr.SortSampler(3, seed=1)
    sampler.tell_many([(0, 1, 1), (1, 2, 1)])
    assert sampler.strategy == "sort"
    i, j, outcome = contradiction
    sampler.tell((i, j), outcome)
    assert sampler.strategy == "rank"
    sampler.tell((i, j), -outcome)
    assert sampler.strategy == "rank"


def test_the_order_is_established_once_enough_answers_confirmed_it():
    sampler = hr.SortSampler(12, seed=2)
    finished(sampler, lambda a, b: 1 if a < b else -1, 200)
    assert sampler.is_established
    assert sampler.n_votes < 8 * 12
    assert sampler.ranking().items == tuple(range(12))
    assert sampler.ranking().notes[-1].endswith("it is established, if answers are consistent")
    assert is_established(sampler.votes)
    assert sampler.strategy != "sort"
    once = hr.SortSampler(12, seed=2)
    once.tell_many(sampler.votes)
    assert once.is_established
    sampler.add_item(12)
    assert not sampler.is_established
    sampler.retire_item(12)
    assert sampler.is_established
    a, b = sampler.votes.items[sampler.votes.left[0]], sampler.votes.items[sampler.votes.right[0]]
    sampler.tell((a, b), -sampler.votes.outcome[0])
    assert not sampler.is_established


def test_an_order_that_nothing_confirmed_is_not_established():
    chain = [(k, k + 1, 1) for k in range(11)]
    sampler = hr.AutoSampler(12)
    sampler.tell_many(chain)
    assert sampler._design.sorting.is_known
    assert not sampler.is_established
    assert not is_established(sampler.votes)


def test_one_ranking_cast_as_a_whole_establishes_nothing():
    sampler = finished(hr.SortSampler(12, seed=2), lambda a, b: 1 if a < b else -1, 200)
    votes = sampler.votes
    assert is_established(votes)
    assert not is_established(replace(votes, report=replace(votes.report, ballots=1)))


def test_noisy_answers_establish_nothing():
    found = 0
    for run in range(12):
        rng = np.random.default_rng(run)
        crowd = hr.SimulatedCrowd(range(8), spread=3, rng=rng)
        sampler = finished(hr.SortSampler(8, seed=run), lambda a, b, c=crowd: c((a, b))[0], 60)
        found += sampler.is_established
    assert found == 0


def test_a_rule_stops_when_the_order_is_established():
    judge = lambda pair: 1 if pair.left < pair.right else -1  # noqa: E731
    result = hr.run(hr.SortSampler(10, seed=1), judge, 300, stop=hr.Established())
    assert result.reason == "order established reached"
    assert result.n_votes < 100
    other = hr.RandomSampler(10, seed=1)
    other.tell_many(result.votes)
    assert hr.run(other, judge, 300, stop=hr.Established()).n_votes == result.n_votes


def test_more_items_than_it_can_keep_track_of_are_refused():
    with pytest.raises(InvalidArgument, match="at most 1,000 items"):
        hr.SortSampler(1001)
