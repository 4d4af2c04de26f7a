"""hodgerank winners: votes to remove, workers to remove, and who could be first."""

from __future__ import annotations

import json

import polars as pl
import pytest

import hodgerank as hr


@pytest.fixture(scope="module")
def crowd():
    return hr.simulate_comparisons(6, 240, spread=0.6, workers=10, rng=5)


@pytest.fixture
def path(crowd, tmp_path):
    file = tmp_path / "votes.csv"
    crowd.to_frame("polars").write_csv(file)
    return file


def test_rows_of_the_file_are_listed_whose_removal_puts_the_item_first(run, path):
    status, out, _ = run("winners", path, "--top", 2, "--json")
    assert status == 0
    content = json.loads(out)
    ranking = hr.rank(str(path))
    assert content["leader"] == ranking.items[0]
    assert [found["item"] for found in content["votes_to_win"]] == list(ranking.items[1:3])
    table = pl.read_csv(path)
    for found in content["votes_to_win"]:
        left = table.filter(~pl.int_range(1, len(table) + 1).is_in(found["rows"]))
        assert len(left) == len(table) - found["n"]
        assert hr.rank(left).items[0] == found["item"]
    for found in content["workers_to_win"]:
        if found["n"]:
            left = table.filter(~pl.col("worker").is_in(found["workers"]))
            assert hr.rank(left).items[0] == found["item"]


def test_one_item_is_shown_with_the_votes_to_remove(run, path):
    rival = hr.rank(str(path)).items[1]
    status, out, _ = run("winners", path, "--rival", rival)
    assert status == 0
    found = hr.votes_to_win(str(path))
    words = " ".join(out.split())
    assert f"{found.n} of 240 votes would put {rival} first (z of the gap: {found.z:.1f})" in words
    assert f"for {found.removed[0].item} against {found.removed[0].other}" in words
    assert run("winners", path, "--rival", "nobody")[0] == 3


def test_the_model_of_the_ranking_is_the_one_that_is_asked_for(run, path):
    content = json.loads(run("winners", path, "--model", "hodgerank", "--top", 1, "--json")[1])
    assert content["model"].startswith("least squares")
    assert content["votes_to_win"][0]["lower_bound"] <= content["votes_to_win"][0]["n"]


def test_table_and_chart_are_written(run, path, tmp_path):
    table, chart = tmp_path / "winners.csv", tmp_path / "winners.svg"
    assert run("winners", path, "-o", table)[0] == 0
    assert pl.read_csv(table).columns == [
        "item", "z", "votes", "of_votes", "workers", "of_workers", "factor"
    ]  # fmt: skip
    assert run("winners", path, "--factor", 3, "-o", chart)[0] == 0
    assert "within a factor of 3" in chart.read_text()
    assert run("winners", path, "--factor", 1)[0] == 2


def test_groups_are_examined_one_by_one(run, path, tmp_path):
    table = pl.read_csv(path)
    both = tmp_path / "both.csv"
    pl.concat([table.with_columns(scene=pl.lit(name)) for name in "ab"]).write_csv(both)
    content = json.loads(run("winners", both, "--by", "scene", "--top", 1, "--json")[1])
    assert [group["scene"] for group in content["groups"]] == ["a", "b"]
    one, other = (group["votes_to_win"][0] for group in content["groups"])
    assert (one["item"], one["n"]) == (other["item"], other["n"])
    assert [row + 240 for row in one["rows"]] == other["rows"]


def test_trust_and_the_report_state_votes_to_win_with_z(run, path, tmp_path):
    found = hr.votes_to_win(str(path))
    said = " ".join(run("trust", path)[1].split())
    assert f"removing {found.n} of 240 votes would put {found.item} first" in said
    content = json.loads(run("trust", path, "--json")[1])
    assert content["votes_to_win"][0]["n"] == found.n
    page = tmp_path / "report.md"
    assert run("report", path, "--no-forecast", "-o", page)[0] == 0
    gap = f"(z of the gap: {found.z:.1f})"
    assert (
        f"Removing {found.n} of 240 votes would put “{found.item}” first {gap}." in page.read_text()
    )


def test_position_bias_may_have_several_groupings(run, path, tmp_path):
    table = pl.read_csv(path).with_row_index().with_columns(page=pl.col("index") % 3)
    paged = tmp_path / "paged.csv"
    table.drop("index").write_csv(paged)
    grouped = ("winners", paged, "--position-bias", "page,worker", "--top", 1)
    status, out, _ = run(*grouped)
    assert status == 0
    assert "not used" not in out
    found = hr.votes_to_win(str(paged), position_bias=["page", "worker"])
    assert json.loads(run(*grouped, "--json")[1])["votes_to_win"][0]["n"] == found.n


def test_no_item_is_first_if_all_votes_are_ties(run, tmp_path):
    ties = tmp_path / "ties.csv"
    rows = [f"{pair},0,w{k}" for k in range(12) for pair in ("a,b", "b,c", "c,a", "d,a")]
    ties.write_text("\n".join(["left,right,outcome,worker", *rows]))
    status, _, problem = run("winners", ties)
    assert status == 3
    assert "no item is first: the votes show no difference between them" in problem
    status, out, _ = run("rank", ties)
    assert status == 0
    assert "1 to 4" in out


def test_the_largest_of_disconnected_groups_can_be_examined(run, tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,outcome\na,b,1\na,b,1\nb,a,1\nb,c,1\nc,b,1\nx,y,1\n")
    assert run("winners", votes)[0] == 4
    status, out, _ = run("winners", votes, "--largest-component")
    assert status == 0
    assert "a is first" in out
