from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from hodgerank.kernels.hypothesis_tests import discoveries


@pytest.mark.parametrize("seed", range(20))
def test_they_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    p_values = np.r_[rng.random(30), rng.random(10) / 100, [0.0, 1.0]]
    np.testing.assert_array_equal(
        discoveries(p_values, 0.05), false_discovery_control(p_values) <= 0.05
    )


def test_what_is_not_tested_does_not_count():
    p_values = np.array([0.04, np.nan, np.nan, np.nan])
    assert discoveries(p_values, 0.05).tolist() == [True, False, False, False]
    assert not discoveries(np.full(3, np.nan), 0.05).any()
    assert len(discoveries(np.zeros(0), 0.05)) == 0
