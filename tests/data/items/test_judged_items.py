"""What is compared: items from files, folders and Python, and pairs of them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from hodgerank.data.items.judged_items import JudgedItems, read_items
from hodgerank.data.items.samples import LARGEST_IMAGE, Sample, ShownPair, image_kind
from hodgerank.errors import InvalidArgument, InvalidComparisons, UnknownItem
from pace import at_most

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
JPEG = b"\xff\xd8\xff\xe0" + bytes(20)
GIF = b"GIF89a" + bytes(20)
WEBP = b"RIFF\x10\x00\x00\x00WEBPVP8 " + bytes(20)
OUTPUTS = "model,prompt,output\nm1,p1,one\nm2,p1,two\nm1,p2,three\nm3,p2,four\nm2,p2,five\n"


def texts(items: JudgedItems) -> dict[str, str | None]:
    """The text of every item that has one sample."""
    shown = {}
    for item in items.items:
        other = next(name for name in items.items if name != item)
        [showing] = items.showings(item, other)
        shown[item] = showing.left.text
    return shown


def complaint(source, **options) -> str:
    with pytest.raises((InvalidComparisons, InvalidArgument)) as caught:
        read_items(source, **options)
    return str(caught.value)


def test_a_pair_is_shown_as_it_is_asked_for():
    items = JudgedItems.of({"a": "one", "b": "two"})
    assert items.items == ("a", "b")
    assert items.showings("b", "a") == (ShownPair(Sample("two"), Sample("one"), None, ""),)
    assert items.n_showings("a", "b") == 1
    assert items.comparable is None
    assert items.left_out == ()


def test_a_context_is_shared_where_it_is_the_same():
    items = JudgedItems.of(
        {"a": Sample("1", context="p"), "b": Sample("2", context="p"), "c": Sample("3")}
    )
    assert items.showings("a", "b")[0].context == "p"
    own = items.showings("a", "c")[0]
    assert (own.context, own.left.context, own.right.context) == (None, "p", None)
    assert own.key == ""
    assert items.comparable is None


def test_items_with_several_samples_are_compared_in_the_same_context(write):
    items = read_items(write(OUTPUTS))
    assert items.items == ("m1", "m2", "m3")
    shown = items.showings("m2", "m1")
    assert [(s.left.text, s.right.text, s.context, s.key) for s in shown] == [
        ("two", "one", "p1", "p1"),
        ("five", "three", "p2", "p2"),
    ]
    assert items.n_showings("m1", "m2") == 2
    assert items.n_showings("m3", "m1") == 1
    assert items.comparable is None


def test_contexts_come_in_one_order_whichever_item_is_left():
    items = JudgedItems.of(
        {
            "a": [Sample("1", context=c) for c in ("z", "y", "x")],
            "b": [Sample("2", context=c) for c in ("x", "y", "z")],
        }
    )
    assert [s.key for s in items.showings("a", "b")] == ["z", "y", "x"]
    assert [s.key for s in items.showings("b", "a")] == ["z", "y", "x"]


def test_pairs_without_a_common_context_are_not_comparable():
    samples = {"a": "pq", "b": "qr", "c": "r", "d": "r"}
    items = JudgedItems.of({k: [Sample("x", context=c) for c in v] for k, v in samples.items()})
    assert items.comparable == [("a", "b"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert items.showings("a", "c") == ()
    assert items.n_showings("a", "d") == 0


def test_a_sample_without_context_is_compared_with_others_without():
    several = [Sample("1"), Sample("2", context="p")]
    items = JudgedItems.of({"a": several, "b": [Sample("3")]})
    [showing] = items.showings("b", "a")
    assert (showing.left.text, showing.right.text, showing.context, showing.key) == (
        "3", "1", None, "",
    )  # fmt: skip


def test_a_name_that_is_not_there_comes_with_the_nearest():
    items = JudgedItems.of({"alpha": "1", "beta": "2"})
    with pytest.raises(UnknownItem, match="did you mean alpha"):
        items.showings("alhpa", "beta")
    with pytest.raises(UnknownItem):
        items.n_showings("alpha", "gamma")
    with pytest.raises(InvalidArgument, match="with itself"):
        items.showings("alpha", "alpha")


def test_items_go_through_a_pickle_and_show_themselves():
    items = pickle.loads(pickle.dumps(JudgedItems.of({"a": "<b>one</b>", "b": "two"})))
    assert items.showings("a", "b")[0].left.text == "<b>one</b>"
    assert repr(items) == "JudgedItems(2 items, 2 samples)"
    assert "&lt;b&gt;one" in items._repr_html_()
    assert read_items(items) is items


@pytest.mark.parametrize(
    ("items", "what"),
    [
        ({}, "0 items: two are needed"),
        ({"a": "x"}, "1 item: two are needed"),
        ({"a": "x", "b": ""}, "item 'b': the text is empty"),
        ({"a": "x", "b": " \n"}, "the text is empty"),
        ({"a": "x", "b": []}, "1 item"),
        ({"a": "x", "b": "\ud800"}, r"invalid character at position 1 (\ud800)"),
        ({"a": "x", "": "y"}, "the id is empty"),
        ({"a": "x", "a\nb": "y"}, r"a\nb has the character \n"),
        ({"a": "x", "a\ud800": "y"}, r"has the character \ud800"),
        ({"a": "x", "\u202eb": "y"}, r"has the character \u202e"),
        ({"a": "x", 7: "y"}, "ids are strings: write '7'"),
        ({"a": "x", "b": 7}, "give a text or a Sample, not a int"),
        ({"a": "x", "b": b"y"}, "give a text or a Sample, not a"),
        ({"a": "x", "b": [Sample("y"), Sample("z")]}, "without different contexts"),
        ({"a": [Sample("x", context="p"), Sample("y", context="q")], "b": "z"}, "no two items"),
    ],
)
def test_items_that_cannot_be_judged_are_named(items, what):
    assert what in complaint(items)


def test_a_sample_has_something_to_show():
    with pytest.raises(InvalidArgument, match="neither a text nor an image"):
        Sample()
    with pytest.raises(InvalidArgument, match="the context is empty"):
        Sample("x", context=" ")
    with pytest.raises(InvalidArgument, match="is a int: give it as a string"):
        Sample(7)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("i.csv", 'id,text\n007,"a, b"\n8,c\n'),
        ("i.csv", 'ITEM; Output \n007;"a, b"\n8;c\n'),
        ("i.tsv", "name\tanswer\n007\ta, b\n8\tc\n"),
        ("i.csv", '\ufeffmodel,completion\n007,"a, b"\n8,c\n'),
        ("i.jsonl", '{"id": "007", "text": "a, b"}\n{"id": 8, "text": "c"}\n'),
        ("i.jsonl", '{"id": "007", "text": "a, b", "n": 1}\n\n{"text": "c", "id": 8, "n": [2]}'),
        ("i.json", '[{"system": "007", "summary": "a, b"}, {"system": 8, "summary": "c"}]'),
        ("i.ndjson", '\ufeff{"id": "007", "text": "a, b"}\r\n{"id": 8, "text": "c"}\r\n'),
    ],
)
def test_tables_are_understood_by_the_names_of_their_columns(write, name, content):
    assert texts(read_items(write(content, name))) == {"007": "a, b", "8": "c"}


def test_tables_of_other_kinds_are_read_too(tmp_path):
    table = pl.DataFrame({"id": ["007", "8"], "text": ["a", "b"]})
    table.write_parquet(tmp_path / "i.parquet")
    table.write_excel(tmp_path / "i.xlsx")
    (tmp_path / "i.csv.gz").write_bytes(gzip.compress(b"id,text\n007,a\n8,b\n"))
    (tmp_path / "i.jsonl.gz").write_bytes(
        gzip.compress(b'{"id": "007", "text": "a"}\n{"id": "8", "text": "b"}\n')
    )
    for name in ("i.parquet", "i.xlsx", "i.csv.gz", "i.jsonl.gz"):
        assert texts(read_items(str(tmp_path / name))) == {"007": "a", "8": "b"}
    assert texts(read_items(table)) == {"007": "a", "8": "b"}


def test_numbers_in_json_are_shown_as_they_are_written(write):
    lines = (
        '{"id": 1, "text": 3}\n{"id": 2.50, "text": 1e3}\n'
        '{"id": "x", "text": true}\n{"id": 123456789012345678901234567890, "text": 0.10}\n'
    )
    assert texts(read_items(write(lines, "i.jsonl"))) == {
        "1": "3",
        "2.50": "1e3",
        "x": "true",
        "123456789012345678901234567890": "0.10",
    }


def test_numbers_of_typed_tables_become_their_text():
    table = pl.DataFrame({"id": [1, 2], "text": [0.5, 1.5]})
    assert texts(read_items(table)) == {"1": "0.5", "2": "1.5"}


def test_texts_arrive_as_they_are(write):
    odd = 'x\u0000y\r\n{right} </item-A> \u2028 "quoted" \U0001f600 e\u0301'
    records = [{"id": "a", "text": odd}, {"id": "b", "text": "c"}]
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    assert texts(read_items(write(lines, "i.jsonl")))["a"] == odd
    assert texts(JudgedItems.of({"a": odd, "b": "c"}))["a"] == odd


def test_other_encodings_are_named_or_found(write):
    content = "id,text\na,café\nb,c\n"
    assert texts(read_items(write(content, encoding="utf-16")))["a"] == "café"
    path = write(content, encoding="latin-1")
    assert "--encoding latin-1" in complaint(path)
    assert texts(read_items(path, encoding="latin-1"))["a"] == "café"
    lines = '{"id": "a", "text": "café"}\n{"id": "b", "text": "c"}\n'
    assert texts(read_items(write(lines, "i.jsonl", "utf-16")))["a"] == "café"
    path = write(lines, "i.jsonl", encoding="latin-1")
    assert "line 1: byte 0xe9 is not utf-8" in complaint(path)
    assert texts(read_items(path, encoding="latin-1"))["a"] == "café"
    assert "no encoding 'klingon'" in complaint(path, encoding="klingon")


def test_columns_are_named_where_their_names_do_not_tell(write):
    path = write("id,model,prompt,output,source\n1,m1,p,x,web\n2,m2,p,y,web\n")
    assert "several columns may be the id" in complaint(path)
    assert "several columns may be the context" in complaint(path, id="Model")
    items = read_items(path, id="Model", context="prompt")
    assert items.items == ("m1", "m2")
    assert items.showings("m1", "m2")[0].context == "p"
    assert read_items(path, id="id", context="").showings("1", "2")[0].context is None


def test_a_column_may_play_two_parts_where_it_is_named(write):
    items = read_items(write("slogan\nFresh.\nFast.\n"), id="slogan", text="slogan")
    assert texts(items) == {"Fresh.": "Fresh.", "Fast.": "Fast."}


@pytest.mark.parametrize(
    ("content", "options", "parts"),
    [
        ("number,text\n1,x\n2,y\n", {}, ["no column for the id", "--id", "it has number, text"]),
        ("id,words\n1,x\n2,y\n", {}, ["no column for the text", "--text", "it has id, words"]),
        ("id,text\n1,x\n2,y\n", {"id": "modle"}, ["no column 'modle' for the id", "it has id"]),
        ("model,text\n1,x\n", {"id": "modle"}, ["did you mean model?"]),
        ("id,text\na,x\n", {}, ["1 item: two are needed"]),
        ("id,text\n", {}, ["0 items"]),
        ("", {}, ["is empty"]),
        ("id,text\na,x\nb,\n,y\n", {}, ["row 2: b has no content", "row 3: the id is empty"]),
        ("id,text\na,x\nb,y, z\n", {}, ["row 2: more fields than the header", "quotes"]),
        ("id,text\na,x\nb,y\na,z\n", {}, ["a is in row 1 and in row 3", "--context"]),
        (OUTPUTS + "m1,p1,six\n", {}, ["m1 is in row 1 and in row 6", "'p1'", "remove one"]),
        ("model,prompt,output\na,p,x\na,q,y\nb,r,z\n", {}, ["no two items share a context"]),
        ("id,text,id\na,x,1\nb,y,2\n", {}, ["two columns are called id"]),
        ("id,text\na\x1b[2J,x\nb,y\n", {}, [r"row 1: the id a\x1b[2J has the character \x1b"]),
        ("id,image\na,none.png\nb,x\n", {}, ["row 1: the image", "none.png does not exist"]),
        ("id,image\na,http://x.org/a.png\nb,x\n", {}, ["row 1: http://x.org/a.png is not a file"]),
    ],
)
def test_a_table_that_cannot_be_used_comes_with_what_to_do(write, content, options, parts):
    message = complaint(write(content), **options)
    for part in parts:
        assert part in message
    assert "\x1b" not in message


def test_many_faults_come_in_one_short_message(write):
    message = complaint(write("id,text\n" + "".join(f"i{n},\n" for n in range(2000))))
    assert "and 1,995 more such rows" in message
    assert len(message) < 1000


def test_empty_rows_are_passed_over(write):
    assert texts(read_items(write("id,text\na,x\n,\nb,y\n\n"))) == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("nonsense", ["line 1 is not readable as JSON"]),
        ('{"id": "a", "text": "x"}\n{"id": "b", "te', ["line 2 is not readable as JSON"]),
        ('{"id": "a", "text": "x"}\n["b", "y"]\n', ["line 2: write an object"]),
        ('["a", "b"]', ["write one object per line"]),
        ("7", ["write one object per line"]),
        ('{"a": "x", "b": "y"}', ["no column for the id", "it has a, b"]),
        ('{"id": "a", "text": ["x"]}\n{"id": "b", "text": "y"}', ["row 1: text holds a list"]),
        ('{"id": "a", "text": {"x": 1}}\n{"id": "b", "text": "y"}', ["row 1: text holds a dict"]),
        (
            '{"id": "a", "text": "\\ud800"}\n{"id": "b", "text": "y"}',
            ["row 1: the text has an invalid character"],
        ),
        ('{"id": "a", "text": NaN}\n{"id": "b", "text": null}', ["row 1: a has no content"]),
        ("[" * 100_000, ["nested too deep"]),
        ("", ["no column for the id"]),
    ],
)
def test_json_that_cannot_be_used_comes_with_its_line(write, content, parts):
    message = complaint(write(content, "i.jsonl"))
    for part in parts:
        assert part in message


def test_what_is_not_there_or_not_a_table_is_said(tmp_path):
    assert "does not exist" in complaint(tmp_path / "none.csv")
    assert "does not exist" in complaint(tmp_path / "none.jsonl")
    assert "0x00" not in complaint("a\0b.csv")
    (tmp_path / "i.jsonl.gz").write_bytes(b"\x1f\x8b broken")
    assert "cannot be read" in complaint(tmp_path / "i.jsonl.gz")
    assert "cannot read" in complaint(7)


def folder_of(tmp_path: Path, files: dict[str, bytes]) -> Path:
    folder = tmp_path / "items"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_a_folder_of_texts_is_read_by_name(tmp_path):
    folder = folder_of(tmp_path, {
        "b.txt": b"two\r\n", "a.MD": b"\xef\xbb\xbf# one\n\nx\n", "c.d.txt": "trois é".encode(),
        "e.txt": "fünf\n".encode("utf-16"), "notes.pdf": b"%PDF", ".hidden.txt": b"x",
        ".DS_Store": b"x",
    })  # fmt: skip
    (folder / "more").mkdir()
    items = read_items(folder)
    assert texts(items) == {"a": "# one\n\nx", "b": "two", "c.d": "trois é", "e": "fünf"}
    assert items.left_out == (".DS_Store", ".hidden.txt", "more", "notes.pdf")
    assert texts(read_items(str(folder))) == texts(items)


def test_a_folder_of_images_is_read_by_what_is_in_the_files(tmp_path):
    images = {"a.png": JPEG, "b.jpg": PNG, "c.WEBP": WEBP, "d": GIF, "x.svg": b"<svg>"}
    folder = folder_of(tmp_path, images)
    items = read_items(folder)
    assert items.items == ("a", "b", "c", "d")
    assert items.left_out == ("x.svg",)
    assert items.showings("b", "a")[0].left == Sample(image=folder / "b.jpg")
    assert [image_kind(content) for content in images.values()] == [
        "jpeg", "png", "webp", "gif", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({}, "0 items: two are needed"),
        ({"a.txt": b"x"}, "1 item: two are needed"),
        ({"a.pdf": b"x", "b.docx": b"y"}, "left out: a.pdf, b.docx"),
        ({"a.txt": b"x", "a.md": b"y"}, "a.md and a.txt would both be the item a: rename one"),
        ({"a.png": PNG, "a.gif": GIF}, "would both be the item a"),
        ({"a.txt": b"x", "b.png": PNG}, "texts (a.txt) and images (b.png)"),
        ({"a.txt": b"x", "b.txt": b" \n"}, "b.txt: the text is empty"),
        ({"a.txt": b"x", "b.txt": b"caf\xe9"}, "byte 4 is not UTF-8: save the text as UTF-8"),
        ({"a.txt": b"x", "b.txt": b"\xff\xfeabc"}, "is not UTF-16"),
        ({"a.png": PNG, "b.png": b"<html>"}, "b.png is not an image that models can read"),
        ({"a.png": PNG, "b.png": b""}, "not an image"),
    ],
)
def test_a_folder_that_cannot_be_used_comes_with_what_to_do(tmp_path, files, what):
    assert what in complaint(folder_of(tmp_path, files))


def test_a_file_name_that_is_no_text_is_refused(tmp_path):
    folder = folder_of(tmp_path, {"a.txt": b"x"})
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_bytes(b"y")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert r"has the character \udcff" in complaint(folder)


def test_columns_cannot_be_named_in_a_folder_or_mapping(tmp_path):
    folder = folder_of(tmp_path, {"a.txt": b"x", "b.txt": b"y"})
    assert "text= names a column, but the source has no columns" in complaint(folder, text="text")
    assert "id= names a column" in complaint({"a": "x", "b": "y"}, id="id")


def test_images_of_a_table_stand_beside_it(tmp_path, write):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(PNG)
    absolute = tmp_path / "b.jpg"
    absolute.write_bytes(JPEG)
    path = write(f"id,image,text,prompt\na, pictures/a.png,,draw\nb,{absolute},a note,draw\n")
    [showing] = read_items(path).showings("a", "b")
    assert showing.left == Sample(image=tmp_path / "pictures" / "a.png", context="draw")
    assert showing.right == Sample("a note", absolute, "draw")
    assert showing.context == "draw"


def test_images_that_cannot_be_sent_are_refused(tmp_path):
    large = tmp_path / "large.png"
    large.write_bytes(PNG)
    os.truncate(large, LARGEST_IMAGE + 1)
    with pytest.raises(InvalidArgument, match="more than 20 MB"):
        Sample(image=large)
    with pytest.raises(InvalidArgument, match="is not a file"):
        Sample(image=tmp_path)
    with pytest.raises(InvalidArgument, match=r"cannot be read|does not exist"):
        Sample(image=tmp_path / "a\0b.png")
    with pytest.raises(InvalidArgument, match="is not a file"):
        Sample(image=Path(os.devnull))


@pytest.mark.slow
def test_many_items_and_long_texts_are_read_quickly(write):
    with at_most(4):
        path = write("id,text\n" + "".join(f"i{n},text {n}\n" for n in range(50_000)))
        assert len(read_items(path).items) == 50_000
        long = JudgedItems.of({"a": "x" * 20_000_000, "b": "y"})
        assert long.showings("a", "b")[0].right.text == "y"
        rows = [f"m{m},p{m % 7 + p},x\n" for m in range(300) for p in range(9)]
        assert read_items(write("model,prompt,output\n" + "".join(rows))).comparable is None


def test_importing_items_loads_no_table_library():
    homes = ("data.items.judged_items", "judges.prompts.template", "judges.replies")
    code = "import sys, " + ", ".join(f"hodgerank.{home}" for home in homes)
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert {"polars", "numpy", "httpx"} & set(run.stdout.split()) == set()


def test_groups_that_share_no_context_are_counted():
    one = {"a": [Sample("x", context="1")], "b": [Sample("y", context="1")]}
    other = {
        "c": [Sample("x", context="2"), Sample("z", context="3")],
        "d": [Sample("y", context="3")],
    }
    assert JudgedItems.of({**one, **other}).n_groups == 2
    assert JudgedItems.of({"a": "x", "b": "y"}).n_groups == 1
