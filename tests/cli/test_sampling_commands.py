"""Commands that choose pairs, as a user runs them."""

from __future__ import annotations

import json
from itertools import pairwise

import polars as pl
import pytest

from hodgerank.cli.result import BAD_INPUT
from pace import at_most

pytestmark = pytest.mark.usefixtures("few_futures")

VOTES = "left,right,label,worker\na,b,1,w1\nb,c,1,w1\na,c,1,w2\na,b,-1,w2\nb,c,1,w2\n"


def test_plan_from_a_list_of_items(run, tmp_path):
    items = tmp_path / "items.txt"
    items.write_text("apple\npear\nplum\nfig\n")
    status, out, _ = run("plan", items, "-n", 4, "--target", 0)
    assert status == 0
    assert "4 items, 0 votes so far" in out
    assert all(name in out for name in ("apple", "pear", "plum", "fig"))


def test_plan_from_votes_writes_pairs_and_forecasts(run, write, tmp_path):
    status, out, _ = run("plan", write(VOTES), "-n", 3, "-o", tmp_path / "pairs.csv", "--json")
    content = json.loads(out)
    assert status == 0
    assert len(content["pairs"]) == 3
    assert content["forecast"]["target"] == 0.9
    sheet = pl.read_csv(tmp_path / "pairs.csv")
    assert sheet.columns == ["pair", "left", "right", "answer", "worker", "note", "asked_by"]
    assert sheet["answer"].null_count() == 3
    gains = [row["gain"] for row in content["pairs"]]
    assert gains == sorted(gains, reverse=True)


def test_plan_leaves_out_what_it_is_told_to(run, write, tmp_path):
    pairs = tmp_path / "asked.csv"
    pairs.write_text("left,right\nd,b\n")
    more = tmp_path / "items.csv"
    more.write_text("item\na\nb\nc\nd\n")
    options = ["--items", more, "--exclude", "a", "--exclude", pairs, "--target", 0, "--json"]
    status, out, _ = run("plan", write(VOTES), "-n", 10, *options)
    found = {frozenset((row["left"], row["right"])) for row in json.loads(out)["pairs"]}
    assert status == 0
    assert found == {frozenset("bc"), frozenset("cd")}
    status, out, _ = run("plan", write(VOTES), "--for", "w2", "--target", 0)
    assert status == BAD_INPUT


@pytest.mark.parametrize(
    "strategy", ["rank", "bayesian", "d-optimal", "a-optimal", "fiedler", "crowd-bt"]
)
def test_plan_knows_every_strategy(run, write, strategy):
    status, out, _ = run("plan", write(VOTES), "--strategy", strategy, "-n", 2, "--target", 0)
    assert status == 0
    assert strategy in out


def test_plan_aims_at_the_best(run, tmp_path):
    votes, sheet = tmp_path / "votes.csv", tmp_path / "sheet.csv"
    run("simulate", "--items", 8, "--votes", 60, "--spread", 2, "--seed", 1, "-o", votes)
    status, out, _ = run("plan", votes, "--top", 2, "-n", 4, "-o", sheet)
    assert status == 0
    assert "pairs to find the best 2" in out
    assert "forecast: top 2 certain to " in out
    assert pl.read_csv(sheet)["asked_by"].unique().to_list() == ["top-2"]
    status, out, _ = run("plan", votes, "--top", 2, "--target", 0.6, "--json")
    outlook = json.loads(out)["forecast"]
    assert (outlook["rule"], outlook["target"]) == ("top 2 certain to 60%", 0.6)
    assert 0 <= outlook["now"] <= 1
    status, _, err = run("plan", votes, "--top", 2, "--strategy", "rank")
    assert status == 2
    assert "leave out --strategy" in err


def test_plan_shows_as_many_pairs_as_are_wanted(run, write):
    status, out, _ = run("plan", write(VOTES), "-n", 5, "--show", 2, "--target", 0)
    assert status == 0
    assert "... and 3 more (--show 0 shows all)" in out


def test_plan_names_what_it_does_not_know(run, write, tmp_path):
    status, _, err = run("plan", write(VOTES), "--strategy", "magic")
    assert status == 2
    assert "auto, sort, rank, bayesian" in err
    status, _, err = run("plan", write(VOTES), "--exclude", "zebra")
    assert status == BAD_INPUT
    assert "not among the items" in err
    assert "nor is it a file" in err
    nothing = tmp_path / "pairs.csv"
    nothing.write_text("a,zebra\n")
    status, _, err = run("plan", write(VOTES), "--exclude", nothing)
    assert status == BAD_INPUT
    assert "no pairs" in err


@pytest.mark.parametrize("name", ["curves.csv", "curves.svg", "curves.png", "curves.html"])
def test_replay_draws_learning_curves(run, tmp_path, name):
    votes, output = tmp_path / "votes.csv", tmp_path / name
    run("simulate", "--items", 6, "--votes", 300, "--spread", 2, "--seed", 1, "-o", votes)
    status, out, _ = run("replay", votes, "--runs", 2, "--votes", 12, "-o", output)
    assert status == 0
    assert "● auto   ○ random" in out
    assert output.stat().st_size > 100


def test_replay_does_not_use_a_vote_twice(run, write):
    status, _, err = run("replay", write(VOTES), "--votes", 6)
    assert status == 2
    assert "6 votes cannot be drawn from 5" in err


def test_a_simulated_campaign_chooses_its_pairs(run, tmp_path):
    votes = tmp_path / "votes.csv"
    status, _, _ = run("simulate", "--items", 6, "--votes", 40, "--pairs", "auto", "-o", votes)
    assert status == 0
    assert len(pl.read_csv(votes)) == 40


def test_plan_takes_odd_files_as_they_are_meant(run, write, tmp_path):
    items = tmp_path / "items.txt"
    items.write_text("a\nb\nc\n")
    pairs = tmp_path / "asked.csv"
    pairs.write_text("a,b\na,c\n")  # no header
    status, out, _ = run("plan", items, "-n", 5, "--exclude", pairs, "--target", 0, "--json")
    assert status == 0
    assert {frozenset((r["left"], r["right"])) for r in json.loads(out)["pairs"]} == {
        frozenset("bc")
    }
    pairs.write_text("left,right\na,zebra\n")
    status, _, err = run("plan", items, "--pending", pairs)
    assert status == BAD_INPUT
    assert "zebra" in err
    items.write_bytes(b"\xff\xfe\x00bad")
    assert run("plan", items)[0] == BAD_INPUT
    votes = write("left,right,label\n1,2,1\n2,3,1\n")
    more = tmp_path / "more.txt"
    more.write_text("3\nx\n")
    output = tmp_path / "pairs.csv"
    status, _, _ = run("plan", votes, "--items", more, "-n", 4, "-o", output, "--target", 0)
    assert status == 0
    assert len(pl.read_csv(output)) == 4
    assert run("plan", votes, "--seed", 2**63 - 1, "--target", 0)[0] == 0


def test_absurd_numbers_of_votes_are_wrong_usage(run, tmp_path):
    for options in (
        ("--items", 10**12),
        ("--votes", 10**15),
        ("--votes", 10**30),
        ("--votes", 10**15, "--pairs", "auto"),
        ("--workers", f"honest={10**12}"),
    ):
        status, _, err = run("simulate", *options, "-o", tmp_path / "x.csv")
        assert status == 2
        assert "of memory of this machine: the limit is about" in err


@pytest.mark.slow
def test_long_lists_take_no_longer_per_item(run, tmp_path):
    names = [f"item-{k}" for k in range(60_000)]
    (tmp_path / "twice.txt").write_text("\n".join([*names, names[-1]]))
    (tmp_path / "items.txt").write_text("\n".join(names))
    (tmp_path / "votes.csv").write_text(
        "\n".join(["left,right,label", *(f"{a},{b},1" for a, b in pairwise(names))])
    )
    few = "\n".join(["left,right,label", *(f"{a},{b},1" for a, b in pairwise(names[:1500]))])
    (tmp_path / "few.csv").write_text(few)
    assert run("plan", tmp_path / "few.csv")[0] == 0  # compiles what is timed
    with at_most(2):
        status, _, err = run("plan", tmp_path / "twice.txt")
    assert (status, "'item-59999' is listed twice" in err) == (BAD_INPUT, True)
    with at_most(6):
        assert run("plan", tmp_path / "votes.csv", "--items", tmp_path / "items.txt")[0] == 0
    excluded = [part for name in names[:1000] for part in ("--exclude", name)]
    with at_most(6):
        assert run("plan", tmp_path / "items.txt", *excluded)[0] == 0
    with at_most(6):
        assert run("plan", tmp_path / "items.txt", "-n", 20_000)[0] == 0
