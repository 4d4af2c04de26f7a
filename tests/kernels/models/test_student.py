from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from hodgerank.kernels.hypothesis_tests import interval_quantile, tail_of_t


@given(st.floats(0.01, 0.9999), st.floats(1, 9e4))
def test_quantiles_are_those_of_scipy(confidence, freedom):
    expected = student.isf((1 - confidence) / 2, freedom)
    assert interval_quantile(confidence, freedom) == pytest.approx(expected, rel=1e-6)


@given(st.floats(1e-3, 1e3), st.floats(1, 1e4))
def test_tails_are_those_of_scipy(t, freedom):
    assert tail_of_t(t, freedom) == pytest.approx(student.sf(t, freedom), rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("freedom", [None, 1e12])
def test_a_known_variance_gives_the_normal_distribution(freedom):
    assert interval_quantile(0.95, freedom) == pytest.approx(norm.ppf(0.975), abs=1e-12)


def test_extreme_confidence_is_finite():
    assert interval_quantile(1 - 1e-9, 1) == pytest.approx(student.isf(5e-10, 1), rel=1e-6)
    assert 0 < interval_quantile(1e-9, 3) < 1e-8
