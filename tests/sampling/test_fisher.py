"""FisherSampler against the spectrum from the definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.selection import fiedler
from hodgerank.kernels.selection.tie_breaking import best_listed, stream


def spectral_gains(counts):
    """P_ii + P_jj - 2 P_ij with P the projector on the eigenspace of the second eigenvalue."""
    adjacency = counts + counts.T
    laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
    values, vectors = np.linalg.eigh(laplacian)
    n = len(counts)
    constant = np.full(n, n**-0.5)
    same = np.abs(values - values[1]) <= 1e-8 * max(values[1], 1e-3)
    projector = vectors[:, same] @ vectors[:, same].T
    if values[1] < 1e-9:
        projector -= np.outer(constant, constant)
    d = np.diag(projector)
    return d[:, None] + d - 2 * projector


@pytest.mark.parametrize("n", [6, 9])
def test_the_fiedler_rule_follows_its_definition(n):
    """Over more than two rounds, through all the degenerate spectra of small graphs."""
    sampler = hr.FisherSampler(n, seed=5, criterion="fiedler", display="fixed")
    counts = np.zeros((n, n))
    i, j = np.triu_indices(n, 1)
    for t in range(int(2.3 * len(i))):
        gains = np.maximum(spectral_gains(counts)[i, j], 0.0)
        gains[gains < 1e-9] = 0.0
        gains[counts[i, j] > counts[i, j].min()] = -1
        k = best_listed(gains, i, j, stream(5, t))
        pair = sampler.ask()
        assert pair == (i[k], j[k]), t
        sampler.tell(pair, 1)
        counts[pair] += 1


@pytest.mark.slow
def test_many_items_follow_the_same_rule_without_decomposing_each_time():
    n = 60
    sampler = hr.FisherSampler(n, seed=5, criterion="fiedler")
    counts = np.zeros((n, n))
    for t in range(300):
        pair = sampler.ask()
        a, b = sorted(pair)
        if t >= n and t % 7 == 0:
            gains = spectral_gains(counts)
            gains[counts + counts.T > 0] = -1
            assert gains[a, b] == pytest.approx(gains.max(), rel=1e-6)
        sampler.tell(pair, 1)
        counts[a, b] += 1
    edges = nx.from_numpy_array(counts + counts.T)
    random = nx.gnm_random_graph(n, 300, seed=1)
    ours, theirs = nx.algebraic_connectivity(edges), nx.algebraic_connectivity(random)
    assert ours > 1.5 * theirs


def test_whatever_the_seed_the_pair_asked_raises_lambda_2_most():
    """In graphs just connected, where one answer moves the lowest eigenvalues past each other."""
    n = 35
    for seed in range(30):
        sampler = hr.FisherSampler(n, seed=seed, criterion="fiedler", display="fixed")
        counts = np.zeros((n, n))
        for t in range(n + 10):
            pair = sampler.ask()
            if t >= n:
                gains = spectral_gains(counts)
                gains[counts + counts.T > 0] = -1
                assert gains[pair] == pytest.approx(gains.max(), rel=1e-6), (seed, t)
            sampler.tell(pair, 1)
            counts[pair] += 1


def test_pairs_that_were_out_leave_no_trace_in_the_spectrum():
    n = 35
    for seed in range(6):
        sampler = hr.FisherSampler(n, seed=seed, criterion="fiedler")
        for t in range(2 * n):
            pair = sampler.ask()
            sampler.ask(5, pending=[pair])
            assert sampler.ask() == pair, (seed, t)
            sampler.tell(pair, 1)


@pytest.mark.parametrize("error", [np.linalg.LinAlgError, ZeroDivisionError])
def test_where_the_last_spectrum_does_not_lead_to_the_next_it_is_found_afresh(monkeypatch, error):
    def asked():
        return hr.FisherSampler(35, criterion="fiedler").ask(50)

    def divide_by_zero(*_):
        raise error

    wanted = asked()
    monkeypatch.setattr(fiedler, "lowest_eigenvector", divide_by_zero)
    assert asked() == wanted


def test_every_pair_once_before_any_twice():
    sampler = hr.FisherSampler(7, criterion="fiedler")
    assert len({frozenset(pair) for pair in sampler.ask(21)}) == 21


def test_a_path_start_walks_through_all_items():
    sampler = hr.FisherSampler(9, criterion="fiedler", start="path", seed=3)
    path = nx.Graph(sampler.ask(8))
    assert sorted(dict(path.degree).values()) == [1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert nx.is_connected(path)
    with pytest.raises(InvalidArgument, match="fiedler"):
        hr.FisherSampler(9, start="path")


def test_the_label_free_designs_do_not_look_at_labels():
    for criterion in ("fiedler", "d-optimal"):
        one, other = (hr.FisherSampler(8, criterion=criterion, display="fixed") for _ in range(2))
        for _ in range(40):
            pair = one.ask()
            assert other.ask() == pair
            one.tell(pair, 1)
            other.tell(pair, -0.5)


def test_d_optimal_asks_what_is_least_known():
    sampler = hr.FisherSampler(list("abcd"))
    sampler.tell_many([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 5)
    assert "d" in sampler.ask()


def information_of(sampler, pending=(), ridge=1.0):
    """L + g I from the definition."""
    votes, n = sampler.votes, len(sampler.items)
    weights = np.ones(len(votes)) if votes.weight is None else votes.weight
    edges = [*zip(votes.left, votes.right, weights, strict=True), *((a, b, 1) for a, b in pending)]
    found = ridge * np.eye(n)
    for a, b, weight in edges:
        d = np.eye(n)[a] - np.eye(n)[b]
        found += weight * np.outer(d, d)
    return found


def mixed_log(sampler, n_votes, seed):
    """Ask, answer and let pairs expire; some votes have weights."""
    rng = np.random.default_rng(seed)
    n = len(sampler.items)
    for t in range(n_votes):
        pair = sampler.ask(pending=[(0, 1), (2, 3)] if t % 5 == 0 else ())
        if t % 3 == 0:
            pair = tuple(rng.choice(n, 2, replace=False).tolist())
        sampler.tell(pair, rng.choice([-1.0, 1.0]), weight=rng.choice([0.5, 1.0, 3.0]))


@pytest.mark.parametrize("ridge", [1.0, 0.1])
def test_the_a_optimal_gain_is_the_exact_reduction_of_the_trace(ridge):
    n = 12
    sampler = hr.FisherSampler(n, criterion="a-optimal", ridge=ridge, seed=3)
    mixed_log(sampler, 150, seed=1)
    pending = [(4, 7), (1, 2), (4, 7)]
    for out in ([], pending):
        before = np.trace(np.linalg.inv(information_of(sampler, out, ridge)))
        for pair in [(0, 1), (3, 8), (10, 11)]:
            after = np.trace(np.linalg.inv(information_of(sampler, [*out, pair], ridge)))
            assert sampler.gain(pair, out) == pytest.approx(before - after, rel=1e-10, abs=1e-12)


def test_updates_of_the_a_optimal_design_equal_the_dense_inverse():
    n = 20
    sampler = hr.FisherSampler(n, criterion="a-optimal", seed=3)
    mixed_log(sampler, 400, seed=2)
    S = np.linalg.inv(information_of(sampler))
    for i, j in [(0, 1), (4, 17), (9, 12)]:
        d = np.eye(n)[i] - np.eye(n)[j]
        dense = np.sum((S @ d) ** 2) / (1 + d @ S @ d)
        assert sampler.gain((i, j)) == pytest.approx(dense, rel=1e-12, abs=1e-15)


def test_a_and_d_optimality_are_spectral_criteria():
    """The derivative of ln det is 1/lambda; that of -tr S is 1/lambda^2, to first order."""
    n = 9
    built = {
        "d-optimal": hr.FisherSampler(n, seed=4),
        "inverse": hr.FisherSampler(n, seed=4, criterion=lambda values: 1 / values),
        "squares": hr.FisherSampler(n, seed=4, criterion=lambda values: values**-2.0),
    }
    for _ in range(60):
        pair = built["d-optimal"].ask()
        assert built["inverse"].ask() == pair
        for sampler in built.values():
            sampler.tell(pair, 1)
        S = np.linalg.inv(information_of(built["d-optimal"]))
        i, j = pair
        first_order = np.sum((S[i] - S[j]) ** 2)
        assert built["squares"].gain(pair) == pytest.approx(first_order, rel=1e-9)


def test_a_spectral_gain_is_the_derivative_of_its_function():
    n, step = 8, 1e-6

    def derivative(values):
        return np.exp(-values / 3)

    def function(matrix):
        return -3 * np.exp(-np.linalg.eigvalsh(matrix)[1:] / 3).sum()

    sampler = hr.FisherSampler(n, criterion=derivative, seed=1)
    mixed_log(sampler, 40, seed=5)
    A = information_of(sampler)
    for i, j in [(0, 1), (2, 7), (3, 4)]:
        d = np.eye(n)[i] - np.eye(n)[j]
        ahead, behind = (function(A + sign * step * np.outer(d, d)) for sign in (1, -1))
        assert sampler.gain((i, j)) == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)


def test_derivatives_of_equal_eigenvalues_are_averaged():
    """Otherwise the choice would depend on which eigenvectors the solver returns."""
    sampler = hr.FisherSampler(6, criterion=lambda values: np.eye(len(values))[0])
    gains = [sampler.gain((0, k)) for k in range(1, 6)]
    assert gains == pytest.approx([2 / 5] * 5)


@pytest.mark.parametrize(
    "criterion", [lambda values: -values, lambda values: values[:2], lambda _: None, lambda _: 1.0]
)
def test_a_function_that_is_no_derivative_is_refused(criterion):
    with pytest.raises(InvalidArgument, match="derivative by each"):
        hr.FisherSampler(9, criterion=criterion)


def test_what_a_criterion_cannot_do_is_refused():
    with pytest.raises(InvalidArgument, match="d-optimal"):
        hr.FisherSampler(3001, criterion="a-optimal")
    with pytest.raises(InvalidArgument, match="d-optimal"):
        hr.FisherSampler(1001, criterion=np.reciprocal)
    with pytest.raises(InvalidArgument, match="engine"):
        hr.FisherSampler(9, criterion="a-optimal", engine="matrix-free")
    with pytest.raises(InvalidArgument, match="criterion"):
        hr.FisherSampler(9, criterion="e-optimal")
