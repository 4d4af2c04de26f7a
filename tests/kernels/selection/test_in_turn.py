"""Several pairs at once, against one search and one expected answer after the other."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels import posterior
from hodgerank.kernels.selection import information, misordering, pair_search
from hodgerank.kernels.selection.tie_breaking import stream

N = 7
KEYS = np.array([stream(3, 5 + k) for k in range(30)])


def known(seed=0, n_votes=12):
    """Variances and means after some answers."""
    rng = np.random.default_rng(seed)
    C, mean, s = np.full((N, N), 2.0), np.zeros(N), np.empty(N)
    for _ in range(n_votes):
        i, j = sorted(rng.choice(N, 2, replace=False).tolist())
        posterior.learn(C, mean, s, i, j, float(rng.choice([-1, 1])), 1.0)
    return C, mean


def blocked_at_first(share, seed=1):
    return np.random.default_rng(seed).random((N, N)) < share


def pairs(columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("by_variance", [False, True])
def test_dense_pairs_are_those_of_single_searches(by_variance, share, once):
    C, mean = known()
    keys, blocked, leaders = KEYS, blocked_at_first(share), np.zeros(N, np.int64)
    wanted, gone, expected = [], blocked.copy(), C.copy()
    for key in keys.tolist():
        if wanted:
            posterior.expect(expected, np.empty(N), *wanted[-1], 1.0)
        if by_variance:
            pair = information.widest_pair(expected, gone, True, key)
        else:
            pair = pair_search.best_pair(
                0, 0, expected, expected, mean, gone, True, key, np.zeros(N, np.int64)
            )
        if pair[0] < 0:
            break
        wanted.append(pair)
        gone[pair] |= once
    found = pair_search.dense_pairs(
        by_variance, 0, 0, C, mean, np.empty(N), leaders, blocked, True, once, keys
    )
    assert pairs(found) == wanted
    n_open = np.count_nonzero(np.triu(~blocked_at_first(share), 1))
    assert len(wanted) == (n_open if once else 30)
    np.testing.assert_array_equal(C, expected)


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_order_pairs_are_those_of_single_searches(rho, once):
    C, mean = known()
    R = misordering.relevance(C, misordering.order_weights(C, mean))
    keys, blocked = KEYS, blocked_at_first(0.2)
    asked = {(0, 1): 3, (2, 5): 1}
    wanted, gone, times = [], blocked.copy(), dict(asked)
    C1, R1, s, q = C.copy(), R.copy(), np.empty(N), np.empty(N)
    for key in keys.tolist():
        if wanted:
            i, j = wanted[-1]
            precision = posterior.expected_precision(C[i, j], mean[i] - mean[j])
            precision *= posterior.news(rho, times.get((i, j), 0))
            times[i, j] = times.get((i, j), 0) + 1
            misordering.expect_order(C1, R1, s, q, i, j, precision)
        news = R1.copy()
        for pair, n in times.items():
            news[pair] *= posterior.news(rho, n)
        pair = pair_search.best_pair(
            pair_search.ORDER, 0, C1, news, mean, gone, True, key, np.zeros(N, np.int64)
        )
        if pair[0] < 0:
            break
        wanted.append(pair)
        gone[pair] |= once
    row = np.full((N, N), -1, np.int32)
    row[tuple(np.array(list(asked)).T)] = range(len(asked))
    i, j = np.array([*asked, *[(0, 0)] * 30], np.int64).T.copy()
    n_asked = np.array([*asked.values(), *[0] * 30], np.int64)
    C2, R2 = C.copy(), R.copy()
    found = pair_search.order_pairs(
        C2, R2, C, mean, np.empty(N), np.empty(N), np.zeros(N, np.int64), rho, i, j, n_asked,
        len(asked), row, blocked, True, once, keys,
    )  # fmt: skip
    assert pairs(found) == wanted
    np.testing.assert_allclose(C2, C1, rtol=1e-12)
    np.testing.assert_allclose(R2, R1, rtol=1e-12)
