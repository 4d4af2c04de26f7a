"""PrefLib files: ballots with multiplicity, ties, and alternatives that are not listed."""

from __future__ import annotations

import io

import numpy as np
import pytest

from hodgerank import read_comparisons
from hodgerank.data.reading import list_cells
from hodgerank.errors import InvalidComparisons

HEADER = """\
# FILE NAME: drinks.toi
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# ALTERNATIVE NAME 1: tea
# ALTERNATIVE NAME 2: milk, warm
# ALTERNATIVE NAME 3: cola
# ALTERNATIVE NAME 4: water: still
"""
CURRENT = HEADER + "3: 1,{2,3}\n2: 3,1\n1: 4\n"
OLD = """\
4
1,tea
2,milk, warm
3,cola
4,water: still
6,6,3
3,1,{2,3}
2,3,1
1,4
"""


def votes_of(tmp_path, text, name="drinks.toi"):
    path = tmp_path / name
    path.write_text(text)
    return read_comparisons(path)


def tally(votes) -> dict[tuple[str, str, float], int]:
    found: dict[tuple[str, str, float], int] = {}
    for left, right, outcome in zip(votes.left, votes.right, votes.outcome, strict=True):
        key = (votes.items[left], votes.items[right], float(outcome))
        found[key] = found.get(key, 0) + 1
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CURRENT, "drinks.toi"),
        (CURRENT, "drinks.txt"),
        (CURRENT, "drinks"),
        (OLD, "drinks.soc"),
        (OLD, "drinks.txt"),
        (CURRENT.replace("\n", "\r\n"), "drinks.soi"),
        ("\ufeff" + CURRENT, "drinks.toc"),
    ],
)
def test_each_voter_is_a_ballot_and_only_listed_alternatives_are_compared(tmp_path, text, name):
    votes = votes_of(tmp_path, text, name)
    assert tally(votes) == {
        ("tea", "milk, warm", 1.0): 3,
        ("tea", "cola", 1.0): 3,
        ("milk, warm", "cola", 0.0): 3,
        ("cola", "tea", 1.0): 2,
    }
    assert votes.n_ballots == 5
    assert votes.report.rows == 3
    assert "(PrefLib)" in votes.report.source
    assert "a ranking of several items in one cell, best first" in votes.report.layout


def test_votes_of_one_voter_share_a_ballot(tmp_path):
    votes = votes_of(tmp_path, HEADER + "2: 1,2,3\n1: 3,1\n")
    sizes = np.bincount(votes.ballot)
    assert sorted(sizes.tolist()) == [1, 3, 3]


def test_a_stream_is_recognised_by_its_content():
    assert len(read_comparisons(io.BytesIO(CURRENT.encode()))) == 11
    assert len(read_comparisons(io.BytesIO(OLD.encode()))) == 11


def test_conditions_can_select_ballots(tmp_path):
    path = tmp_path / "drinks.soi"
    path.write_text(CURRENT)
    assert len(read_comparisons(path, where="count > 2")) == 9


@pytest.mark.parametrize(
    ("ballots", "message"),
    [
        ("3: 1,9\n", "line 9: '3: 1,9': a ballot lists numbers of alternatives"),
        ("3: 1,{2,3\n", "ties in braces"),
        ("3: 1,2}\n", "ties in braces"),
        ("3: 1,two\n", "a ballot lists numbers"),
        ("3: 1,2,1\n", "it lists an alternative twice"),
        ("-3: 1,2\n", "begins with the number of its voters"),
        ("1.5: 1,2\n", "begins with the number of its voters"),
        ("tea,milk\n", "begins with the number of its voters"),
        ("", "has no ballots"),
        ("3: 1\n2: 4\n", "no ballot in column 'order' lists two items"),
        ("0: 1,2\n", "nothing is compared"),
        ("999999999999999: 1,2\n", "more than 200,000,000"),
    ],
)
def test_invalid_ballots_are_an_error_that_names_the_line(tmp_path, ballots, message):
    with pytest.raises(InvalidComparisons) as caught:
        votes_of(tmp_path, HEADER + ballots)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a PrefLib file"),
        ("hello\n", "is not a PrefLib file"),
        ("2\ntea\nmilk\n", "names an alternative"),
        ("# nothing\n1: 1,2\n", "names no alternatives"),
        (HEADER.replace("cola", "tea") + "1: 1,2\n", "alternatives 1 and 3 are both called 'tea'"),
        (HEADER.replace("toi", "cat") + "1: {1},{2}\n", "of type cat, which holds no rankings"),
        ("\0" * 100, "is not a PrefLib file"),
    ],
)
def test_files_that_are_no_rankings_are_an_error(tmp_path, text, message):
    with pytest.raises(InvalidComparisons) as caught:
        votes_of(tmp_path, text)
    assert message in str(caught.value)


def test_an_alternative_without_a_name_is_called_by_its_number(tmp_path):
    votes = votes_of(tmp_path, "# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2:\n1: 1,2\n")
    assert votes.items == ("alternative 2", "tea")


def test_names_in_an_old_encoding_are_read(tmp_path):
    path = tmp_path / "drinks.soc"
    path.write_bytes(CURRENT.replace("tea", "thé").encode("latin-1"))
    assert "thé" in read_comparisons(path).items


def test_a_text_of_numbers_is_not_taken_for_preflib(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("1,2,1\n2,3,-1\n")
    assert read_comparisons(path).items == (1, 2, 3)


def test_the_number_of_pairs_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(list_cells, "MOST_PAIRS", 10)
    with pytest.raises(InvalidComparisons, match="11 pairs of items, more than 10"):
        votes_of(tmp_path, CURRENT)
