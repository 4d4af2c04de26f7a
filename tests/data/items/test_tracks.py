"""Tracks: which items are compared, and files whose tracks cannot be used."""

from __future__ import annotations

import pickle
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.data.items.item_table import Row
from hodgerank.data.items.judged_items import JudgedItems, read_items
from hodgerank.data.items.samples import Sample
from hodgerank.errors import InvalidArgument, InvalidComparisons
from pace import at_most

SLOGANS = "id,text,track\na,one,easy\nb,two,hard\nc,three,easy\nd,four,hard\n"
OUTPUTS = """model,prompt,output,track
m1,p,1,x
m1,q,2,x
m2,p,3,x
m3,q,4,x
m4,p,5,y
m5,p,6,y
m5,q,7,y
"""


def complaint(source, **options) -> str:
    with pytest.raises((InvalidComparisons, InvalidArgument)) as caught:
        read_items(source, **options)
    return str(caught.value)


def test_a_column_called_track_is_found(write):
    tracks = {"a": "easy", "b": "hard", "c": "easy", "d": "hard"}
    assert read_items(write(SLOGANS)).tracks == tracks
    assert read_items(write(SLOGANS.replace("track", " Track "))).tracks == tracks
    lines = '{"id": "a", "text": "x", "track": 1}\n{"id": "b", "text": "y", "track": "1"}\n'
    assert read_items(write(lines, "i.jsonl")).tracks == {"a": "1", "b": "1"}
    table = pl.DataFrame({"id": ["a", "b"], "text": ["x", "y"], "track": [2, 2]})
    assert read_items(table).tracks == {"a": "2", "b": "2"}


def test_no_other_name_is_taken_for_a_track(write):
    for name in ("group", "category", "tracks"):
        path = write(SLOGANS.replace("track", name))
        assert read_items(path).tracks == {}
        assert set(read_items(path, track=name).tracks.values()) == {"easy", "hard"}


def test_a_column_that_is_not_to_be_used_makes_no_tracks(write):
    items = read_items(write(SLOGANS), track="")
    assert items.tracks == {}
    assert items.comparable is None


def test_a_column_that_plays_another_part_makes_no_tracks(write):
    items = read_items(write("id,track\n1,Help\n2,Yesterday\n"), text="track")
    assert items.tracks == {}
    assert items.showings("1", "2")[0].left.text == "Help"


def test_a_column_without_any_track_makes_none(write):
    assert read_items(write("id,text,track\na,x,\nb,y,\n")).tracks == {}


def test_spaces_around_a_track_do_not_make_another():
    table = pl.DataFrame({"id": ["a", "b"], "text": ["x", "y"], "track": ["t", " t "]})
    assert read_items(table).tracks == {"a": "t", "b": "t"}


def test_items_of_different_tracks_are_not_compared(write):
    items = read_items(write(SLOGANS))
    assert items.comparable == [("a", "c"), ("b", "d")]
    assert items.showings("a", "b") == ()
    assert items.n_showings("b", "a") == 0
    assert items.showings("c", "a")[0].right.text == "one"
    assert items.n_showings("a", "c") == 1


def test_items_of_one_track_are_compared_where_they_share_a_context(write):
    items = read_items(write(OUTPUTS))
    assert items.comparable == [("m1", "m2"), ("m1", "m3"), ("m4", "m5")]
    assert [showing.key for showing in items.showings("m5", "m4")] == ["p"]
    assert items.showings("m1", "m5") == ()
    assert items.n_groups == 1


def test_a_single_track_changes_nothing(write):
    items = read_items(write("id,text,track\na,x,t\nb,y,t\nc,z,t\n"))
    assert items.comparable is None
    assert items.n_showings("a", "c") == 1


@given(
    st.dictionaries(
        st.sampled_from("abcdefg"),
        st.tuples(st.sampled_from("xyz"), st.sets(st.sampled_from("pqr"), min_size=1)),
        min_size=2,
    )
)
def test_pairs_are_comparable_where_they_have_something_to_show(found):
    rows = [
        Row(f"row {item}", item, Sample("t", context=context), track)
        for item, (track, contexts) in found.items()
        for context in sorted(contexts)
    ]
    every = list(combinations(found, 2))
    one_each = all(len(contexts) == 1 for _, contexts in found.values())
    expected = {
        (a, b)
        for a, b in every
        if found[a][0] == found[b][0] and (one_each or found[a][1] & found[b][1])
    }
    if not expected:
        with pytest.raises(InvalidComparisons, match="no two items"):
            JudgedItems(rows, "items")
        return
    items = JudgedItems(rows, "items")
    assert {pair for pair in every if items.n_showings(*pair)} == expected
    assert {pair for pair in every if items.showings(*pair)} == expected
    assert set(items.comparable or every) == expected
    assert (items.comparable is None) == (len(expected) == len(every))


@pytest.mark.parametrize(
    ("content", "options", "parts"),
    [
        (
            "id,text,track\na,x,t\nb,y,\nc,z,t\n",
            {},
            ["row 2: the track is empty, but other rows have one", "track=''"],
        ),
        (
            "model,prompt,output,track\na,p,x,t\na,q,y,u\nb,p,z,t\n",
            {},
            ["a is in the track 't' in row 1 and in 'u' in row 2", "different id"],
        ),
        (
            "id,text,track\na,x,t\na,y,u\nb,z,t\n",
            {},
            ["a is in the track 't' in row 1 and in 'u' in row 2"],
        ),
        ("id,text,track\na,x,t\nb,y,u\n", {}, ["no two items are in one track", "track=''"]),
        (
            "model,prompt,output,track\na,p,x,t\na,q,x,t\nb,p,y,u\nc,r,z,t\n",
            {},
            ["no two items of one track share a context"],
        ),
        ("id,text,track\na,x,t\x1b[2J\nb,y,u\n", {}, [r"row 1: the track t\x1b[2J has the char"]),
        (SLOGANS, {"track": "trcak"}, ["no column 'trcak' for the track (did you mean track?)"]),
    ],
)
def test_tracks_that_cannot_be_used_come_with_what_to_do(write, content, options, parts):
    message = complaint(write(content), **options)
    for part in parts:
        assert part in message
    assert "\x1b" not in message


def test_many_rows_without_a_track_come_in_one_short_message(write):
    rows = "".join(f"i{n},x,{'t' if n == 0 else ''}\n" for n in range(2000))
    message = complaint(write("id,text,track\n" + rows))
    assert "row 2, row 3, row 4, row 5, row 6 and 1,994 more rows" in message


def test_a_track_cannot_be_named_where_there_are_no_columns():
    assert "track= names a column" in complaint({"a": "x", "b": "y"}, track="track")


def test_items_tell_how_many_tracks_they_have_and_keep_them_in_a_pickle(write):
    items = pickle.loads(pickle.dumps(read_items(write(SLOGANS))))
    assert repr(items) == "JudgedItems(4 items, 4 samples, 2 tracks)"
    assert items.comparable == [("a", "c"), ("b", "d")]


@pytest.mark.slow
def test_many_items_in_tracks_are_read_quickly(write):
    with at_most(4):
        rows = "".join(f"i{n},text {n},{n % 2}\n" for n in range(50_000))
        items = read_items(write("id,text,track\n" + rows))
        assert items.n_showings("i0", "i2") == 1
        assert items.n_showings("i0", "i1") == 0
