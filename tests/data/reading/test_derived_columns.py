"""Columns made from others, names of items beside their ids, and lines before a table."""

from __future__ import annotations

import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons

SCORES = "team_a,team_b,goals_a,goals_b\nx,y,3,1\ny,z,0,2\nx,z,1,1\nz,x,,2\n"


def test_scores_of_both_sides_decide_a_vote(write):
    votes = hr.read_comparisons(write(SCORES))
    assert votes.outcome.tolist() == [1, -1, 0]
    assert votes.report.unanswered == 1
    assert "left is better where goals_a exceeds goals_b" in votes.report.layout
    assert votes.report.unused == ()


def test_of_ranks_the_lower_is_better_and_negative_ones_are_missing(write):
    text = "system1Id,system2Id,system1rank,system2rank\nx,y,1,2\ny,z,3,1\nx,z,-1,1\n"
    votes = hr.read_comparisons(write(text))
    assert votes.outcome.tolist() == [1, -1]
    assert votes.report.unanswered == 1


def test_a_column_for_the_winner_comes_before_scores(write):
    text = "home,away,home_goals,away_goals,winner\nx,y,1,3,home\n"
    assert hr.read_comparisons(write(text)).outcome.tolist() == [1]


def test_a_scale_keeps_the_size_of_the_difference(write):
    path = write(SCORES)
    votes = hr.read_comparisons(path, outcome="goals_a-goals_b", scale=(-4, 4))
    assert votes.outcome.tolist() == [0.5, -0.5, 0]


def test_the_caller_may_turn_the_difference_round(write):
    votes = hr.read_comparisons(write(SCORES), outcome="goals_b-goals_a")
    assert votes.outcome.tolist() == [-1, 1, 0]


def test_several_items_of_a_row_with_a_rank_each(write):
    text = (
        "judge,system1,system1rank,system2,system2rank,system3,system3rank\n"
        "ann,x,1,y,2,z,2\nbob,x,3,y,-1,z,1\n"
    )
    votes = hr.read_comparisons(write(text))
    pairs = zip(votes.left, votes.right, votes.outcome.tolist(), strict=True)
    assert [(votes.items[a], votes.items[b], y) for a, b, y in pairs] == [
        ("x", "y", 1), ("x", "z", 1), ("y", "z", 0), ("x", "z", -1),
    ]  # fmt: skip
    assert votes.report.ballots == 2


@pytest.mark.parametrize("lazy", [False, True])
def test_joined_columns_of_a_dataframe(lazy):
    frame = pl.DataFrame(
        {"k1": ["a", "b"], "n1": [1, 2], "k2": ["a", "a"], "n2": [2, None], "winner": ["k1", "k2"]}
    )
    votes = hr.read_comparisons(
        frame.lazy() if lazy else frame, left="k1+n1", right="k2+n2", outcome="winner",
        map={"k1": "left", "k2": "right"}, skip_invalid=True,
    )  # fmt: skip
    assert votes.items == ("a / 1", "a / 2")
    assert votes.report.rejected == 1


def test_groups_may_be_two_columns_together(write):
    text = "left,right,winner,scene,device\nx,y,x,park,phone\ny,x,y,park,tv\n"
    groups = hr.read_comparisons(write(text), group="scene+device")
    assert list(groups) == ["park / phone", "park / tv"]


def test_a_column_whose_name_has_a_plus_is_itself(write):
    votes = hr.read_comparisons(write("a+b,c,winner\nx,y,x\n"), left="a+b", right="c")
    assert votes.items == ("x", "y")


def test_parts_that_do_not_exist_are_named(write):
    with pytest.raises(InvalidComparisons, match="there is no column 'a\\+z'"):
        hr.read_comparisons(write("a,b,c\nx,y,x\n"), left="a+z", right="b", outcome="c")


WIKI = (
    "Vote ID,Winner ID,Winner Text,Loser ID,Loser Text,Valid\n"
    "1,7,Tea,8,Milk,TRUE\n2,8,Milk,9,Tea,FALSE\n3,7,Tea,9,Tea,TRUE\n"
)


def test_texts_beside_ids_name_the_items(write):
    votes = hr.read_comparisons(write(WIKI))
    assert votes.items == ("Tea (7)", "Milk", "Tea (9)")


def test_rows_marked_as_invalid_are_pointed_out(write):
    path = write(WIKI)
    (note,) = hr.read_comparisons(path).report.notes
    assert note == (
        "1 of 3 rows are marked as invalid in column 'Valid' and count here: leave them out with "
        "--where \"Valid = 'TRUE'\""
    )
    assert len(hr.read_comparisons(path, where="Valid = 'TRUE'")) == 2


def test_an_id_with_two_texts_keeps_its_id(write):
    text = "winner_id,winner_text,loser_id,loser_text\n1,ran,2,sat\n1,sang,2,sat\n"
    assert hr.read_comparisons(write(text)).items == (1, 2)


VOTES = "left,right,outcome\n1,2,1\n2,3,-1\n"


@pytest.mark.parametrize(
    "names",
    [
        "id,name\n1,Tea\n2,Milk\n3,Cola\n",
        "1,Tea\n2,Milk\n3,Cola\n",
        "price,name,id\n9,Tea,1\n7,Milk,2\n8,Cola,3\n",
    ],
)
def test_a_file_names_the_items(write, tmp_path, names):
    path = write(VOTES)
    table = tmp_path / "items.csv"
    table.write_text(names)
    assert hr.read_comparisons(path, names=table).items == ("Tea", "Milk", "Cola")
    path.with_suffix(".toml").write_text('names = "items.csv"\n')
    assert hr.read_comparisons(path).items == ("Tea", "Milk", "Cola")


def test_items_without_a_name_keep_their_ids(write, tmp_path):
    table = tmp_path / "items.csv"
    table.write_text("id,name\n1,Tea\n2,Milk\n")
    votes = hr.read_comparisons(write(VOTES), names=str(table))
    assert votes.items == ("Tea", "Milk", "3")
    assert "has no name for 1 of 3 items: 3" in votes.report.notes[0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("id,name\n7,Tea\n", "no column with the ids of the items"),
        ("id\n1\n2\n", "needs a column of ids and a column of names"),
        ("id,name\n1,Tea\n1,Cola\n", "gives the id 1 two names"),
    ],
)
def test_files_of_names_that_do_not_fit(write, tmp_path, names, message):
    table = tmp_path / "items.csv"
    table.write_text(names)
    with pytest.raises(InvalidArgument, match=message):
        hr.read_comparisons(write(VOTES), names=str(table))


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("left;right;grade\nx;y;0,5\ny;z;-1\n", [0.5, -1]),
        ("Survey of May\n\nleft,right,outcome\nx,y,1\ny,z,-1\n", [1, -1]),
        ("# left, right\n# as shown, 2024\nleft,right,outcome\nx,y,1\ny,z,-1\n", [1, -1]),
        ("Survey,,\nleft,right,outcome\nx,y,1\ny,z,-1\n", [1, -1]),
    ],
)
def test_separators_and_lines_before_the_table(write, text, outcomes):
    votes = hr.read_comparisons(write(text), **({"outcome": "grade"} if "grade" in text else {}))
    assert votes.outcome.tolist() == outcomes
    assert bool(votes.report.notes) == ("grade" not in text)


def test_counts_with_thousands_separators(write):
    text = 'left,right,wins_left,wins_right\nx,y,"1,204","12"\n'
    assert hr.read_comparisons(write(text)).n_votes == 1216


def test_a_matrix_of_distances_is_refused(write):
    with pytest.raises(InvalidComparisons, match="symmetric"):
        hr.read_comparisons(write(",x,y,z\nx,0,3,4\ny,3,0,2\nz,4,2,0\n"))


def test_sums_of_a_matrix_are_no_item(write):
    votes = hr.read_comparisons(write(",x,y,total\nx,0,3,3\ny,1,0,1\ntotal,1,3,4\n"))
    assert set(votes.items) == {"x", "y"}
    assert votes.n_votes == 4


def test_best_and_worst_by_their_place(write):
    text = "item1,item2,item3,best,worst\nx,y,z,1,3\nz,x,y,2,1\n"
    ranking = hr.hodge_rank(hr.read_comparisons(write(text)))
    assert ranking.items == ("x", "y", "z")


def test_texts_of_winner_and_loser_name_the_items_shown(write):
    text = (
        "Session ID,Winner ID,Winner Text,Loser ID,Loser Text,Left Choice ID,Right Choice ID\n"
        "s1,7,Tea,8,Milk,7,8\ns2,8,Milk,9,Cola,9,8\n"
    )
    votes = hr.read_comparisons(write(text))
    assert votes.items == ("Tea", "Milk", "Cola")
    assert votes.outcome.tolist() == [1, -1]
    assert votes.display_known.all()
