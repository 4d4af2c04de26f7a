from __future__ import annotations

import hashlib

import pytest

from hodgerank.errors import HodgeRankError
from hodgerank.judges.fake_llm.prompt import read_known

PIXEL = b"\x89PNG\r\n\x1a\n and so on"


def test_scores_are_read_beside_the_texts(write):
    path = write('id,Text,Score\na, one ,1.5\nb,"two\nlines",-2\n')
    known = read_known(path)
    assert known.scores == {"one": 1.5, "two\nlines": -2}
    assert known.drawn is None


def test_columns_may_be_named(write):
    path = write(
        '{"who": 1, "said": "one", "q": 3}\n{"who": 2, "said": "two", "q": 4}\n', "a.jsonl"
    )
    assert read_known(path, id="who", text="said", score="q").scores == {"one": 3, "two": 4}


def test_without_scores_each_item_is_drawn_one(write):
    path = write("model,prompt,output\na,p,one\na,q,two\nb,p,three\nb,q,four\n")
    known = read_known(path, seed=5)
    assert known == read_known(path, seed=5)
    assert known != read_known(path, seed=6)
    assert known.drawn.keys() == {"a", "b"}
    assert known.scores == {
        "one": known.drawn["a"],
        "two": known.drawn["a"],
        "three": known.drawn["b"],
        "four": known.drawn["b"],
    }


def test_texts_that_cannot_be_told_apart_share_their_scores(write):
    path = write("id,text,score\na,same,1\nb,same,2\nc,other,0\n")
    assert read_known(path).scores == {"same": 1.5, "other": 0}


def test_images_are_known_by_their_bytes(write, tmp_path):
    (tmp_path / "a.png").write_bytes(PIXEL)
    path = write("id,image,text,score\na,a.png,,1\nb,,two,0\n")
    assert read_known(path).scores == {f"sha256:{hashlib.sha256(PIXEL).hexdigest()}": 1, "two": 0}


def test_a_folder_is_known_too(write, tmp_path):
    write("one", "a.txt")
    write("two", "b.txt")
    known = read_known(tmp_path)
    assert known.scores == {"one": known.drawn["a"], "two": known.drawn["b"]}


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("id,text,score\na,one,high\nb,two,1\n", {}, r"row 1, column score: .* not 'high'"),
        ("id,text,score\na,one,\nb,two,1\n", {}, "row 1, column score"),
        ("id,text,quality\na,one,1\nb,two,1\n", {"score": "qualty"}, "did you mean quality"),
        ("id,image,score\na,none.png,1\nb,none.png,1\n", {}, "none.png cannot be read"),
        ("text,score\none,1\ntwo,1\n", {}, "no column for the id"),
    ],
)
def test_what_cannot_be_read_is_said(write, table, options, message):
    with pytest.raises(HodgeRankError, match=message):
        read_known(write(table), **options)


def test_a_folder_has_no_columns(tmp_path):
    with pytest.raises(HodgeRankError, match="folder"):
        read_known(tmp_path, score="quality")
