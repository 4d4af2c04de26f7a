"""How well scores that follow the answers foretell each next one."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.hypothesis_tests import VARIANCE, prequential_gain


def test_the_first_answer_to_an_item_is_foretold_by_nothing():
    left, right = np.array([0, 2], np.int32), np.array([1, 3], np.int32)
    assert prequential_gain(left, right, np.array([1.0, -1.0]), 4) == (0.0, 0.0)


def test_the_same_answer_again_is_foretold():
    ends = np.zeros(2, np.int32), np.ones(2, np.int32)
    step = 2 * VARIANCE / (1 + 2 * VARIANCE)
    assert prequential_gain(*ends, np.array([1.0, 1.0]), 2) == pytest.approx((step, step**2))
    assert prequential_gain(*ends, np.array([1.0, -1.0]), 2) == pytest.approx((-step, step**2))


def test_of_coin_tosses_the_sum_varies_as_its_squares_say():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(400):
        left, right = np.array([rng.permutation(6)[:2] for _ in range(60)], np.int32).T.copy()
        found.append(prequential_gain(left, right, rng.choice([-1.0, 0.0, 1.0], 60), 6))
    totals, squares = np.array(found).T
    assert abs(np.mean(totals)) < 4 * np.sqrt(np.mean(squares) / 400)
    assert np.var(totals) == pytest.approx(np.mean(squares), rel=0.3)
