"""Learning curves, and the curves and bars that the reproduction draws."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.collecting.replay import LearningCurves
from hodgerank.plotting import curves as drawing
from hodgerank.plotting import learning_curves_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.curves import bar_chart, curve_chart
from hodgerank.plotting.theme import COLOURS
from pictures import notes_of, rows_of, title_of


def curves(*ends: float, runs: int = 6, noise: float = 0.02, names=None, looks: int = 5):
    """Strategies that rise to these ends, on the same runs."""
    rng = np.random.default_rng(0)
    answers = 20 * np.arange(1, looks + 1)
    means = np.array(ends)[:, None, None] * np.linspace(1 / looks, 1, looks)
    taus = means + noise * rng.standard_normal((len(ends), runs, looks))
    names = names or [f"s{k}" for k in range(len(ends))]
    return LearningCurves(tuple(names), answers, taus, "HodgeRank on all votes")


def test_the_title_says_who_is_ahead_by_how_much_and_how_sure():
    found = curves(0.6, 0.9)
    difference = found.taus[1, :, -1] - found.taus[0, :, -1]
    error = difference.std(ddof=1) / np.sqrt(6)
    title = title_of(learning_curves_chart(found))
    assert title.startswith("s1 ends significantly ahead of s0: tau = .9")
    assert (
        f"{difference.mean():.3f} ± {error:.3f} (paired standard error)".replace("0.", ".") in title
    )


def test_strategies_that_differ_by_chance_do_not_differ_significantly():
    title = title_of(learning_curves_chart(curves(0.9, 0.9)))
    assert "do not differ significantly" in title
    same = curves(0.9, 0.9, noise=0.0)
    assert "do not differ significantly" in title_of(learning_curves_chart(same))


def test_more_rivals_take_a_clearer_lead():
    rng = np.random.default_rng(1)
    n_ahead = 0
    for _ in range(400):
        taus = rng.standard_normal((5, 8, 1))
        found = LearningCurves(tuple("abcde"), np.array([10]), taus, "the given scores")
        n_ahead += "significantly ahead" in drawing._finding(found)
    assert n_ahead < 0.05 * 400


def test_the_difference_is_paired():
    shared = np.random.default_rng(2).standard_normal((1, 20, 1))
    taus = np.concatenate([shared, shared + 0.01 + 0.001 * np.arange(20).reshape(1, 20, 1) / 20])
    found = LearningCurves(("a", "b"), np.array([10]), taus, "the given scores")
    assert title_of(learning_curves_chart(found)).startswith("b ends significantly ahead of a")


def test_one_run_or_one_strategy_claims_nothing():
    one = learning_curves_chart(curves(0.5, 0.9, runs=1))
    assert title_of(one).startswith("One run cannot separate s1 from s0")
    assert "standard errors" not in notes_of(one)
    alone = learning_curves_chart(curves(0.9))
    assert title_of(alone).startswith("s0 reaches tau = .89")
    assert "mean of 6 runs ± 2 standard errors" in notes_of(alone)


def test_the_band_is_two_standard_errors():
    found = curves(0.6, 0.9)
    for row in rows_of(learning_curves_chart(found)):
        s, look = int(row["series"][1:]), row["x"] // 20 - 1
        assert row["mean"] == pytest.approx(found.mean[s, look])
        assert row["upper"] - row["mean"] == pytest.approx(2 * found.stderr[s, look])


def test_more_strategies_than_colours_are_distinguished_by_dashes():
    n = len(COLOURS) + 2
    chart = learning_curves_chart(curves(*np.linspace(0.3, 0.9, n)))
    line = chart.to_dict()["layer"][1]["encoding"]
    assert len(line["color"]["scale"]["range"]) == n
    looks = zip(line["color"]["scale"]["range"], line["strokeDash"]["scale"]["range"], strict=True)
    assert len({(colour, tuple(dash)) for colour, dash in looks}) == n


def test_a_single_look_is_a_dot():
    chart = learning_curves_chart(curves(0.5, 0.9, looks=1))
    assert chart.to_dict()["layer"][1]["mark"]["point"]["opacity"] == 1


def test_names_are_data():
    names = ["</script><script>alert(1)</script>", "x" * 500, "a\x00b"]
    drawn = svg_of(learning_curves_chart(curves(0.5, 0.7, 0.9, names=names)))
    assert "<script" not in drawn
    assert "\x00" not in drawn


def test_curves_in_panels_and_bars_have_the_shared_look():
    rows = [
        {"x": x, "series": s, "mean": x + 1, "stderr": None, "panel": p}
        for p in ("one", "two")
        for s in "ab"
        for x in range(3)
    ]
    panels = curve_chart(rows, x="answers", y="tau", series=["a", "b"], columns=2)
    bars = bar_chart(rows[:2], y="seconds", groups=["0", "1"], series=["a"])
    for chart in (panels, bars):
        assert chart.to_dict()["config"]["title"]["fontSize"] == 15
        assert svg_of(chart)
