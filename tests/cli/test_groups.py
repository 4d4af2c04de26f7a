"""Groups and populations, as a user asks for them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.cli.result import BAD_INPUT, NOT_UNIQUE
from hodgerank.estimators.workers.assessment import IMPRECISE


@pytest.fixture
def scenes(tmp_path):
    """Two scenes in which the same names are ranked the other way round."""
    parts = []
    for k, (scene, scores) in enumerate({"beach": [3, 2, 1, 0], "street": [0, 1, 2, 3]}.items()):
        votes = hr.simulate_comparisons(
            ["a", "b", "c", "d"], 240, scores=scores, workers={"honest": 6, "random": 1}, rng=k
        )
        parts.append(votes.to_frame("polars").with_columns(pl.lit(scene).alias("scene")))
    table = pl.concat(parts)
    country = np.where(np.arange(len(table)) % 2, "AT", "DE")
    path = tmp_path / "votes.csv"
    table.with_columns(pl.Series("country", country)).write_csv(path)
    return path


def test_pooling_is_pointed_out(run, scenes):
    _, out, _ = run("rank", scenes)
    assert "--by scene" in " ".join(out.split())


def test_the_column_that_splits_the_items_is_named_once(run, write):
    rows = "a,b,1,north\nb,c,1,north\nc,a,1,north\nx,y,1,south\ny,z,1,south\nz,x,1,south\n"
    path = write("left,right,outcome,division\n" + rows)
    status, _, err = run("rank", path)
    assert status == NOT_UNIQUE
    text = " ".join(err.split())
    assert "The column 'division' splits the items exactly into these groups" in text
    assert text.count("--by division") == 1
    assert run("rank", path, "--by", "division")[0] == 0
    with pytest.raises(hr.errors.DisconnectedGraph, match="--by division"):
        hr.rank(path)
    one_more = write("left,right,outcome,division\n" + rows + "p,q,1,south\n" * 2)
    err = " ".join(run("rank", one_more)[2].split())
    assert "exactly" not in err
    assert "! column 'division' splits the items into 2 groups" in err


def test_results_of_the_past_are_ranked_within_the_largest_group(run, write, tmp_path):
    players = "".join(f"p{k},p{(k + step) % 9}\n" for k in range(9) for step in (1, 2))
    path = write("winner,loser\n" + players + "".join(f"q{k},r{k}\n" for k in range(6)))
    status, _, err = run("rank", path)
    assert status == NOT_UNIQUE
    first = "Rank only the largest group (9 of 21 items with 75% of the votes) with"
    assert f"{first} --largest-component" in " ".join(err.split())
    assert run("rank", path, "--largest-component")[0] == 0
    page = tmp_path / "report.md"
    assert run("report", path, "-o", page)[0] == NOT_UNIQUE
    status, out, _ = run("report", path, "--largest-component", "--no-forecast", "-o", page)
    assert status == 0
    assert "with 6 of 24 votes (25%)" in " ".join(out.split())


def test_each_group_has_its_ranking(run, scenes, tmp_path):
    output = tmp_path / "rankings.csv"
    status, out, _ = run("rank", scenes, "--by", "scene", "-o", output)
    assert status == 0
    assert "the leader is certain in 2 of 2 groups" in " ".join(out.split())
    table = pl.read_csv(output)
    leaders = table.filter(pl.col("rank") == 1).select("scene", "item").rows()
    assert leaders == [("beach", "a"), ("street", "d")]
    content = json.loads(run("rank", scenes, "--by", "scene", "--json")[1])
    assert [group["scene"] for group in content["groups"]] == ["beach", "street"]
    assert content["summary"][0]["leader_is_certain"] is True
    status, _, _ = run("rank", scenes, "--by", "scene", "-o", tmp_path / "chart.svg")
    assert status == 0
    assert "scene beach" in (tmp_path / "chart.svg").read_text()


def test_models_and_selections_hold_for_each_group(run, scenes):
    for more in (("--model", "robust"), ("--model", "bayes"), ("--exclude-workers", "flagged"),
                 ("--min-votes", 3), ("--largest-component",)):  # fmt: skip
        assert run("rank", scenes, "--by", "scene", *more)[0] == 0
    for more in (("--truth", scenes), ("--state", "x.parquet"), ("--compare", "country")):
        assert run("rank", scenes, "--by", "scene", *more)[0] == 2


@pytest.mark.slow
@pytest.mark.usefixtures("few_futures")
def test_every_command_takes_groups(run, scenes, tmp_path):
    for command in ("trust", "plan", "workers", "outliers", "describe", "replay"):
        more = ("--runs", 1, "--votes", 20) if command == "replay" else ()
        status, out, err = run(command, scenes, "--by", "scene", *more)
        assert (status, err.strip()) == (0, ""), command
        if command != "workers":
            assert "scene beach" in out
            assert "scene street" in out
        content = json.loads(run(command, scenes, "--by", "scene", "--json", *more)[1])
        if command != "workers":
            assert [group["scene"] for group in content["groups"]] == ["beach", "street"]
        if command != "describe":
            output = tmp_path / f"{command}.csv"
            assert run(command, scenes, "--by", "scene", "-o", output, *more)[0] == 0
            assert (pl.read_csv(output).columns[0] == "scene") == (command != "workers")


def test_workers_are_assessed_over_all_groups(run, scenes):
    found = json.loads(run("workers", scenes, "--by", "scene", "--json")[1])["workers"]
    assert {row["worker"]: row["flag"] for row in found}["random-01"] in ("careless", IMPRECISE)
    assert sum(row["votes"] for row in found) == 480
    trust = json.loads(run("trust", scenes, "--by", "scene", "--json")[1])
    assert [row["flag"] for row in trust["workers"]["workers"]] == [row["flag"] for row in found]
    assert "workers" not in trust["groups"][0]


def test_the_budget_of_a_plan_is_shared(run, scenes, tmp_path):
    sheet = tmp_path / "sheet.csv"
    run("plan", scenes, "--by", "scene", "-n", 7, "--target", 0, "-o", sheet)
    assert sorted(pl.read_csv(sheet)["scene"].value_counts()["count"]) == [3, 4]
    status, _, _ = run("plan", scenes, "--by", "scene", "--pending", sheet, "--target", 0)
    assert status == 0
    assert run("plan", scenes, "--by", "scene", "--exclude", "a")[0] == 2


def test_a_group_that_cannot_be_ranked_leaves_the_others_standing(run, write):
    rows = "s,a,b,1\ns,b,a,-1\ns,c,d,1\nt,a,b,1\nt,b,a,1\nt,a,b,-1\n"
    path = write("scene,left,right,outcome\n" + rows)
    status, out, _ = run("rank", path, "--by", "scene")
    assert status == NOT_UNIQUE
    assert "in 0 of 2 groups" in " ".join(out.split())
    assert "scene s: the items form 2 disconnected groups" in " ".join(out.split())
    assert run("rank", path, "--by", "scene", "--components", "separate")[0] == 0
    assert run("rank", path, "--by", "scenes")[0] == BAD_INPUT


@pytest.mark.slow
def test_populations_are_compared(run, scenes, tmp_path):
    status, out, _ = run("rank", scenes, "--compare", "scene")
    assert status == 0
    text = " ".join(out.split())
    assert "Beach and street rank differently (p = .0" in text
    assert "moved" in text
    content = json.loads(run("rank", scenes, "--compare", "country", "--json")[1])
    assert content["compare"] == "country"
    assert content["p_value"] > 0.05
    assert {"verdict", "agreement", "items", "moved"} <= content.keys()
    output = tmp_path / "moved.csv"
    assert run("rank", scenes, "--compare", "scene", "-o", output)[0] == 0
    assert pl.read_csv(output).columns[:2] == ["item", "population"]


def test_a_column_with_one_value_has_nobody_to_compare(run, write):
    path = write("left,right,outcome,country\na,b,1,AT\nb,a,-1,AT\n")
    status, _, err = run("rank", path, "--compare", "country")
    assert status == 2
    assert "two" in err


def test_two_judges_are_compared_by_their_own_column(run, tmp_path):
    votes = hr.simulate_comparisons(["a", "b", "c"], 300, spread=2, workers={"honest": 2}, rng=1)
    path = tmp_path / "judges.csv"
    votes.to_frame("polars").rename({"worker": "judge"}).write_csv(path)
    status, out, _ = run("rank", path, "--compare", "judge")
    assert status == 0
    assert "a single worker" in " ".join(out.split())
    assert run("rank", path, "--by", "left")[0] == BAD_INPUT
