"""hodgerank groups, and hodgerank report --groups."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import hodgerank as hr


@pytest.fixture(scope="module")
def two_tastes(tmp_path_factory):
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 2, (2, 8))
    parts = [
        hr.simulate_comparisons(8, 600, scores=own, workers=15, rng=k)
        for k, own in enumerate(scores)
    ]
    tables = [
        part.to_frame("polars").with_columns(
            worker=pl.col("worker") + f"-{k}", town=pl.lit(f"t{k}")
        )
        for k, part in enumerate(parts)
    ]
    path = tmp_path_factory.mktemp("groups") / "votes.csv"
    pl.concat(tables).write_csv(path)
    return path


def test_groups_are_shown_and_members_written(run, two_tastes, tmp_path):
    members = tmp_path / "members.csv"
    status, out, _ = run("groups", two_tastes, "-o", members)
    assert status == 0
    assert "Two preference groups predict new votes better" in " ".join(out.split())
    assert "opposite in" in out
    table = pl.read_csv(members)
    assert table.height == 30
    by_town = table.group_by(pl.col("worker").str.tail(1)).agg(pl.col("group").mode().first())
    assert by_town["group"].n_unique() == 2


def test_json_holds_groups_and_reversed_pairs(run, two_tastes):
    _, out, _ = run("groups", two_tastes, "--json", "--at-most", "2")
    found = json.loads(out)
    assert found["count"] == 2
    assert found["reversed_pairs"]
    assert found["at_most"] == 2


def test_groups_of_votes_are_analysed_separately(run, two_tastes):
    status, out, _ = run("groups", two_tastes, "--by", "town")
    assert status == 0
    words = " ".join(out.split())
    assert words.count("No evidence of more than one preference group") == 2


def test_a_report_has_the_groups_only_where_they_are_wanted(run, two_tastes, tmp_path):
    page = tmp_path / "report.md"
    wanted = ("--no-forecast", "-o", page)
    assert run("report", two_tastes, *wanted)[0] == 0
    assert "Preference groups" not in page.read_text()
    assert run("report", two_tastes, "--groups", *wanted)[0] == 0
    text = page.read_text()
    assert "Two preference groups predict new votes better" in text
    assert "Workers have different tastes: their groups reverse" in text.partition("## ")[0]
    assert "Contradictions are no more frequent" not in text
    status, _, err = run("report", two_tastes, "--groups", "--by", "town", *wanted)
    assert status == 2
    assert "leave out with_groups (--groups)" in err
