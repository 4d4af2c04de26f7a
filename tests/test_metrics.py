from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.errors import InvalidArgument
from hodgerank.metrics import kendall_tau, pairwise_accuracy, top_k_recall
from pace import at_most
from reference.kendall import slow_kendall_tau

scores = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


@given(st.data())
def test_tau_equals_the_count_over_all_pairs(data):
    truth = data.draw(scores.filter(lambda x: len(set(x)) > 1))
    estimate = data.draw(st.lists(st.integers(-3, 3), min_size=len(truth), max_size=len(truth)))
    assert kendall_tau(estimate, truth) == pytest.approx(
        slow_kendall_tau(estimate, truth), abs=1e-12
    )


def test_tau_by_hand():
    assert kendall_tau([1, 2, 3], [1, 2, 3]) == 1
    assert kendall_tau([3, 2, 1], [1, 2, 3]) == -1
    assert kendall_tau([0, 0, 0], [1, 2, 3]) == 0
    assert kendall_tau([1, 2, 2], [1, 2, 3]) == pytest.approx(2 / 3)


def test_ties_in_the_truth_are_not_counted():
    assert kendall_tau([1, 2, 3], [1, 1, 3]) == 1


def test_scores_by_item_are_aligned():
    assert kendall_tau({"b": 2, "a": 1}, {"a": 1, "b": 2}) == 1


def test_tau_of_a_hundred_thousand_items_is_fast_and_exact():
    rng = np.random.default_rng(0)
    n = 100_000
    truth = np.arange(n)
    estimate = truth.copy()
    swapped = rng.choice(n // 2, 1000, replace=False) * 2
    estimate[swapped], estimate[swapped + 1] = truth[swapped + 1], truth[swapped]
    with at_most(seconds=1):
        tau = kendall_tau(estimate, truth)
    assert tau == pytest.approx(1 - 2 * 1000 / (n * (n - 1) / 2), abs=1e-15)


def test_accuracy_gives_half_for_a_tie():
    assert pairwise_accuracy([1, 1], [1, 2]) == 0.5


def test_top_k_recall_shares_ties_at_the_border():
    assert top_k_recall([3, 2, 1], [3, 2, 1], 2) == 1
    assert top_k_recall([3, 1, 1], [3, 2, 1], 2) == pytest.approx(0.75)
    assert top_k_recall([1, 1, 1, 1], [4, 3, 2, 1], 1) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("estimate", "truth"),
    [([1], [1, 2]), ([1, np.nan], [1, 2]), ([1, 2], [1, 1]), ({"a": 1}, {"b": 1})],
)
def test_senseless_input_is_refused(estimate, truth):
    with pytest.raises(InvalidArgument):
        kendall_tau(estimate, truth)
