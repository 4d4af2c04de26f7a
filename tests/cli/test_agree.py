"""hodgerank agree: a judge beside people."""

from __future__ import annotations

import json

import polars as pl
import pytest
from tests.estimators.test_judge_agreement import crowd

NAMES = ("left", "right", "outcome", "worker", "prompt", "language")


@pytest.fixture
def files(tmp_path):
    """Write votes of people, and of a judge whose prompts are in a column of another name."""
    human, judge = crowd(questions=400)
    paths = tmp_path / "human.csv", tmp_path / "judge.csv"
    pl.DataFrame(human, NAMES, orient="row").write_csv(paths[0])
    table = pl.DataFrame(judge, NAMES, orient="row").drop("language")
    table.rename({"prompt": "context"}).write_csv(paths[1])
    return paths


def test_it_prints_what_the_judge_is_worth(run, files):
    status, out, _ = run(
        "agree", *files, "--unit", "prompt", "--judge-unit", "context", "--by", "language"
    )
    text = " ".join(out.split())
    assert status == 0
    assert "The judge agrees with a person on" in text
    assert "One call is worth" in text
    assert "language de" in text
    assert "not used: language" in text


def test_json_and_tables_hold_every_number(run, files, tmp_path):
    options = ("--unit", "prompt", "--judge-unit", "context")
    status, out, _ = run("agree", *files, *options, "--json")
    found = json.loads(out)
    assert status == 0
    assert found["agreement"]["lower"] < found["agreement"]["value"] < found["agreement"]["upper"]
    assert found["human"]["source"].endswith("human.csv")
    run("agree", *files, *options, "-o", tmp_path / "out.csv")
    table = pl.read_csv(tmp_path / "out.csv")
    assert table["agreement"][0] == pytest.approx(found["agreement"]["value"])


def test_what_cannot_be_compared_is_an_error(run, files, tmp_path):
    status, _, err = run("agree", *files, "--unit", "prompt")
    assert status in (2, 3)
    assert "prompt" in err
    status, _, err = run("agree", files[0], files[0], "-o", files[0])
    assert status == 2
    other = tmp_path / "other.csv"
    other.write_text("left,right,outcome\nx,y,1\n")
    status, _, err = run("agree", files[0], other)
    assert status == 3
    assert "no question in common" in " ".join(err.split())
    assert run("agree", "-", "-")[0] == 2
