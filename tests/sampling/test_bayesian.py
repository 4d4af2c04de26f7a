"""BayesianSampler against the offline form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.selection.tie_breaking import best_listed, stream
from reference.information import all_pairs, expected_information, posterior

N = 5
answer = st.tuples(
    st.sampled_from(all_pairs(N)), st.sampled_from([-1.0, 0.0, 0.4, 1.0]),
    st.sampled_from([1.0, 0.5, 3.0]),
)  # fmt: skip


@given(
    log=st.lists(answer, max_size=12),
    g=st.sampled_from([1.0, 0.1, 1e-5]),
    link=st.sampled_from(["uniform", "thurstone-mosteller", "angular"]),
)
def test_the_gain_is_the_expected_divergence(log, g, link):
    sampler = hr.BayesianSampler(N, ridge=g, link=link, paper=True)
    for pair, outcome, weight in log:
        sampler.tell(pair, outcome, weight=weight)
    answers = [(i, j, y, w) for (i, j), y, w in log]
    for i, j in all_pairs(N):
        offline = expected_information(N, answers, i, j, g, link)
        assert sampler.gain((i, j)) == pytest.approx(offline, rel=1e-6, abs=1e-9)


@given(log=st.lists(answer, max_size=12), g=st.sampled_from([1.0, 0.1, 1e-5]))
def test_the_online_update_equals_a_fresh_solution(log, g):
    sampler = hr.BayesianSampler(N, ridge=g)
    for pair, outcome, weight in log:
        sampler.tell(pair, outcome, weight=weight)
    mean, cov = posterior(N, [(i, j, y, w) for (i, j), y, w in log], g)
    centre = np.eye(N) - 1 / N
    np.testing.assert_allclose(sampler.posterior.mean, mean, atol=1e-9 / g**0.5)
    np.testing.assert_allclose(
        sampler.posterior.covariance, centre @ cov @ centre, rtol=1e-7, atol=1e-9 / g
    )


@pytest.mark.parametrize(("paper", "g"), [(True, 0.1), (True, 1.0)])
def test_offline_and_online_choose_the_same_sequence(paper, g):
    """Ties included: both break them by the seed within a relative 1e-9."""
    n, seed = 7, 11
    rng = np.random.default_rng(3)
    truth = rng.normal(0, 1, n)
    sampler = hr.BayesianSampler(n, seed=seed, paper=paper, ridge=g, display="fixed")
    i, j = np.array(all_pairs(n)).T
    answers = []
    for t in range(60):
        gains = np.array([expected_information(n, answers, a, b, g) for a, b in all_pairs(n)])
        k = best_listed(gains, i, j, stream(seed, t))
        pair = sampler.ask()
        assert pair == (i[k], j[k])
        outcome = 1.0 if rng.random() < 1 / (1 + np.exp(truth[j[k]] - truth[i[k]])) else -1.0
        sampler.tell(pair, outcome)
        answers.append((i[k], j[k], outcome, 1.0))


def test_the_clamped_gain_falls_as_a_pair_is_decided():
    for paper, grows_again in ((False, False), (True, True)):
        # a prior so sure of itself that answers hardly move it, over differences 0, .3, ... 3
        scores = [0.0, 0.3, 0.6, 0.9, 1.5, 2.1, 2.7, 3.0]
        sampler = hr.BayesianSampler(8, prior_scores=scores, paper=paper)
        gains = [sampler.gain((0, k)) for k in range(1, 8)]
        assert (gains[-1] > gains[0]) == grows_again


def test_prior_scores_decide_what_is_asked_first():
    far = {"a": 5.0, "b": 0.0, "c": 0.1}
    sampler = hr.BayesianSampler(far, prior_scores=far, seed=2)
    assert sorted(sampler.ask()) == ["b", "c"]
    assert sampler.posterior.mean.sum() == pytest.approx(0)
    with pytest.raises(hr.HodgeRankError, match="not among"):
        hr.BayesianSampler(["a", "b"], prior_scores={"z": 1.0})


def test_the_logistic_link_is_refused_with_the_reason():
    with pytest.raises(InvalidArgument, match="easy pairs"):
        hr.BayesianSampler(3, link="bradley-terry")


def test_thousands_of_updates_do_not_drift():
    """Also with a prior so weak that variances fall by six orders of magnitude."""
    rng = np.random.default_rng(0)
    for g in (1.0, 1e-5):
        sampler = hr.BayesianSampler(30, ridge=g, seed=1)
        for _ in range(3000):
            sampler.tell(sampler.ask(), rng.choice([-1.0, 1.0]))
        fresh = hr.BayesianSampler(30, ridge=g, seed=1)
        fresh.tell_many(sampler.votes)
        for pair in [(0, 1), (3, 17), (28, 29)]:
            assert sampler.gain(pair) == pytest.approx(fresh.gain(pair), rel=1e-8)


def test_a_batch_knows_what_is_out():
    """A naive batch would ask the best pair and its rivals; a batch that knows spreads out."""
    sampler = hr.BayesianSampler(20, seed=1)
    items = [item for pair in sampler.ask(10) for item in pair]
    assert len(set(items)) == 20
