"""hodgerank reproduce."""

from __future__ import annotations

import json

import pytest


def test_one_figure_with_its_verdict(run, tmp_path):
    status, out, err = run(
        "reproduce", "fiedler", "--runs", "6", "--jobs", "1", "-o", tmp_path / "out"
    )
    assert status == 0
    assert err.startswith("fiedler: 0 of 6 tasks done\nfiedler: 6 of 6 tasks done, ")
    assert "Figure 1, fiedler: reproduced" in out
    assert "(ours) Unsupervised sampling also lies above balanced rounds." in out
    assert "unsupervised − random: +" in out
    assert (tmp_path / "out" / "index.html").is_file()


@pytest.mark.slow
def test_verdicts_as_json(run, tmp_path):
    _, out, _ = run(
        "reproduce", "budget", "--runs", "6", "--jobs", "1", "-o", tmp_path / "out", "--json"
    )
    record = json.loads(out)["experiments"]["budget"]
    assert record["source"] == "Figure 4"
    assert {"id", "claim", "is_ours", "status", "evidence"} == record["claims"][0].keys()


def test_an_unknown_experiment_is_named_with_those_there_are(run, tmp_path):
    status, _, err = run("reproduce", "fidler", "-o", tmp_path / "out")
    assert status == 2
    assert "fiedler" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_missing_data_leave_the_rest_standing(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HODGERANK_DATA", str(tmp_path))
    status, out, _ = run(
        "reproduce", "vqa", "budget", "--runs", "2", "--jobs", "1", "-o", tmp_path / "out"
    )
    assert status == 3
    assert "Figure 5, vqa: not run" in out
    assert "pc_vqa/data1.mat" in out.replace("\n", "")
    assert (tmp_path / "out" / "budget.svg").is_file()
    assert "Figure 5" in (tmp_path / "out" / "index.html").read_text()


def test_a_folder_that_cannot_be_made_is_an_error_before_the_work(run, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run("reproduce", "fiedler", "-o", tmp_path / "file" / "out")
    assert status == 2
    assert "cannot be created" in err


def test_full_and_smoke_exclude_each_other(run, tmp_path):
    assert run("reproduce", "--full", "--smoke", "-o", tmp_path / "out")[0] == 2
