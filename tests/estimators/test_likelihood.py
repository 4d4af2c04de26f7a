from __future__ import annotations

from dataclasses import replace

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels.links import LINKS
from strategies import comparisons

FITS = {"bradley-terry": hr.bradley_terry, "thurstone-mosteller": hr.thurstone_mosteller}


def in_order(ranking, items):
    table = dict(zip(ranking.items, ranking.scores, strict=True))
    return np.array([table[item] for item in items])


def winner_rows(votes):
    left_won = votes.outcome > 0
    winner = np.where(left_won, votes.left, votes.right)
    return np.column_stack((winner, votes.left + votes.right - winner))


@pytest.fixture(scope="module")
def votes():
    return hr.simulate_comparisons(30, 4000, rng=0)


def test_the_optimum_is_that_of_choix(votes):
    theirs = choix.opt_pairwise(30, winner_rows(votes), tol=1e-14)
    ours = in_order(hr.bradley_terry(votes), votes.items)
    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-6)


def test_the_optimum_is_that_of_evalica(votes):
    names = [[votes.items[k] for k in side] for side in (votes.left, votes.right)]
    winners = [evalica.Winner.X if y > 0 else evalica.Winner.Y for y in votes.outcome]
    theirs = evalica.bradley_terry(*names, winners, tolerance=1e-14, limit=100_000).scores
    expected = np.log(np.array([theirs[item] for item in votes.items]))
    ours = in_order(hr.bradley_terry(votes), votes.items)
    np.testing.assert_allclose(ours, expected - expected.mean(), atol=1e-6)


@pytest.mark.parametrize("link", FITS)
@given(votes=comparisons(weighted=True))
def test_the_fit_is_the_maximum_of_the_penalised_likelihood(link, votes):
    ridge = 0.3
    ranking = FITS[link](votes, ridge=ridge)
    weight, p = votes.weight, (1 + votes.outcome) / 2

    def loss(x):
        t = x[votes.left] - x[votes.right]
        win, lose = LINKS[link].cdf(t), LINKS[link].cdf(-t)
        return -np.sum(weight * (p * np.log(win) + (1 - p) * np.log(lose))) + ridge / 2 * x @ x

    x = in_order(ranking, votes.items)
    best = minimize(loss, np.zeros(votes.n_items), tol=1e-12)
    assert ranking.converged
    assert loss(x) <= best.fun + 1e-9
    np.testing.assert_allclose(x, best.x, atol=1e-4)


def test_standard_errors_match_the_spread_over_repetitions():
    rng = np.random.default_rng(0)
    truth = np.array([1.0, 0.3, 0.0, -0.4, -0.9])
    fits = [
        hr.bradley_terry(hr.simulate_comparisons(5, 600, scores=truth, rng=rng)) for _ in range(150)
    ]
    scores = np.array([in_order(fit, fits[0].items) for fit in fits])
    stated = np.mean(
        [[fit.standard_errors[fit.index(item)] for item in fits[0].items] for fit in fits], axis=0
    )
    np.testing.assert_allclose(scores.std(axis=0), stated, rtol=0.2)


@pytest.mark.parametrize("link", FITS)
def test_one_undefeated_item_does_not_ruin_the_others(link):
    votes = hr.simulate_comparisons(8, 1500, rng=3)
    plain = FITS[link](votes)
    champion = [*votes.to_frame("polars").select("left", "right", "outcome").rows()]
    champion += [("champion", item, 1) for item in votes.items for _ in range(3)]
    with_champion = FITS[link](champion)
    assert with_champion.items[0] == "champion"
    assert with_champion.undefeated == ("champion",)
    assert with_champion.winless == ()
    assert with_champion.converged
    assert with_champion.model == "maximum a posteriori"
    assert "weak prior" in with_champion.notes[0]
    others = in_order(with_champion, votes.items)
    before = in_order(plain, votes.items)
    np.testing.assert_allclose(others - others.mean(), before, atol=0.02)


@pytest.mark.parametrize("link", FITS)
def test_the_interval_of_an_undefeated_item_is_wide(link):
    rows = [("a", "b", 1)] * 20 + [("b", "c", 1), ("b", "c", -1)] * 10
    ranking = FITS[link](rows)
    assert ranking.undefeated == ("a",)
    low, high = ranking.intervals[ranking.index("a")]
    assert high - low > 1.5 * (ranking.intervals[ranking.index("b")] @ [-1, 1]) > 0


def test_groups_that_never_met_defeat_are_named():
    rows = [
        ("a", "b", 1),
        ("b", "a", 1),
        ("c", "d", 1),
        ("d", "c", 1),
        ("a", "c", 1),
        ("e", "c", -1),
    ]
    ranking = hr.bradley_terry(rows)
    assert ranking.undefeated == ("a", "b")
    assert ranking.winless == ("e",)
    assert hr.bradley_terry([("a", "b", 1)]).winless == ("b",)


def test_ties_make_the_maximum_exist():
    ranking = hr.bradley_terry([("a", "b", 1), ("a", "b", 0)])
    assert ranking.undefeated == ()
    assert ranking.probability("a", "b") == pytest.approx(0.75)


def test_no_maximum_and_no_prior_is_an_error():
    with pytest.raises(InvalidArgument, match="no finite maximum"):
        hr.bradley_terry([("a", "b", 1)], ridge=0.0)


@pytest.mark.parametrize("link", FITS)
def test_convergence_is_real_on_hard_cases(link):
    """A long chain and a wide spread: the gradient itself must vanish."""
    n = 60
    rows = [(k, k + 1, y) for k in range(n - 1) for y in (1, 1, 1, -1)]
    rows += [(0, n - 1, 1)] * 50 + [(0, n - 1, -1)]
    ranking = FITS[link](rows)
    assert ranking.converged
    assert ranking.iterations > 2
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(rows))
    x = in_order(ranking, graph.items)
    from hodgerank.kernels.links import LIKELIHOODS

    slope = LIKELIHOODS[link](x[graph.i] - x[graph.j], (1 + graph.flows) / 2)[1] * graph.weights
    gradient = np.bincount(graph.i, slope, n) - np.bincount(graph.j, slope, n)
    assert np.abs(gradient).max() < 1e-7


def test_large_sparse_data_take_the_iterative_way():
    votes = hr.simulate_comparisons(4000, 80_000, rng=0)
    ranking = hr.bradley_terry(votes)
    assert ranking.converged
    assert "stochastic" in ranking.uncertainty
    from hodgerank.metrics import kendall_tau

    assert kendall_tau(in_order(ranking, votes.items), votes.truth) > 0.6


@pytest.mark.parametrize("defeats", [0, 1])
def test_who_never_lost_is_known_from_all_edges_of_a_large_graph(defeats):
    votes = hr.simulate_comparisons(400, 200_000, spread=0.5, rng=0)
    first = votes.left == 0, votes.right == 0
    outcome = votes.outcome.copy()
    outcome[first[0]], outcome[first[1]] = 1, -1
    lost = np.flatnonzero(first[0])[:defeats]
    outcome[lost] = -1
    ranking = hr.bradley_terry(replace(votes, outcome=outcome))
    assert ranking.undefeated == (() if defeats else (votes.items[0],))
    assert ranking.converged
