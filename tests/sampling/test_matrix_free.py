"""The matrix-free posterior, held to the dense one."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

import hodgerank as hr
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.matrix_free.state import IS_STALE, N_LISTED, SHIFT, VARIANCE
from hodgerank.sampling.designs.matrix_free_posterior import ENGINES, MatrixFreePosterior
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.samplers import auto

FREE = {"engine": "matrix-free"}


class Exact:
    """Answers as a matrix: posterior mean, variances of differences, and gains."""

    def __init__(self, n, g=1.0):
        self.precision, self.force = g * np.eye(n), np.zeros(n)

    def learn(self, i, j, outcome, weight=1.0):
        self.precision[[i, j], [i, j]] += weight
        self.precision[[i, j], [j, i]] -= weight
        self.force[[i, j]] += weight * outcome, -weight * outcome

    @property
    def mean(self):
        with few_threads(len(self.force)):
            mean = np.linalg.solve(self.precision, self.force)
        return mean - mean.mean()

    @property
    def variances(self):
        with few_threads(len(self.force)):
            S = np.linalg.inv(self.precision)
        return np.diag(S)[:, None] + np.diag(S) - 2 * S

    @property
    def gains(self):
        mean, C = self.mean, self.variances
        D = mean[:, None] - mean
        np.fill_diagonal(C, 0)
        return 0.5 * (np.clip(1 - D * D, 0, 1) * C / (1 + C) ** 2 + np.log1p(C) - C / (1 + C))


def campaign(n, answers, *, spread=3.0, g=1.0, seed=1, every=None, criterion="gains"):
    """A campaign of the matrix-free engine; how good its choices were on the way."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, spread, n)
    sampler = hr.BayesianSampler(n, seed=seed, ridge=g, **FREE)
    if criterion == "variances":
        sampler = hr.FisherSampler(n, seed=seed, **FREE)
    exact = Exact(n, g)
    shares = []
    for k in range(answers):
        pair = sampler.ask()
        if every and k % every == every - 1:
            values = getattr(exact, criterion)
            shares.append(values[pair.left, pair.right] / values.max())
        outcome = 1.0 if rng.random() < expit(truth[pair.left] - truth[pair.right]) else -1.0
        sampler.tell(pair, outcome)
        exact.learn(pair.left, pair.right, outcome)
    return sampler, exact, np.array(shares), truth


@pytest.mark.parametrize(
    ("spread", "g", "mean", "least"),
    [
        (3.0, 1.0, 0.98, 0.94),
        pytest.param(0.3, 1.0, 0.98, 0.94, marks=pytest.mark.slow),
        pytest.param(3.0, 10.0, 0.97, 0.9, marks=pytest.mark.slow),
        pytest.param(3.0, 0.1, 0.95, 0.8, marks=pytest.mark.slow),
        (3.0, 0.01, 0.93, 0.7),
    ],
)
def test_the_pairs_asked_are_worth_nearly_as_much_as_the_best(spread, g, mean, least):
    _, _, shares, _ = campaign(300, 1500, spread=spread, g=g, every=36)
    assert shares.mean() >= mean
    assert shares.min() >= least


def test_without_labels_the_least_known_difference_is_asked():
    _, _, shares, _ = campaign(300, 2000, every=100, criterion="variances")
    assert shares.mean() >= 0.97
    assert shares.min() >= 0.9


def test_means_are_exact():
    sampler, exact, _, _ = campaign(200, 1500)
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-6)
    np.testing.assert_allclose(sampler.posterior.mean, exact.mean, atol=1e-9)


def test_gains_are_those_of_the_dense_engine_within_some_per_cent():
    sampler, exact, _, _ = campaign(200, 1500)
    rng = np.random.default_rng(0)
    pairs = [tuple(rng.choice(200, 2, replace=False).tolist()) for _ in range(200)]
    found = np.array([sampler.gain(pair) for pair in pairs])
    gains = exact.gains
    wanted = np.array([gains[pair] for pair in pairs])
    assert np.median(np.abs(found / wanted - 1)) < 0.02
    assert np.abs(found - wanted).max() < 0.1 * wanted.max()


def test_looking_at_the_means_changes_nothing():
    one, two = (campaign(150, 200)[0] for _ in range(2))
    assert len(one._design.mean) == 150
    for _ in range(20):
        pair = one.ask()
        assert pair == two.ask()
        for sampler in (one, two):
            sampler.tell(pair, 1)


def test_drift_is_measured_and_small():
    sampler, _, _, _ = campaign(300, 900)
    assert 0 < sampler._design.drift < 0.1


@pytest.mark.parametrize("g", [0.01, 1.0, 10.0])
def test_weighted_and_graded_answers(g):
    rng = np.random.default_rng(3)
    n = 120
    sampler, exact = hr.BayesianSampler(n, ridge=g, **FREE), Exact(n, g)
    for _ in range(800):
        i, j = rng.choice(n, 2, replace=False).tolist()
        outcome, weight = float(rng.uniform(-1, 1)), float(np.exp(rng.normal(0, 2)))
        sampler.tell((i, j), outcome, weight=weight)
        exact.learn(i, j, outcome, weight)
    # weights of edges are kept in single precision
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-4)
    pair = sampler.ask()
    assert exact.gains[pair.left, pair.right] >= 0.85 * exact.gains.max()


def test_stars_and_hubs():
    n = 600
    rng = np.random.default_rng(5)
    sampler, exact = hr.BayesianSampler(n, **FREE), Exact(n)
    for k in range(2 * n):  # every item meets the hub twice
        outcome = float(rng.choice([-1, 1]))
        leaf = 1 + k % (n - 1)
        sampler.tell((0, leaf), outcome)
        exact.learn(0, leaf, outcome)
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-6)
    gains = exact.gains
    for _ in range(10):
        pair = sampler.ask()
        assert gains[pair.left, pair.right] >= 0.95 * gains.max()


def test_one_pair_answered_again_and_again():
    n = 80
    sampler, exact = hr.BayesianSampler(n, **FREE), Exact(n)
    for _ in range(3000):
        sampler.tell((3, 4), 1)
        exact.learn(3, 4, 1)
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-6)
    assert not {3, 4} & set(sampler.ask())


def test_a_pair_that_is_out_counts_as_if_answered():
    sampler, exact, _, _ = campaign(200, 600)
    pair = sampler.ask()
    assert {*sampler.ask(pending=[pair])} != {*pair}
    exact.learn(pair.left, pair.right, exact.mean[pair.left] - exact.mean[pair.right])
    wanted = exact.gains[pair.left, pair.right]
    assert sampler.gain(pair, pending=[pair]) == pytest.approx(wanted, rel=0.1)


def build_bayesian(n):
    return hr.BayesianSampler(n, seed=1, **FREE)


def build_fisher(n):
    return hr.FisherSampler(n, seed=1, **FREE)


def build_auto(n):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "MANY_ITEMS", 0)
        return hr.AutoSampler(n, seed=1)


def known(sampler):
    """All that the answers led to, with nothing out."""
    sampler.gain((0, 1))
    design = sampler._design
    s = getattr(design, "chooser", design)._state
    return [s.x[:, :SHIFT].copy(), s.place.copy(), s.edges.copy(), s.cells.copy(), s.top.copy()]


def assert_same(one, other):
    for here, there in zip(known(one), known(other), strict=True):
        np.testing.assert_array_equal(here, there)
    assert one.ask(5) == other.ask(5)


@pytest.mark.parametrize("build", [build_bayesian, build_fisher, build_auto])
@pytest.mark.parametrize(
    ("n", "answers"), [(37, 300), pytest.param(150, 700, marks=pytest.mark.slow)]
)
def test_asking_and_how_answers_are_told_leave_no_trace(build, n, answers):
    """Bit for bit: one by one while pairs come and go, one by one, at once, and in pieces."""
    rng = np.random.default_rng(n)
    truth = rng.normal(0, 2, n)
    asked, out = build(n), []
    for _ in range(answers):
        out = asked.ask(int(rng.integers(1, 6)), pending=out)[:4]
        pair = out.pop() if rng.random() < 0.7 else asked.ask(pending=out)
        outcome = float(np.sign(truth[pair.left] - truth[pair.right] + rng.logistic()))
        asked.tell(pair, outcome, weight=float(rng.choice([1, 1, 0.3, 50])))
    log = asked.votes
    told, at_once, in_pieces = build(n), build(n), build(n)
    for a, b, y, w in zip(
        log.left.tolist(), log.right.tolist(), log.outcome.tolist(), log.weight.tolist(),
        strict=True,
    ):  # fmt: skip
        told.tell((a, b), y, weight=w)
    at_once.tell_many(log)
    ends = [0, 3, n - 1, n, n + 5, 3 * n + 1, answers]
    for start, end in pairwise(ends):
        in_pieces.tell_many(log.select(np.arange(start, end)))
    for other in (told, at_once, in_pieces):
        assert_same(asked, other)


def test_a_pair_out_twice_counts_twice_wherever_it_is_listed():
    sampler, fresh = (campaign(60, 100)[0] for _ in range(2))
    a, b = (0, 1), (2, 3)
    sampler.ask(pending=[a, b])
    assert sampler.gain(a, pending=[a, b, a]) == fresh.gain(a, pending=[a, a, b])
    assert sampler.gain(a, pending=[a, a, b]) < sampler.gain(a, pending=[a, b])


def test_more_pairs_go_out_than_there_was_room_for():
    one, other = (campaign(400, 600)[0] for _ in range(2))
    before = one._design.n_bytes
    one.ask(1000)
    assert one._design.n_bytes > before
    assert_same(one, other)


def test_an_item_joins_and_a_criterion_changes_while_pairs_are_out():
    one, other = (campaign(60, 100)[0] for _ in range(2))
    one.ask(9)
    for sampler in (one, other):
        sampler.add_item(60)
        sampler.tell((60, 3), 1)
    one.ask(9)
    for sampler in (one, other):
        sampler._design.aim_at("variance")
    assert_same(one, other)


def test_variances_settle_where_edges_weigh_much():
    """At a checkpoint, where they are computed from all answers at once."""
    n, pairs = 60, [(u, u + 1) for u in range(59)]
    sampler, exact = hr.BayesianSampler(n, **FREE), Exact(n)
    for k, (i, j) in enumerate(pairs + pairs[:1]):
        weight = float((1, 3, 10, 30)[k % 4])
        sampler.tell((i, j), 1, weight=weight)
        exact.learn(i, j, 1, weight)
    wanted = np.diag(np.linalg.inv(exact.precision))
    np.testing.assert_allclose(sampler._design._state.x[:, VARIANCE], wanted, rtol=0.02)


def test_pairs_out_and_answered_late_give_the_same_means():
    rng = np.random.default_rng(2)
    sampler, exact = hr.BayesianSampler(200, seed=3, **FREE), Exact(200)
    out = []
    for _ in range(1000):
        while len(out) < 30:
            out.append(sampler.ask(pending=out))
        pair = out.pop(int(rng.integers(len(out))))
        outcome = float(rng.choice([-1, 1]))
        sampler.tell(pair, outcome)
        exact.learn(pair.left, pair.right, outcome)
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-6)


def test_a_large_batch_spreads_over_the_items():
    sampler, _, _, _ = campaign(400, 800)
    batch = sampler.ask(100)
    met = np.bincount([item for pair in batch for item in pair], minlength=400)
    assert met.max() <= 2
    assert len({frozenset(pair) for pair in batch}) == 100


def test_a_log_is_a_warm_start():
    sampler, exact, _, _ = campaign(300, 3000)
    other = hr.BayesianSampler(300, seed=1, **FREE)
    other.tell_many(sampler.votes)
    np.testing.assert_allclose(other._design.mean, exact.mean, atol=1e-6)
    shares = []
    for _ in range(20):
        pair = other.ask()
        gains = exact.gains
        shares.append(gains[pair.left, pair.right] / gains.max())
        other.tell(pair, 0)
        exact.learn(pair.left, pair.right, 0)
    assert np.mean(shares) > 0.95
    assert min(shares) > 0.9


def test_the_same_answers_lead_to_the_same_pairs():
    one, _, _, _ = campaign(150, 400)
    two = hr.BayesianSampler(150, seed=1, **FREE)
    for left, right, outcome in zip(
        one.votes.left.tolist(),
        one.votes.right.tolist(),
        one.votes.outcome.tolist(),
        strict=True,
    ):
        two.tell((left, right), outcome)
    assert one.ask() == two.ask() == two.ask()


def test_an_item_that_joins_is_asked_and_known():
    sampler, exact, _, _ = campaign(200, 1000)
    for name in range(200, 260):
        sampler.add_item(name)
    larger = Exact(260)
    larger.precision[:200, :200] = exact.precision
    larger.force[:200] = exact.force
    asked = set()
    for _ in range(60):
        pair = sampler.ask()
        asked |= {*pair}
        sampler.tell(pair, 1)
        larger.learn(pair.left, pair.right, 1)
    assert asked >= set(range(200, 260))
    np.testing.assert_allclose(sampler._design.mean, larger.mean, atol=1e-6)


def test_retired_items_are_not_asked_until_restored():
    sampler, _, _, _ = campaign(150, 300)
    gone = set(range(0, 150, 2))
    for item in gone:
        sampler.retire_item(item)
    for pair in sampler.ask(100):
        assert not gone & {*pair}
    for item in gone:
        sampler.restore_item(item)
    assert gone & {item for pair in sampler.ask(100) for item in pair}


def test_where_few_are_left_all_their_pairs_are_looked_at():
    sampler = hr.BayesianSampler(60, **FREE)
    for item in range(3, 60):
        sampler.retire_item(item)
    for k in range(60):
        sampler.tell((k % 2, 2), 1 if k % 2 else -1)
    assert {*sampler.ask()} <= {0, 1, 2}
    sampler.retire_item(1)
    sampler.retire_item(2)
    with pytest.raises(NothingToAsk):
        sampler.ask()


def test_nobody_is_asked_the_same_twice():
    sampler = hr.BayesianSampler(60, **FREE)
    seen = set()
    for _ in range(200):
        pair = sampler.ask(worker="ann")
        assert frozenset(pair) not in seen
        seen.add(frozenset(pair))
        sampler.tell(pair, 1, worker="ann")


def test_tau_is_that_of_the_dense_engine():
    taus = {"dense": [], "matrix-free": []}
    for engine, found in taus.items():
        for run in range(6):
            rng = np.random.default_rng(run)
            truth = rng.normal(0, 3, 100)
            sampler = hr.BayesianSampler(100, seed=run, engine=engine)
            for _ in range(500):
                pair = sampler.ask()
                p = expit(truth[pair.left] - truth[pair.right])
                sampler.tell(pair, 1.0 if rng.random() < p else -1.0)
            found.append(hr.metrics.kendall_tau(sampler._design.mean.round(4), truth))
    difference = np.subtract(taus["matrix-free"], taus["dense"])
    assert difference.mean() > -2 * difference.std(ddof=1) / np.sqrt(6) - 0.005


def test_the_engine_is_chosen_by_size():
    assert isinstance(hr.BayesianSampler(1000)._design, MatrixFreePosterior)
    assert not isinstance(hr.BayesianSampler(999)._design, MatrixFreePosterior)
    assert isinstance(hr.FisherSampler(1000)._design, MatrixFreePosterior)
    assert isinstance(hr.AutoSampler(1000)._design.chooser, MatrixFreePosterior)
    assert not isinstance(hr.BayesianSampler(1000, paper=True)._design, MatrixFreePosterior)
    with pytest.raises(InvalidArgument, match="paper"):
        hr.BayesianSampler(10, paper=True, engine="matrix-free")
    with pytest.raises(InvalidArgument, match="engine"):
        hr.BayesianSampler(10, engine="sparse")


def test_prior_scores_are_the_means_before_any_answer():
    prior = np.linspace(-1, 1, 80)
    one, two = (hr.BayesianSampler(80, prior_scores=prior, engine=e) for e in ENGINES[1:])
    np.testing.assert_allclose(two._design.mean, prior, atol=1e-6)
    for sampler in (one, two):
        sampler.tell((0, 79), 1)
    np.testing.assert_allclose(one._design.mean, two._design.mean, atol=1e-6)


def test_memory_grows_with_items_and_edges_alone():
    small, large = (MatrixFreePosterior(np.zeros(n), 1.0).n_bytes for n in (20_000, 40_000))
    assert large < 2.1 * small
    assert large < 20e6


def test_a_blocked_pair_is_never_found():
    design = MatrixFreePosterior(np.zeros(70), 1.0)
    pairs = {design.search(BlockedPairs(70), key) for key in range(5)}
    blocked = BlockedPairs(70, pairs=pairs)
    for key in range(50):
        assert design.search(blocked, key) not in pairs


def test_a_retired_item_is_not_found_through_a_cell_it_has_left():
    sampler = hr.FisherSampler(6, **FREE)
    for u in range(1, 5):
        for v in range(u + 1, 5):
            for _ in range(3):
                sampler.tell((u, v), 1)
    sampler.tell((5, 1), 1)
    sampler.ask()
    sampler.retire_item(5)
    assert 5 not in sampler.ask()


@pytest.mark.parametrize("build", [hr.FisherSampler, hr.BayesianSampler])
def test_no_listed_cell_is_empty(build):
    rng = np.random.default_rng(4)
    sampler = build(60, seed=1, **FREE)
    for _ in range(1500):
        pair = sampler.ask()
        sampler.tell(pair, float(rng.choice([-1, 1])))
        if rng.random() < 0.1:
            item = int(rng.integers(60))
            (sampler.restore_item if item in sampler.retired else sampler.retire_item)(item)
        state = sampler._design._state
        if not state.counters[IS_STALE]:
            listed = state.listed[: state.counters[N_LISTED], 1:].astype(int)
            assert (state.cells[listed] >= 0).all()


def test_weights_that_are_no_binary_fractions_add_up():
    sampler = hr.BayesianSampler(3, **FREE)
    m = 20_000
    sampler.tell_many(
        hr.Comparisons(
            items=(0, 1),
            left=np.zeros(m, np.int32),
            right=np.ones(m, np.int32),
            outcome=np.ones(m),
            weight=np.full(m, 0.1),
        )
    )
    sampler.tell((1, 2), 1)
    np.testing.assert_allclose(sampler._design.mean, sampler.posterior.mean, atol=1e-3)


def test_a_sampler_back_from_a_pickle_goes_on():
    sampler = pickle.loads(pickle.dumps(campaign(60, 100)[0]))
    for name in range(60, 70):
        sampler.add_item(name)
    sampler.tell(sampler.ask(), 1)
    assert len(sampler._design.mean) == 70


@pytest.mark.parametrize("g", [1e-3, 1e3, 1e7])
def test_extreme_priors(g):
    sampler, exact, _, _ = campaign(40, 80, g=g)
    np.testing.assert_allclose(sampler._design.mean, exact.mean, atol=1e-5)


def test_prior_scores_far_apart_are_told_apart():
    rng = np.random.default_rng(1)
    prior = rng.normal(0, 40, 200)
    sampler = hr.BayesianSampler(200, prior_scores=prior, **FREE)
    left, right = sampler.ask()
    assert abs(prior[left] - prior[right]) < 2
