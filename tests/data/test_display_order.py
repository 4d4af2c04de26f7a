"""Files that do not hold the order in which items were shown are recognised as such."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd

import hodgerank as hr
from hodgerank.data.display_order import display_doubt


def rows(crowd: Crowd, seed: int = 0) -> list[tuple]:
    votes = crowd.votes(np.random.default_rng(seed))
    names = votes.items
    return [
        (names[left], names[right], outcome, f"w{worker}")
        for left, right, outcome, worker in zip(
            votes.left, votes.right, votes.outcome.tolist(), votes.worker.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize(
    ("display", "why"),
    [("winner", "winner had been written first"), ("first", "sorted"), ("better", "sorted")],
)
def test_orders_of_files_are_not_taken_for_the_screen(display, why):
    votes = hr.read_comparisons(rows(Crowd(display=display)))
    assert why in votes.report.display_doubt
    assert why in str(votes.report)
    assert not votes.display_known.any()
    assert not hr.assess_workers(votes).flagged
    assert hr.decompose(votes).energy["bias"] == 0
    overruled = hr.read_comparisons(rows(Crowd(display=display)), display_known=True)
    assert overruled.display_known.all()
    assert not overruled.report.display_doubt


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "crowd",
    [
        Crowd(),
        Crowd(design="sparse", n_items=40, per_pair=1),
        Crowd(n_items=3, per_pair=8),
        Crowd(lean=2.0),
        Crowd(link="noiseless"),
    ],
    ids=["dense", "sparse", "few items", "leaning", "noiseless"],
)
def test_sides_at_random_are_believed(crowd, seed):
    assert not hr.read_comparisons(rows(crowd, seed)).report.display_doubt


def test_too_few_answers_are_not_doubted():
    assert display_doubt(hr.read_comparisons([("a", "b", 1)] * 19, display_known=True)) == ""
    tree = [(f"i{k:03d}", f"i{k + 1:03d}", (-1) ** k) for k in range(100)]
    assert display_doubt(hr.read_comparisons(tree)) == ""


def test_answers_that_a_row_stands_for_count():
    table = {"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, 1], "count": [30, 20]}
    votes = hr.read_comparisons(
        [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
        count="count",
    )
    assert "100.0%" in votes.report.display_doubt
