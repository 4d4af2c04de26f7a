"""Covariates on the command line: effects, both orders, and errors that say what to do."""

from __future__ import annotations

import json

import numpy as np
import pytest

WRONG_USAGE = 2
SCORES = {"a": 1.0, "b": 0.4, "c": -0.2, "d": -1.2}
LENGTHS = {"a": -0.5, "b": 0.6, "c": 0.1, "d": 0.3}


@pytest.fixture
def battles(tmp_path):
    """A file of battles by a judge that likes long texts; `varied` is 0 for one text per item."""

    def write(varied: float = 0.6):
        rng = np.random.default_rng(2)
        lines = ["scene,model_a,model_b,winner,length_a,length_b"]
        for k in range(400):
            a, b = rng.choice(list(SCORES), 2, replace=False)
            lengths = [300 * 2 ** (LENGTHS[x] + rng.normal(0, varied)) for x in (a, b)]
            t = SCORES[a] - SCORES[b] + 2 * np.log2(lengths[0] / lengths[1])
            won = "model_a" if rng.random() < 1 / (1 + np.exp(-t)) else "model_b"
            lines.append(f"{'day' if k % 2 else 'night'},{a},{b},{won},{lengths[0]},{lengths[1]}")
        path = tmp_path / "battles.csv"
        path.write_text("\n".join(lines))
        return path

    return write


def as_one_line(text):
    return " ".join(text.split())


@pytest.mark.parametrize("model", ["hodgerank", "bradley-terry", "thurstone-mosteller", "bayes"])
def test_a_covariate_is_estimated_and_both_orders_are_shown(run, battles, model):
    file = battles()
    out = as_one_line(run("rank", file, "-m", model, "--covariate", "length")[1])
    assert "At equal score an item with twice the length wins" in out
    assert "rank as written rank if equal change item" in out
    assert "not used: scene" in out
    content = json.loads(run("rank", file, "-m", model, "--covariate", "length", "--json")[1])
    plain = content["covariates"]
    assert plain["control"] == []
    assert plain["terms"][0]["lower"] > 0
    assert [row["item"] for row in plain["as_written"]] == [r["item"] for r in content["items"]]
    content = json.loads(run("rank", file, "-m", model, "--control", "length", "--json")[1])
    assert [row["item"] for row in content["items"]] == ["a", "b", "c", "d"]
    assert content["covariates"]["controlled"] == plain["controlled"]


def test_one_text_per_item_is_described_and_not_controlled(run, battles):
    file = battles(varied=0)
    out = as_one_line(run("rank", file, "--covariate", "length")[1])
    assert "a taste for it and better items look the same" in out
    status, _, err = run("rank", file, "--control", "length")
    assert status == WRONG_USAGE
    assert "cannot be separated from the scores" in as_one_line(err)


def test_groups_have_their_own_effects(run, battles):
    out = as_one_line(run("rank", battles(), "--by", "scene", "--covariate", "length")[1])
    assert out.count("At equal score an item with twice the length wins") == 2


def test_wrong_columns_are_refused_with_the_nearest_name(run, battles):
    status, _, err = run("rank", battles(), "--covariate", "lenght")
    assert status == WRONG_USAGE
    assert "did you mean length" in as_one_line(err)
    status, _, err = run("rank", battles(), "--covariate", "length", "-m", "robust")
    assert status == WRONG_USAGE
    assert "--covariate" in err


@pytest.mark.parametrize("options", [("--covariate", "length"), ("--control", "length")])
def test_the_report_has_a_section_on_covariates(run, battles, options):
    out = run("report", battles(), *options, "--no-forecast", "--format", "md", "-o", "-")[1]
    section = as_one_line(out.split("## Covariates")[1].split("\n## ")[0])
    assert "At equal score an item with twice the length wins" in section
    assert "only human votes can tell" in section
    ranks = "as if all items were equal" if options[0] == "--control" else "as written"
    assert f"The report ranks {ranks}" in section


def test_reports_on_groups_refuse_covariates(run, battles):
    status, _, err = run("report", battles(), "--by", "scene", "--covariate", "length")
    assert status == WRONG_USAGE
    assert "hodgerank rank --by" in as_one_line(err)
