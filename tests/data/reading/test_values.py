"""Labels become codes: the same from few rows, column by column, and from many, streamed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.data.reading import values
from hodgerank.data.reading.values import MISSING, encode, encode_values
from hodgerank.errors import InvalidComparisons

LABELS = ["a", " a", "b\t", "", "  ", "é", "10", "2", "007"]
labels = st.one_of(st.none(), st.sampled_from(LABELS))
TYPES = {
    "text": (pl.String, pl.String),
    "same categories": (pl.Categorical, pl.Categorical),
    "other categories": (pl.Categorical, pl.Categorical(pl.Categories.random())),
    "enumeration": (pl.Enum(LABELS[::-1]), pl.Enum(LABELS[::-1])),
    "both": (pl.String, pl.Enum(LABELS)),
}


def obvious(columns, *, from_text):
    """Cleaned labels in sorted order, and each column in terms of them."""
    clean = [[None if v is None else v.strip() or None for v in column] for column in columns]
    names = sorted({v for column in clean for v in column if v is not None})
    if from_text and all(n == str(int(n)) if n.isdecimal() else False for n in names):
        names = sorted(int(n) for n in names)
    place = {str(name): k for k, name in enumerate(names)} | {None: MISSING}
    return tuple(names), [[place[v] for v in column] for column in clean]


@pytest.mark.parametrize("few", [0, 100_000])
@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
@given(rows=st.lists(st.tuples(labels, labels), min_size=1), from_text=st.booleans())
def test_codes_are_places_among_the_sorted_labels(few, types, rows, from_text):
    left, right = (list(column) for column in zip(*rows, strict=True))
    if all(v is None for v in left + right):
        return
    table = pl.DataFrame({"l": left, "r": right}, schema={"l": pl.String, "r": pl.String})
    table = table.cast(dict(zip("lr", types, strict=True)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "FEW_ROWS", few)
        patch.setattr(values, "CHUNK", 2)
        ((names, found),) = encode(table, [["l", "r"]], from_text=from_text)
    wanted, places = obvious([left, right], from_text=from_text)
    assert names == wanted
    assert [column.tolist() for column in found] == places


@pytest.mark.parametrize("few", [0, 100_000])
def test_groups_have_codes_of_their_own(few, monkeypatch):
    monkeypatch.setattr(values, "FEW_ROWS", few)
    table = pl.DataFrame({"l": ["b", "a"], "r": ["c", "b"], "w": ["x", None], "n": [7, 5]})
    groups = [["l", "r"], ["w"], ["n"]]
    (items, rows), (workers, (who,)), (numbers, (n,)) = encode(table, groups, from_text=False)
    assert (items, workers, numbers) == (("a", "b", "c"), ("x",), (5, 7))
    assert [r.tolist() for r in rows] == [[1, 0], [2, 1]]
    assert who.tolist() == [0, MISSING]
    assert n.tolist() == [1, 0]


def test_columns_of_a_group_have_one_type():
    table = pl.DataFrame({"l": ["a"], "r": [1]})
    with pytest.raises(InvalidComparisons, match="mix integers and strings"):
        encode(table, [["l", "r"]], from_text=False)
    with pytest.raises(InvalidComparisons, match="integers or strings"):
        encode(pl.DataFrame({"l": [0.5]}), [["l"]], from_text=False)
    with pytest.raises(InvalidComparisons, match="all integers or all strings"):
        encode_values(["a", 1])


def test_integers_far_apart_are_searched_for():
    values = [2**60, -5, 2**60, 17]
    ((names, (found,)),) = encode(pl.DataFrame({"n": values}), [["n"]], from_text=False)
    assert names == (-5, 17, 2**60)
    assert np.array(names)[found].tolist() == values
