"""Populations side by side."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import population_comparison as drawing
from hodgerank.plotting import slope_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.text_width import text_width
from pictures import notes_of, rows_of, title_of
from results import HOSTILE


def crowd(names, shift: float, seed: int) -> hr.Comparisons:
    """Every seventh item is liked more by so much."""
    n = len(names)
    scores = np.linspace(-1, 1, n) + shift * (np.arange(n) % 7 == 3)
    return hr.simulate_comparisons(names, 120 * n, scores=scores, rng=seed)


@cache
def compared(n: int, shift: float = 1.5, n_populations: int = 2) -> hr.RankingComparison:
    names = [f"item {k}" for k in range(n)]
    populations = {
        f"crowd {k}": crowd(names, shift * (k == 1), k + 1) for k in range(n_populations)
    }
    return hr.compare_rankings(populations, n_permutations=39)


def test_the_title_is_the_verdict_and_names_stay_as_they_are():
    found = compared(8)
    assert found.differ
    assert title_of(slope_chart(found)) == found.verdict
    same = compared(8, 0.0)
    assert not same.differ
    assert title_of(slope_chart(same)) == f"N{same.verdict[1:]}"


def test_what_moved_is_coloured_by_who_likes_it_more():
    found = compared(8)
    rows = rows_of(slope_chart(found))
    assert {row["item"] for row in rows if row["moved"]} == set(found.moved) == {"item 3"}
    assert {row["kind"] for row in rows if row["moved"]} == {"higher for crowd 1"}
    several = rows_of(slope_chart(compared(8, 1.5, 3)))
    assert {row["kind"] for row in several if row["moved"]} == {"moved"}


def test_places_are_those_of_each_ranking():
    found = compared(8)
    for row in rows_of(slope_chart(found)):
        ranking = found.rankings[row["population"]]
        assert ranking.items[row["place"] - 1] == row["item"]
        assert row["rank"] == ranking[row["item"]].rank


@pytest.mark.parametrize(("n", "n_populations"), [(5, 2), (40, 2), (12, 4)])
def test_few_items_are_all_labelled_in_the_first_and_the_last_column(n, n_populations):
    found = compared(n, 1.5, n_populations)
    rows = rows_of(slope_chart(found))
    labelled = [(row["population"], row["label"]) for row in rows if row["label"]]
    assert sorted(labelled) == sorted(
        (population, item)
        for population in (found.populations[0], found.populations[-1])
        for item in found.items
    )


def test_of_more_items_those_that_moved_are_labelled_without_overlap():
    found = compared(120)
    chart = slope_chart(found)
    rows = rows_of(chart)
    step = chart.to_dict()["height"] / 120
    for population in found.populations:
        heights = sorted(
            step * row["place"] for row in rows if row["label"] and row["population"] == population
        )
        assert heights
        assert np.diff(heights).min(initial=99) >= drawing.LABEL_HEIGHT - 1e-9
    assert {row["item"] for row in rows if row["label"]} <= set(found.moved)
    assert "120 items. Labelled: those that moved" in notes_of(chart)


def test_of_very_many_items_some_lines_are_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_LINES", 50)
    found = compared(120)
    chart = slope_chart(found)
    shown = {row["item"] for row in rows_of(chart)}
    assert set(found.moved) <= shown
    assert len(shown) <= 50
    assert f"Lines of {len(shown)} of them" in notes_of(chart)


def test_names_are_data_and_cut():
    names = [HOSTILE, "x" * 500, "\u202eשלום", "a\x00b", "漢字"]
    found = hr.compare_rankings(
        {"</script>": crowd(names, 0, 1), "y" * 300: crowd(names, 2, 2)}, n_permutations=19
    )
    chart = slope_chart(found)
    assert max(text_width(row["label"]) for row in rows_of(chart)) <= drawing.LABEL_WIDTH
    drawn = svg_of(chart)
    assert "<script" not in drawn
    assert "\x00" not in drawn


def test_nothing_moved_is_drawn_without_a_legend():
    found = compared(8, 0.0)
    unmoved = replace(found, item_p_values=np.ones_like(found.item_p_values))
    assert "legend" not in str(slope_chart(unmoved).to_dict()["layer"])


def test_populations_and_items_of_the_same_text_stay_apart():
    votes = hr.Comparisons(
        (1, "1", "a"), np.array([0, 0, 1] * 9), np.array([1, 2, 2] * 9), np.ones(27)
    )
    found = hr.compare_rankings({"y" * 50 + "a": votes, "y" * 50 + "b": votes}, n_permutations=19)
    rows = rows_of(slope_chart(found))
    assert len({row["population"] for row in rows}) == 2
    assert len({row["line"] for row in rows}) == 3
