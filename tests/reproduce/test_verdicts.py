"""From runs to sentences."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Outcome
from hodgerank.reproduce.verdict import (
    Claim,
    Estimate,
    Published,
    Report,
    Status,
    Verdict,
    number,
    speed_status,
)

LOOKS = (10, 20, 30)


def curves(a, b, panel=""):
    """Two schemes; a row per run."""
    outcomes = [
        Outcome({"panel": panel}, {"a": list(x), "b": list(y)}) for x, y in zip(a, b, strict=True)
    ]
    return Curves.of(LOOKS, outcomes)


def judge(found, **check):
    published = Published("Figure 0", "", "", (Claim("x", "", check),))
    return found.verdicts(published)[0]


@pytest.fixture
def noise():
    return np.random.default_rng(1).normal(0, 0.01, (2, 40, 3))


def test_an_interval_is_that_of_students_t():
    values = np.array([1.0, 2.0, 4.0])
    wanted = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert Estimate.of(values).interval() == pytest.approx((wanted.low, wanted.high))


def test_a_clear_difference_holds(noise):
    verdict = judge(curves(0.6 + noise[0], 0.5 + noise[1]), above=["a", "b"])
    assert verdict.status is Status.HOLDS
    assert "a − b: +.10" in verdict.evidence
    assert "40 paired runs; significantly above at 3 of 3 points" in verdict.evidence


def test_a_difference_the_other_way_does_not_hold(noise):
    verdict = judge(curves(0.5 + noise[0], 0.6 + noise[1]), above=["a", "b"])
    assert verdict.status is Status.FAILS
    assert "significantly below at 3 (first at 10)" in verdict.evidence


def test_no_difference_is_undecided(noise):
    assert judge(curves(noise[0], noise[1]), above=["a", "b"]).status is Status.UNDECIDED


def test_above_on_average_but_below_somewhere_holds_in_part(noise):
    shape = np.array([-0.1, 0.2, 0.2])
    assert judge(curves(noise[0] + shape, noise[1]), above=["a", "b"]).status is Status.IN_PART


def test_few_runs_decide_nothing(noise):
    few = curves(0.6 + noise[0][:3], 0.5 + noise[1][:3])
    assert judge(few, above=["a", "b"]).status is Status.UNDECIDED
    assert judge(few, level=["a", "b"]).status is Status.UNDECIDED
    assert "a single run" in judge(curves(noise[0][:1], noise[1][:1]), above=["a", "b"]).evidence


@pytest.mark.parametrize(
    ("ratio", "status"),
    [(1.05, "holds"), (1.2, "holds in part"), (1.015, "holds in part"), (0.9, "does not hold")],
)
def test_about_five_per_cent_is_neither_twenty_nor_one(noise, ratio, status):
    verdict = judge(curves(0.5 * ratio + noise[0], 0.5 + noise[1]), above=["a", "b"], by=0.05)
    assert verdict.status == status
    assert f"That is {'+' if ratio > 1 else '−'}" in verdict.evidence


@pytest.mark.parametrize(
    ("shift", "status"), [(0.0, "holds"), (0.019, "undecided"), (0.05, "does not hold")]
)
def test_level_means_that_the_interval_is_small(noise, shift, status):
    assert judge(curves(noise[0] + shift, noise[1]), level=["a", "b"]).status == status


def test_a_claim_about_a_panel_looks_at_it_alone(noise):
    up, down = curves(0.6 + noise[0], 0.5 + noise[1], "p"), curves(noise[0] - 1, noise[1], "q")
    both = Curves(LOOKS, ("p", "q"), ("a", "b"), {**up.values, **down.values})
    assert judge(both, above=["a", "b"], panel="p").status is Status.HOLDS
    assert judge(both, above=["a", "b"]).status is not Status.HOLDS


@pytest.mark.parametrize(
    ("statuses", "verdict", "tally"),
    [
        ([Status.HOLDS] * 2, "reproduced", ""),
        ([Status.FAILS] * 2, "not reproduced", ""),
        ([Status.UNDECIDED] * 2, "undecided", ""),
        (
            [Status.FAILS, Status.UNDECIDED],
            "not reproduced",
            "of 2 claims 1 does not hold, 1 undecided",
        ),
        (
            [Status.HOLDS, Status.HOLDS, Status.FAILS],
            "reproduced in part",
            "of 3 claims 2 hold, 1 does not hold",
        ),
        ([Status.IN_PART], "reproduced in part", ""),
        (
            [Status.IN_PART, Status.FAILS],
            "reproduced in part",
            "of 2 claims 1 holds in part, 1 does not hold",
        ),
    ],
)
def test_a_figure_is_judged_by_its_claims(statuses, verdict, tally):
    published = Published("Figure 0", "", "", ())
    report = Report(
        "x", published, [Verdict(Claim("x", "", {}), status, "") for status in statuses]
    )
    assert (report.verdict, report.tally) == (verdict, tally)


@pytest.mark.parametrize(
    ("ratio", "wanted", "status"),
    [
        (1.01, 1, "does not hold"),
        (1.25, 1, "undecided"),
        (1.5, 1, "holds"),
        (12, 10, "holds"),
        (3, 10, "does not hold"),
    ],
)
def test_a_speed_holds_where_its_interval_is_beyond_the_margin(noise, ratio, wanted, status):
    assert speed_status(Estimate.of(np.log(ratio) + noise[0][:, 0]), wanted) == status


def test_few_timings_decide_nothing():
    assert speed_status(Estimate.of(np.log([3.0, 3.1, 3.2]))) is Status.UNDECIDED


def test_a_ratio_of_means_has_an_interval_that_covers():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        under = rng.normal(0.5, 0.2, 60)
        share = Estimate.ratio(0.05 * under + rng.normal(0, 0.02, 60), under)
        lower, upper = share.interval()
        inside += lower <= 0.05 <= upper
    assert 0.92 <= inside / 400 <= 0.98


def test_well_above_is_more_than_above(noise):
    found = curves(0.51 + noise[0], 0.5 + noise[1])
    assert judge(found, above=["a", "b"]).status is Status.HOLDS
    assert judge(found, above=["a", "b"], at_least=0.02).status is Status.FAILS


def test_the_runs_of_one_panel_must_suffice(noise):
    panels = [curves(0.6 + noise[0][:3], 0.5 + noise[1][:3], name).values for name in "pqr"]
    together = Curves(LOOKS, ("p", "q", "r"), ("a", "b"), panels[0] | panels[1] | panels[2])
    assert judge(together, above=["a", "b"]).status is Status.UNDECIDED


def test_a_difference_of_zero_point_something_has_no_zero():
    assert [number(0.061), number(-0.5, 1), number(10.25, 1)] == ["+.061", "−.5", "+10.2"]


def test_questions_of_our_own_do_not_count_against_the_paper():
    ours = Verdict(Claim("x", "", {}, is_ours=True), Status.FAILS, "")
    theirs = Verdict(Claim("x", "", {}), Status.HOLDS, "")
    assert Report("x", Published("Figure 0", "", "", ()), (theirs, ours)).verdict == "reproduced"


def test_the_verdict_names_baselines_of_ours_that_it_was_not_shown_against():
    def ours(status, caveat):
        return Verdict(Claim("x", "", {}, is_ours=True, caveat=caveat), status, "")

    theirs = Verdict(Claim("x", "", {}), Status.HOLDS, "")
    published = Published("Figure 0", "", "", ())
    verdicts = [theirs, ours(Status.FAILS, "rounds"), ours(Status.UNDECIDED, "others")]
    report = Report("x", published, [*verdicts, ours(Status.HOLDS, "a third")])
    assert report.verdict == "reproduced"
    assert report.caveat == "not shown: rounds, others"
    assert Report("x", published, [theirs]).caveat == ""


def test_undecided_means_that_are_close_are_said_to_be_equal(noise):
    verdict = judge(curves(0.5 + noise[0], 0.5 + noise[1]), above=["a", "b"])
    assert verdict.status is Status.UNDECIDED
    assert "The means are equal within .020." in verdict.evidence


def test_what_remains_of_a_gain_is_part_of_the_evidence():
    rng = np.random.default_rng(2)
    a, b, c = (mean + rng.normal(0, 0.01, (40, 3)) for mean in (0.6, 0.55, 0.5))
    values = {("", name): curve for name, curve in zip("abc", (a, b, c), strict=True)}
    found = Curves(LOOKS, ("",), ("a", "b", "c"), values)
    verdict = judge(found, above=["a", "b"], gain_over="c")
    assert verdict.status is Status.HOLDS
    assert re.search(r"Of the gain over c sampling, (4\d|5\d)% .* remains", verdict.evidence)


@pytest.mark.parametrize(
    ("shifts", "status"),
    [
        ((0.1, 0.1), "holds"),
        ((0.1, 0.0), "undecided"),
        ((0.1, -0.1), "holds in part"),
        ((-0.1, -0.1), "does not hold"),
    ],
)
def test_a_claim_about_every_panel_needs_every_panel(noise, shifts, status):
    p, q = (
        curves(0.5 + shift + noise[0], 0.5 + noise[1], name)
        for shift, name in zip(shifts, "pq", strict=True)
    )
    both = Curves(LOOKS, ("p", "q"), ("a", "b"), p.values | q.values)
    verdict = judge(both, above=["a", "b"], each_panel=True)
    assert verdict.status == status
    assert "of 2 panels" in verdict.evidence
