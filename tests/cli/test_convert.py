"""hodgerank convert: any readable file in another format or layout."""

from __future__ import annotations

import json

import polars as pl
import pytest

import hodgerank as hr

VOTES = (
    "model_a,model_b,winner,judge,category,length\n"
    "=1+1,tea,model_a,ann,drinks,10\n"
    "tea,milk,tie,bob,drinks,20\n"
    "milk,=1+1,model_b,ann,'=food,30\n"
)
FORMATS = ["csv", "parquet", "json", "jsonl"]


@pytest.mark.parametrize("layout", ["pairs", "arena"])
@pytest.mark.parametrize("form", FORMATS)
def test_votes_and_columns_come_back(run, write, tmp_path, layout, form):
    source, output = write(VOTES), tmp_path / f"out.{form}"
    status, out, _ = run("convert", source, "--to", layout, "-o", output)
    assert status == 0
    assert f"3 votes written to {output}" in out.replace("\n", "")
    votes, again = hr.read_comparisons(source), hr.read_comparisons(output)
    assert again.items == votes.items
    for name in ("left", "right", "outcome", "worker"):
        assert getattr(again, name).tolist() == getattr(votes, name).tolist()
    for name in ("category", "length"):
        assert again.extra[name].to_list() == votes.extra[name].to_list()
    assert run("rank", output)[0] == 0


def test_text_is_safe_for_spreadsheets(run, write, tmp_path):
    output = tmp_path / "out.csv"
    run("convert", write(VOTES), "-o", output)
    assert output.read_text().splitlines()[1] == "'=1+1,tea,1,ann,drinks,10"
    assert output.read_text().splitlines()[3] == "milk,'=1+1,-1,ann,'=food,30"


def test_ties_are_refused_or_left_out_and_counted(run, write, tmp_path):
    source, output = write(VOTES), tmp_path / "out.csv"
    status, _, err = run("convert", source, "--to", "winners", "-o", output)
    assert status == 2
    assert "1 of 3 votes are ties or grades" in err
    assert "--lossy" in err
    assert not output.exists()
    status, out, _ = run("convert", source, "--to", "winners", "--lossy", "-o", output)
    assert status == 0
    assert "left out: 1 vote that the layout winners cannot express" in out
    assert output.read_text().splitlines()[0] == "winner,loser,worker,category,length"
    assert len(hr.read_comparisons(output)) == 2
    content = json.loads(
        run("convert", source, "--to", "winners", "--lossy", "-o", output, "--json")[1]
    )
    assert (content["votes"], content["left_out"], content["rows"]) == (2, 1, 3)
    assert content["columns"] == ["winner", "loser", "worker", "category", "length"]


def test_only_ties_cannot_be_written_as_winners(run, write, tmp_path):
    source = write("left,right,winner\na,b,tie\nb,a,tie\n")
    status, _, err = run("convert", source, "--to", "winners", "--lossy", "-o", tmp_path / "x.csv")
    assert status == 2
    assert "2 of 2 votes are ties" in err


def test_conditions_and_several_files_apply(run, write, tmp_path):
    one, other = write(VOTES, "one.csv"), write(VOTES, "other.csv")
    output = tmp_path / "out.jsonl"
    assert run("convert", one, other, "--where", "length > 10", "-o", output)[0] == 0
    assert hr.read_comparisons(output).extra["length"].to_list() == ["20", "30"] * 2


def test_groups_stay_a_column(run, write, tmp_path):
    output = tmp_path / "out.csv"
    assert run("convert", write(VOTES), "--by", "category", "-o", output)[0] == 0
    again = hr.read_comparisons(output)
    assert again.items == ("=1+1", "milk", "tea")
    assert sorted(again.extra["category"]) == ["=food", "drinks", "drinks"]


def test_standard_output_holds_only_the_table(run, write):
    status, out, _ = run("convert", write(VOTES), "--to", "arena", "-o", "-")
    assert status == 0
    assert out.splitlines()[0] == "model_a,model_b,winner,judge,category,length"
    assert len(out.splitlines()) == 4


def test_nested_values_become_json_in_csv_and_stay_elsewhere(run, tmp_path):
    table = pl.DataFrame(
        {
            "left": ["a", "b"],
            "right": ["b", "a"],
            "outcome": [1, -1],
            "talk": [[{"role": "user", "text": 'hé, "x"'}], None],
            "raw": [b"\xff", None],
            "kind": pl.Series(["x", None], dtype=pl.Categorical),
            "took": pl.Series([1, None]).cast(pl.Duration("ms")),
            "cost": pl.Series(["1.50", None]).cast(pl.Decimal(10, 2)),
            "": [1, 2],
        }
    )
    table.write_parquet(tmp_path / "in.parquet")
    for form in FORMATS:
        output = tmp_path / f"out.{form}"
        status, _, err = run("convert", tmp_path / "in.parquet", "-o", output)
        assert (status, err) == (0, "")
        talk = hr.read_comparisons(output).extra["talk"]
        first = json.loads(talk[0]) if form == "csv" else talk.to_list()[0]
        assert first == [{"role": "user", "text": 'hé, "x"'}]


def test_columns_that_cannot_be_kept_are_named(run, tmp_path):
    table = pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": [1], "note": ["x"]})
    table.write_parquet(tmp_path / "one.parquet")
    status, out, _ = run("convert", tmp_path / "*.parquet", "-o", tmp_path / "out.csv")
    assert status == 0
    assert "columns not kept: note" in out


def test_wrong_uses_say_what_to_do(run, write, tmp_path):
    source = write(VOTES)
    status, _, err = run("convert", source, "-o", tmp_path / "x.xlsx")
    assert status == 2
    assert "must end in .csv, .parquet, .json, .jsonl" in err
    assert "would overwrite the input" in run("convert", source, "-o", source)[2]
    assert "choose one" in run("convert", source, "-o", "-", "--json")[2]
    tie = write("left,right,winner\ntie,b,left\nb,tie,right\n", "tie.csv")
    err = run("convert", tie, "--to", "arena", "-o", tmp_path / "x.csv")[2]
    assert "the item 'tie' has the name of an outcome" in err


def test_written_outliers_have_the_columns_too(run, tmp_path):
    rows = [{"left": a, "right": b, "outcome": 1} for a, b in ("ab", "bc", "ac")] * 8
    rows.append({"left": "c", "right": "a", "outcome": 1})
    table = pl.DataFrame([{**row, "talk": [k], "row": k} for k, row in enumerate(rows)])
    table.write_parquet(tmp_path / "in.parquet")
    output = tmp_path / "out.csv"
    assert run("outliers", tmp_path / "in.parquet", "-o", output)[0] == 0
    found = pl.read_csv(output)
    last = found.filter(pl.col("row") == 25)
    assert (last["talk"].item(), last["row_extra"].item()) == ("[24]", 24)
    assert "talk" not in run("outliers", tmp_path / "in.parquet", "--json")[1].split("flagged")[1]
