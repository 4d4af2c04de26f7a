"""Whether a ranking shows in answers that led to the pairs asked next."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.graph.decomposition import prequential_p_value


def asked(spread, seed, n_items=20, n_votes=100, ties=0.0):
    """What a sampler gets that asks a crowd with such opinions."""
    rng = np.random.default_rng([seed, 5])
    x, sampler = rng.normal(0, spread, n_items), hr.AutoSampler(n_items, seed=seed)
    for _ in range(n_votes):
        pair = sampler.ask()
        chance = 1 / (1 + np.exp(x[pair.right] - x[pair.left]))
        outcome = 0 if rng.random() < ties else (1 if rng.random() < chance else -1)
        sampler.tell(pair, outcome)
    return sampler.votes


@pytest.mark.slow
def test_a_sampler_finds_no_ranking_in_coin_tosses():
    found = [hr.decompose(asked(0.0, seed)) for seed in range(40)]
    foretold = np.array([one.p_value("gradient") for one in found])
    by_share = [one.expected.gradient.p_value(one.energy["gradient"]) for one in found]
    assert np.mean(foretold < 0.05) < 0.2
    assert np.mean(np.array(by_share) < 0.05) > 0.8, "what is not asked of such answers"
    assert all(one.noise("gradient") is None and one.noise("curl") for one in found)


def test_a_ranking_is_found_with_ties_too():
    chances = [prequential_p_value(asked(1.5, seed, 10, 150, ties=0.2)) for seed in range(10)]
    assert np.median(chances) < 0.01


def test_ties_alone_foretell_nothing():
    assert prequential_p_value(hr.read_comparisons([("a", "b", 0), ("b", "c", 0)] * 5)) == 1.0


def test_pairs_that_were_chosen_beforehand_are_asked_by_their_share():
    votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 5)
    parts = hr.decompose(votes)
    assert parts.noise("gradient") == parts.expected.gradient
    assert parts.p_value("gradient") == parts.expected.gradient.p_value(parts.energy["gradient"])
