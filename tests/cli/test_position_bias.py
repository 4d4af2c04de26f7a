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
    grouping = {row["grouping"] for row in content["position_bias"]["groups"]}
    assert grouping == {position_bias}
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


@pytest.fixture
def devices(tmp_path):
    """Votes with a column of devices and one of pages."""
    rng = np.random.default_rng(3)
    left = rng.integers(0, 6, 400)
    right = (left + rng.integers(1, 6, 400)) % 6
    device = rng.choice(["phone", "tablet", "desk"], 400)
    chance = 1 / (1 + np.exp(right - left - np.where(device == "phone", 1.0, 0.0)))
    outcome = np.where(rng.random(400) < chance, 1, -1)
    rows = zip(left, right, outcome, rng.integers(0, 30, 400), device, left % 2, strict=True)
    lines = [f"i{a},i{b},{y},w{who},{what},p{page}" for a, b, y, who, what, page in rows]
    path = tmp_path / "devices.csv"
    path.write_text("\n".join(["left,right,outcome,worker,device,page", *lines]))
    return path


def test_position_bias_of_any_column_is_shown(run, devices):
    out = run("rank", devices, "--position-bias", "device")[1]
    assert "Position bias by device, largest first:" in out
    assert out.index("phone") < out.index("tablet")
    assert "not used: page" in " ".join(out.split())
    out = run("rank", devices, "--position-bias", "common", "--score-scale", "elo")[1]
    assert "Position bias on the scale of the model: +" in out
    assert "The left one of two equal items gets" in " ".join(out.split())
    out = run("rank", devices, "--position-bias", "worker,device")[1]
    assert "by worker and device (added to the common one)" in " ".join(out.split())
    assert "and 23 more (--json and -o list all)" in out
    again = run("rank", devices, "--position-bias", "worker", "--position-bias", "device")[1]
    assert again == out
    out = run("rank", devices, "--unit", "page", "--position-bias", "unit")[1]
    assert "Position bias by unit" in out
    by_page = run("rank", devices, "--by", "page", "--position-bias", "device")[1]
    assert by_page.count("Position bias by device") == 2


def test_position_biases_are_written_beside_the_table(run, devices, tmp_path):
    table = tmp_path / "ranking.csv"
    out = run("rank", devices, "--position-bias", "worker", "-o", table)[1]
    lines = (tmp_path / "ranking.position-bias.csv").read_text().splitlines()
    assert lines[0] == "grouping,group,bias,stderr,lower,upper,left_rate,votes"
    assert len(lines) == 31
    assert "ranking.position-bias.csv" in out.replace("\n", "")
    assert run("rank", devices, "--position-bias", "worker", "-o", tmp_path / "r.md")[0] == 0
    assert not (tmp_path / "r.position-bias.md").exists()


def test_the_intercepts_of_the_paper_are_least_squares_only(run, devices):
    options = ("rank", devices, "--position-bias", "device", "--no-shrink-position-bias")
    content = json.loads(run(*options, "-m", "hodgerank", "--json")[1])
    assert content["position_bias"]["spread"] == {}
    status, _, err = run(*options)
    assert status == WRONG_USAGE
    assert "--model hodgerank" in " ".join(err.split())
    status, _, err = run("rank", devices, "--no-shrink-position-bias")
    assert status == WRONG_USAGE
    assert "needs position_bias=" in " ".join(err.split())


def test_unknown_columns_of_position_bias_are_refused(run, devices):
    status, _, err = run("rank", devices, "--position-bias", "devise")
    assert status == WRONG_USAGE
    assert "did you mean device?" in " ".join(err.split())
    assert run("rank", devices, "--position-bias", "device,")[0] == WRONG_USAGE


def test_the_report_lists_position_biases_in_the_model(run, devices, tmp_path):
    page = tmp_path / "report.md"
    options = ("--position-bias", "device", "--no-forecast", "-o", page)
    assert run("report", devices, *options)[0] == 0
    text = page.read_text()
    assert "Position biases in the model, with 95% intervals" in text
    assert "| phone |" in text
