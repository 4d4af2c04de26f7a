"""rank --state: no vote is lost, whoever else adds votes, and whatever goes wrong."""

from __future__ import annotations

import fcntl
import os
import subprocess

import polars as pl
import pytest

import hodgerank as hr
from hodgerank.graph.edge_file import EdgeFile
from processes import COMMAND, hodgerank, in_shell, small_disk

N_ITEMS = 60


@pytest.fixture
def state(tmp_path):
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "state.parquet"


def batch(path, seed):
    votes = hr.simulate_comparisons(N_ITEMS, 600, rng=seed)
    votes.to_frame("polars").drop("worker").write_csv(path)
    return path


@pytest.mark.slow
def test_writers_at_once_lose_nothing(tmp_path, state):
    paths = [batch(tmp_path / f"{k}.csv", k) for k in range(3)]
    running = [
        subprocess.Popen([*COMMAND, "rank", str(path), "--state", str(state)], stdout=-3)
        for path in paths
    ]
    assert [process.wait() for process in running] == [0] * 3
    edges = EdgeFile.read(state)
    assert edges.graph.n_votes == 1800
    assert len(edges.sources) == 3
    assert os.listdir(state.parent) == ["state.parquet"]


@pytest.mark.slow
def test_who_waits_says_so(tmp_path, state):
    path = batch(tmp_path / "v.csv", 1)
    folder = os.open(state.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    waiting = subprocess.Popen(
        [*COMMAND, "rank", str(path), "--state", str(state)], stdout=-3, stderr=-1, text=True
    )
    assert "waiting for another command" in waiting.stderr.readline()
    assert not state.exists()
    os.close(folder)
    assert waiting.wait() == 0
    waiting.stderr.close()
    assert EdgeFile.read(state).graph.n_votes == 600


@pytest.mark.slow
def test_a_command_that_fails_leaves_the_state_alone(run, tmp_path, state):
    first, second = batch(tmp_path / "1.csv", 1), batch(tmp_path / "2.csv", 2)
    (tmp_path / "truth.csv").write_text("item,score\nitem-01,1\n")
    (tmp_path / "full.csv").symlink_to("/dev/full")
    (tmp_path / "folder.csv").mkdir()
    assert run("rank", first, "--state", state)[0] == 0
    before = state.read_bytes()
    for status, option in (
        (2, ("--truth", tmp_path / "truth.csv")),
        (3, ("-o", tmp_path / "full.csv")),
        (2, ("-o", tmp_path / "folder.csv")),
        (2, ("-o", state)),
        (2, ("--confidence", 7)),
    ):
        assert run("rank", second, "--state", state, *option)[0] == status
        assert state.read_bytes() == before
    with open("/dev/full", "w") as full:
        end = hodgerank(
            "rank", second, "--state", state, capture_output=False, stdout=full, stderr=-1
        )
    assert end.returncode == 3
    with small_disk():
        assert run("rank", second, "--state", state, "--top", 1)[0] == 3
    assert state.read_bytes() == before
    assert run("rank", second, "--state", state)[0] == 0
    assert EdgeFile.read(state).graph.n_votes == 1200
    assert os.listdir(state.parent) == ["state.parquet"]


def test_votes_are_kept_though_nobody_reads_the_ranking(tmp_path, state):
    path = batch(tmp_path / "1.csv", 1)
    assert in_shell(f"rank {path} --state {state} | true", tmp_path).stderr == ""
    assert EdgeFile.read(state).graph.n_votes == 600


def test_an_altered_state_is_bad_input(run, tmp_path, state):
    first, second = batch(tmp_path / "1.csv", 1), batch(tmp_path / "2.csv", 2)
    run("rank", first, "--state", state)
    noted = {"hodgerank": pl.read_parquet_metadata(state)["hodgerank"]}
    pl.read_parquet(state).with_columns(pl.col("weight") * 2).write_parquet(state, metadata=noted)
    status, _, err = run("rank", second, "--state", state)
    assert status == 3
    assert "was changed since hodgerank wrote it" in err
