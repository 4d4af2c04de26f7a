"""The probit posterior and the rank-targeted criterion, against integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import hodgerank as hr
from hodgerank.kernels import posterior
from hodgerank.kernels.selection import misordering
from hodgerank.sampling.designs import probit_posteriors


@pytest.mark.parametrize("z", [-30.0, -9.0, -8.0, -2.0, 0.0, 1.5, 7.0])
def test_tails_are_accurate(z):
    assert posterior.log_cdf(z) == pytest.approx(norm.logcdf(z), rel=1e-9)
    hazard = np.exp(norm.logpdf(z) - norm.logcdf(z))
    assert posterior.hazard(z) == pytest.approx(hazard, rel=1e-9)
    exact = np.exp(2 * norm.logpdf(z) - norm.logcdf(z) - norm.logsf(z))
    assert posterior.sensitivity(z) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("outcome", "noise"), [(1.0, 1.0), (-1.0, 1.0), (1.0, 0.25)])
def test_one_answer_gives_the_exact_moments(outcome, noise):
    """Of the difference of two items with prior variance 2 each."""
    C, mean, s = np.full((2, 2), 4.0), np.array([0.3, -0.3]), np.empty(2)
    prior = norm(0.6, 2.0)

    def likelihood(t):
        return norm.cdf(outcome * t / np.sqrt(noise))

    def moment(k):
        return quad(lambda t: t**k * prior.pdf(t) * likelihood(t), -20, 20)[0]

    evidence, _ = posterior.assimilate(C, mean, s, 0, 1, outcome, noise, 0, np.zeros(2))
    m = moment(1) / moment(0)
    assert evidence == pytest.approx(np.log(moment(0)), rel=1e-6)
    assert mean[0] - mean[1] == pytest.approx(m, rel=1e-6)
    assert C[0, 1] == pytest.approx(moment(2) / moment(0) - m**2, rel=1e-6)


def test_order_weights_are_the_mean_derivative():
    C, mean = np.array([[0.0, 1.7], [0.0, 0.0]]), np.array([0.9, 0.0])
    s2 = C[0, 1]

    def misordered(variance):
        return quad(
            lambda d: norm.pdf(d, 0.9, np.sqrt(s2)) * norm.cdf(-abs(d) / np.sqrt(variance)),
            -15, 15, points=[0], epsabs=1e-12,
        )[0]  # fmt: skip

    numeric = (misordered(s2 + 1e-4) - misordered(s2 - 1e-4)) / 2e-4
    assert misordering.order_weights(C, mean)[0, 1] == pytest.approx(numeric, rel=1e-4)


def test_relevance_is_kept_up_to_date_exactly_while_the_weights_stay():
    rng = np.random.default_rng(0)
    n = 6
    A = rng.normal(size=(n, 2 * n))
    S = A @ A.T
    C, mean = np.triu(posterior.resistance_of(S), 1), rng.normal(size=n)
    R = misordering.relevance(C, misordering.order_weights(C, mean))
    weights = misordering.order_weights(C, mean)
    laplacian = np.diag(weights.sum(axis=0)) - weights
    s, q = np.empty(n), np.empty(n)
    for i, j, a in [(0, 3, 0.02), (1, 5, 0.01), (0, 3, 0.015)]:
        posterior.response(C, i, j, s)
        posterior.shrink(C, s, a)
        misordering.follow(R, s, q, i, j, a)
    covariance = posterior.covariance_of(C)
    fresh = posterior.resistance_of(covariance @ laplacian @ covariance)
    upper = np.triu_indices(n, 1)
    np.testing.assert_allclose(R[upper], fresh[upper], rtol=1e-9)


def test_the_search_finds_the_best_of_all_pairs():
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(40, 1)
    sampler = hr.RankSampler(40, seed=1)
    for _ in range(200):
        pair = sampler.ask()
        gains = sampler._design.gains(i, j)
        assert sampler.gain(pair) >= gains.max() * (1 - 1e-9)
        sampler.tell(pair, rng.choice([-1.0, 1.0]))


def test_auto_finds_out_how_strong_opinions_are():
    for spread, strategy in ((0.02, "d-optimal"), (4.0, "rank")):
        rng = np.random.default_rng(2)
        truth = rng.normal(0, spread, 40)
        sampler = hr.AutoSampler(40, seed=1)
        for _ in range(400):
            a, b = sampler.ask()
            wins = rng.random() < 1 / (1 + np.exp(truth[b] - truth[a]))
            sampler.tell((a, b), 1 if wins else -1)
        assert sampler.strategy == strategy


def test_beyond_400_items_a_pending_pair_counts_by_the_same_rule():
    sampler = hr.RankSampler(401)
    sampler.ask(pending=[(0, 1), (1, 2)])
    C, R = sampler._design.criterion._pending
    assert R is C
    assert sampler.gain((0, 1), pending=[(0, 1)]) < sampler.gain((0, 1))


def test_gains_do_not_depend_on_when_somebody_first_asked():
    """40 items settle their weights every four answers, and R follows once it was looked at."""
    asked, silent = hr.RankSampler(40), hr.RankSampler(40)
    rng = np.random.default_rng(3)
    pairs = [tuple(rng.choice(40, 2, replace=False).tolist()) for _ in range(30)]
    for t, pair in enumerate(pairs):
        asked.ask()
        outcome = t % 3 - 1
        for sampler in (asked, silent):
            sampler.tell(pair, outcome)
    for pair in pairs:
        assert silent.gain(pair) == pytest.approx(asked.gain(pair), rel=1e-9)


def test_few_items_aim_at_the_order():
    assert hr.AutoSampler(10).strategy == "rank"


@pytest.mark.slow
def test_active_sampling_beats_random_pairs():
    """A small share of what `python -m benchmarks sampling_accuracy` measures."""
    gained = []
    for run in range(30):
        rng = np.random.default_rng(run)
        truth = rng.normal(0, 3, 16)
        tau = {}
        samplers = (
            hr.AutoSampler(16, seed=run),
            hr.RandomSampler(16, seed=run, order="independent"),
        )
        for sampler in samplers:
            for _ in range(100):
                a, b = sampler.ask()
                wins = rng.random() < 1 / (1 + np.exp(truth[b] - truth[a]))
                sampler.tell((a, b), 1 if wins else -1)
            ranking = sampler.ranking()
            scores = dict(zip(ranking.items, ranking.scores, strict=True))
            tau[type(sampler)] = hr.metrics.kendall_tau(scores, dict(enumerate(truth)))
        gained.append(tau[hr.AutoSampler] - tau[hr.RandomSampler])
    assert np.mean(gained) > 2 * np.std(gained) / np.sqrt(len(gained)) > 0


def test_answers_told_at_once_are_counted_once_by_every_part_of_auto():
    """Also those after the last time the criterion was settled."""
    votes = hr.simulate_comparisons(45, 103, spread=0.1, rng=1)
    one, other = hr.AutoSampler(votes.items), hr.AutoSampler(votes.items)
    for k in range(len(votes)):
        pair = (votes.items[votes.left[k]], votes.items[votes.right[k]])
        one.tell(pair, votes.outcome[k])
    other.tell_many(votes)
    assert one.strategy == other.strategy == "d-optimal"
    assert one.ask(5) == other.ask(5)
    for pair in (("item-01", "item-02"), ("item-30", "item-44")):
        assert one.gain(pair) == pytest.approx(other.gain(pair), rel=1e-9)


def test_processors_that_share_the_work_find_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    pairs = [rng.choice(9, 2, replace=False).tolist() for _ in range(200)]
    votes = [(*pair, float(rng.choice([-1, 1])), f"w{k % 5}") for k, pair in enumerate(pairs)]
    found = []
    for much in (0, np.inf):
        monkeypatch.setattr(probit_posteriors, "MUCH", much)
        sampler = hr.AutoSampler(9, position_bias="worker")
        sampler.tell_many(votes)
        bank = sampler._design.order.bank
        found.append([bank.C, bank.mean, bank.evidence, bank.tally, bank.biases, bank.response])
    for shared, alone in zip(*found, strict=True):
        np.testing.assert_array_equal(shared, alone)
