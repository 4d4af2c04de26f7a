"""BayesianSampler against the offline form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.links import LINKS
from hodgerank.kernels.selection.tie_breaking import best_listed, stream
from reference.information import all_pairs, divergence, expected_information, posterior

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


def cauchy(t):
    return 0.5 + np.arctan(2 * t) / np.pi


T = stats.t(4)
CDFS = {name: link.cdf for name, link in LINKS.items()} | {cauchy: cauchy, T: T.cdf}


class Case:
    """A posterior from the definition: x ~ N(m, s^2 K), y = d x + noise of variance s^2 / w."""

    def __init__(self, seed, link, noise=1.0):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(N, N))
        self.K, self.m, self.noise = root @ root.T + np.eye(N) / 2, rng.normal(0, 0.3, N), noise
        self.m -= self.m.mean()
        self.log = []
        for _ in range(9):
            i, j = rng.choice(N, 2, replace=False).tolist()
            self.log.append((i, j, rng.choice([-1.0, 1.0]), rng.choice([0.5, 1.0, 3.0])))
        self.sampler = hr.BayesianSampler(
            N, prior_scores=self.m, prior_covariance=self.K, link=link, noise=noise, paper=True
        )
        for i, j, y, weight in self.log:
            self.sampler.tell((i, j), y, weight=weight)

    def posterior(self, more=()):
        """Mean and covariance, by the normal equations."""
        precision = np.linalg.inv(self.noise**2 * self.K)
        force = precision @ self.m
        for i, j, y, weight in [*self.log, *more]:
            d = np.eye(N)[i] - np.eye(N)[j]
            precision = precision + weight / self.noise**2 * np.outer(d, d)
            force = force + weight / self.noise**2 * y * d
        covariance = np.linalg.inv(precision)
        return covariance @ force, covariance

    def divergence(self, i, j, y):
        return divergence(*self.posterior([(i, j, y, 1.0)]), *self.posterior())


@pytest.mark.parametrize("link", CDFS)
@pytest.mark.parametrize("noise", [1.0, 0.6, 1.7])
def test_the_gain_with_any_link_noise_and_prior_is_the_expected_divergence(link, noise):
    case = Case(1, link, noise)
    mean, _ = case.posterior()
    for i, j in all_pairs(N):
        p = float(CDFS[link](np.array([mean[i] - mean[j]]))[0])
        expected = p * case.divergence(i, j, 1.0) + (1 - p) * case.divergence(i, j, -1.0)
        assert case.sampler.gain((i, j)) == pytest.approx(expected, rel=1e-9)


def test_the_gain_is_the_mean_divergence_of_simulated_answers():
    case = Case(2, cauchy, 0.8)
    mean, _ = case.posterior()
    i, j = 1, 4
    p = float(cauchy(mean[i] - mean[j]))
    answers = np.where(np.random.default_rng(0).random(4000) < p, 1.0, -1.0)
    found = {y: case.divergence(i, j, y) for y in (1.0, -1.0)}
    drawn = np.array([found[y] for y in answers])
    stderr = drawn.std(ddof=1) / np.sqrt(len(drawn))
    assert abs(drawn.mean() - case.sampler.gain((i, j))) < 3 * stderr


def test_the_divergence_is_the_integral_over_the_difference():
    """Votes on a pair inform about its difference only, so one dimension suffices."""
    case = Case(3, "bradley-terry", 1.4)
    i, j = 0, 3
    d = np.eye(N)[i] - np.eye(N)[j]
    x = np.linspace(-30, 30, 200_001)
    mean, cov = case.posterior()
    before = stats.norm(d @ mean, np.sqrt(d @ cov @ d))
    p = float(CDFS["bradley-terry"](np.array([d @ mean]))[0])
    total = 0.0
    for y, probability in ((1.0, p), (-1.0, 1 - p)):
        mean, cov = case.posterior([(i, j, y, 1.0)])
        after = stats.norm(d @ mean, np.sqrt(d @ cov @ d))
        ratio = after.logpdf(x) - before.logpdf(x)
        total += probability * np.trapezoid(after.pdf(x) * ratio, x)
    assert case.sampler.gain((i, j)) == pytest.approx(total, rel=1e-7)


def test_the_posterior_with_any_prior_equals_the_normal_equations():
    case = Case(4, "angular", 0.7)
    mean, covariance = case.posterior()
    centre = np.eye(N) - 1 / N
    np.testing.assert_allclose(case.sampler.posterior.mean, centre @ mean, atol=1e-10)
    expected = centre @ covariance @ centre
    np.testing.assert_allclose(case.sampler.posterior.covariance, expected, atol=1e-10)


@pytest.mark.parametrize("noise", [0.8, "estimate"])
def test_votes_at_once_equal_votes_one_by_one_with_any_prior(noise):
    votes = hr.simulate_comparisons(list(range(N)), 60, spread=1, rng=3)
    built = [
        hr.BayesianSampler(N, prior_covariance=Case(5, cauchy).K, link=cauchy, noise=noise)
        for _ in range(2)
    ]
    built[0].tell_many(votes)
    for row in votes.to_frame("polars").iter_rows(named=True):
        built[1].tell((row["left"], row["right"]), row["outcome"])
    assert built[0].noise == pytest.approx(built[1].noise, rel=1e-10)
    gains = [sampler.gains(all_pairs(N)) for sampler in built]
    np.testing.assert_allclose(*gains, rtol=1e-9)


def test_the_estimated_noise_sums_standardised_prediction_errors():
    sampler = hr.BayesianSampler(N, noise="estimate", prior_scores=[0.2, 0, 0.1, -0.3, 0])
    total, rng = 3.0, np.random.default_rng(1)
    for t in range(1, 40):
        i, j = sorted(rng.choice(N, 2, replace=False).tolist())
        S, mean = sampler.posterior.covariance / sampler.noise**2, sampler.posterior.mean
        y = rng.choice([-1.0, 0.4, 1.0])
        total += (y - mean[i] + mean[j]) ** 2 / (1 + S[i, i] + S[j, j] - 2 * S[i, j])
        sampler.tell((i, j), y)
        assert sampler.noise**2 == pytest.approx(total / (3 + t), rel=1e-9)


def test_the_estimated_noise_is_that_of_the_votes():
    rng = np.random.default_rng(7)
    truth = rng.uniform(-0.3, 0.3, 12)
    sampler = hr.BayesianSampler(12, noise="estimate")
    for _ in range(1500):
        i, j = rng.choice(12, 2, replace=False).tolist()
        y = truth[i] - truth[j] + rng.normal(0, 0.15)
        sampler.tell((i, j), float(np.clip(y, -1, 1)))
    assert sampler.noise == pytest.approx(0.15, rel=0.1)


def test_a_prior_of_equal_variances_is_a_ridge():
    plain = hr.BayesianSampler(8, ridge=0.5, seed=3)
    given = hr.BayesianSampler(8, prior_covariance=[2.0] * 8, seed=3)
    for _ in range(30):
        pair = plain.ask()
        assert given.ask() == pair
        for sampler in (plain, given):
            sampler.tell(pair, 1 if pair.left < pair.right else -1)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("logit", "is not one of"),
        (3, "link must be one of"),
        (lambda t: np.exp(t), "must return probabilities"),
        (lambda t: stats.norm.cdf(t + 1), "symmetric"),
        (lambda t: stats.norm.cdf(-t), "not decrease"),
        (lambda t: np.full(len(t), 0.5), "increase"),
        (lambda t: 0.5, "same shape"),
        (lambda t: float(t), "an array to an array"),
    ],
)
def test_a_function_that_is_no_symmetric_link_is_refused(link, message):
    with pytest.raises(InvalidArgument, match=message):
        hr.BayesianSampler(4, link=link)


def test_what_only_the_dense_form_can_do_is_refused_elsewhere():
    with pytest.raises(InvalidArgument, match="engine='dense'"):
        hr.BayesianSampler(4, noise=2.0, engine="matrix-free")
    with pytest.raises(InvalidArgument, match="limited to 3,000"):
        hr.BayesianSampler(3001, link="bradley-terry")
    with pytest.raises(InvalidArgument, match="not both"):
        hr.BayesianSampler(4, ridge=2.0, prior_covariance=np.eye(4))
    for wrong in (np.eye(3), np.full((4, 4), 1.0), "wide", [1, 2, 3, np.nan], -np.eye(4)):
        with pytest.raises(InvalidArgument, match="prior_covariance"):
            hr.BayesianSampler(4, prior_covariance=wrong)
    for noise in (0, -1.0, "auto", float("inf")):
        with pytest.raises(InvalidArgument, match="noise"):
            hr.BayesianSampler(4, noise=noise)
