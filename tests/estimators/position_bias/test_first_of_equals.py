"""How often the first of two equal items would be chosen."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration.judges import Judges

import hodgerank as hr
from hodgerank.estimators.position_bias.bias_test import first_choice_rate


@pytest.mark.slow
def test_intervals_cover_where_judges_lean_and_where_they_do_not():
    judges = Judges(leans=(2.0, -1.0, 0.0), answers=240)
    true = (1 + judges.true_leans) / 2
    covered, middle = [], []
    for seed in range(12):
        found = first_choice_rate(judges.votes(np.random.default_rng(seed)))
        rows = [found[f"judge {k}"] for k in range(3)]
        covered.append(
            [row.low <= share <= row.high for row, share in zip(rows, true, strict=True)]
        )
        middle.append([row.share for row in rows])
    assert np.mean(covered) > 0.85
    np.testing.assert_allclose(np.mean(middle, axis=0), true, atol=0.06)


def test_only_those_are_told_of_who_answered_pairs_with_sides():
    rows = [("a", "b", 1, "ann"), ("b", "a", 1, "ann"), ("a", "b", -1, "ben"), ("a", "b", 1, None)]
    assert first_choice_rate(hr.read_comparisons(rows)).keys() == {"ann", "ben"}
    winners = hr.read_comparisons([{"winner": "a", "loser": "b", "worker": "ann"}] * 3)
    assert first_choice_rate(winners) == {}


def test_whoever_always_chooses_the_first_is_near_one():
    rows = [(a, b, 1, "ann") for a in range(5) for b in range(5) if a != b]
    assert first_choice_rate(hr.read_comparisons(rows, display_known=True))["ann"].share > 0.9
    assert first_choice_rate(hr.read_comparisons(rows, display_known=True))["ann"].low == (
        pytest.approx(0.9, abs=0.1)
    )
