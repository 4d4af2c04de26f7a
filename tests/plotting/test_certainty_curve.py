from __future__ import annotations

from math import inf

import pytest

from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import ExpectedTau, TopKCertain
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.curves import certainty_curve_chart

POINTS = [(10, 0.2), (20, 0.5), (100, 0.8)]


def marks(chart):
    return [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]


def values(chart):
    spec = chart.to_dict()
    return [layer["data"]["values"] for layer in spec["layer"]]


def domain(chart):
    line = chart.to_dict()["layer"][-1]
    return line["encoding"]["x"]["scale"]["domain"]


def test_without_a_forecast_there_is_the_curve_alone():
    chart = certainty_curve_chart(POINTS, None)
    assert marks(chart) == ["line", "point"]
    assert domain(chart) == [0, 100]


def test_a_band_shows_where_the_rule_will_be_reached():
    chart = certainty_curve_chart(POINTS, Forecast(ExpectedTau(0.9), 0.8, 50, 20, 90))
    assert marks(chart) == ["rect", "rule", "line", "point"]
    assert values(chart)[0] == [{"from": 120, "to": 190}]
    assert values(chart)[1] == [{"tau": 0.9}]
    assert domain(chart) == [0, 190]


def test_only_a_narrow_band_has_a_line_at_its_median():
    chart = certainty_curve_chart(POINTS, Forecast(TopKCertain(3), 0.8, 50, 30, 90))
    assert marks(chart) == ["rect", "rule", "line", "point"]
    assert values(chart)[1] == [{"votes": 150}]


def test_a_rule_about_the_top_has_no_target_among_the_taus():
    chart = certainty_curve_chart(POINTS, Forecast(TopKCertain(3), 0.8, 50, 20, 90))
    assert marks(chart) == ["rect", "line", "point"]


@pytest.mark.parametrize("answers", [0, inf])
def test_what_is_reached_or_out_of_reach_has_no_band(answers):
    outlook = Forecast(ExpectedTau(0.9), 0.8, answers, answers, answers)
    chart = certainty_curve_chart(POINTS, outlook)
    assert "rect" not in marks(chart)


def test_a_forecast_without_an_end_is_cut():
    chart = certainty_curve_chart(POINTS, Forecast(ExpectedTau(0.9), 0.8, 50, 20, inf))
    assert domain(chart) == [0, 500]
    assert values(chart)[0][0]["to"] == 500


@pytest.mark.parametrize("points", [[(0, 0.0)], [(1, -0.2)], POINTS])
def test_any_curve_can_be_drawn(points):
    outlook = Forecast(ExpectedTau(0.9), 0.1, 5, 2, inf)
    assert svg_of(certainty_curve_chart(points, outlook)).startswith("<svg")
