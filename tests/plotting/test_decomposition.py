"""The parts of the votes beside their shares expected by chance."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.graph.decomposition import PART_WORDS
from hodgerank.plotting import decomposition_chart
from hodgerank.plotting.charts import svg_of
from pictures import notes_of, rows_of, title_of

CYCLE = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 30


def rows_by_part(chart):
    return {row["part"]: row for row in rows_of(chart)}


def test_bars_are_the_shares_and_marks_those_expected_by_chance():
    report = hr.assess_trust(hr.simulate_comparisons(8, 400, spread=2, rng=1))
    rows = rows_by_part(decomposition_chart(report))
    assert list(rows) == list(PART_WORDS.values())
    for part in ("ties", "gradient", "curl"):
        row, chance = rows[PART_WORDS[part]], report.expected[part]
        assert row["share"] == pytest.approx(report.decomposition.energy[part], abs=1e-5)
        assert row["expected"] == pytest.approx(chance.mean, abs=1e-5)
        assert row["most"] <= 1
        assert row["least"] >= 0


def test_the_title_of_a_report_is_what_it_says_of_ranking_and_cycles():
    report = hr.assess_trust(CYCLE)
    words = [said.words for said in report.statements if said.about in ("ranking", "cycles")]
    assert title_of(decomposition_chart(report)).lower() == "; ".join(words).lower()


def test_a_decomposition_alone_claims_nothing_of_cycles():
    title = title_of(decomposition_chart(hr.decompose(CYCLE)))
    assert title.startswith("No significant ranking")
    assert "cycle" not in title


def test_only_what_chance_would_hardly_give_is_called_significant():
    rows = rows_by_part(decomposition_chart(hr.decompose(CYCLE)))
    assert rows[PART_WORDS["curl"]]["words"] == "significant (p < .001)"
    assert rows[PART_WORDS["gradient"]]["words"].startswith("not significant")


def test_position_bias_that_cannot_be_seen_has_no_bar():
    sorted_pairs = hr.read_comparisons([("a", "b", 1), ("b", "c", 1)] * 9, display_known=False)
    row = rows_by_part(decomposition_chart(hr.decompose(sorted_pairs)))["position bias"]
    assert (row["number"], row["words"]) == ("–", "order unknown")
    assert "share" not in row


def test_a_part_that_cannot_be_is_nothing():
    row = rows_by_part(decomposition_chart(hr.decompose([("a", "b", 1), ("b", "c", 1)] * 9)))
    assert row[PART_WORDS["harmonic"]]["number"] == "0.0%"
    assert row[PART_WORDS["harmonic"]]["words"] == "none expected"


def test_ties_alone_say_so():
    chart = decomposition_chart(hr.decompose([("a", "b", 0), ("b", "c", 0)]))
    assert title_of(chart).startswith("Nothing to decompose")


def test_it_can_be_drawn():
    assert "the ranking" in svg_of(decomposition_chart(hr.decompose(CYCLE)))


def test_parts_of_margins_are_tested_without_simulations():
    rng = np.random.default_rng(1)
    rows = [(a, b, 3.0 * (ord(b) - ord(a)) + rng.normal()) for a, b in ["ab", "bc", "ac"] * 9]
    found = hr.decompose(hr.read_comparisons(rows, margin="outcome"))
    chart = decomposition_chart(found)
    assert "squared margins" in notes_of(chart)
    rows = {row["part"]: row for row in rows_of(chart) if "part" in row}
    assert rows["the ranking"]["words"] == "significant (p < .001)"
    assert rows["disagreement within pairs"]["words"] == "not tested"
    assert not any("expected" in row for row in rows.values())
