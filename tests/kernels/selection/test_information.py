"""Expected information, against the offline form: everything from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.posterior import resistance_of
from hodgerank.kernels.selection import information as kernel
from hodgerank.kernels.selection.tie_breaking import item_keys, stream
from reference.information import PREDICTIVE, all_pairs, expected_information, posterior

LINKS = {"uniform": kernel.UNIFORM, "thurstone-mosteller": kernel.NORMAL, "angular": kernel.ANGULAR}

variances = st.floats(1e-6, 100)
spreads = st.floats(0, 1)
differences = st.floats(-4, 4)
links = st.sampled_from(sorted(LINKS))


@st.composite
def answers(draw):
    n = draw(st.integers(2, 5))
    pair = st.sampled_from(all_pairs(n))
    rows = draw(st.lists(st.tuples(pair, st.sampled_from([-1.0, 1.0, 0.3])), max_size=8))
    return n, [(i, j, y, 1.0) for (i, j), y in rows]


@given(answers(), links, st.sampled_from([0.3, 1.0, 5.0]))
def test_the_gain_of_the_paper_is_the_mean_divergence_over_both_answers(case, link, g):
    n, log = case
    mean, covariance = posterior(n, log, g)
    C = resistance_of(covariance)
    for i, j in all_pairs(n):
        v = kernel.outcome_spread(mean[i] - mean[j], LINKS[link], True)
        wanted = expected_information(n, log, i, j, g, link)
        assert kernel.information(C[i, j], v) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(differences, links)
def test_the_clamped_spread_is_the_variance_of_an_answer(D, link):
    p = PREDICTIVE[link](D)
    found = kernel.outcome_spread(D, LINKS[link], False)
    assert found == pytest.approx(4 * p * (1 - p), abs=1e-12)


@given(variances, spreads, st.floats(0.2, 5))
def test_no_gain_that_reaches_the_threshold_is_passed_over(C, v, share):
    gain = kernel.information(C, v)
    threshold = gain * share
    if threshold <= gain * (1 - 1e-12):
        assert kernel.may_exceed(C, v, 2 * threshold)


def test_the_bound_is_tight_for_small_variances_and_no_bound_at_all_below_zero():
    gain = kernel.information(0.01, 0.9)
    assert not kernel.may_exceed(0.01, 0.9, 2 * gain * 1.001)
    assert kernel.may_exceed(0.01, 0.9, -1.0)


@given(
    st.lists(st.tuples(variances, differences), max_size=6),
    links,
    st.booleans(),
    st.floats(0.001, 3),
)
def test_a_row_may_exceed_if_any_of_its_pairs_may(pairs, link, paper, twice):
    c, mean = np.array(pairs, float).reshape(-1, 2).T.copy()
    wanted = any(
        kernel.may_exceed(c[b], kernel.outcome_spread(-mean[b], LINKS[link], paper), twice)
        for b in range(len(c))
    )
    assert kernel.row_may_exceed(c, 0.0, mean, LINKS[link], paper, twice) == wanted


@pytest.mark.parametrize("has_blocked", [False, True])
def test_the_widest_pair_is_the_one_brute_force_finds(has_blocked):
    rng = np.random.default_rng(1)
    for step in range(50):
        n, key = int(rng.integers(2, 8)), stream(3, step)
        C = rng.integers(1, 4, (n, n)).astype(float)  # with many ties
        blocked = rng.random((n, n)) < 0.4
        keys = item_keys(key, n)
        allowed = [p for p in all_pairs(n) if not (has_blocked and blocked[p])]
        most = max((C[p] for p in allowed), default=0)
        wanted = max(
            (p for p in allowed if C[p] == most),
            key=lambda p, keys=keys: int(keys[p[0]] ^ keys[p[1]]),
            default=(-1, -1),
        )
        assert kernel.widest_pair(C, blocked, has_blocked, key) == wanted
