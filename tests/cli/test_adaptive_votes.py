"""Votes whose pairs were chosen by labels, and units, from the shell."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import hodgerank as hr


@pytest.fixture
def log(tmp_path):
    crowd = hr.SimulatedCrowd(list("abcdef"), spread=2, rng=1)
    path = tmp_path / "log.jsonl"
    hr.run(hr.AutoSampler(list("abcdef"), seed=1), crowd, budget=80, log=path)
    return path


def ranked(run, *arguments):
    status, out, err = run("rank", *arguments, "--json")
    assert status == 0, err
    return json.loads(out)


def test_the_default_model_accounts_for_it(run, log):
    content = ranked(run, log)
    assert content["adaptive"]
    assert content["model"] == "posterior mean"
    assert not any("adaptively" in note for note in content["notes"])


@pytest.mark.parametrize("model", ["hodgerank", "bradley-terry", "robust"])
def test_other_models_warn(run, log, model):
    content = ranked(run, log, "-m", model)
    assert any("adaptively" in note for note in content["notes"])


def test_groups_and_states_too(run, log, tmp_path):
    scenes = pl.read_ndjson(log).with_columns(scene=pl.Series(["x", "y"] * 40))
    scenes.write_csv(tmp_path / "scenes.csv")
    content = ranked(run, tmp_path / "scenes.csv", "--by", "scene")
    assert {group["model"] for group in content["groups"]} == {"posterior mean"}
    hr.simulate_comparisons(list("abcdef"), 100, rng=1).to_frame("polars").write_csv(
        tmp_path / "more.csv"
    )
    state = tmp_path / "state.parquet"
    ranked(run, log, "--state", state)
    assert ranked(run, tmp_path / "more.csv", "--state", state)["model"] == "posterior mean"


def test_sheets_say_whether_answers_led_to_their_pairs(run, log, tmp_path):
    items = tmp_path / "items.txt"
    items.write_text("a\nb\nc\nd\n")
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    run("plan", items, "-n", 4, "-o", first, "--target", 0)
    run("plan", log, "-n", 4, "-o", second, "--target", 0, "--strategy", "rank")
    for path, asker, adaptive in ((first, "design", False), (second, "rank", True)):
        sheet = pl.read_csv(path)
        assert sheet["asked_by"].unique().to_list() == [asker]
        sheet.with_columns(answer=pl.lit("left")).write_csv(path)
        assert hr.read_comparisons(path).report.adaptive == adaptive


def test_a_unit_is_named(run, tmp_path):
    votes = hr.simulate_comparisons(5, 200, rng=1).to_frame("polars")
    pages = np.random.default_rng(1).integers(0, 30, 200)
    votes.with_columns(page=pl.Series(pages)).write_csv(tmp_path / "votes.csv")
    content = ranked(run, tmp_path / "votes.csv", "--unit", "page")
    assert content["uncertainty"] == "clustered by unit (30 units)"
    votes.with_columns(page=pl.Series(pages)).write_parquet(tmp_path / "votes.parquet")
    content = ranked(run, tmp_path / "*.parquet", "--unit", "page")
    assert content["uncertainty"] == "clustered by unit (30 units)"
    assert run("rank", tmp_path / "votes.csv", "--unit", "pag")[0] == 3
