"""The demonstration says what was planted and what was found."""

from __future__ import annotations

import json

import pytest

import hodgerank as hr
from hodgerank.cli.demo import HONEST, PLANTED


def test_it_shows_votes_ranking_workers_and_report_in_80_columns(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run("demo", "-o", tmp_path / "new" / "demo")
    said = " ".join(out.split())
    assert status == 0
    for part in ("600", "pairs in the right order", "statistically tied", "Planted: Mia misread"):
        assert part in said
    assert "Found: Mia, Nic and Oz; nobody else." in said
    votes = hr.read_comparisons(tmp_path / "new" / "demo" / "votes.csv")
    assert (votes.n_items, votes.n_votes, votes.n_workers) == (12, 600, 15)
    page = (tmp_path / "new" / "demo" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Photos for the calendar" in page


@pytest.mark.slow
def test_as_json_and_with_another_seed(run, tmp_path):
    status, out, _ = run("demo", "-o", tmp_path, "--seed", 100, "--json")
    content = json.loads(out)
    assert status == 0
    assert content["planted"].keys() == PLANTED.keys()
    assert {"Mia", "Nic"} <= set(content["flagged"])
    assert not set(HONEST) & set(content["flagged"])
    shares = [look["true"] for look in content["looks"]]
    assert shares[-1] > 0.9 > shares[0]
