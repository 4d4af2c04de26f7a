"""- is standard input wherever a file is read, and standard output where a table is written."""

from __future__ import annotations

import io
import json
import sys

import polars as pl
import pytest

from hodgerank.cli.result import WRONG_USAGE
from processes import in_shell

VOTES = (
    "left,right,outcome,worker,scene\n"
    + "é,b,1,w1,s\nb,c,1,w1,s\né,c,1,w2,s\né,b,-1,w2,s\nb,c,1,w2,s\n" * 4
)
TABLES = {
    "rank": "item",
    "rank --by scene": "scene",
    "workers": "worker",
    "outliers --false-positive-rate 0.5": "row",
    "trust": "part",
    "trust --by scene": "scene",
    "plan --target 0": "pair",
    "plan --target 0 --by scene": "scene",
    "replay --runs 1 --votes 5": "strategy",
}


def pipe(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", TABLES)
def test_a_table_and_nothing_else_goes_to_standard_output(run, write, tmp_path, command):
    name, *options = command.split()
    votes, file = write(VOTES), tmp_path / "table.csv"
    status, out, _ = run(name, votes, *options, "-o", "-")
    assert status == 0
    assert pl.read_csv(io.StringIO(out)).columns[0] == TABLES[command]
    run(name, votes, *options, "-o", file)
    assert out == file.read_text()


def test_what_one_should_know_goes_to_standard_error(run, write):
    votes = write(VOTES + "b,b,1,w1,s\n")
    status, out, err = run("rank", votes, "--skip-invalid", "-o", "-")
    assert status == 0
    assert out.startswith("item,score")
    assert "! left out: 1 x an item is compared with itself" in err
    assert "95% interval" not in err


def test_two_results_do_not_share_standard_output(run, write):
    for arguments in (("rank", write(VOTES)), ("simulate",)):
        status, out, err = run(*arguments, "-o", "-", "--json")
        assert (status, out) == (WRONG_USAGE, "")
        assert "choose one" in err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_table_is_utf_8_and_json_is_json_whatever_the_terminal_shows(
    run, write, monkeypatch, encoding
):
    votes, printed = write(VOTES), []
    for option in ("-o-", "--json"):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding))
        assert run("rank", votes, option)[0] == 0
        printed.append(sys.stdout.buffer.getvalue())
    assert "é," in printed[0].decode("utf-8")
    content = json.loads(printed[1].decode(encoding))
    assert {row["item"] for row in content["items"]} == {"é", "b", "c"}


def test_commands_make_pipelines(tmp_path):
    end = in_shell(
        f"simulate --seed 1 --votes 200 -o - | '{sys.executable}' -m hodgerank rank - -o - "
        "> ranking.csv",
        tmp_path,
    )
    assert (end.returncode, end.stderr) == (0, "")
    assert len(pl.read_csv(tmp_path / "ranking.csv")) == 16


@pytest.mark.parametrize(
    "command",
    ["rank", "trust", "workers", "outliers", "describe", "plan --target 0",
     "replay --runs 1 --votes 5"],
)  # fmt: skip
def test_every_command_reads_votes_from_a_pipe(run, monkeypatch, command):
    pipe(monkeypatch, VOTES)
    name, *options = command.split()
    status, out, _ = run(name, "-", *options)
    assert status == 0
    assert "standard input: 20 rows as left, right, outcome, worker" in " ".join(out.split())


def test_lists_are_read_from_a_pipe(run, write, monkeypatch):
    votes = write(VOTES)
    pipe(monkeypatch, "apple\npear\nplum\n")
    assert "3 items, 0 votes" in run("plan", "-", "--target", 0)[1]
    pipe(monkeypatch, "item\né\nnew\n")
    assert "4 items" in run("plan", votes, "--items", "-", "--target", 0)[1]
    pipe(monkeypatch, "left,right\né,b\n")
    assert run("plan", votes, "--pending", "-", "--target", 0)[0] == 0
    pipe(monkeypatch, "item,score\né,3\nb,2\nc,1\n")
    assert "Kendall's tau" in run("rank", votes, "--truth", "-")[1]
    pipe(monkeypatch, "worker\nw2\n")
    assert "workers left out: 1 (w2)" in run("rank", votes, "--exclude-workers", "-")[1]


def test_standard_input_is_read_once(run, write, monkeypatch):
    pipe(monkeypatch, VOTES)
    for arguments in (
        ("rank", "-", "--truth", "-"),
        ("rank", "-", "-"),
        ("plan", "-", "--items", "-"),
        ("plan", write(VOTES), "--by", "scene", "--pending", "-"),
    ):
        status, _, err = run(*arguments)
        assert status == WRONG_USAGE
        assert "once" in err


def test_votes_in_a_text_file_are_not_taken_for_items(run, write):
    path = write("a,b,1,w1\nb,c,1,w1\na,c,1,w2\na,b,-1,w2\nb,c,1,w2\n", "votes.txt")
    status, _, err = run("plan", path, "--target", 0)
    assert status == 3
    assert "add --no-header" in err
    status, out, _ = run("plan", path, "--no-header", "--target", 0)
    assert status == 0
    assert "3 items, 5 votes" in out
