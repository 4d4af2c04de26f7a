"""Groups: compared within, told apart by name, workers in common."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.errors import DisconnectedGraph, InvalidArgument, InvalidComparisons

ROWS = "scene,left,right,outcome,worker\n1,a,b,1,ann\n2,b,a,1,bob\n2,b,a,-1,ann\n,a,b,1,ann\n"


def test_equal_names_in_two_groups_are_two_items(write):
    groups = hr.read_comparisons(write(ROWS), group="scene")
    assert isinstance(groups, hr.VoteGroups)
    assert list(groups) == [1, 2]
    assert [len(votes) for votes in groups.values()] == [1, 2]
    assert groups[2].rows.tolist() == [2, 3]
    assert groups.report.missing == 1
    together = groups.together()
    assert together.items == ("1 / a", "1 / b", "2 / a", "2 / b")
    assert together.workers == ("ann", "bob")


def test_names_that_would_collide_are_told_apart():
    rows = [
        {"g": "x", "left": "y / z", "right": "q", "outcome": 1},
        {"g": "x / y", "left": "z", "right": "q", "outcome": 1},
    ]
    together = hr.read_comparisons(rows, group="g").together()
    assert together.n_items == 4


def test_groups_are_not_ranked_as_one(write):
    groups = hr.read_comparisons(write(ROWS), group="scene")
    with pytest.raises(InvalidArgument, match="rank_groups"):
        hr.hodge_rank(groups)
    with pytest.raises(InvalidArgument, match="groups are needed"):
        hr.rank_groups(groups[1])
    with pytest.raises(InvalidArgument, match="there is no scene 3"):
        groups[3]
    with pytest.raises(InvalidComparisons, match="did you mean scene"):
        hr.read_comparisons(write(ROWS), group="scen")


def test_groups_of_several_files_come_together(write):
    paths = [write(ROWS, "one.csv"), write(ROWS, "two.csv")]
    groups = hr.read_comparisons(paths, group="scene")
    assert [len(votes) for votes in groups.values()] == [2, 4]
    assert groups.report.rows == 8


def test_every_group_is_ranked_or_says_why_not():
    joined = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)]
    apart = [("a", "b", 1), ("c", "d", 1)]
    rows = [
        {"g": g, "left": left, "right": right, "outcome": y}
        for g, pairs in (("joined", joined), ("apart", apart))
        for left, right, y in pairs
    ]
    rankings = hr.rank_groups(hr.read_comparisons(rows, group="g", scale=(-1, 1)))
    assert list(rankings) == ["joined"]
    assert rankings["joined"].items == ("a", "b", "c")
    with pytest.raises(DisconnectedGraph):
        rankings["apart"]
    lines = {line.group: line for line in rankings.summary}
    assert lines["joined"].leader == "a"
    assert not lines["joined"].leader_is_certain
    assert "disconnected groups" in str(lines["apart"].problem)
    assert rankings.to_frame("polars")["g"].to_list() == ["joined"] * 3


@pytest.mark.parametrize(
    "answers", [3, *(pytest.param(answers, marks=pytest.mark.slow) for answers in (2, 5))]
)
def test_a_leader_who_is_tied_is_hardly_ever_certain(answers):
    """By its own intervals least squares says so in up to half of these crowds."""
    wrong = 0
    for seed in range(40):
        votes = hr.simulate_comparisons(
            3, 3 * answers, scores=[9, 9, 0], pairs="rounds", rng=1000 + seed
        )
        groups = hr.VoteGroups.split(votes, ("g",), votes.left * 0, "g")
        wrong += hr.rank_groups(groups).summary[0].leader_is_certain
    assert wrong <= 6  # 2 expected at 5 %
