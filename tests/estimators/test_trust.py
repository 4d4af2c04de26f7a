"""What the trust report says, and what it must not say."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.calibration.crowds import CONSISTENT, Crowd, fresh_rng

import hodgerank as hr
from hodgerank.estimators.trust import CLEAN
from hodgerank.estimators.trust_statements import about_position_bias, about_ranking


def about(report: hr.TrustReport, what: str) -> str:
    return "; ".join(said.words for said in report.statements if said.about == what)


def concerns(report: hr.TrustReport) -> set[str]:
    return {said.about for said in report.statements if said.concern}


def test_a_consistent_crowd_gets_a_clean_verdict():
    report = hr.assess_trust(hr.simulate_comparisons(10, 1500, spread=1.5, rng=0))
    assert report.verdict == CLEAN
    json.dumps(report.to_dict(), allow_nan=False)


FIRST = ("20 % coin-tossers, varied acuity", "ties")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [*FIRST, *(pytest.param(n, marks=pytest.mark.slow) for n in CONSISTENT if n not in FIRST)],
)
def test_crowds_with_one_ranking_are_not_accused(name):
    """Of 6 crowds of each kind none with cycles, and hardly one with a lean (p < .01)."""
    leaning = 0
    for seed in range(6):
        votes = replace(CONSISTENT[name], per_pair=8).votes(fresh_rng(seed, name))
        found = concerns(hr.assess_trust(votes))
        leaning += "position_bias" in found
        assert found <= {"outliers", "workers", "position_bias"}
    assert leaning <= 2


def test_a_crowd_that_never_contradicts_itself_does_not_run_in_circles():
    items = [f"i{k:02d}" for k in range(12)]
    rows = [
        (a, b, 1) if (k + place) % 2 else (b, a, -1)
        for k in range(5)
        for place, a in enumerate(items)
        for b in items[place + 1 :]
    ]
    report = hr.assess_trust(rows)
    assert report.verdict == CLEAN
    assert not report.triangles


@pytest.mark.parametrize("seed", range(4))
def test_sides_of_weak_opinions_are_not_blamed(seed):
    """Few answers to each pair: what differs between sides is mostly noise."""
    report = hr.assess_trust(hr.simulate_comparisons(20, 800, spread=0.4, rng=seed))
    assert report.decomposition.energy["bias"] == pytest.approx(
        report.expected["bias"].mean, abs=5 * report.expected["bias"].std + 1e-9
    )
    assert "position_bias" not in concerns(report)


def test_an_active_campaign_without_bias_is_not_blamed_either():
    for seed in range(3):
        crowd = hr.SimulatedCrowd(16, spread=1.5, rng=seed)
        sampler = hr.AutoSampler(crowd.items, seed=seed)
        hr.run(sampler, crowd, budget=300)
        assert "position_bias" not in concerns(hr.assess_trust(sampler.votes))


def test_every_problem_is_in_the_verdict():
    votes = hr.simulate_comparisons(
        8, 900, spread=2, workers={"honest": 6, "adversarial": 2}, rng=0
    )
    rows = votes.to_frame("polars").rows()
    rows += [("x", "y", 1, "honest-01"), ("y", "z", 1, "honest-02"), ("z", "x", 1, "honest-03")] * 9
    report = hr.assess_trust(rows)
    for part in ("2 disconnected groups", "2 of 8 workers have a warning"):
        assert part in report.verdict


def test_a_cycle_is_named():
    votes = Crowd(cycles="triangle", per_pair=40).votes(np.random.default_rng(1))
    report = hr.assess_trust(votes)
    assert "significant cycles, which no single ranking explains" in report.verdict
    middle = [votes.items[k] for k in np.argsort(votes.truth)[4:7]]
    assert set(report.triangles[0].items) == set(middle)
    assert min(report.triangles[0].flows) > 0


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "b", 0, "x"), ("b", "c", 0, "y"), ("c", "a", 0, "x")],
        [("a", "b", 1)],
        [("a", "b", 0)],
        [("a", "b", 1, "x"), ("b", "a", 1, "x")],
        [("a", "b", 1, "x"), ("c", "d", -1, "y")],
        [("a", "b", 0.25, "x"), ("b", "c", -0.5, None)],
        [("a", "b", 1), ("b", "c", 1), ("a", "c", -1)],
        [("a", "b", 0.5, "x"), ("b", "c", 0.5, "x"), ("c", "a", 0.5, "x")] * 3,
        [("a", "b", 1, "x")] * 50,
    ],
)
def test_tiny_input_has_a_report_without_a_false_assurance(rows):
    report = hr.assess_trust(rows)
    json.dumps(report.to_dict(), allow_nan=False)
    items = {item for row in rows for item in row[:2]}
    if len(items) > 2 and len({frozenset(row[:2]) for row in rows}) == len(rows):
        assert "cannot be checked" in report.verdict


@pytest.mark.parametrize("rows", [[("a", "b", 1)], [("a", "b", 1), ("b", "a", -1)] * 20])
def test_two_items_cannot_run_in_a_cycle_and_that_is_no_concern(rows):
    report = hr.assess_trust(rows)
    assert about(report, "cycles") == "two items cannot form a cycle"
    assert "cycle" not in report.verdict


def test_votes_that_are_coins_have_no_ranking():
    report = hr.assess_trust(hr.simulate_comparisons(10, 300, spread=0, rng=4))
    assert "no significant ranking" in report.verdict


def test_a_lean_is_told_with_what_it_does_to_the_ranking():
    report = hr.assess_trust(Crowd(lean=0.8, per_pair=20).votes(np.random.default_rng(3)))
    words = about(report, "position_bias")
    assert "significant position bias to the left (+0." in words
    assert "with position bias in the model" in words
    assert report.position_bias.moves.n_items == 10


def test_a_bias_that_cannot_be_seen_in_pairs_is_told_through_the_model():
    """Every pair is shown one way only, not in one order."""
    rng = np.random.default_rng(8)
    votes = Crowd(n_items=16, per_pair=1, lean=0.9, spread=1, n_workers=1).votes(rng)
    report = hr.assess_trust(votes)
    assert report.decomposition.expected.n_both_ways == 0
    assert report.p_value("bias") is None
    words = about(report, "position_bias")
    assert "from the model alone, since no worker saw a pair in both orders" in words


@pytest.mark.parametrize(
    ("lower", "p", "words", "is_concern"),
    [
        (-0.02, 0.12, "no significant position bias", False),
        (0.02, 0.016, "possible position bias to the left, not significant at 1%", False),
        (0.04, 0.002, "significant position bias to the left", True),
    ],
)
def test_words_about_sides_agree_with_the_interval_beside_them(lower, p, words, is_concern):
    lean = SimpleNamespace(value=0.09, lower=lower, upper=0.18 - lower, p_value=p)
    sides = SimpleNamespace(n_known=9, estimate=lean, moves=None)
    [said] = about_position_bias(sides, n_both_ways=1)
    assert said.words.startswith(f"{words} (+0.09")
    assert said.concern == is_concern


def test_a_ranking_that_is_not_sure_is_called_so():
    found = {}
    for p in (0.001, 0.018, 0.2):
        [found[p]] = about_ranking(SimpleNamespace(p_value=lambda part, p=p: p))
    assert found[0.001].words.startswith("the votes contain a significant ranking")
    unsure = "the votes contain a ranking, significant at 5% but not at 1%"
    assert found[0.018].words.startswith(unsure)
    assert [said.concern for said in found.values()] == [False, False, True]


def test_where_sides_are_not_known_nothing_is_said_about_them():
    report = hr.assess_trust(Crowd(display="winner").votes(np.random.default_rng(0)))
    assert "as if the winner were always listed first" in about(report, "position_bias")
    assert "position_bias" not in concerns(report)


def test_the_same_sentences_are_in_the_json():
    report = hr.assess_trust(hr.simulate_comparisons(8, 600, workers={"random": 1, "honest": 5}))
    content = report.to_dict()
    assert [said["words"] for said in content["statements"] if said["concern"]] == [
        str(said) for said in report.statements if said.concern
    ]
    assert set(content["expected"]) == {"bias", "ties", "gradient", "curl", "harmonic"}
    with_halves = hr.assess_trust(report.votes, with_split_half=True)
    assert "split-half" in about(with_halves, "reliability")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param("pc-vqa", marks=pytest.mark.slow), "pc-iqa", "reading-level"],
)
@pytest.mark.usefixtures("data_folder")
def test_the_real_data_sets_have_a_report(name):
    report = hr.assess_trust(hr.load_dataset(name)).to_dict()
    assert sum(report["energy"].values()) == pytest.approx(1)
    assert (report["workers"] is None) == (name != "reading-level")
    json.dumps(report, allow_nan=False)
