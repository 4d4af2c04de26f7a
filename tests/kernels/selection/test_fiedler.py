"""The Fiedler rule, against dense eigenvectors and lists of all pairs."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from hodgerank.kernels.selection import fiedler
from hodgerank.kernels.selection.tie_breaking import TIE, item_keys, stream

NOTHING = np.zeros((1, 1), bool)


def brute_force(gain, counts, fewest, blocked, key):
    """Among the pairs asked so often at most, the largest gain, then the largest key."""
    n = len(counts)
    keys = item_keys(key, n)
    gains = {
        pair: gain(*pair)
        for pair in combinations(range(n), 2)
        if counts[pair] <= fewest and not blocked[pair]
    }
    most = max(gains.values(), default=0.0)
    tied = [pair for pair in gains if gains[pair] >= most * (1 - TIE)]
    return max(tied, key=lambda pair: int(keys[pair[0]] ^ keys[pair[1]]), default=(-1, -1))


def random_case(rng, share_blocked):
    n = int(rng.integers(2, 8))
    return n, np.triu(rng.integers(0, 3, (n, n)), 1), rng.random((n, n)) < share_blocked


@pytest.mark.parametrize("shared", [0, 1])
def test_components_are_those_of_networkx(shared):
    rng = np.random.default_rng(1)
    for _ in range(40):
        n = int(rng.integers(1, 12))
        counts = np.triu(rng.poisson(0.4, (n, n)), 1)
        labels, found = fiedler.component_labels(counts, shared)
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(np.argwhere(counts > shared).tolist())
        wanted = list(nx.connected_components(graph))
        assert found == len(wanted)
        groups = {frozenset(np.flatnonzero(labels == k).tolist()) for k in range(found)}
        assert groups == {frozenset(group) for group in wanted}


def test_the_fewest_asked_are_counted_among_the_pairs_allowed():
    rng = np.random.default_rng(2)
    for _ in range(40):
        n, counts, blocked = random_case(rng, 0.4)
        allowed = [counts[p] for p in combinations(range(n), 2) if not blocked[p]]
        assert fiedler.fewest_asked(counts, blocked) == min(allowed, default=2**62)


@pytest.mark.parametrize("share_blocked", [0.0, 0.4])
def test_the_farthest_pair_is_the_one_brute_force_finds(share_blocked):
    rng = np.random.default_rng(3)
    for step in range(40):
        n, counts, blocked = random_case(rng, share_blocked)
        points = rng.integers(0, 3, (n, 2)).astype(float)  # with many ties

        def distance(a, b, points=points):
            return ((points[a] - points[b]) ** 2).sum()

        key = stream(1, step)
        has_blocked = share_blocked > 0
        found = fiedler.farthest_pair(points, counts, 1, blocked, has_blocked, key)
        assert found == brute_force(distance, counts, 1, blocked, key)


@pytest.mark.parametrize("share_blocked", [0.0, 0.4])
def test_components_are_joined_as_the_projector_on_the_kernel_says(share_blocked):
    rng = np.random.default_rng(4)
    for step in range(40):
        n, counts, blocked = random_case(rng, share_blocked)
        labels = np.unique(rng.integers(0, 3, n), return_inverse=True)[1]
        indicator = np.eye(n)[labels]
        projector = indicator @ np.linalg.pinv(indicator)

        def gain(a, b, P=projector):
            return P[a, a] + P[b, b] - 2 * P[a, b] if P[a, b] < 1e-9 else 0.0

        key = stream(2, step)
        has_blocked = share_blocked > 0
        found = fiedler.smallest_components_pair(labels, counts, 1, blocked, has_blocked, key)
        assert found == brute_force(gain, counts, 1, blocked, key)


def test_there_is_no_pair_where_all_were_asked_more_often():
    counts = np.full((3, 3), 2)
    labels, points = np.zeros(3, np.int64), np.eye(3)
    assert fiedler.farthest_pair(points, counts, 1, NOTHING, False, 1) == (-1, -1)
    assert fiedler.smallest_components_pair(labels, counts, 1, NOTHING, False, 1) == (-1, -1)


def laplacian(edges, n, weights=None):
    matrix = np.zeros((n, n))
    for (i, j), w in zip(edges, np.ones(len(edges)) if weights is None else weights, strict=True):
        d = np.eye(n)[i] - np.eye(n)[j]
        matrix += w * np.outer(d, d)
    return matrix


def decomposed(matrix):
    """Eigenvalues and vectors, with the constant vector moved above all others."""
    n = len(matrix)
    return np.linalg.eigh(matrix + 2 * np.diag(matrix).max() / n)


def connected_graph(rng, n):
    tree = [(int(rng.integers(0, k)), k) for k in range(1, n)]
    more = {tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(n)}
    return sorted({*tree, *more})


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0], [3.0, 1.0], [2.0, -1.0, 1.0]])
def test_the_lowest_eigenvector_is_that_of_the_changed_matrix(weights):
    rng = np.random.default_rng(5)
    for _ in range(10):
        n = 12
        edges = connected_graph(rng, n)
        extra = [tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in weights]
        extra[-1] = edges[-1]
        start = laplacian(edges, n) + 2 * laplacian([edges[-1]], n)  # so that some may be taken out
        values, basis = decomposed(start)
        changed = basis @ np.diag(values) @ basis.T + laplacian(extra, n, weights)
        exact, vectors = np.linalg.eigh(changed)
        i, j = np.array(extra).T
        Z = basis[i] - basis[j]
        below = values[0] if min(weights) > 0 else 0.0
        value, vector, multiplicity = fiedler.lowest_eigenvector(
            values, Z, np.array(weights), np.eye(n)[0], below
        )
        assert value == pytest.approx(exact[0], rel=1e-8)
        assert multiplicity == 1
        assert abs((basis @ vector) @ vectors[:, 0]) == pytest.approx(1, abs=1e-6)


def test_a_guess_near_another_eigenvector_does_not_lead_astray():
    rng = np.random.default_rng(6)
    for _ in range(20):
        n = 10
        values = np.sort(rng.uniform(1, 5, n))
        Z = rng.normal(size=(2, n))
        weights = np.ones(2)
        exact, vectors = np.linalg.eigh(np.diag(values) + Z.T @ Z)
        for guess in vectors.T:
            value, vector, _ = fiedler.lowest_eigenvector(values, Z, weights, guess.copy(), 0.0)
            assert value == pytest.approx(exact[0], rel=1e-8)
            assert abs(vector @ vectors[:, 0]) == pytest.approx(1, abs=1e-6)


def test_halfway_between_two_eigenvectors_no_eigenvalue_is_found():
    """Rayleigh quotient iteration stays at 1.5 then, below which lies one, as for the lowest."""
    values, Z = np.array([1.0, 2.0, 5.0]), np.eye(3)[2:]
    guess = np.array([1.0, 2.0**fiedler.STEPS_FROM_BELOW, 0.0])  # steps from 0 divide by 1 and 2
    value, _, multiplicity = fiedler.lowest_eigenvector(values, Z, np.ones(1), guess, 0.0)
    assert value == pytest.approx(1.5, abs=1e-3)
    assert multiplicity == 0


def test_an_eigenvalue_that_is_not_simple_is_told():
    """A star: all its leaves are alike."""
    n = 6
    star = laplacian([(0, k) for k in range(1, n)], n)
    values, basis = decomposed(star)
    Z = basis[[1]] - basis[[2]]
    value, _, multiplicity = fiedler.lowest_eigenvector(values, Z, np.ones(1), np.eye(n)[0], 0.9)
    exact = np.linalg.eigvalsh(basis @ np.diag(values) @ basis.T + laplacian([(1, 2)], n))
    assert value == pytest.approx(exact[0], rel=1e-8)
    assert multiplicity == np.sum(exact < exact[0] * (1 + fiedler.SAME)) == 3


def test_the_law_of_inertia_counts_eigenvalues():
    rng = np.random.default_rng(7)
    for _ in range(20):
        values, Z = rng.uniform(1, 5, 8), rng.normal(size=(3, 8))
        weights = rng.choice([-2.0, -1.0, 1.0, 3.0], 3)
        exact = np.linalg.eigvalsh(np.diag(values) + Z.T @ np.diag(weights) @ Z)
        for shift in rng.uniform(-3, 10, 5):
            assert fiedler._n_below(values, Z, weights, shift) == np.sum(exact < shift)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0])
def test_two_lowest_eigenvalues_close_to_each_other_never_mislead(gap):
    """Found is the lowest, or that there are two; the search ends in either case."""
    rng = np.random.default_rng(8)
    n = 8
    for _ in range(10):
        exact = np.r_[1.3, 1.3 * (1 + gap), rng.uniform(2, 5, n - 2)]
        vectors = np.linalg.qr(rng.normal(size=(n, n)))[0]
        Q = vectors * exact @ vectors.T
        z = rng.normal(size=n)
        values, basis = np.linalg.eigh(Q - 0.1 * np.outer(z, z))
        Z = (basis.T @ z)[None, :]
        for guess in vectors.T @ basis:
            value, vector, multiplicity = fiedler.lowest_eigenvector(
                values, Z, np.array([0.1]), guess.copy(), values[0]
            )
            assert multiplicity >= 1
            if multiplicity == 1:
                assert value == pytest.approx(1.3, rel=1e-8)
                assert np.linalg.norm(Q @ (basis @ vector) - 1.3 * (basis @ vector)) < 1e-6
            else:
                assert gap <= 1e-6
