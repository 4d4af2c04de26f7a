"""The map of workers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import workers_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.text_width import text_width
from hodgerank.plotting.workers import LABEL_WIDTH, MOST_DOTS
from pictures import notes_of, rows_of, title_of
from results import HOSTILE

CROWD = {"honest": 12, "random": 2, "adversarial": 2, "position-biased": 2, "tie-happy": 2}


@cache
def assessment() -> hr.WorkerAssessment:
    return hr.assess_workers(hr.simulate_comparisons(12, 3000, spread=2, workers=CROWD, rng=1))


def without_bias(found: hr.WorkerAssessment, which=slice(None)) -> hr.WorkerAssessment:
    bias = found.position_bias.copy()
    bias[which] = np.nan
    return replace(found, position_bias=bias)


def larger(found: hr.WorkerAssessment, times: int) -> hr.WorkerAssessment:
    """The same workers so many times, moved a little."""
    rng = np.random.default_rng(0)
    arrays = {
        name: np.tile(value, times)
        for name, value in vars(found).items()
        if isinstance(value, np.ndarray)
    }
    n = len(found) * times
    arrays["position_bias"] = np.clip(arrays["position_bias"] + rng.normal(0, 0.05, n), -1, 1)
    arrays["agreement"] = np.clip(arrays["agreement"] + rng.normal(0, 0.05, n), 0, 1)
    names = tuple(f"worker {k}" for k in range(n))
    return replace(found, workers=names, flag=found.flag * times, **arrays)


def dots_of(chart):
    return {row["worker"]: row for row in rows_of(chart) if "worker" in row}


def test_every_worker_is_where_bias_and_agreement_say():
    found = assessment()
    dots = dots_of(workers_chart(found))
    assert dots.keys() == set(found.workers)
    for k, worker in enumerate(found.workers):
        assert dots[worker]["x"] == pytest.approx(found.position_bias[k], abs=1e-3)
        assert dots[worker]["y"] == pytest.approx(found.agreement[k], abs=1e-3)
        assert dots[worker]["level"] == found.level[k]
        assert dots[worker]["votes"] == found.votes[k]


def test_the_title_is_what_the_trust_report_says_of_workers():
    found = assessment()
    chart = workers_chart(found)
    n = len(found.flagged)
    assert n > 1
    assert title_of(chart).startswith(f"{n} of 20 workers have a warning: 2 position-clicking")
    assert f"{len(found.noted)} of 20 workers have a note: " in notes_of(chart)
    calm = replace(found, flag=("ok",) * 20)
    assert title_of(workers_chart(calm)) == "No worker was flagged (20 checked)"


def test_those_of_note_are_named_or_counted():
    for found in (assessment(), larger(assessment(), 25)):
        chart = workers_chart(found)
        of_note = {*found.flagged, *found.noted}
        dots = dots_of(chart)
        named = {worker for worker, row in dots.items() if row["side"]}
        assert named <= of_note
        nameless = len(of_note) - len(named)
        assert ("for lack of room" in notes_of(chart)) == (nameless > 0)
        assert named


def test_warnings_are_named_before_notes():
    found = larger(assessment(), 25)
    dots = dots_of(workers_chart(found))
    named = [row["level"] for row in dots.values() if row["side"]]
    assert named.count("warning") > named.count("note")


def test_of_very_many_workers_the_unremarkable_are_counted_on_a_grid():
    found = larger(assessment(), 200)
    quiet = found.level.count("none")
    assert quiet > MOST_DOTS
    chart = workers_chart(found)
    assert len(dots_of(chart)) == len(found) - quiet
    assert sum(row["count"] for row in rows_of(chart) if "count" in row) == quiet


def test_without_display_order_workers_stand_in_a_strip():
    chart = workers_chart(without_bias(assessment()))
    assert "position bias unknown" in str(chart.to_dict())
    assert "always left" not in str(chart.to_dict())
    assert len(dots_of(chart)) == 20


def test_those_of_unknown_bias_stand_beside_the_map():
    chart = workers_chart(without_bias(assessment(), slice(0, 5)))
    text = str(chart.to_dict())
    assert "always left" in text
    assert "unknown bias" in text
    assert len(dots_of(chart)) == 20


def test_workers_whose_agreement_is_unknown_are_counted():
    found = assessment()
    agreement = found.agreement.copy()
    agreement[:3] = np.nan
    chart = workers_chart(replace(found, agreement=agreement))
    assert len(dots_of(chart)) == 17
    assert "Not shown: 3 whose agreement is unknown" in notes_of(chart)


def test_nobody_to_compare_with_is_said():
    votes = hr.simulate_comparisons(5, 40, workers={"honest": 1}, rng=1)
    chart = workers_chart(hr.assess_workers(votes))
    assert "No agreement between workers" in notes_of(chart)
    assert dots_of(chart) == {}


def test_names_are_data_and_cut():
    found = assessment()
    worst = found.worst_first[:4]
    names = list(found.workers)
    hostile = (HOSTILE, "x" * 500, "\u202eשלום", "a\x00b")
    for k, name in zip(worst, hostile, strict=True):
        names[k] = name
    chart = workers_chart(replace(found, workers=tuple(names)))
    assert max(text_width(row["label"]) for row in dots_of(chart).values()) <= LABEL_WIDTH
    drawn = svg_of(chart)
    assert "<script" not in drawn
    assert "\x00" not in drawn
