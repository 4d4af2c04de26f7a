"""What `trust` finds can be acted upon."""

from __future__ import annotations

import json

import polars as pl
import pytest

from hodgerank.cli.result import BAD_INPUT, NOT_UNIQUE, WRONG_USAGE


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
    assert content["notes"][0].endswith("2 (x, y), with 1 of 5 votes (20%)")
    assert run("rank", path, "--min-votes", 50)[0] == BAD_INPUT


def test_items_are_left_out_by_both_options_one_after_the_other(run, write):
    rows = "a,b,1\n" * 4 + "b,h,1\nh,c,1\n" + "c,d,1\n" * 3
    path = write("left,right,outcome\n" + rows)
    assert run("rank", path, "--min-votes", 3)[0] == NOT_UNIQUE  # h connected them
    both = ("--min-votes", 3, "--largest-component", "--json")
    content = json.loads(run("rank", path, *both)[1])
    assert [row["item"] for row in content["items"]] == ["a", "b"]
    assert [note.split(", with ")[1] for note in content["notes"]] == [
        "2 of 9 votes (22%)",
        "3 of 7 votes (43%)",
    ]


def test_notes_say_what_was_left_out_of_each_group(run, write):
    rows = "s,a,b,1\n" * 4 + "s,b,c,1\n" + "t,a,b,1\n"
    path = write("scene,left,right,outcome\n" + rows)
    status, out, _ = run("rank", path, "--by", "scene", "--min-votes", 2, "--json")
    content = json.loads(out)
    assert status == BAD_INPUT  # of t, no votes are left
    assert content["notes"][0].startswith("scene s: items with fewer than 2 votes left out: 1 (c)")
    assert content["notes"][1].startswith("scene t: no votes are left")
    assert [group["scene"] for group in content["groups"]] == ["s"]
    rows = "".join(f"{k},a,b,1\n{k},b,a,1\n{k},b,c,1\n" for k in range(9))
    path = write("scene,left,right,outcome\n" + rows)
    notes = json.loads(run("rank", path, "--by", "scene", "--min-votes", 2, "--json")[1])["notes"]
    assert notes[-1] == "... and 4 more notes on groups"


def test_items_are_left_out_of_one_ranking_only(run, write):
    path = write("left,right,outcome,who\na,b,1,x\nb,a,1,y\na,b,1,y\n")
    for option in (("--min-votes", 2), ("--largest-component",)):
        status, _, err = run("rank", path, "--compare", "who", *option)
        assert status == WRONG_USAGE
        assert "cannot be used with --compare" in err


def test_the_largest_component_of_many_files_is_ranked(run, tmp_path):
    for k, pair in enumerate([("a", "b"), ("b", "c"), ("x", "y")]):
        pl.DataFrame({"winner": [pair[0]], "loser": [pair[1]]}).write_parquet(
            tmp_path / f"{k}.parquet"
        )
    files = str(tmp_path / "*.parquet")
    assert run("rank", files)[0] == NOT_UNIQUE
    content = json.loads(run("rank", files, "--largest-component", "--json")[1])
    assert len(content["items"]) == 3
    assert "2 (x, y), with 1 of 3 votes (33%)" in content["notes"][0]


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
