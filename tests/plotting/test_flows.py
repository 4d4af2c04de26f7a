"""The flows that mean votes are the sum of, drawn on a circle."""

from __future__ import annotations

from typing import Any

import pytest

import hodgerank as hr
from hodgerank.plotting import flows_chart

SQUARE = [("a", "b", 0.8), ("b", "c", 0.6), ("c", "d", 0.4), ("d", "a", 0.2)]


def panels(chart: Any) -> list[dict[str, Any]]:
    return chart.to_dict()["concat"]


def rows_with(panel: dict[str, Any], column: str) -> list[dict[str, Any]]:
    """Data of the first layer that has a column."""
    layers = [layer for layer in panel["layer"] if column in layer["data"]["values"][0]]
    return layers[0]["data"]["values"]


def signed_flows(panel: dict[str, Any]) -> dict[tuple[str, str], float]:
    found = {}
    for row in rows_with(panel, "preferred"):
        first, last = row["preferred"], row["other"]
        sign = 1 if first < last else -1
        found[min(first, last), max(first, last)] = sign * row["flow"]
    return found


def test_three_panels_add_up_to_the_first():
    votes = hr.simulate_comparisons(5, 40, rng=1)
    total, *parts = map(signed_flows, panels(flows_chart(hr.decompose(votes))))
    for pair, flow in total.items():
        assert flow == pytest.approx(sum(part[pair] for part in parts), abs=2e-3)


def test_the_title_names_the_parts_and_the_unfilled_loops():
    title = flows_chart(hr.decompose(SQUARE)).to_dict()["title"]["text"]
    assert title == ["The ranking 17%, harmonic 83%; 1 unfilled loop"]
    filled = flows_chart(hr.decompose(SQUARE, faces="quadrangles")).to_dict()["title"]["text"]
    assert filled == ["The ranking 17%, within faces (curl) 83%; no unfilled loops"]


def test_faces_are_shaded():
    def shades(**options: Any) -> int:
        panel = panels(flows_chart(hr.decompose(SQUARE, **options)))[0]
        return sum("fillOpacity" in layer["mark"] for layer in panel["layer"])

    assert shades() == 0
    assert shades(faces="quadrangles") == 1


def test_arrows_go_from_the_preferred_item_and_equal_parts_are_not_drawn():
    panel = panels(flows_chart(hr.decompose(SQUARE)))[2]  # no curl
    assert {row["width"] for row in rows_with(panel, "preferred")} == {0.0}
    first = rows_with(panels(flows_chart(hr.decompose(SQUARE)))[0], "preferred")
    assert {(row["preferred"], row["other"]) for row in first} == {
        ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")
    }  # fmt: skip


def test_scores_stand_beside_the_items_of_the_ranking_only():
    found = [rows_with(panel, "label") for panel in panels(flows_chart(hr.decompose(SQUARE)))]
    assert [row["label"] for row in found[0]] == ["a", "b", "c", "d"]
    assert [row["label"] for row in found[1]] == ["a +0.25", "b −0.05", "c −0.15", "d −0.05"]


def test_more_than_twelve_items_and_ties_alone_are_said_in_words():
    many = flows_chart(hr.decompose(hr.simulate_comparisons(13, 60, rng=1))).to_dict()
    assert "up to 12" in many["title"]["text"][0]
    ties = flows_chart(hr.decompose([("a", "b", 0), ("b", "c", 0)])).to_dict()
    assert "all mean votes are 0" in ties["title"]["text"][0]
