"""The commands as a user runs them."""

from __future__ import annotations

import io
import json
import sys

import polars as pl
import pytest

import hodgerank as hr
from hodgerank.cli.result import BAD_INPUT, NOT_UNIQUE
from hodgerank.estimators.workers.assessment import CODES

VOTES = "left,right,label,worker\na,b,1,w1\nb,c,1,w1\na,c,1,w2\na,b,-1,w2\nb,c,1,w2\n"


def test_rank_prints_a_table_and_what_was_read(run, write):
    status, out, _ = run("rank", write(VOTES))
    assert status == 0
    for part in ("5 rows as left, right, label, worker", "3 items, 5 votes, 2 workers",
                 "95% interval", "ranks", "votes"):  # fmt: skip
        assert part in " ".join(out.split())
    lines = [
        line.split() for line in out.splitlines() if line.strip().startswith(("1 ", "2 ", "3 "))
    ]
    assert [line[1] for line in lines[-3:]] == ["b", "a", "c"]


def test_rank_as_json(run, write):
    status, out, _ = run("rank", write(VOTES), "--json", "--model", "bradley-terry")
    content = json.loads(out)
    assert status == 0
    assert [row["rank"] for row in content["items"]] == [1, 2, 3]
    assert content["winless"] == ["c"]
    assert {"item", "score", "lower", "upper", "rank", "votes"} <= set(content["items"][0])


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.json"])
def test_rank_writes_the_whole_table(run, write, tmp_path, name):
    status, out, _ = run("rank", write(VOTES), "--top", 1, "-o", tmp_path / name)
    reader = {"csv": pl.read_csv, "parquet": pl.read_parquet, "json": pl.read_json}
    table = reader[name.split(".")[1]](tmp_path / name)
    assert status == 0
    assert table["item"].to_list() == ["b", "a", "c"]
    assert "2 more" in out
    assert name in out.replace("\n", "")


def test_rank_reads_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(VOTES.encode())))
    status, out, _ = run("rank", "-")
    assert status == 0
    assert "standard input" in out


def test_bad_input_has_its_own_status(run, write, tmp_path):
    for arguments in (
        ("rank", tmp_path / "nothing.csv"),
        ("rank", write("left,right,label\na,a,1\n", "self.csv")),
        ("describe", write("x,y\n1,2\n", "xy.csv")),
        ("rank", write(VOTES), "--truth", write("item,score\na,x\n", "truth.csv")),
    ):
        status, out, err = run(*arguments)
        assert status == BAD_INPUT, arguments
        assert err.startswith("error: ")
        assert "Traceback" not in err
        assert out == ""


def test_a_ranking_that_is_not_unique_has_its_own_status(run, write):
    path = write("left,right,label\na,b,1\nc,d,1\n")
    status, _, err = run("rank", path)
    assert status == NOT_UNIQUE
    assert "collect votes on these pairs to connect them: (a, c)" in err
    status, out, _ = run("rank", path, "--components", "separate")
    assert status == 0
    assert "2 groups" in out


def test_wrong_usage_has_the_usual_status(run, write, tmp_path):
    path = write(VOTES)
    for arguments in (
        ("rank", path, "--modell", "x"),
        ("rank", path, "--model", "elo"),
        ("rank", path, "--top", -1),
        ("rank", path, "-o", path),
        ("rank", path, "-o", tmp_path / "x.xlsx"),
        ("rank", path, "-o", tmp_path / "no" / "x.csv"),
        ("rank", path, "--ridge", -1),
        ("rank", path, "--confidence", 95),
        ("rank", path, "--model", "bradley-terry", "--link", "angular"),
        ("rank", path, "--truth", write("item,score\na,1\n", "part.csv")),
        ("simulate", "-o", tmp_path / "v.csv", "--workers", "honest"),
        ("simulate", "-o", tmp_path / "v.csv", "--spread", -1),
        ("simulate", "-o", tmp_path / "v.csv", "--truth", tmp_path / "v.csv"),
    ):
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert "Traceback" not in err
    assert path.read_text() == VOTES


def test_problems_of_the_data_are_shown(run, write):
    path = write("model_a,model_b,winner\nx,y,model_a\nx,y,tie (bothbad)\ny,y,tie\nz,y,model_b\n")
    words = ("--skip-invalid", "--both-bad", "drop", "-m", "bradley-terry")
    status, out, _ = run("rank", path, *words)
    assert status == 0
    for part in ("1 (25%) 'both bad', 1 (25%) invalid", "1 x an item is compared with itself",
                 "never lost: x", "never won: z", "weak prior"):  # fmt: skip
        assert part in " ".join(out.split())


def test_describe(run, write):
    status, out, _ = run("describe", write(VOTES))
    assert status == 0
    for part in ("3 (connected)", "3 of 3 (100.0% coverage)", "left preferred", "in both orders"):
        assert part in out
    content = json.loads(run("describe", write(VOTES), "--json")[1])
    assert content["votes"] == 5
    assert content["coverage"] == 1
    unknown = run("describe", write(VOTES), "--display-unknown")[1]
    assert "position bias cannot be estimated" in unknown


def test_simulate_then_rank_against_the_truth(run, tmp_path):
    votes, truth = tmp_path / "votes.csv", tmp_path / "truth.csv"
    arguments = ("--items", 8, "--votes", 2000, "--spread", 2, "--workers", "honest=3,random=1")
    status, out, _ = run("simulate", *arguments, "--seed", 1, "-o", votes, "--truth", truth)
    assert status == 0
    assert "2,000 votes on 8 items by 4 workers" in out
    status, out, _ = run("rank", votes, "--truth", truth, "--json")
    assert json.loads(out)["kendall_tau"] > 0.8


def test_simulate_writes_to_standard_output(run):
    status, out, _ = run("simulate", "--votes", 5, "--seed", 1, "-o", "-")
    assert status == 0
    assert pl.read_csv(io.StringIO(out)).columns == ["left", "right", "outcome", "worker"]
    assert len(out.splitlines()) == 6


@pytest.fixture
def crowd_file(run, tmp_path):
    path = tmp_path / "crowd.csv"
    crowd = "honest=8,random=1,position-biased=1"
    run("simulate", "--items", 8, "--votes", 800, "--spread", 2, "--workers", crowd,
        "--seed", 1, "-o", path)  # fmt: skip
    return path


def test_trust_tells_the_whole_story(run, crowd_file):
    status, out, _ = run("trust", crowd_file)
    assert status == 0
    for part in ("share expected p", "triangular inconsistency (curl)", "no significant cycles",
                 "Significant position bias to the left", "their total excess is",
                 "1 careless", "1 position-clicking", "separation reliability"):  # fmt: skip
        assert part in " ".join(out.split())
    assert "split-half" in run("trust", crowd_file, "--split-half")[1]
    content = json.loads(run("trust", crowd_file, "--json")[1])
    assert sum(content["energy"].values()) == pytest.approx(1)


def test_workers_lists_the_flagged_first(run, crowd_file, tmp_path):
    output = tmp_path / "workers.csv"
    status, out, _ = run("workers", crowd_file, "--top", 2, "-o", output)
    assert status == 0
    assert "8 more" in out
    assert "10 workers: 2 with a warning" in out
    assert len(pl.read_csv(output)) == 10
    content = json.loads(run("workers", crowd_file, "--json")[1])
    assert {row["flag"] for row in content["workers"]} == {"ok", "careless", "position-clicking"}
    assert run("workers", crowd_file, "--worker", "left")[0] == BAD_INPUT


def test_outliers_lists_answers(run, crowd_file, tmp_path):
    output = tmp_path / "outliers.parquet"
    status, out, _ = run("outliers", crowd_file, "--top", 3, "-o", output)
    assert status == 0
    assert "a consistent crowd would be flagged" in " ".join(out.split())
    content = json.loads(run("outliers", crowd_file, "--json")[1])
    assert len(content["flagged"]) == len(pl.read_parquet(output))
    assert run("outliers", crowd_file, "--false-positive-rate", 2)[0] == 2


def test_a_ranking_can_be_drawn(run, write, tmp_path):
    status, _, _ = run("rank", write(VOTES), "-o", tmp_path / "ranking.svg")
    assert status == 0
    drawn = (tmp_path / "ranking.svg").read_text()
    assert all(f">{item}</text>" in drawn for item in "abc")
    status, _, err = run("rank", write(VOTES), "-o", tmp_path / "ranking.doc")
    assert status == 2
    assert ".csv, .parquet, .json, .md, .tex, .html" in err


def test_todays_votes_are_added_to_yesterdays(run, tmp_path):
    rows = ["left,right,label", "a,b,1", "b,c,1", "a,c,1", "c,b,1", "a,b,1"]
    (tmp_path / "one.csv").write_text("\n".join(rows[:4]))
    (tmp_path / "two.csv").write_text("\n".join([rows[0], *rows[4:]]))
    (tmp_path / "all.csv").write_text("\n".join(rows))
    state = tmp_path / "state.parquet"
    run("rank", tmp_path / "one.csv", "--state", state)
    status, out, _ = run("rank", tmp_path / "two.csv", "--state", state, "--json")
    assert status == 0
    _, wanted, _ = run("rank", tmp_path / "all.csv", "--json")
    assert json.loads(out)["items"] == json.loads(wanted)["items"]
    assert json.loads(out)["votes"] == 5
    status, _, err = run("rank", tmp_path / "two.csv", "--state", state)
    assert status == 2
    assert "--again" in err


def test_a_ranking_that_fails_leaves_the_state_alone(run, tmp_path):
    (tmp_path / "one.csv").write_text("left,right,label\na,b,1\n")
    (tmp_path / "two.csv").write_text("left,right,label\nc,d,1\n")
    state = tmp_path / "state.parquet"
    run("rank", tmp_path / "one.csv", "--state", state)
    before = state.read_bytes()
    assert run("rank", tmp_path / "two.csv", "--state", state)[0] == 4
    assert state.read_bytes() == before
    assert run("rank", tmp_path / "two.csv", "--state", tmp_path / "state.csv")[0] == 2


def test_workers_of_many_parquet_files(run, tmp_path):
    crowd = {"honest": 4, "adversarial": 1}
    votes = hr.simulate_comparisons(6, 600, spread=2, workers=crowd, rng=1)
    table = votes.to_frame("polars")
    for k in range(3):
        table[200 * k : 200 * k + 200].write_parquet(tmp_path / f"{k}.parquet")
    table.write_csv(tmp_path / "all.csv")
    found = json.loads(run("workers", tmp_path / "*.parquet", "--json")[1])
    wanted = json.loads(run("workers", tmp_path / "all.csv", "--json")[1])
    for mine, theirs in zip(found["workers"], wanted["workers"], strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9)
    assert sum(row["votes"] for row in found["workers"]) == 600
    assert {row["code"] for row in found["workers"]} <= set(CODES.values())


def test_many_parquet_files_are_ranked_together(run, tmp_path):
    votes = hr.simulate_comparisons(6, 300, spread=2, rng=1)
    table = pl.DataFrame(
        {"left": votes.left, "right": votes.right, "label": votes.outcome.astype(int)}
    )
    for k in range(3):
        table[100 * k : 100 * k + 100].write_parquet(tmp_path / f"{k}.parquet")
    table.write_csv(tmp_path / "all.csv")
    status, out, _ = run("rank", tmp_path / "*.parquet", "--json")
    assert status == 0
    _, wanted, _ = run("rank", tmp_path / "all.csv", "--json")
    found, wanted = (json.loads(text) for text in (out, wanted))
    assert found["votes"] == 300
    assert [item["item"] for item in found["items"]] == [item["item"] for item in wanted["items"]]
    assert run("trust", tmp_path / "*.parquet")[0] == 0
    assert run("workers", tmp_path / "*.parquet")[0] == 2  # nobody says who answered
    status, _, err = run("rank", tmp_path / "*.parquet", "--covariance", "worker")
    assert status == 2
    assert "--worker" in err
    table.write_csv(tmp_path / "again.csv")
    assert json.loads(run("rank", tmp_path / "*.csv", "--json")[1])["votes"] == 600
    status, _, err = run("rank", tmp_path / "*.csv?")
    assert status == 3
    assert "no file matches" in err


def test_votes_from_a_pattern_are_not_added_twice(run, tmp_path):
    rows = {"left": ["a", "b"], "right": ["b", "c"], "label": [1, 1], "weight": [0.3, 0.7]}
    (tmp_path / "votes").mkdir()
    for k in range(3):
        pl.DataFrame(rows).write_parquet(tmp_path / "votes" / f"{k}.parquet")
    pattern, state = tmp_path / "votes" / "*.parquet", tmp_path / "state.parquet"
    assert run("rank", pattern, "--state", state)[0] == 0
    status, _, err = run("rank", pattern, "--state", state)
    assert status == 2
    assert "added before" in err
    status, _, err = run("rank", pattern, "--state", tmp_path / "votes" / "state.parquet")
    assert status == 2
    assert "choose another file" in err
