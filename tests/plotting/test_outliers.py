"""Outliers as a picture."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import outliers_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.outliers import COLUMNS, MOST_DOTS, MOST_NAMED
from hodgerank.plotting.text_width import text_width
from pictures import notes_of, rows_of, title_of
from results import HOSTILE

SLIP = [("a", "b", 1, "ann")] * 29 + [("b", "c", 1, "bob")] * 29 + [("a", "b", -1, "eve")]


@cache
def votes() -> hr.Comparisons:
    return hr.simulate_comparisons(12, 800, spread=8, workers={"honest": 9, "random": 1}, rng=1)


def dots_of(chart):
    return [row for row in rows_of(chart) if "voted" in row]


def list_of(chart):
    return [row for row in rows_of(chart) if "place" in row]


def said_by(chart):
    """The title and the lines below it."""
    return f"{title_of(chart)}: {notes_of(chart)}"


def test_the_title_is_the_verdict():
    found = hr.find_outliers(votes())
    assert found.are_too_many
    consistent = hr.find_outliers(hr.simulate_comparisons(6, 200, spread=2, rng=1))
    assert not consistent.are_too_many
    words = found.verdict[:1].upper() + found.verdict[1:]
    assert said_by(outliers_chart(found)).startswith(words)
    assert title_of(outliers_chart(consistent)) == consistent.verdict


def test_a_slip_is_named_with_worker_row_and_its_prediction():
    chart = outliers_chart(hr.find_outliers(SLIP))
    head, slip = list_of(chart)
    assert head["vote"] == "most outlying votes"
    assert slip["vote"] == "b over a"
    assert (slip["worker"], slip["row"], slip["predicted"]) == ("eve", "59", "−1.00")
    flagged = [dot for dot in dots_of(chart) if dot["flagged"]]
    assert [(dot["vote"], dot["votes"]) for dot in flagged] == [("b over a", 1)]
    assert flagged[0]["voted"] == -1


def test_dots_stand_for_all_votes():
    found = hr.find_outliers(votes())
    dots = dots_of(outliers_chart(found))
    assert sum(dot["votes"] for dot in dots) == found.votes.n_votes
    assert sum(dot["votes"] for dot in dots if dot["flagged"]) == found.n_flagged
    for dot in dots:
        is_far = abs(dot["voted"] - dot["x"]) > found.penalty
        assert dot["flagged"] == is_far or abs(dot["voted"] - dot["x"]) == pytest.approx(
            found.penalty, abs=1e-3
        )


def test_the_list_is_in_order_and_says_how_many_are_left_out():
    found = hr.find_outliers(votes())
    table = found.to_frame("polars").to_dicts()
    assert len(table) > MOST_NAMED
    *listed, rest = list_of(outliers_chart(found))[1:]
    assert [row["row"] for row in listed] == [f"{row['row']:,}" for row in table[:MOST_NAMED]]
    assert [row["worker"] for row in listed] == [row["worker"] for row in table[:MOST_NAMED]]
    assert rest["vote"] == f"and {len(table) - MOST_NAMED:,} more"
    assert rest["row"] == ""


def test_rows_that_stand_for_several_votes_count_as_many():
    counted = hr.Comparisons(
        ("a", "b", "c"),
        np.array([0, 1, 0]),
        np.array([1, 2, 1]),
        np.array([1.0, 1.0, -1.0]),
        multiplicity=np.array([290, 290, 10]),
    )
    found = hr.find_outliers(counted)
    dots = dots_of(outliers_chart(found))
    assert sum(dot["votes"] for dot in dots) == 590
    assert sum(dot["votes"] for dot in dots if dot["flagged"]) == found.n_flagged == 10


def test_many_votes_are_counted_on_a_grid():
    rng = np.random.default_rng(0)
    many = hr.simulate_comparisons(150, 6000, rng=1)
    graded = replace(many, outcome=np.round(many.outcome * rng.uniform(0, 1, len(many)), 2))
    found = hr.find_outliers(graded)
    chart = outliers_chart(found)
    assert dots_of(chart) == []
    assert sum(row["count"] for row in rows_of(chart) if "count" in row) == 6000
    assert "Darker: more votes" in notes_of(chart)
    assert MOST_DOTS < 6000


def test_without_outliers_there_is_no_list():
    chart = outliers_chart(hr.find_outliers([("a", "b", 1)] * 3 + [("b", "c", 1)] * 3))
    assert list_of(chart) == []
    assert title_of(chart).startswith("0 of 6 votes are outliers (0.0%), expected by chance ")


def test_ties_and_unknown_workers_have_words():
    rows = [("a", "b", 1, "ann")] * 40 + [("b", "c", 1, None)] * 40 + [("c", "a", 0, None)] * 2
    chart = outliers_chart(hr.find_outliers(rows))
    assert any(dot["vote"] == "c and a tied" for dot in dots_of(chart))


def test_names_are_data_and_cut():
    names = (HOSTILE, "x" * 500, "\u202eשלום", "a\x00b", *map(str, range(8)))
    found = hr.find_outliers(replace(votes(), items=names, workers=names[: votes().n_workers]))
    chart = outliers_chart(found)
    assert max(text_width(row["vote"]) for row in list_of(chart)) <= COLUMNS["vote"][1]
    drawn = svg_of(chart)
    assert "<script" not in drawn
    assert "\x00" not in drawn


def test_margins_are_drawn_and_named_in_their_unit():
    rows = [("a", "b", 2.0), ("b", "c", 3.0), ("a", "c", 5.0)] * 20 + [("a", "c", -40.0)]
    noise = np.random.default_rng(1).normal(size=len(rows))
    rows = [(i, j, y + e) for (i, j, y), e in zip(rows, noise, strict=True)]
    found = hr.find_outliers(hr.read_comparisons(rows, margin="outcome"))
    chart = outliers_chart(found)
    domain = next(
        y["scale"]["domain"]
        for y in _encodings(chart.to_dict(validate=False))
        if "margin of" in y["title"]
    )
    assert domain[0] < -40 < 40 < domain[1]
    worst = list_of(chart)[1]["vote"]
    assert worst.startswith("c over a by 39") or worst.startswith("c over a by 4")
    assert svg_of(chart)


def _encodings(part):
    """Every encoding of y with a title."""
    if isinstance(part, dict):
        if isinstance(part.get("y"), dict) and isinstance(part["y"].get("title"), str):
            yield part["y"]
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _encodings(each)
