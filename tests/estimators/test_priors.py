"""Priors for designs in which only neighbours meet."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.estimators import priors
from hodgerank.estimators.priors import Scope, chained_scores, has_long_ways
from hodgerank.metrics import kendall_tau


def windows(n, width):
    pairs = [(a, b) for a in range(n) for b in range(a + 1, min(n, a + width + 1))]
    i, j = np.array(pairs, np.int32).T
    return pairs, (i, j)


def neighbours_votes(n, width, per_item, seed):
    """Items in order of quality, only those near each other compared, each pair in turn."""
    rng = np.random.default_rng(seed)
    scores = np.linspace(n / 8, -n / 8, n)
    pairs, _ = windows(n, width)
    rows = []
    while len(rows) < per_item * n:
        for a, b in rng.permutation(pairs).tolist():
            left_wins = rng.random() < 1 / (1 + np.exp(scores[b] - scores[a]))
            rows.append((a, b, 1 if left_wins else -1))
    return rows[: per_item * n], dict(enumerate(scores.tolist()))


def tau(ranking, truth):
    return kendall_tau(ranking, {item: truth[item] for item in ranking.items})


def random_pairs(n, degree, seed):
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    kept = np.sort(rng.choice(len(a), n * degree // 2, replace=False))
    return a[kept].astype(np.int32), b[kept].astype(np.int32)


@pytest.mark.parametrize(("n", "width"), [(12, 1), (25, 3), (60, 6), (1_000, 5)])
def test_windows_have_long_ways(n, width):
    assert has_long_ways(*windows(n, width)[1], n)


@pytest.mark.parametrize("n", [20, 100, 1_000])
def test_random_designs_have_not(n):
    opened = [has_long_ways(*random_pairs(n, 8, seed), n) for seed in range(20)]
    assert sum(opened) <= 1
    assert not has_long_ways(*np.triu_indices(n, 1), n)


@pytest.mark.parametrize("order", [1, 2])
def test_on_the_complete_graph_the_prior_is_that_of_independent_scores(order):
    n = 9
    precision = chained_scores(*np.triu_indices(n, 1), n, order).precision
    centre = np.eye(n) - 1 / n
    spread = centre @ np.linalg.inv(precision) @ centre
    np.testing.assert_allclose(spread, centre, atol=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_differences_that_can_be_asked_have_variance_two_on_average(order):
    _, (i, j) = windows(20, 2)
    spread = np.linalg.inv(chained_scores(i, j, 20, order).precision)
    own = np.diag(spread)
    assert np.mean(own[i] + own[j] - 2 * spread[i, j]) == pytest.approx(2)


def test_a_prior_on_several_components_is_proper():
    i, j = np.array([0, 1, 3, 4]), np.array([1, 2, 4, 5])
    for order in (1, 2):
        precision = chained_scores(i, j, 7, order).precision  # item 6 can never be asked
        assert np.linalg.eigvalsh(precision).min() > 0


def test_long_chains_are_not_crushed():
    """The prior of independent scores sees small differences only, and takes all for noise."""
    found, independent = [], []
    for seed in range(6):
        votes, truth = neighbours_votes(25, 3, 5, seed)
        ranking = hr.bayes_rank(votes, candidates=windows(25, 3)[0])
        found.append(tau(ranking, truth))
        independent.append(tau(hr.bayes_rank(votes, candidates="all"), truth))
        assert tau(hr.bayes_rank(votes), truth) > 0.7  # the pairs asked tell as much
    assert np.mean(found) > 0.85
    assert np.mean(found) > np.mean(independent) + 0.2
    assert any("long chains" in note for note in ranking.notes)


def test_sparse_factors_rank_as_dense_matrices_do(monkeypatch):
    votes, _ = neighbours_votes(60, 3, 5, 1)
    dense = hr.bayes_rank(votes)
    monkeypatch.setattr(priors, "DENSE_CHAINED_ITEMS", 10)
    found = hr.bayes_rank(votes)
    assert (dense.solver, found.solver) == ("dense Cholesky", "sparse Cholesky")
    places = found.positions(dense.items)
    np.testing.assert_allclose(found.scores[places], dense.scores, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.standard_errors[places], dense.standard_errors, rtol=1e-4)
    assert hr.expected_tau(found) > 0


def test_where_factors_would_fill_in_scores_stay_independent_and_a_note_says_so(monkeypatch):
    monkeypatch.setattr(priors, "DENSE_CHAINED_ITEMS", 10)
    monkeypatch.setattr(priors, "MOST_FACTOR_WORK", 1.0)
    assert not Scope(60, windows(60, 3)[1]).is_chained
    votes, _ = neighbours_votes(60, 3, 5, 1)
    assert "may be underestimated" in hr.bayes_rank(votes).notes[0]


def cliques(n_cliques, size, seed):
    """Items that are all alike, each clique complete, joined to the next by a single pair."""
    rng = np.random.default_rng(seed)
    n = n_cliques * size
    scores = rng.normal(0, 1, n)
    pairs = [
        (a, b)
        for a in range(n)
        for b in range(a + 1, n)
        if a // size == b // size or (b == a + 1 and b % size == 0)
    ]
    rows = []
    for a, b in pairs:
        left_wins = rng.random() < 1 / (1 + np.exp(1.7 * (scores[b] - scores[a])))
        rows.append((a, b, 1 if left_wins else -1))
    return rows, dict(enumerate(scores.tolist()))


@pytest.mark.parametrize(("size", "runs"), [(20, 8), (101, 2)])
def test_a_single_bridge_is_not_taken_for_a_chain(size, runs):
    """Above 200 items too, where independent scores would otherwise be fitted by messages."""
    gaps = []
    for seed in range(runs):
        votes, truth = cliques(2, size, seed)
        ranking = hr.bayes_rank(votes)
        gaps.append(tau(hr.bayes_rank(votes, candidates="all"), truth) - tau(ranking, truth))
        assert hr.expected_tau(ranking) < tau(ranking, truth) + 0.2
    assert np.mean(gaps) < 0.05


def test_answers_to_pairs_beyond_the_candidates_count(monkeypatch):
    monkeypatch.setattr(priors, "DENSE_CHAINED_ITEMS", 10)
    votes, truth = neighbours_votes(40, 3, 5, 1)
    ranking = hr.bayes_rank([*votes, (0, 39, 1), (5, 30, 1)], candidates=windows(40, 3)[0])
    assert tau(ranking, truth) > 0.8


@pytest.mark.parametrize("n", [500, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_long_chain_is_ranked(n):
    votes, truth = neighbours_votes(n, 3, 4, 0)
    ranking = hr.bayes_rank(votes)
    assert ranking.converged
    assert tau(ranking, truth) > 0.9


def test_candidates_are_checked():
    votes = [("a", "b", 1), ("b", "c", 1)]
    with pytest.raises(UnknownItem):
        hr.bayes_rank(votes, candidates=[("a", "d")])
    with pytest.raises(InvalidArgument, match="'all'"):
        hr.bayes_rank(votes, candidates="some")
    with pytest.raises(InvalidArgument, match="itself"):
        hr.bayes_rank(votes, candidates=[("a", "a")])
    for wrong in ([("a", "b", "c")], [("a",)], 5, [["a", ["b"]]]):
        with pytest.raises(InvalidArgument, match="list of pairs"):
            hr.bayes_rank(votes, candidates=wrong)
    with pytest.raises(InvalidArgument, match="cannot be combined"):
        hr.bayes_rank(votes, candidates="all", position_bias="common")
