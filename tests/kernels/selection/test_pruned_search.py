"""The pruned search, against the gains of all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hodgerank.kernels import posterior as posteriors
from hodgerank.kernels.selection import information, misordering
from hodgerank.kernels.selection import pair_search as kernel
from hodgerank.kernels.selection.tie_breaking import TIE, item_keys, stream
from reference.information import expected_information, posterior

RULES = [kernel.CLAMPED, kernel.PAPER, kernel.ORDER]
LINKS = [information.UNIFORM, information.NORMAL, information.ANGULAR]


def brute_force(rule, link, C, R, mean, blocked, key):
    """The pair of largest gain; of those tied, the one with the largest key."""
    n = len(mean)
    pairs = [pair for pair in combinations(range(n), 2) if not blocked[pair]]
    if not pairs:
        return -1, -1
    i, j = np.array(pairs).T
    gains = kernel.gains_of_pairs(rule, link, C, R, mean, i, j)
    keys = item_keys(key, n)
    tied = np.flatnonzero(gains >= gains.max() * (1 - TIE))
    return pairs[max(tied, key=lambda k: int(keys[i[k]] ^ keys[j[k]]))]


class Campaign:
    """A posterior that learns random answers, with R as the rule wants it."""

    def __init__(self, n, rule, rng, spread=0.8, weighs_all=True):
        self.rule, self.rng = rule, rng
        self.C, self.mean = np.full((n, n), 2.0), rng.normal(0, spread, n)
        self.s, self.q = np.empty(n), np.empty(n)
        self.weighs_all = rule == kernel.ORDER and weighs_all
        self.R = self.C
        if self.weighs_all:
            weights = misordering.order_weights(self.C, self.mean)
            self.R = misordering.relevance(self.C, weights)

    def answer(self, i, j):
        outcome = float(self.rng.choice([-1, 1]))
        if self.rule != kernel.ORDER:
            posteriors.learn(self.C, self.mean, self.s, i, j, outcome, 1.0)
            return
        row = (i, j, outcome, 1.0, 0, np.zeros(2))
        _, a = posteriors.assimilate(self.C, self.mean, self.s, *row)
        if self.weighs_all:
            misordering.follow(self.R, self.s, self.q, i, j, a)


@pytest.mark.parametrize("share_blocked", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("rule", RULES)
def test_the_best_pair_is_the_one_brute_force_finds(rule, link, share_blocked):
    rng = np.random.default_rng(2)
    n = 9
    leaders = np.zeros(n, np.int64)
    known = Campaign(n, rule, rng)
    for step in range(25):
        blocked = rng.random((n, n)) < share_blocked
        key = stream(1, step)
        state = known.C, known.R, known.mean
        wanted = brute_force(rule, link, *state, blocked, key)
        assert kernel.best_pair(rule, link, *state, blocked, True, key, leaders) == wanted
        if wanted[0] >= 0:
            known.answer(*wanted)


@pytest.mark.parametrize("rule", RULES)
def test_leaders_of_another_search_change_nothing(rule):
    rng = np.random.default_rng(3)
    n, nothing = 12, np.zeros((1, 1), bool)
    known = Campaign(n, rule, rng, spread=2.0)
    for step in range(20):
        state = known.C, known.R, known.mean
        wanted = brute_force(rule, 0, *state, np.zeros((n, n), bool), step)
        for _ in range(3):
            leaders = rng.integers(0, n, n)
            assert kernel.best_pair(rule, 0, *state, nothing, False, step, leaders) == wanted
        known.answer(*sorted(rng.choice(n, 2, replace=False).tolist()))


def test_leaders_are_each_items_best_partner_among_those_looked_at():
    n = 6
    known = Campaign(n, kernel.CLAMPED, np.random.default_rng(0))
    leaders = np.zeros(n, np.int64)
    nothing = np.zeros((1, 1), bool)
    i, j = kernel.best_pair(0, 0, known.C, known.C, known.mean, nothing, False, 1, leaders)
    assert leaders[i] == j


@pytest.mark.parametrize("rule", RULES)
def test_pairs_that_are_all_alike_are_chosen_by_the_key(rule):
    n = 7
    C, mean, leaders = np.full((n, n), 2.0), np.zeros(n), np.zeros(n, np.int64)
    R = misordering.relevance(C, misordering.order_weights(C, mean))
    nothing, chosen = np.zeros((n, n), bool), set()
    for step in range(60):
        key = stream(9, step)
        found = kernel.best_pair(rule, 0, C, R, mean, nothing, False, key, leaders)
        assert found == brute_force(rule, 0, C, R, mean, nothing, key)
        chosen.add(found)
    assert len(chosen) > 10


@pytest.mark.parametrize("rule", RULES)
def test_there_is_no_pair_where_all_are_blocked(rule):
    n = 4
    C, mean, leaders = np.ones((n, n)), np.zeros(n), np.arange(n)[::-1].copy()
    blocked = np.ones((n, n), bool)
    assert kernel.best_pair(rule, 0, C, C, mean, blocked, True, 5, leaders) == (-1, -1)


def test_a_pair_may_count_for_its_own_order_alone():
    rng = np.random.default_rng(4)
    known = Campaign(10, kernel.ORDER, rng, weighs_all=False)
    leaders, nothing = np.zeros(10, np.int64), np.zeros((10, 10), bool)
    for step in range(15):
        state = known.C, known.R, known.mean
        wanted = brute_force(kernel.ORDER, 0, *state, nothing, step)
        found = kernel.best_pair(kernel.ORDER, 0, *state, nothing, False, step, leaders)
        assert found == wanted
        known.answer(*found)


def test_listed_gains_are_those_of_the_offline_form():
    log = [(0, 1, 1.0, 1.0), (1, 2, -1.0, 1.0), (0, 3, 1.0, 1.0)]
    mean, covariance = posterior(4, log, 0.7)
    C = posteriors.resistance_of(covariance)
    i, j = np.triu_indices(4, 1)
    wanted = [expected_information(4, log, a, b, 0.7) for a, b in zip(i, j, strict=True)]
    found = kernel.gains_of_pairs(kernel.PAPER, information.UNIFORM, C, C, mean, i, j)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_a_relevance_that_rounding_made_negative_counts_as_nothing():
    C, R, mean = np.ones((2, 2)), np.full((2, 2), -1e-20), np.zeros(2)
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    assert kernel.gains_of_pairs(kernel.ORDER, 0, C, R, mean, zero, one).tolist() == [0.0]
    leaders, nothing = np.zeros(2, np.int64), np.zeros((1, 1), bool)
    assert kernel.best_pair(kernel.ORDER, 0, C, R, mean, nothing, False, 1, leaders) == (0, 1)
