"""What was acknowledged survives the end of the process, and of one process of two."""

from __future__ import annotations

import sys

import pytest

from campaign.folded import plain
from campaign.killing import (
    Working,
    kill_again_and_again,
    nobody_is_remembered,
    nothing_is_lost,
)
from campaign.trial import QUESTION
from hodgerank.campaign.campaign import Campaign

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def test_an_acknowledged_answer_survives_a_kill(tmp_path):
    assert kill_again_and_again(tmp_path / "campaign.db", 2) > 2


@pytest.mark.slow
def test_of_two_processes_on_postgresql_one_is_killed_and_the_other_goes_on(postgres_url):
    with Campaign.create(postgres_url, list(range(40)), question=QUESTION) as ours:
        one, other = Working(postgres_url, "one"), Working(postgres_url, "other")
        try:
            one.wait_for(30, n_forgotten=2)
            other.wait_for(30, n_forgotten=2)
            acknowledged = {*one.kill()}
            so_far = len(other.acknowledged)
            other.wait_for(so_far + 30)
            ours.lease("we")
        finally:
            one.kill()
            acknowledged |= {*other.kill()}
        nothing_is_lost(ours, acknowledged)
        nobody_is_remembered(ours, {*one.forgotten, *other.forgotten})
        with Campaign.open(postgres_url) as another:
            assert plain(another.log.state) == plain(ours.log.state)
            assert another.ranking().score_by_item == ours.ranking().score_by_item
