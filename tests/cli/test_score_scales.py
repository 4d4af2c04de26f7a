"""Scores in Elo points, JOD, log odds and win probabilities, and leaderboards, from the shell."""

from __future__ import annotations

import json

import polars as pl
import pytest

import hodgerank as hr


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    path = tmp_path_factory.mktemp("scales") / "votes.csv"
    simulated = hr.simulate_comparisons(["base", "x=1", "a|b", "<i>", "50%"], 200, rng=3)
    simulated.to_frame("polars").write_csv(path)
    return path


def row_of(out: str, item: str) -> dict:
    return next(row for row in json.loads(out)["items"] if row["item"] == item)


def test_elo_points_are_shown_without_decimals_and_explained(run, votes):
    status, out, _ = run("rank", votes, "--score-scale", "elo", "--anchor", "base=1000")
    assert status == 0
    assert "scores are Elo points, base at 1000; 191 more means preferred in 75%" in out
    [row] = [line.split() for line in out.splitlines() if line.split()[1:2] == ["base"]]
    assert row[2] == "1000"


def test_an_anchor_may_have_an_equals_sign_in_its_name(run, votes):
    _, out, _ = run("rank", votes, "--score-scale", "jod", "--anchor", "x=1=0.5", "--json")
    assert row_of(out, "x=1")["score"] == 0.5
    assert json.loads(out)["scale"] == {
        "name": "jod",
        "unit": "JOD",
        "anchor": {"item": "x=1", "score": 0.5},
        "baseline": None,
    }


def test_a_baseline_alone_asks_for_win_probabilities(run, votes):
    _, out, _ = run("rank", votes, "--baseline", "base")
    assert "scores are the probability of beating base" in out
    assert "50.0%  50.0% to 50.0%" in out
    _, out, _ = run("rank", votes, "--baseline", "base", "--json")
    assert row_of(out, "base")["score"] == 0.5
    assert json.loads(out)["scale"]["baseline"] == "base"


def test_items_that_are_numbers_can_be_anchors_and_baselines(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("left,right,winner\n" + "1,2,1\n2,3,2\n1,3,1\n3,1,3\n" * 3)
    _, out, _ = run("rank", path, "--score-scale", "elo", "--anchor", "2=1000", "--json")
    assert row_of(out, 2)["score"] == 1000
    status, _, _ = run("rank", path, "--baseline", "3")
    assert status == 0
    target = tmp_path / "numbers.md"
    assert run("report", path, "--no-forecast", "--baseline", "3", "-o", target)[0] == 0
    assert "probability of beating 3" in target.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--score-scale", "ello"], "did you mean elo?"),
        (["--anchor", "base=1000"], "the score scale model has no anchor: choose elo"),
        (["--score-scale", "elo", "--anchor", "base"], "write ITEM=SCORE, such as gpt-4=1000"),
        (["--score-scale", "elo", "--anchor", "base=high"], "write ITEM=SCORE"),
        (["--score-scale", "elo", "--anchor", "=1000"], "write ITEM=SCORE"),
        (["--score-scale", "elo", "--anchor", "base=nan"], "must lie between"),
        (["--score-scale", "elo", "--anchor", "bass=1"], "(did you mean base?)"),
        (["--baseline", "bass"], "(did you mean base?)"),
        (["--score-scale", "elo", "--baseline", "base"], "the score scale elo has no baseline"),
        (["--score-scale", "win-probability"], "needs the item to compare with"),
    ],
)
@pytest.mark.parametrize("command", ["rank", "report"])
def test_wrong_options_say_what_to_write(run, votes, tmp_path, command, options, words):
    more = ["--no-forecast", "-o", tmp_path / "r.md"] if command == "report" else []
    status, _, err = run(command, votes, *options, *more)
    assert status in (2, 3)  # an unknown item is a matter of the file
    assert words in err


def test_scales_and_leaderboards_are_for_one_ranking_not_for_a_comparison(run, votes, tmp_path):
    for options in (["--score-scale", "elo"], ["--baseline", "base"]):
        status, _, err = run("rank", votes, "--compare", "worker", *options)
        assert status == 2
        assert "cannot be used with --compare" in err
    status, _, err = run("rank", votes, "--compare", "worker", "-o", tmp_path / "t.md")
    assert status == 2
    assert "--compare writes .csv, .parquet, .json or a chart" in err


@pytest.mark.parametrize("scale", ["elo", "win-rate"])
def test_tables_hold_the_scores_of_the_scale(run, votes, tmp_path, scale):
    run("rank", votes, "--score-scale", scale, "-o", tmp_path / "ranking.csv")
    table = pl.read_csv(tmp_path / "ranking.csv")
    expected = hr.rank(votes).on_scale(scale).scores
    assert table["score"].to_list() == pytest.approx(expected.tolist())


def test_a_leaderboard_in_markdown_escapes_the_names(run, votes, tmp_path):
    target = tmp_path / "board.md"
    options = ("--score-scale", "elo", "--anchor", "base=1000", "-o", target)
    status, out, _ = run("rank", votes, *options)
    assert status == 0
    assert "written to" in out
    head, rule, *rows = target.read_text().splitlines()
    assert head == "| Rank | Item | Elo (base at 1000) | 95% interval | Ranks | Votes |"
    assert rule == "| ---: | --- | ---: | ---: | ---: | ---: |"
    assert len(rows) == 5
    names = {row.split(" | ")[1] for row in rows}
    assert names == {"base", "x=1", "a\\|b", "&lt;i\\>", "50%"}
    assert next(row for row in rows if " base " in row).split(" | ")[2] == "1000"


def test_a_leaderboard_in_latex_escapes_the_names(run, votes, tmp_path):
    target = tmp_path / "board.tex"
    assert run("rank", votes, "--score-scale", "win-rate", "-o", target)[0] == 0
    text = target.read_text()
    assert text.startswith("\\begin{tabular}{rlrrrr}\n\\hline\nRank & Item & Win rate & 95\\% int")
    for name in ("a\\textbar{}b", "\\textless{}i\\textgreater{}", "50\\%"):
        assert f" & {name} & " in text


def test_statistically_tied_items_share_a_rank_in_leaderboards_only(run, tmp_path):
    rows = [("a", "c", 1)] * 30 + [("b", "c", 1)] * 30 + [("a", "b", 1), ("a", "b", 1)]
    rows += [("b", "a", 1), ("a", "c", -1), ("b", "c", -1)]
    path = tmp_path / "tied.csv"
    pl.DataFrame(rows, ["left", "right", "outcome"], orient="row").write_csv(path)
    for name in ("board.md", "board.csv"):
        assert run("rank", path, "-o", tmp_path / name)[0] == 0
    board = (tmp_path / "board.md").read_text().splitlines()[2:]
    assert [row[2] for row in board] == ["1", "1", "3"]
    assert "1–2" in board[1]
    table = pl.read_csv(tmp_path / "board.csv")
    assert table["rank"].to_list() == [1, 2, 3]
    assert table["rank_lower"].to_list() == [1, 1, 3]


def test_standard_output_stays_csv(run, votes):
    _, out, _ = run("rank", votes, "--score-scale", "elo", "-o", "-")
    assert out.startswith("item,score,stderr,lower,upper,rank,")


@pytest.fixture
def scenes(tmp_path):
    path = tmp_path / "scenes.csv"
    rows = [
        f"{scene},{a},{b},{a}\n"
        for scene in ("beach", "town")
        for a, b in [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "b"), ("a", "c")] * 2
    ]
    path.write_text("scene,left,right,winner\n" + "".join(rows) + "town,new,a,new\n" * 2)
    return path


def test_every_group_is_on_the_scale(run, scenes, tmp_path):
    target = tmp_path / "board.md"
    options = ("--by", "scene", "--score-scale", "elo", "--anchor", "c=1000")
    status, out, _ = run("rank", scenes, *options, "-o", target)
    assert status == 0
    assert out.count("scores are Elo points, c at 1000") == 1
    rows = [line.split(" | ") for line in target.read_text().splitlines()[2:]]
    assert [row[0] for row in rows] == ["| beach"] * 3 + ["| town"] * 4
    assert [row[3] for row in rows if row[2] == "c"] == ["1000", "1000"]


def test_a_group_without_the_anchor_is_named(run, scenes):
    status, _, err = run("rank", scenes, "--by", "scene", "--baseline", "new")
    assert status == 2
    assert "scene beach: 'new' is not among the items" in err


def test_each_group_says_that_its_leader_has_few_votes(run, scenes):
    _, out, _ = run("rank", scenes, "--by", "scene")
    words = "the leader, new, has only 2 votes: collect more votes, or leave out items with few"
    out = " ".join(out.split())
    assert out.index("scene town") < out.index(words)
    assert out.count("the leader, ") == 1
    _, _, err = run("rank", scenes, "--by", "scene", "-o", "-")
    assert f"scene town: {words}" in err
    _, out, _ = run("rank", scenes, "--by", "scene", "--json")
    beach, town = json.loads(out)["groups"]
    assert not any("the leader" in note for note in beach["notes"])
    assert any(words in note for note in town["notes"])


def test_the_remedy_for_few_votes_removes_the_warning(run, scenes, tmp_path):
    _, out, _ = run("rank", scenes, "--by", "scene", "--min-votes", 3)
    assert "the leader, " not in out
    target = tmp_path / "report.json"
    status, _, _ = run("report", scenes, "--min-votes", 3, "--no-forecast", "-o", target)
    assert status == 0
    assert "order.few_votes" not in target.read_text()


def test_votes_summed_by_pair_offer_no_remedy_that_needs_single_votes(run, scenes, tmp_path):
    state = tmp_path / "state.parquet"
    _, out, _ = run("rank", scenes, "--state", state, "--json")
    [note] = [note for note in json.loads(out)["notes"] if "the leader" in note]
    assert note == "the leader, new, has only 2 votes: collect more votes"
