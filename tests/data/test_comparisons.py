from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidComparisons, UnknownItem


def build(**changes):
    parts = {
        "items": ("a", "b", "c"),
        "left": np.array([0, 1]),
        "right": np.array([1, 2]),
        "outcome": np.array([1.0, -1.0]),
    }
    return Comparisons(**{**parts, **changes})


def test_arrays_are_read_only():
    votes = build()
    for name in ("left", "right", "outcome", "worker", "display_known"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(votes, name)[0] = 0


def test_the_callers_array_stays_writable():
    mine = np.array([1.0, -1.0])
    build(outcome=mine)
    mine[0] = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": np.array([1, 1])}, "with itself, first in row 1"),
        ({"outcome": np.array([1.0, 2.0])}, r"outside \[-1, 1\], first in row 2"),
        ({"outcome": np.array([1.0, np.nan])}, "outside"),
        ({"outcome": np.array([1.0])}, "shape"),
        ({"multiplicity": np.array([0, 1])}, "multiplicity below 1"),
        ({"multiplicity": np.array([1.5, 1.0])}, "whole number"),
        ({"left": np.array([0, 7])}, "positions"),
        ({"worker": np.array([0, 0])}, "positions"),
        ({"weight": np.array([1.0, -1.0])}, "not positive"),
        ({"items": ("a", "a", "c")}, "twice"),
        ({"truth": np.array([1.0])}, "truth"),
    ],
)
def test_invalid_parts_are_refused(changes, message):
    with pytest.raises(InvalidComparisons, match=message):
        build(**changes)


def test_codes_of_items():
    assert build().code("b") == 1
    with pytest.raises(UnknownItem, match="'bb' is not among the items"):
        build().code("bb")


def test_select_keeps_everything_but_the_other_rows():
    votes = build(weight=np.array([1.0, 2.0]), workers=("w",), worker=np.array([0, -1]))
    part = votes.select(votes.outcome < 0)
    assert (len(part), part.items, part.weight.tolist(), part.worker.tolist()) == (
        1, votes.items, [2.0], [-1],
    )  # fmt: skip


def test_repr_is_a_line():
    assert repr(build()) == "Comparisons(2 votes, 3 items, 0 workers)"


def test_reading_comparisons_gives_them_back():
    votes = build()
    assert hr.read_comparisons(votes) is votes


def test_rows_that_stand_for_several_answers_are_written_as_several():
    votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)])
    votes = replace(votes, multiplicity=[3, 2, 5])
    assert len(votes.to_frame("polars")) == votes.n_votes == 10
    assert "10 votes" in repr(votes)
    np.testing.assert_allclose(
        hr.hodge_rank(votes.to_frame("polars")).scores, hr.hodge_rank(votes).scores
    )
