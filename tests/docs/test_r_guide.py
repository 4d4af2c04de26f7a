"""The numbers of R on the page for users of R are those that hodgerank finds."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.docs.pages import DOCS
from tests.docs.running import renewed_blocks

import hodgerank as hr

PAGE = (DOCS / "guides" / "coming-from-r.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| (-?\d\S*) \| (\S+) \| (-?\d\S*) \| (\S+) \|$", re.MULTILINE)
TEAMS = [match[1] for match in ROW.finditer(PAGE)]


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    folder = tmp_path_factory.mktemp("league")
    for block, _ in renewed_blocks(PAGE, folder):
        if block.kind == "python":
            return hr.read_comparisons(folder / "league.csv")
    raise AssertionError("the page writes no league.csv")


@pytest.mark.parametrize(
    ("position_bias", "column", "tolerance"),
    [(None, 2, 1e-5), ("common", 4, 2e-3)],  # a home advantage has a prior here, and none in R
)
def test_abilities_of_r_are_the_scores_up_to_the_reference_level(
    league, position_bias, column, tolerance
):
    ranking = hr.bradley_terry(league, position_bias=position_bias)
    place = ranking.positions(TEAMS)
    covariance = ranking.covariance[np.ix_(place, place)]
    variance = covariance.diagonal() + covariance[0, 0] - 2 * covariance[0]
    ability, stderr = np.array(
        [[match[column], match[column + 1]] for match in ROW.finditer(PAGE)]
    ).T
    scores = ranking.scores[place]
    assert scores - scores[0] == pytest.approx(ability.astype(float), abs=tolerance)
    assert np.sqrt(variance) == pytest.approx(stderr.astype(float), abs=tolerance)
