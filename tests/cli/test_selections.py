"""What `trust` finds can be acted upon."""

from __future__ import annotations

import json

import polars as pl
import pytest

from hodgerank.cli.result import BAD_INPUT, WRONG_USAGE


@pytest.fixture
def crowd_file(run, tmp_path):
    path = tmp_path / "crowd.csv"
    run("simulate", "--items", 8, "--votes", 800, "--spread", 2, "--workers",
        "honest=8,adversarial=2", "--seed", 1, "-o", path)  # fmt: skip
    return path


@pytest.mark.parametrize("model", ["robust", "bayes"])
def test_more_models(run, crowd_file, model):
    status, out, _ = run("rank", crowd_file, "--model", model, "--json")
    assert status == 0
    assert len(json.loads(out)["items"]) == 8
    status, out, _ = run("rank", crowd_file, "-m", model, "--covariance", "worker", "--json")
    assert "clustered by worker" in json.loads(out)["uncertainty"]


def test_flagged_workers_are_left_out(run, crowd_file, tmp_path):
    content = json.loads(run("rank", crowd_file, "--exclude-workers", "flagged", "--json")[1])
    assert content["workers"] == 8
    assert "adversarial-01, adversarial-02" in content["notes"][0]
    table, names = tmp_path / "workers.csv", tmp_path / "names.txt"
    run("workers", crowd_file, "-o", table)
    names.write_text("adversarial-01\nadversarial-02\n")
    for listed in (table, names):
        found = json.loads(run("rank", crowd_file, "--exclude-workers", listed, "--json")[1])
        assert found["items"] == content["items"]
    assert run("rank", crowd_file, "--exclude-workers", "nobody.txt")[0] == WRONG_USAGE
    assert run("rank", crowd_file, "--exclude-workers", names, "-o", names)[0] == WRONG_USAGE


def test_items_with_few_answers_and_small_components_are_left_out(run, write):
    rows = "a,b,1\nb,a,-1\na,b,-1\nb,c,1\nx,y,1\n"
    path = write("left,right,outcome\n" + rows)
    content = json.loads(run("rank", path, "--min-votes", 2, "--json")[1])
    assert [row["item"] for row in content["items"]] == ["a", "b"]
    assert "3 (c, x, y)" in content["notes"][0]
    content = json.loads(run("rank", path, "--largest-component", "--json")[1])
    assert sorted(row["item"] for row in content["items"]) == ["a", "b", "c"]
    assert run("rank", path, "--min-votes", 50)[0] == BAD_INPUT


def test_trust_is_written(run, crowd_file, tmp_path):
    report, table = tmp_path / "trust.json", tmp_path / "trust.csv"
    assert run("trust", crowd_file, "-o", report)[0] == 0
    assert json.loads(report.read_text())["verdict"]
    assert run("trust", crowd_file, "-o", table)[0] == 0
    assert pl.read_csv(table)["share"].sum() == pytest.approx(1)


def test_a_sheet_is_filled_in_and_read_back(run, write, tmp_path):
    votes = write("left,right,outcome,worker\na,b,1,ann\nb,c,1,bob\nc,a,-1,ann\n")
    sheet = tmp_path / "sheet.csv"
    run("plan", votes, "-n", 8, "--target", 0, "-o", sheet)
    table = pl.read_csv(sheet)
    pairs = [frozenset(row) for row in table.select("left", "right").rows()]
    again = [pair in pairs[:k] for k, pair in enumerate(pairs)]
    assert (table["note"] == "another person").fill_null(value=False).to_list() == again
    assert any(again)
    said = ["left", "right", "tie", table["left"][3], None, None, None, None]
    who = ["ann", "bob", "ann", "bob", None, None, None, None]
    table.with_columns(pl.Series("answer", said), pl.Series("worker", who)).write_csv(sheet)
    content = json.loads(run("rank", votes, sheet, "--json")[1])
    assert content["votes"] == 3 + 4
    assert content["unanswered"] == 4
    assert content["workers"] == 2


def test_several_files_and_a_condition(run, write):
    one = write("left,right,outcome,worker\na,b,1,ann\nb,a,1,bot\n", "one.csv")
    two = write("winner,loser,worker\nb,a,bob\n", "two.csv")
    content = json.loads(run("rank", one, two, "--where", "worker != 'bot'", "--json")[1])
    assert content["votes"] == 2
    assert content["filtered"] == 1
    assert run("rank", one, two, "--where", "nobody = 1")[0] == BAD_INPUT
    assert run("rank", one, two, "--state", one.with_name("s.parquet"))[0] == WRONG_USAGE
    assert run("rank", one, "--where", "worker =")[0] == WRONG_USAGE


def test_rows_are_numbered_as_in_the_file(run, write):
    rows = "".join("a,b,1\n" if k % 9 else "a,b,skip\n" for k in range(1, 60))
    path = write("left,right,outcome\n" + rows + "b,a,1\n")
    found = json.loads(run("outliers", path, "--false-positive-rate", 0.2, "--json")[1])
    assert [row["row"] for row in found["flagged"]] == [60]
