from __future__ import annotations

import json

import pytest

import hodgerank as hr


def test_a_consistent_crowd_gets_a_clean_verdict():
    votes = hr.simulate_comparisons(10, 1500, spread=1.5, rng=0)
    report = hr.assess_trust(votes)
    assert report.verdict == "the votes are as consistent as noise allows"
    json.dumps(report.to_dict(), allow_nan=False)


def test_every_problem_is_in_the_verdict():
    votes = hr.simulate_comparisons(
        8, 900, spread=2, workers={"honest": 6, "adversarial": 2}, rng=0
    )
    rows = votes.to_frame().rows()
    rows += [("x", "y", 1, "honest-01"), ("y", "z", 1, "honest-01"), ("z", "x", 1, "honest-01")] * 9
    report = hr.assess_trust(rows)
    for part in ("2 groups of items", "cycles of three", "2 workers"):
        assert part in report.verdict
    assert set(report.triangles[0].items) == {"x", "y", "z"}


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "b", 0, "x"), ("b", "c", 0, "y"), ("c", "a", 0, "x")],
        [("a", "b", 1)],
        [("a", "b", 0)],
        [("a", "b", 1, "x"), ("b", "a", 1, "x")],
        [("a", "b", 1, "x"), ("c", "d", -1, "y")],
        [("a", "b", 0.25, "x"), ("b", "c", -0.5, None)],
    ],
)
def test_tiny_input_has_a_report_without_a_false_assurance(rows):
    report = hr.assess_trust(rows)
    json.dumps(report.to_dict(), allow_nan=False)
    if len({frozenset(row[:2]) for row in rows}) < 3:
        assert "consistency cannot be checked" in report.verdict


def test_position_bias_that_outweighs_the_ranking_is_in_the_verdict():
    report = hr.assess_trust([("a", "b", 1, "x"), ("b", "a", 1, "x")])
    assert "display order explains more" in report.verdict


@pytest.mark.parametrize("name", ["pc-vqa", "pc-iqa", "reading-level"])
@pytest.mark.usefixtures("data_folder")
def test_the_real_data_sets_have_a_report(name):
    report = hr.assess_trust(hr.load_dataset(name)).to_dict()
    assert sum(report["energy"].values()) == pytest.approx(1)
    assert (report["workers"] is None) == (name != "reading-level")
    json.dumps(report, allow_nan=False)
