"""Sides on the command line: recognised, doubted, overruled, and in the model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd

WRONG_USAGE = 2


@pytest.fixture
def votes(tmp_path):
    """A file of votes by a crowd."""

    def write(crowd: Crowd):
        path = tmp_path / "votes.csv"
        found = crowd.votes(np.random.default_rng(1))
        rows = zip(found.left, found.right, found.outcome, found.worker, strict=True)
        lines = [f"{found.items[a]},{found.items[b]},{y:g},w{who}" for a, b, y, who in rows]
        path.write_text("\n".join(["left,right,outcome,worker", *lines]))
        return path

    return write


@pytest.mark.parametrize("model", ["hodgerank", "bradley-terry", "thurstone-mosteller", "bayes"])
@pytest.mark.parametrize("position_bias", ["common", "worker"])
def test_the_pull_of_sides_is_in_the_model(run, votes, model, position_bias):
    file = votes(Crowd(lean=1.0, per_pair=10))
    content = json.loads(
        run("rank", file, "-m", model, "--position-bias", position_bias, "--json")[1]
    )
    assert any("position bias is in the model" in note for note in content["notes"])
    plain = json.loads(run("rank", file, "-m", model, "--json")[1])
    assert [row["score"] for row in content["items"]] != [row["score"] for row in plain["items"]]


def test_sides_that_are_none_are_refused_and_overruled(run, votes):
    file = votes(Crowd(display="winner"))
    out = " ".join(run("describe", file)[1].split())
    assert "as if the winner were always listed first" in out
    status, _, err = run("rank", file, "--position-bias", "common")
    assert status == WRONG_USAGE
    assert "--display-known" in " ".join(err.split())
    options = ("--position-bias", "common", "--display-known", "-m", "hodgerank")
    status, _, err = run("rank", file, *options)
    assert status == WRONG_USAGE
    assert "the same side was chosen in every vote" in " ".join(err.split())
    sorted_file = votes(Crowd(display="first"))
    assert run("rank", sorted_file, "--position-bias", "common")[0] == WRONG_USAGE
    assert run("rank", sorted_file, "--position-bias", "common", "--display-known")[0] == 0


def test_robust_rankings_have_no_sides(run, votes):
    status, _, err = run("rank", votes(Crowd()), "-m", "robust", "--position-bias", "worker")
    assert status == WRONG_USAGE
    assert "(--position-bias) cannot be used with model='robust'" in " ".join(err.split())


def test_what_a_comparison_does_not_use_is_refused(run, votes):
    status, _, err = run("rank", votes(Crowd()), "--compare", "worker", "--position-bias", "common")
    assert status == WRONG_USAGE
    assert "--position-bias" in err


def test_a_file_named_twice_is_refused(run, votes):
    file = votes(Crowd())
    status, _, err = run("rank", file, file)
    assert status == WRONG_USAGE
    assert "named twice" in " ".join(err.split())
