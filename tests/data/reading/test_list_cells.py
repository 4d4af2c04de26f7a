"""Cells that hold a ranking, or both items of a pair."""

from __future__ import annotations

import json

import pytest

from hodgerank import read_comparisons
from hodgerank.data.reading.list_cells import tiers_in
from hodgerank.errors import InvalidComparisons


def votes_of(tmp_path, text, name="votes.csv", **options):
    path = tmp_path / name
    path.write_text(text)
    return read_comparisons(path, **options)


def listed(votes) -> list[tuple[str, str, float]]:
    return [
        (str(votes.items[left]), str(votes.items[right]), float(outcome))
        for left, right, outcome in zip(votes.left, votes.right, votes.outcome, strict=True)
    ]


RANKED = [("a", "b", 1.0), ("a", "c", 1.0), ("b", "c", 0.0), ("c", "a", 1.0)]


@pytest.mark.parametrize(
    "cells",
    [
        ["a > b = c", "c>a"],
        ["a>b~c", " c > a "],
        ['"[""a"", [""b"", ""c""]]"', '"[""c"", ""a""]"'],
        ["\"['a', ['b', 'c']]\"", "\"('c', 'a')\""],
    ],
)
def test_a_ranking_in_one_cell_is_split_into_pairs(tmp_path, cells):
    votes = votes_of(tmp_path, f"worker,ranking\nann,{cells[0]}\nbob,{cells[1]}\ncat,\n")
    assert listed(votes) == RANKED
    assert votes.ballot.tolist() == [0, 0, 0, 1]
    assert votes.workers == ("ann", "bob")
    assert "a ranking of several items in one cell, best first" in votes.report.layout


def test_lists_of_json_are_rankings_best_first(tmp_path):
    rows = [{"ranking": ["a", "b", "c"]}, {"ranking": ["c", "a"]}, {"ranking": []}]
    votes = votes_of(tmp_path, "\n".join(map(json.dumps, rows)), "votes.jsonl")
    assert listed(votes) == [("a", "b", 1.0), ("a", "c", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)]
    rows = [{"order": [[1], [2, 3]]}, {"order": [[3], [1]]}]
    votes = votes_of(tmp_path, json.dumps(rows), "votes.json")
    assert votes.items == (1, 2, 3)
    assert votes.outcome.tolist() == [1.0, 1.0, 0.0, 1.0]


def test_items_with_semicolons_are_a_ranking_if_the_column_is_called_so(tmp_path):
    """So form tools export rankings."""
    text = "ranking\na;b;c;\nb;a;c;\n"
    assert len(votes_of(tmp_path, text)) == 6
    with pytest.raises(InvalidComparisons):
        votes_of(tmp_path, text.replace("ranking", "remarks"))
    assert len(votes_of(tmp_path, text.replace("ranking", "remarks"), item="remarks")) == 6


def test_a_ballot_of_several_voters_is_repeated(tmp_path):
    votes = votes_of(tmp_path, "ranking,count\na > b,3\nb > a,2\n")
    assert votes.outcome.tolist() == [1.0] * 5
    assert votes.n_ballots == 5


def test_a_running_number_is_not_a_count(tmp_path):
    votes = votes_of(tmp_path, "n,ranking\n1,a > b\n2,b > a\n3,a > b\n4,a > b\n")
    assert len(votes) == 4


def test_an_id_beside_a_ranking_is_not_an_item(tmp_path):
    votes = votes_of(tmp_path, "id,ranking,worker\n1,a > b,ann\n2,b > a,bob\n")
    assert votes.items == ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "ranking\na > b\nb\n",
        "ranking\na > b\nc >\n",
        "ranking\na > b\na >> b\n",
        "category\nshoes > boots\nshoes > heels\n",
        "score\nA>B\nB>A\n",
        "text\n<b>bold</b>\n<i>x</i>\n",
        "route\na -> b\nb -> c\n",
        "equation\nx = 1\ny = 2\n",
        "tags\n\"['a', 'b']\"\n\"['b', 'c']\"\n",
        "ranking\n\"['a', 1.5]\"\n\"['b', null]\"\n",
        "ranking\n" + "[" * 5000 + "\n",
    ],
)
def test_other_cells_are_not_taken_for_rankings(tmp_path, text):
    with pytest.raises(InvalidComparisons):
        votes_of(tmp_path, text)


def test_a_later_cell_of_another_form_is_an_error_that_names_the_row(tmp_path):
    text = "ranking\n" + "a > b\n" * 2100 + "banana\n"
    with pytest.raises(InvalidComparisons, match="row 2101: the cell 'banana' in column 'ranking'"):
        votes_of(tmp_path, text)


def test_a_ranking_in_place_of_a_header_is_an_error(tmp_path):
    with pytest.raises(InvalidComparisons, match="is a ranking, not a header"):
        votes_of(tmp_path, "a > b > c\nb > c > a\n")


@pytest.mark.parametrize(
    "cell", [["a", None], [1.5, 2.5], [{"item": "a", "place": "x"}], [["a", ["b"]]], [{"a": 1}]]
)
def test_lists_of_other_values_are_not_rankings(tmp_path, cell):
    rows = [{"ranking": cell, "winner": "a"}, {"ranking": cell, "winner": "b"}]
    with pytest.raises(InvalidComparisons, match="was recognised"):
        votes_of(tmp_path, json.dumps(rows), "votes.json")


def test_an_item_that_is_ranked_twice_is_an_error(tmp_path):
    with pytest.raises(InvalidComparisons, match="row 1: the ranking lists 'a' twice"):
        votes_of(tmp_path, "ranking\na > b > a\nb > c\n")


@pytest.mark.parametrize(
    "cells",
    [
        ["\"['a', 'b']\"", "\"['b', 'c']\"", "\"['a', 'c']\""],
        ["a;b", "b;c", "a;c"],
        ['"[""a"", ""b""]"', '"[""b"", ""c""]"', '"[""a"", ""c""]"'],
    ],
)
@pytest.mark.parametrize(
    "winners", [["a", "c", "tie"], ["1", "2", "tie"], ["left", "right", "tie"]]
)
def test_both_items_of_a_vote_may_be_in_one_cell(tmp_path, cells, winners):
    rows = "".join(f"{cell},{winner},ann\n" for cell, winner in zip(cells, winners, strict=True))
    votes = votes_of(tmp_path, f"pair,winner,worker\n{rows}")
    assert listed(votes) == [("a", "b", 1.0), ("b", "c", -1.0), ("a", "c", 0.0)]
    assert votes.workers == ("ann",)
    assert "both items in one cell, left first" in votes.report.layout


def test_pairs_in_lists_of_json_are_read(tmp_path):
    rows = [{"models": ["a", "b"], "winner": "b"}, {"models": ["b", "a"], "winner": "tie"}]
    votes = votes_of(tmp_path, json.dumps(rows), "votes.json")
    assert listed(votes) == [("a", "b", -1.0), ("b", "a", 0.0)]


def test_a_vote_without_items_is_reported(tmp_path):
    text = "pair,winner\na;b,a\n,a\nb;c,c\nc;a,a\n"
    with pytest.raises(InvalidComparisons, match="an item is missing"):
        votes_of(tmp_path, text)
    assert len(votes_of(tmp_path, text, skip_invalid=True)) == 3


def test_pairs_of_which_one_has_three_items_are_an_error(tmp_path):
    rows = "".join(f"{'ab'[k % 2]};c,c\n" for k in range(2100))
    with pytest.raises(InvalidComparisons, match="row 2101: the cell 'a;b;c'"):
        votes_of(tmp_path, f"pair,winner\n{rows}a;b;c,a\n")


def test_remarks_with_semicolons_are_not_pairs(tmp_path):
    rows = "".join(f"good {k}; fast {k},{k % 2}\n" for k in range(9))
    with pytest.raises(InvalidComparisons, match="was recognised"):
        votes_of(tmp_path, f"remark,rating\n{rows}")


def test_very_long_cells_are_not_parsed():
    assert tiers_in("a > b" * 1_000_000) is None


def test_where_selects_ballots(tmp_path):
    text = "worker,ranking\nann,a > b\nbob,b > a\n"
    votes = votes_of(tmp_path, text, where="worker = 'bob'")
    assert listed(votes) == [("b", "a", 1.0)]
    assert votes.row.tolist() == [2]
