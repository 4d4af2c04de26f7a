"""hodgerank report: what it writes, where, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import hodgerank as hr

STEPS = [
    "ranking",
    "assessing consistency and workers",
    "looking for votes that decide the first place",
    "choosing the next pairs",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    votes = hr.simulate_comparisons(5, 200, spread=2, workers={"honest": 4}, rng=1)
    votes.to_frame("polars").write_csv("votes.csv")
    return tmp_path


def test_it_writes_a_page_and_prints_the_answer(run, folder):
    status, out, err = run("report", "votes.csv", "--no-forecast")
    assert status == 0
    assert err.splitlines() == STEPS
    assert "written to report.html" in out
    assert "5 items" in out
    assert (folder / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(("name", "start"), [("r.md", "# "), ("r.json", "{"), ("r.HTML", "<!doc")])
def test_the_name_tells_the_format(run, folder, name, start):
    status, _, err = run("report", "votes.csv", "--no-forecast", "-o", name)
    assert (status, err.splitlines()) == (0, STEPS)
    assert (folder / name).read_text().startswith(start)


def test_a_format_without_a_name_goes_to_a_report_of_that_kind(run, folder):
    run("report", "votes.csv", "--no-forecast", "--format", "md")
    assert (folder / "report.md").exists()
    assert not (folder / "report.html").exists()


def test_standard_output_gets_the_page_alone(run, folder):
    status, out, _ = run("report", "votes.csv", "--no-forecast", "--format", "md", "-o", "-")
    assert status == 0
    assert out.startswith("# Votes")
    assert not list(folder.glob("report.*"))


def test_json_is_printed_and_no_page_is_written(run, folder):
    status, out, _ = run("report", "votes.csv", "--no-forecast", "--json")
    assert status == 0
    assert len(json.loads(out)["answer"]) == 3
    assert not list(folder.glob("report.*"))


def test_the_command_line_stands_in_the_methods(run, folder):
    run("report", "votes.csv", "--no-forecast", "--title", "Two words", "-o", "r.md")
    text = (folder / "r.md").read_text()
    assert "hodgerank report votes.csv --no-forecast --title 'Two words' -o r.md" in text
    assert text.startswith("# Two words")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-o", "r.pdf"), "must end in .html, .md, .json"),
        (("-o", "r.html", "--format", "md"), "goes into a file that ends in .md"),
        (("-o", "nowhere/r.html"), "the folder nowhere does not exist"),
        (("--json", "-o", "-"), "both write to standard output"),
        (("--confidence", "2"), "confidence"),
    ],
)
def test_what_cannot_be_is_refused(run, folder, options, words):
    status, _, err = run("report", "votes.csv", *options)
    assert status == 2
    assert words in err


def test_votes_are_not_overwritten(run, folder):
    hr.read_comparisons("votes.csv").to_frame("polars").write_ndjson("votes.json")
    before = (folder / "votes.json").read_bytes()
    status, _, err = run("report", "votes.json", "-o", "votes.json")
    assert status == 2
    assert "would overwrite" in err
    assert (folder / "votes.json").read_bytes() == before


def test_disconnected_items_end_with_status_4_and_say_what_to_compare(run, folder):
    (folder / "apart.csv").write_text("left,right,winner\na,b,a\na,b,a\nc,d,c\nc,d,c\n")
    status, _, err = run("report", "apart.csv", "--no-forecast", "-o", "r.md")
    assert status == 4
    assert "error: " in err
    assert not (folder / "r.md").exists()


def test_models_and_options_of_rank_are_those_of_the_report(run, folder):
    options = ("--model", "bradley-terry", "--position-bias", "common", "--confidence", "0.9")
    status, _, err = run("report", "votes.csv", "--no-forecast", *options, "-o", "r.md")
    assert (status, err.splitlines()) == (0, STEPS)
    assert "90% interval" in (folder / "r.md").read_text()


def test_workers_can_be_left_out(run, folder):
    (folder / "bots.txt").write_text("honest-01\n")
    command = ("report", "votes.csv", "--no-forecast", "--exclude-workers", "bots.txt")
    status, _, err = run(*command, "-o", "r.md")
    assert (status, err.splitlines()) == (0, STEPS)
    assert "workers left out: 1 (honest-01)".lower() in (folder / "r.md").read_text().lower()


def test_groups_are_reported_side_by_side(run, folder):
    votes = hr.read_comparisons("votes.csv").to_frame("polars")
    votes.with_row_index("scene").with_columns(scene=(votes["left"] < "item-3")).write_csv("g.csv")
    status, out, _ = run("report", "g.csv", "--by", "scene", "-o", "g.md")
    assert status in (0, 4)
    assert "scene" in (folder / "g.md").read_text()
    assert "groups" in out


def test_without_the_library_of_charts_html_is_refused_and_text_is_not(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    status, _, err = run("report", "votes.csv", "--no-forecast")
    assert status == 3
    assert "hodgerank[plot]" in err
    assert run("report", "votes.csv", "--no-forecast", "-o", "r.md")[0] == 0


def test_a_terminal_without_typographic_quotes_gets_plain_ones(folder):
    command = [sys.executable, "-m", "hodgerank", "report", "votes.csv", "--no-forecast"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*command, "-o", "r.json"], env=environment, capture_output=True)
    assert done.returncode == 0
    assert b'"item-5"' in done.stdout
    assert b"\\u201c" not in done.stdout
