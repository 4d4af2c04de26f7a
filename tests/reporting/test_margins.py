"""Reports on margins: the same page, in the unit of the margins, without a model of choices."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

import hodgerank as hr


def league(seed, home=0.0, spread=1.5, sd=1.0, rounds=2):
    rng = np.random.default_rng(seed)
    x = np.sort(spread * rng.normal(size=6))[::-1]
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j] * rounds
    rows = [(f"t{i}", f"t{j}", x[i] - x[j] + home + sd * rng.normal(), "goals") for i, j in pairs]
    names = ["left", "right", "margin", "margin_unit"]
    return hr.read_comparisons(pl.DataFrame(rows, names, orient="row"))


@pytest.fixture(scope="module")
def clear():
    return hr.report(league(1, home=1.0, spread=9.0))


def test_the_first_page_is_in_the_unit(clear):
    assert "“t0”" in str(clear.answer[0])
    figures = {figure.label.code: figure.value for figure in clear.first_page.figures}
    assert figures["figures.votes"] == "60"
    assert figures["figures.noise"].endswith(" goals")
    board = clear.first_page.board
    rows = [row for tier in board.tiers for row in tier]
    assert [row.name for row in rows] == list(clear.findings.ranking.items)
    for row in rows:
        assert 0 <= row.lower < row.chosen < row.upper <= 1
    assert board.ticks[0] == board.ticks[2].replace("+", "-")
    score = float(board.ticks[2]) * (2 * rows[0].chosen - 1)
    assert rows[0].number == clear.findings.ranking.scale.text(score)


def test_position_bias_is_stated_with_its_interval_and_may_be_modelled(clear):
    line = clear.first_page.lines[-1]
    assert (line.title.code, line.status) == ("position_bias.title", "warning")
    assert re.search(r"worth \+\d\.\d+ goals \(95% CI \+\d", str(line.text))
    assert str(clear.answer[2]) == "Model position bias (--position-bias common)."
    modelled = hr.report(clear.findings.votes, position_bias="common")
    assert modelled.first_page.lines[-1].status == "good"
    energies = (f.findings.decomposition.energy["bias"] for f in (clear, modelled))
    assert next(energies) > next(energies)
    lower = clear.findings.bias.lower
    assert lower < 1.0 < clear.findings.bias.upper
    assert modelled.findings.ranking.residual_sd < clear.findings.ranking.residual_sd


def test_equal_items_are_not_ordered():
    found = hr.report(league(2, spread=0.0))
    assert "no significant ranking" in str(found.answer[0])
    assert str(found.answer[2]) == "Collect more votes, or do not use this order."
    assert {section.key for section in found.sections}.isdisjoint({"certainty", "next", "workers"})


def test_margins_of_one_size_are_not_taken_for_unanimous_choices():
    # least squares of means that are all 1 or -1: single votes between leader and second
    rows = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0), ("a", "d", -1.0), ("b", "d", 1.0)]
    frame = pl.DataFrame(rows * 6, ["left", "right", "margin"], orient="row")
    verdict = hr.report(hr.read_comparisons(frame)).findings.verdict
    assert verdict.certainty < 0.9999


def test_disconnected_margins_are_joined_by_what_to_do():
    rows = [("a", "b", 2.0), ("a", "b", 1.0), ("c", "d", 2.0), ("d", "c", 3.0)]
    frame = pl.DataFrame(rows, ["left", "right", "margin"], orient="row")
    found = hr.report(hr.read_comparisons(frame), components="separate")
    assert "disconnected groups" in str(found.answer[0])
    assert "Compare items of different groups" in str(found.answer[2])


def test_cycles_of_margins_are_a_warning():
    rng = np.random.default_rng(3)
    rows = [(a, b, 2 + 0.3 * rng.normal()) for a, b in ("ab", "bc", "ca") for _ in range(5)]
    frame = pl.DataFrame(rows, ["left", "right", "margin"], orient="row")
    lines = hr.report(hr.read_comparisons(frame, display_known=False)).first_page.lines
    assert str(lines[1].text).startswith("One ranking does not explain")
    assert lines[1].status == "warning"


def test_every_form_is_written(clear, tmp_path):
    for suffix in ("html", "md", "json"):
        clear.save(tmp_path / f"report.{suffix}")
    content = json.loads((tmp_path / "report.json").read_text())
    assert content["ranking"]["margin_unit"] == "goals"
    assert content["position_bias"]["value"] == clear.findings.bias.value
    text = (tmp_path / "report.md").read_text()
    assert "60 margins from" in text
    assert "graded" not in text
    assert "choice" not in text.lower()
    html = (tmp_path / "report.html").read_text()
    assert "score (goals)" in html


def test_the_position_bias_in_the_model_is_that_of_the_ranking(clear):
    found = hr.report(clear.findings.votes, position_bias="common").findings
    terms = found.ranking.position_bias
    assert found.bias.value == terms["common" if "common" in terms.groups else terms.groups[0]]
    assert [found.bias.lower, found.bias.upper] == terms.intervals[0].tolist()


def test_outliers_are_the_votes_of_the_file_with_and_without_a_model_of_position_bias(clear):
    votes = clear.findings.votes
    modelled = hr.report(votes, position_bias="common")
    section = next(one for one in modelled.sections if one.key == "outliers")
    table = next(block for block in section.blocks if hasattr(block, "rows"))
    margins = dict(zip(votes.rows.tolist(), votes.outcome.tolist(), strict=True))
    shift = modelled.findings.bias.value
    for row, left, right, vote, expected in table.rows:
        assert float(vote) == pytest.approx(margins[int(row)], abs=0.01)
        scores = modelled.findings.outliers.scores
        items = modelled.findings.outliers.votes.items
        gap = scores[items.index(str(left))] - scores[items.index(str(right))]
        assert float(expected) == pytest.approx(gap + shift, abs=0.01)
