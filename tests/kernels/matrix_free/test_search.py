"""The pair worth asking, against the gains of all pairs from dense matrices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hodgerank.kernels.matrix_free import grid, search, state
from hodgerank.kernels.matrix_free.solve import HUB
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    CELL,
    FIRST,
    FIRST_PENDING,
    FORCE,
    MARK,
    MEAN,
    N_CHUNKS,
    PENDING,
    RESIDUAL,
    SHIFT,
    VARIANCE,
    VARIANCE_ALONE,
)
from hodgerank.kernels.selection.tie_breaking import stream
from kernels.matrix_free.twin import Twin

NONE = np.empty(0, np.int64)


def codes(pairs, n):
    return np.array(sorted(i * n + j for i, j in pairs), np.int64)


def campaign(n, answers, *, seed=1, every=1, **changes):
    """Asks, answers, and says what share of the best gain each pair asked had."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 2, n)
    twin, shares = Twin(n, **changes), []
    for step in range(answers):
        i, j = search.best_pair(twin.s, twin.t, NONE, stream(seed, step))
        assert 0 <= i < j < n
        if step % every == 0:
            of_all = twin.resistance if twin.t.criterion == VARIANCE_ALONE else twin.gains
            shares.append(of_all[i, j] / of_all.max())
        twin.learn(i, j, float(np.sign(truth[i] - truth[j] + rng.logistic())))
    return twin, np.array(shares)


def settled(twin):
    """Variances after belief propagation over all items, which local updates should stay near."""
    s = twin.s._replace(x=twin.s.x.copy())
    for _ in range(100):
        search.sweep_variances(s, twin.t.locality, 5)
    return s.x[:, VARIANCE]


def assert_consistent(twin):
    """What follows from the answers exactly is exact."""
    s = twin.s
    np.testing.assert_allclose(s.x[:, ANSWERED], twin.answered.sum(axis=0), atol=1e-5)
    np.testing.assert_allclose(s.x[:, PENDING], twin.pending.sum(axis=0))
    np.testing.assert_allclose(s.x[:, FORCE], twin.force, atol=1e-5)
    residual = twin.force - twin.precision @ s.x[:, MEAN]
    np.testing.assert_allclose(s.x[:, RESIDUAL], residual, atol=1e-4)
    for graph, wanted in ((FIRST, twin.answered), (FIRST_PENDING, twin.pending)):
        for u, v in combinations(range(twin.n), 2):
            assert state.weight_between(s, graph, u, v) == pytest.approx(wanted[u, v], rel=1e-6)
    assert (s.edges[:, MARK] == 0).all()


@pytest.mark.parametrize("locality", [0.3, 1.0])
def test_the_pairs_asked_are_worth_nearly_as_much_as_the_best(locality):
    twin, shares = campaign(40, 200, prior_strength=locality, locality=locality, every=5)
    assert shares.mean() > 0.95
    assert shares.min() > 0.8
    assert_consistent(twin)


@pytest.mark.parametrize("n", [29, 30, 32])
def test_without_labels_the_least_known_difference_is_asked(n):
    """Also where the two items known least have just met, as the last of an odd number of pairs."""
    twin, shares = campaign(n, 5 * n, criterion=VARIANCE_ALONE)
    assert shares.mean() > 0.95
    assert shares.min() > 0.85
    assert twin.answered.max() == 1


def test_means_and_variances_stay_near_the_exact_ones():
    twin = Twin(40)
    twin.learn_randomly(np.random.default_rng(2), 200)
    assert_consistent(twin)
    np.testing.assert_allclose(twin.s.x[:, MEAN], twin.mean, atol=0.1)
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], settled(twin), rtol=0.05)


def test_the_search_leaves_the_state_as_it_is():
    twin = Twin(20)
    twin.learn_randomly(np.random.default_rng(3), 30)
    before = twin.s.x[:, [MEAN, VARIANCE, RESIDUAL]].copy()
    pairs = {search.best_pair(twin.s, twin.t, NONE, 7) for _ in range(3)}
    assert len(pairs) == 1
    np.testing.assert_array_equal(twin.s.x[:, [MEAN, VARIANCE, RESIDUAL]], before)


def test_forbidden_pairs_are_not_chosen():
    n = 6
    twin = Twin(n)
    twin.learn_randomly(np.random.default_rng(4), 10)
    forbidden = set()
    for step in range(n * (n - 1) // 2):
        pair = search.best_pair(twin.s, twin.t, codes(forbidden, n), step)
        if pair == (-1, -1):  # what is left lies in no pair of cells looked into
            break
        assert pair not in forbidden
        forbidden.add(pair)
    everything = codes(combinations(range(n), 2), n)
    assert search.best_pair(twin.s, twin.t, everything, 1) == (-1, -1)
    assert len(forbidden) >= 3


def test_whether_a_pair_is_forbidden_is_looked_up_either_way_round():
    n, pairs = 7, {(0, 3), (2, 5), (5, 6)}
    listed = codes(pairs, n)
    for u in range(n):
        for v in range(n):
            wanted = (min(u, v), max(u, v)) in pairs
            assert search._is_forbidden(listed, n, u, v) == wanted
    assert not search._is_forbidden(NONE, n, 0, 3)


def test_there_is_no_pair_of_a_single_item():
    twin = Twin(1)
    assert search.best_pair(twin.s, twin.t, NONE, 1) == (-1, -1)
    twin = Twin(3)
    for u in (0, 2):
        grid.take_out(twin.s, u)
        twin.s.place[u, CELL] = grid.RETIRED
    assert search.best_pair(twin.s, twin.t, NONE, 1) == (-1, -1)


@pytest.mark.parametrize("criterion", [0, VARIANCE_ALONE])
def test_values_of_listed_pairs_are_near_those_of_dense_matrices(criterion):
    twin = Twin(20, criterion=criterion, reach=1e-3)
    twin.learn_randomly(np.random.default_rng(5), 60)
    for pair in ((0, 5), (3, 9)):
        twin.expect(*pair)
    i, j = np.triu_indices(20, 1)
    wanted = (twin.gains if criterion == 0 else twin.resistance)[i, j]
    found = search.values_of_pairs(twin.s, twin.t, i, j)
    assert np.median(np.abs(found / wanted - 1)) < 0.01
    np.testing.assert_allclose(found, wanted, rtol=0.1)


def test_a_glance_is_near_for_pairs_without_other_links():
    twin = Twin(4)
    twin.learn(0, 1, 1.0)
    twin.expect(2, 3)
    twin.s.x[:, VARIANCE] = settled(twin)
    gains = twin.gains
    for u, v in ((0, 1), (0, 2), (2, 3)):
        assert search._glance(twin.s, twin.t, u, v) == pytest.approx(gains[u, v], rel=0.15)
    assert search._glance(twin.s, twin.t, 0, 1) < search._glance(twin.s, twin.t, 0, 2)


def test_a_pair_that_goes_out_narrows_variances_and_leaves_means_alone():
    twin = Twin(15)
    twin.learn_randomly(np.random.default_rng(7), 30)
    before = twin.s.x.copy()
    twin.expect(4, 9)
    np.testing.assert_array_equal(twin.s.x[:, MEAN], before[:, MEAN])
    assert (twin.s.x[[4, 9], VARIANCE] < before[[4, 9], VARIANCE]).all()
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], settled(twin), rtol=0.05)
    assert_consistent(twin)


@pytest.mark.parametrize("criterion", [0, VARIANCE_ALONE])
def test_pairs_that_are_taken_off_leave_everything_as_it_was(criterion):
    twin = Twin(15, criterion=criterion)
    rng = np.random.default_rng(8)
    twin.learn_randomly(rng, 30)
    search.best_pair(twin.s, twin.t, NONE, 1)
    used = [name for name in twin.s._fields if name not in ("journal", "touched", "queue")]
    before = {name: getattr(twin.s, name).copy() for name in used}
    for pair in ((4, 9), (4, 9), (0, 1), (2, 13), (9, 4)):
        twin.expect(*sorted(pair))
        search.best_pair(twin.s, twin.t, NONE, 1)
    twin.take_off()
    chunks = int(twin.s.counters[N_CHUNKS])
    for name in used:
        found, wanted = getattr(twin.s, name), before[name]
        if name in ("neighbours", "weights"):  # those of pairs that were out are free again
            found, wanted = found[:chunks], wanted[:chunks]
        if name == "x":  # the last two columns are scratch
            found, wanted = found[:, :SHIFT], wanted[:, :SHIFT]
        np.testing.assert_array_equal(found, wanted, err_msg=name)
    assert_consistent(twin)


def test_weights_kept_in_single_precision_count_as_they_are_kept():
    """On both ends of the edge and on the diagonal, or residuals would not vanish."""
    twin = Twin(3)
    for _ in range(500):
        search.learn(twin.s, twin.t, 0, 1, 1.0, 0.1)
    kept = state.weight_between(twin.s, FIRST, 0, 1)
    assert twin.s.x[:2, ANSWERED] == pytest.approx([kept, kept], abs=1e-9)


def test_a_hub_is_learned_about_as_others_are():
    n = HUB + 20
    twin = Twin(n)
    for leaf in range(1, n):
        twin.learn(0, leaf, 1.0)
    twin.learn(0, 1, 1.0)
    # what a single call may not finish the next ones do
    for _ in range(3):
        twin.learn(0, 2, 1.0)
    residual = twin.force - twin.precision @ twin.s.x[:, MEAN]
    np.testing.assert_allclose(twin.s.x[:, RESIDUAL], residual, atol=1e-6)
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], np.diag(twin.covariance), rtol=0.1)


def test_a_cell_that_is_empty_has_no_candidates():
    twin = Twin(3)
    finalists, worth = np.full((search.N_FINALISTS, 2), -1), np.full(search.N_FINALISTS, -1.0)
    left = int(twin.s.place[0, CELL])
    for a, b in ((left, left + 1), (left + 1, left)):
        search._look_into(twin.s, twin.t, NONE, 3, a, b, 1.0, finalists, worth, 1)
    assert (finalists == -1).all()
    search._look_into(twin.s, twin.t, NONE, 3, left, left, 1.0, finalists, worth, 1)
    found = {frozenset(pair) for pair in finalists.tolist() if pair[0] >= 0}
    assert found == {frozenset(pair) for pair in combinations(range(3), 2)}


def test_the_shortlist_keeps_the_best_pairs_once_each():
    rng = np.random.default_rng(9)
    finalists, worth = np.full((search.N_FINALISTS, 2), -1), np.full(search.N_FINALISTS, -1.0)
    values = {pair: float(rng.random()) for pair in combinations(range(7), 2)}
    for u, v in [*values, *((j, i) for i, j in values)]:
        e = values[min(u, v), max(u, v)]
        if e > worth[-1]:
            search._shortlist(finalists, worth, u, v, e)
    wanted = sorted(values, key=values.__getitem__, reverse=True)[: search.N_FINALISTS]
    assert [tuple(sorted(pair)) for pair in finalists.tolist()] == wanted
    assert worth.tolist() == [values[pair] for pair in wanted]


def test_variances_that_fell_unnoticed_are_renewed_where_it_matters():
    twin = Twin(10)
    twin.learn_randomly(np.random.default_rng(10), 40)
    worst = int(np.argmax(twin.s.x[:, VARIANCE]))
    exact = twin.s.x[worst, VARIANCE]
    twin.s.x[worst, VARIANCE] = 0.95 / twin.t.locality  # it seems to be known worse than it is
    grid.put(twin.s, twin.t, worst, 0)
    search._revalidate(twin.s, twin.t, 1)
    assert twin.s.x[worst, VARIANCE] == pytest.approx(exact, rel=0.35)
    assert twin.s.x[worst, VARIANCE] < 0.8
