"""One column per pair of items and one row per respondent."""

from __future__ import annotations

import pytest

from hodgerank import read_comparisons
from hodgerank.data.reading.pair_columns import named_pairs
from hodgerank.errors import InvalidComparisons

HEADS = [
    "tea:milk,tea:cola,milk:cola",
    "tea_milk,tea_cola,milk_cola",
    "tea.milk,tea.cola,milk.cola",
    "tea-milk,tea-cola,milk-cola",
    "tea vs milk,tea vs cola,milk vs cola",
    "tea_vs_milk,tea_vs_cola,milk_vs_cola",
    "tea/milk,tea/cola,milk/cola",
]


def votes_of(tmp_path, text, **options):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    return read_comparisons(path, **options)


def listed(votes) -> list[tuple[str, str, float]]:
    return [
        (str(votes.items[left]), str(votes.items[right]), float(outcome))
        for left, right, outcome in zip(votes.left, votes.right, votes.outcome, strict=True)
    ]


FIRST_ROW = [("tea", "milk", 1.0), ("tea", "cola", -1.0), ("milk", "cola", 0.0)]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    "rows",
    [
        ("1,-1,0", "-1,-1,NA"),
        ("1,2,3", "2,2,"),
        ("1,2,0", "2,2,"),
        ("tea,cola,tie", "milk,cola,NA"),
    ],
)
def test_pairs_in_the_names_of_columns_are_read(tmp_path, head, rows):
    votes = votes_of(tmp_path, f"{head},subject\n{rows[0]},ann\n{rows[1]},bob\n")
    assert listed(votes) == [*FIRST_ROW, ("tea", "milk", -1.0), ("tea", "cola", -1.0)]
    assert votes.workers == ("ann", "bob")
    assert votes.ballot.tolist() == [0, 0, 0, 1, 1]
    assert votes.report.unanswered == 1
    assert not votes.display_known.any()
    assert "one column per pair" in votes.report.layout


def test_respondents_without_a_name_are_ballots(tmp_path):
    votes = votes_of(tmp_path, f"{HEADS[0]}\n1,-1,1\n1,1,1\n")
    assert (votes.n_ballots, votes.workers) == (2, ())


def test_other_columns_are_not_used(tmp_path):
    votes = votes_of(tmp_path, f"age,{HEADS[0]},sex\n31,1,-1,1,f\n44,1,1,-1,m\n")
    assert votes.report.unused == ("age", "sex")
    assert len(votes_of(tmp_path, f"age,{HEADS[0]}\n31,1,-1,1\n44,1,1,-1\n", where="age > 40")) == 3
    by = votes_of(tmp_path, f"sex,{HEADS[0]}\nf,1,-1,1\nm,1,1,-1\n", group="sex")
    assert {name: len(part) for name, part in by.items()} == {"f": 3, "m": 3}


def test_zero_and_one_are_ambiguous_until_the_scale_is_given(tmp_path):
    text = f"{HEADS[0]}\n1,0,1\n0,1,1\n"
    with pytest.raises(InvalidComparisons, match=r"--scale 0 1 \(scale=\(0, 1\)\)"):
        votes_of(tmp_path, text)
    assert votes_of(tmp_path, text, scale=(0, 1)).outcome.tolist() == [1, -1, 1, -1, 1, 1]
    assert votes_of(tmp_path, text, scale=(-1, 1)).outcome.tolist() == [1, 0, 1, 0, 1, 1]


def test_columns_with_numbers_instead_of_names_are_an_error_that_says_to_rename(tmp_path):
    head = ",".join(f"V{k}" for k in range(1, 16))
    row = ",".join(["1", "-1", "0"] * 5)
    with pytest.raises(InvalidComparisons, match=r"each pair of 6 items.*rename them to item:item"):
        votes_of(tmp_path, f"{head}\n{row}\n{row}\n")


@pytest.mark.parametrize(
    "text",
    [
        "q1_a,q1_b,q2_a,q2_b\n1,2,1,2\n2,2,1,1\n",
        "tea:milk,tea:cola,milk:cola\n5,7,1\n3,2,1\n",
        "tea:milk,tea:cola,milk:cola\nyes,no,yes\nno,no,yes\n",
        "tea:milk,cola:water,beer:wine\n1,-1,1\n",
        "tea:milk,tea:milk,milk:cola\n1,-1,1\n",
        "tea:milk,tea:cola,milk:cola\n1,2,-1\n",
    ],
)
def test_other_columns_are_not_taken_for_pairs(tmp_path, text):
    with pytest.raises(InvalidComparisons):
        votes_of(tmp_path, text)


def test_a_later_cell_of_another_kind_is_reported(tmp_path):
    text = f"{HEADS[0]}\n" + "1,-1,1\n" * 2100 + "1,banana,1\n"
    with pytest.raises(InvalidComparisons, match="row 2101: tea, cola, banana"):
        votes_of(tmp_path, text)
    assert len(votes_of(tmp_path, text, skip_invalid=True)) == 6302


def test_a_design_without_some_pairs_is_recognised():
    columns = ["a:b", "a:c", "a:d", "b:c", "b:d"]
    assert len(named_pairs(columns)) == 5
    assert named_pairs(["left", "right", "winner", "model_a", "model_b"]) == ()
    assert named_pairs(["score_a", "score_b", "model_a", "model_b", "text_a", "text_b"]) == ()


def test_columns_of_plain_votes_take_precedence(tmp_path):
    text = "left,right,winner,a:b,a:c,b:c\nx,y,x,1,-1,1\n"
    assert votes_of(tmp_path, text).items == ("x", "y")


def test_votes_of_plain_columns_are_read_as_before(tmp_path):
    votes = votes_of(tmp_path, "model_a,model_b,score_a,score_b,winner\nx,y,1,2,model_a\n")
    assert votes.items == ("x", "y")
