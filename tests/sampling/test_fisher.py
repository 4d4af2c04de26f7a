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
