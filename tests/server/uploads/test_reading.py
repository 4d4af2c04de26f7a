"""What uploaded files would become: tables with media, folders, zips, loose files."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.sources.made_workbooks import xlsx_of, xlsx_rows
from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import InvalidArgument
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.media.validation import validate_media
from hodgerank.server.uploads.file_names import Limits
from hodgerank.server.uploads.read_upload import Upload, read_upload
from hodgerank.server.uploads.uploaded_files import RefusedFile
from server.media.kept import names_in
from server.media.made import NOT_TAKEN, TWO_THINGS_AT_ONCE, jpeg, mp3, mp4, png
from server.uploads.made_zips import zip_of

TABLE = "id,image,text\na,a.png,one\nb,b.png,two\n"


def name_of(content: bytes) -> str:
    return validate_media(io.BytesIO(content)).name


@pytest.fixture
def read(tmp_path):
    """Upload files by the names that the browser gives, stored as a server does."""

    def read_files(files: dict[str, bytes | str], **options: object) -> Upload:
        given = []
        for number, (name, content) in enumerate(files.items()):
            path = tmp_path / f"upload-{number}"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            given.append((name, path))
        return read_upload(given, **options)

    return read_files


@pytest.fixture
def library(tmp_path):
    return MediaLibrary(tmp_path / "library")


def test_a_table_names_the_media_beside_it(read, library):
    upload = read({"items.csv": TABLE, "a.png": png(1), "b.png": png(2)})
    assert upload.items == (
        CampaignItem("a", "one", name_of(png(1))),
        CampaignItem("b", "two", name_of(png(2))),
    )
    assert upload.columns == {"id": "id", "text": "text", "media": "image"}
    assert (upload.faults, upload.refusals, upload.left_out, upload.warnings) == ((), (), (), ())
    assert upload.n_bytes == len(png(1)) + len(png(2))
    assert names_in(library.folder) == []
    assert upload.store(library) == list(upload.items)
    assert names_in(library.folder) == sorted([name_of(png(1)), name_of(png(2))])


@pytest.mark.parametrize("column", ["media", "image", "video", "audio", "file", "path", "URL"])
def test_the_column_of_media_is_found_by_its_name(read, column):
    upload = read({"i.csv": f"id,{column}\na,a.png\n", "a.png": png()})
    assert upload.columns["media"] == column
    assert upload.items[0].media == name_of(png())


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "ndjson", "parquet", "xlsx"])
def test_tables_of_every_kind_are_read(read, tmp_path, form):
    table = pl.DataFrame({"id": ["a", "b"], "text": ["one\ntwo", "three"], "track": ["x", "x"]})
    path = tmp_path / f"table.{form}"
    if form == "parquet":
        table.write_parquet(path)
    elif form == "xlsx":
        table.write_excel(path)
    elif form in ("csv", "tsv"):
        table.write_csv(path, separator="," if form == "csv" else "\t")
    elif form == "json":
        path.write_text(json.dumps(table.to_dicts()))
    else:
        table.write_ndjson(path)
    expected = (
        CampaignItem("a", "one\ntwo", track="x"),
        CampaignItem("b", "three", track="x"),
    )
    for upload in (
        read({f"items.{form}": path.read_bytes()}),
        read({"all.zip": zip_of({f"deep/items.{form}": path.read_bytes()})}),
    ):
        assert upload.faults + upload.refusals == ()
        assert upload.items == expected
        assert upload.tracks == {"x": 2}


def test_texts_keep_their_line_breaks(read):
    upload = read({"i.csv": 'id,text\na,"one\n\n  two\nthree"\nb,x\n'})
    assert upload.items[0].text == "one\n\n  two\nthree"


def test_the_context_stands_above_the_text(read):
    upload = read({"i.csv": "id,text,prompt\na,x,Say a letter.\nb,y,\n"})
    assert [item.text for item in upload.items] == ["Say a letter.\n\nx", "y"]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("items.csv", {"a": "a.png", "b": "b.png"}),
        ("set/items.csv", {"a": "set/pictures/a.png", "b": "set/pictures/b.png"}),
        ("set/items.csv", {"a": "a.png", "b": "other/b.png"}),
    ],
)
@pytest.mark.parametrize(
    "form", ["{0}.png", "pictures/{0}.png", r"C:\Users\me\pictures\{0}.png", "/home/me/{0}.png"]
)
def test_files_are_found_by_the_paths_of_another_machine(read, table, names, form):
    rows = "".join(f"{k},{form.format(k)}\n" for k in "ab")
    files = {table: f"id,image\n{rows}"} | {
        name: png(seed) for seed, name in enumerate(names.values())
    }
    upload = read(files)
    assert upload.faults == ()
    assert [item.media for item in upload.items] == [name_of(png(0)), name_of(png(1))]


def test_the_nearest_file_is_meant(read):
    files = {"x/i.csv": "id,image\na,a.png\n", "x/a.png": png(1), "a.png": png(2)}
    assert read(files).items[0].media == name_of(png(1))
    files = {"x/i.csv": "id,image\na,y/a.png\n", "y/a.png": png(1), "a.png": png(2)}
    assert read(files).items[0].media == name_of(png(1))


def test_a_name_that_may_be_two_files_is_a_fault_of_its_row(read):
    files = {"i.csv": "id,image\na,a.png\n", "x/a.png": png(1), "y/a.png": png(2)}
    assert read(files).faults == ("row 1: a.png may be x/a.png or y/a.png: write the folder too",)


def test_accents_are_the_same_however_they_are_written(read):
    upload = read({"i.csv": "id,image\na,caf\u00e9.png\n", "cafe\u0301.png": png()})
    assert upload.items[0].media == name_of(png())


def test_what_is_missing_is_said_by_row_and_the_rest_is_there(read):
    upload = read({"i.csv": TABLE + "c,c.png,three\nd,,\n", "a.png": png(1), "b.png": png(2)})
    assert [item.id for item in upload.items] == ["a", "b"]
    assert upload.faults == (
        "row 3: c.png is not among the uploaded files: upload it too",
        "row 4: d has no content: fill it in, or remove the row",
    )


@pytest.mark.parametrize(
    "secret", ["{folder}/secret.png", "../secret.png", "./../../secret.png", "file://{folder}/s"]
)
def test_files_of_the_server_are_never_read(read, tmp_path, secret):
    (tmp_path / "secret.png").write_bytes(png())
    upload = read({"i.csv": f"id,image,text\na,{secret.format(folder=tmp_path)},x\nb,,y\n"})
    assert [item.id for item in upload.items] == ["b"]
    assert len(upload.faults) == 1
    assert not upload.media


def test_media_of_the_library_cannot_be_named(read, library):
    name = library.add(png(), "a")
    assert "not among the uploaded files" in read({"i.csv": f"id,image\na,{name}\n"}).faults[0]


def test_files_that_the_table_does_not_name_are_left_out(read):
    files = {"i.csv": TABLE, "a.png": png(1), "b.png": png(2), "c.png": b"bad", "notes.txt": "x"}
    upload = read(files)
    assert [one.name for one in upload.left_out] == ["c.png", "notes.txt"]
    assert {one.reason for one in upload.left_out} == {"not named in the table"}
    assert upload.refusals == ()


def test_a_file_that_is_refused_is_a_fault_of_every_row_that_names_it(read):
    upload = read({"i.csv": "id,image\na,x.svg\nb,x.svg\nc,c.png\n", "x.svg": NOT_TAKEN["SVG"][0],
                   "c.png": png()})  # fmt: skip
    assert upload.faults == ("row 1: x.svg was rejected", "row 2: x.svg was rejected")
    assert upload.refusals == (
        RefusedFile("x.svg", "SVG can carry scripts: save it as PNG or WebP"),
    )
    assert [item.id for item in upload.items] == ["c"]


def test_media_without_a_table_are_items_by_their_names(read, library):
    upload = read({"b.jpg": jpeg(), "a.b.png": png(), "song.mp3": mp3(), "film.mp4": mp4()})
    assert [(item.id, item.text) for item in upload.items] == [
        ("a.b", ""), ("b", ""), ("film", ""), ("song", ""),
    ]  # fmt: skip
    assert upload.store(library)[2].media == name_of(mp4())
    assert len(names_in(library.folder)) == 4


def test_texts_without_a_table_are_items_too(read):
    upload = read({"a.txt": "one\r\n\r\ntwo\n", "b.MD": "# three", "c.txt": "é".encode("utf-16")})
    assert [(item.id, item.text) for item in upload.items] == [
        ("a", "one\r\n\r\ntwo"), ("b", "# three"), ("c", "é"),
    ]  # fmt: skip


def test_a_folder_gives_ids_without_what_all_share(read):
    upload = read({"set/one/a.png": png(1), "set/two/a.png": png(2), "set/b.png": png(3)})
    assert [item.id for item in upload.items] == ["b", "one/a", "two/a"]
    assert [item.id for item in read({"set/a.png": png(1), "set/b.png": png(2)}).items] == [
        "a",
        "b",
    ]
    assert [item.id for item in read({"deep/set/a.png": png(1)}).items] == ["a"]


def test_a_zip_may_hold_everything(read, library):
    content = zip_of(
        {"set/": b"", "set/items.csv": TABLE, "set/a.png": png(1), "set/b.png": png(2)}
    )
    upload = read({"all.zip": content})
    assert [item.id for item in upload.items] == ["a", "b"]
    upload.store(library)
    assert names_in(library.folder) == sorted([name_of(png(1)), name_of(png(2))])


def test_a_table_may_come_beside_zips_of_media(read):
    files = {"i.csv": TABLE, "1.zip": zip_of({"a.png": png(1)}), "2.zip": zip_of({"b.png": png(2)})}
    assert len(read(files).items) == 2


def test_texts_and_media_without_a_table_are_not_guessed(read):
    upload = read({"a.txt": "x", "b.png": png()})
    assert upload.items == ()
    assert "texts (a.txt) and media (b.png)" in upload.faults[0]


def test_two_tables_are_not_guessed(read):
    upload = read({"a.csv": TABLE, "b.jsonl": "{}"})
    assert upload.items == ()
    assert upload.faults == ("there are 2 tables, such as a.csv and b.jsonl: upload one of them",)


def test_two_files_for_one_item_are_not_guessed(read):
    upload = read({"a.png": png(), "a.jpg": jpeg()})
    assert [item.id for item in upload.items] == ["a"]
    assert "another file for the item a: rename one" in upload.refusals[0].reason


def test_an_upload_of_nothing_says_so(read):
    for files in ({}, {".DS_Store": b"x"}, {"empty.zip": zip_of({})}, {"i.csv": "id,text\n"}):
        upload = read(files)
        assert upload.items == ()
        assert upload.faults == ("there are no items in it: choose other files",)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "is empty"),
        ("number,text\n1,x\n", "no column for the id"),
        ("id,words\n1,x\n", "no column for the text"),
        ("id,name,text\na,b,c\n", "in the field for the column of the id"),
        ("id,text\na,x\na,y\n", "a is in row 1 and in row 2"),
        ("id,text,track\na,x,one\nb,y,\n", "row 2: the track is empty"),
        ("id,text\na,caf\udce9\n", "is not UTF-8"),
    ],
)
def test_a_table_that_cannot_be_used_comes_with_what_to_do(read, tmp_path, table, words):
    upload = read({"items.csv": table.encode(errors="surrogateescape")})
    [refusal] = upload.refusals
    assert refusal.name == "items.csv"
    assert words in refusal.reason
    assert "--" not in refusal.reason
    assert str(tmp_path) not in refusal.reason
    assert upload.items == ()


def test_columns_and_encoding_may_be_named(read):
    table = "key,name,words,group\na,x,caf\xe9,one\nb,y,z,\n".encode("latin-1")
    columns = {"id": "key", "text": "words", "track": ""}
    upload = read({"i.csv": table}, columns=columns, encoding="latin-1")
    assert [item.text for item in upload.items] == ["café", "z"]
    assert upload.unused_columns == ("name", "group")


def test_the_encoding_can_be_chosen_on_the_page(read):
    [refusal] = read({"i.csv": "id,text\na,caf\xe9\n".encode("cp1252")}).refusals
    assert refusal.reason.endswith("choose its encoding below")


def test_spaces_around_an_id_mean_nothing(read):
    upload = read({"i.csv": "id,text\na ,x\n b,y\n"})
    assert [item.id for item in upload.items] == ["a", "b"]
    assert upload.faults == ()


def test_a_readme_beside_pictures_is_no_item(read):
    upload = read({"all/readme.md": "Hello.", "all/a.png": png(), "all/b.png": png("blue")})
    assert [item.id for item in upload.items] == ["a", "b"]
    [(name, reason)] = upload.left_out
    assert (name, reason) == ("all/readme.md", "its name suggests notes about the other files")


def test_files_stand_in_the_order_of_their_names(read):
    names = ["f/i10.txt", "f/i2.txt", "f/A.txt", "f/b.txt"]
    upload = read({name: name for name in names})
    assert [item.id for item in upload.items] == ["A", "b", "i2", "i10"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("\u202ea,x", r"has the character \u202e"),
        ("null,x", "rename it"),
        (",x", "the id is empty"),
        ("a,x,y", "more fields than the header"),
        (f"{'a' * 501},x", "more than 500 characters"),
        (f"a,{'x' * 2001}", "more than 0.00191 MB"),
    ],
)
def test_a_row_that_cannot_be_an_item_is_a_fault(read, row, words):
    upload = read({"i.csv": f"id,text\nz,ok\n{row}\n"}, limits=Limits(largest_text=2000))
    assert [item.id for item in upload.items] == ["z"]
    assert upload.faults[0].startswith("row 2: ")
    assert words in upload.faults[0]


@pytest.mark.parametrize(
    ("cell", "address"),
    [
        ("https://example.org/a.png", "https://example.org/a.png"),
        (" HTTP://Example.org:8080 ", "http://example.org:8080/"),
        ("https://example.org/a b/é.png?x=1&y=%20#z", "https://example.org/a%20b/%C3%A9.png?x=1&y=%20#z"),
        ("https://example.org/'\"<>.png", "https://example.org/'%22%3C%3E.png"),
    ],
)  # fmt: skip
def test_addresses_are_media(read, cell, address):
    table = json.dumps([{"id": "a", "url": cell}])
    assert [item.media for item in read({"i.json": table}).items] == [address]


@pytest.mark.parametrize(
    "cell",
    [
        "https://",
        "https:///a.png",
        "https://user:word@example.org/a.png",
        "https://example.org;script-src/a.png",
        "https://example.org'/a.png",
        "https://example.org\n/a.png",
        "https://exämple.org/a.png",
        "https://example.or\u212a/a.png",
        "https://example.org\\@evil.org/",
        "https://[::1]/a.png",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "ftp://example.org/a.png",
        "blob:https://example.org/1",
        "https://example.org/" + "a" * 2000,
    ],
)
def test_addresses_that_mean_more_than_a_place_are_faults(read, cell):
    upload = read({"i.json": json.dumps([{"id": "a", "url": cell}])})
    assert upload.items == ()
    assert upload.faults[0].startswith("row 1: ")
    assert "\n" not in upload.faults[0]


def test_warnings_say_what_may_go_wrong(read):
    table = "id,url\na,http://example.org/a.png\nb,https://example.org/b\nc,film.mp4\n"
    upload = read({"i.csv": table, "film.mp4": mp4(codec=b"hvc1")})
    assert len(upload.items) == 3
    assert [words.split(":")[0] for words in upload.warnings] == [
        "film.mp4",
        "1 addresses have no known file suffix, such as that of b",
        "a server with https cannot show media from http addresses",
    ]


def test_items_that_show_the_same_are_a_warning(read, library):
    upload = read({"a.png": png(), "b.png": png()})
    assert upload.warnings == ("a and b are identical: workers cannot distinguish them",)
    upload.store(library)
    assert len(names_in(library.folder)) == 1


HOSTILE = [
    "a\nb.png",
    "\x1b[2Ja.png",
    "\u202egnp.a",
    '"><img src=x onerror=alert(1)>.png',
    "a" * 5000 + ".png",
    "a\0.png",
    "../../../etc/passwd",
    "/etc/passwd",
    "C:\\windows\\a.png",
    "..\\..\\a.png",
    "",
    "/",
    " ",
    "nul\ud800.png",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("content", [png(), b"bad"])
def test_hostile_names_are_shown_in_one_short_line(read, name, content):
    upload = read({name: content})
    for words in (
        *upload.faults,
        *(part for refusal in (*upload.left_out, *upload.refusals) for part in refusal),
    ):
        assert words.isprintable()
        assert len(words) < 400
    assert [item.id for item in upload.items] in ([], ['"><img src=x onerror=alert(1)>'])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_cells_are_shown_in_one_short_line(read, name):
    table = json.dumps([{"id": "a", "image": name}])
    upload = read({"i.json": table})
    for words in (*upload.faults, *(refusal.reason for refusal in upload.refusals)):
        assert words.isprintable()
        assert len(words) < 400


@pytest.mark.parametrize("what", [*NOT_TAKEN, *TWO_THINGS_AT_ONCE])
def test_hostile_media_are_refused_whatever_they_are_called(read, what):
    content = NOT_TAKEN[what][0] if what in NOT_TAKEN else TWO_THINGS_AT_ONCE[what][0]()
    for files in ({"a.png": content}, {"all.zip": zip_of({"a.png": content})}):
        upload = read(files)
        if what in ("zip",) and "a.png" in files:
            assert upload.refusals  # it is opened, and what is in it is none
            continue
        assert upload.items == ()
        assert [refusal.name for refusal in upload.refusals] == ["a.png"]


def test_files_that_changed_meanwhile_are_not_stored(tmp_path, library):
    path = tmp_path / "a"
    path.write_bytes(png(1))
    upload = read_upload([("a.png", path)])
    path.write_bytes(png(2))
    with pytest.raises(InvalidArgument, match=r"a\.png has changed: upload it again"):
        upload.store(library)
    path.write_bytes(NOT_TAKEN["SVG"][0])
    with pytest.raises(InvalidArgument, match="SVG"):
        upload.store(library)


def test_limits_are_kept(read):
    assert (
        "more than 0.000191 MB"
        in read({"a.png": png()}, limits=Limits(largest_file=200)).refusals[0].reason
    )
    two = {"a.png": png(1), "b.png": png(2)}
    upload = read(two, limits=Limits(all_files=len(png(1)) + 10))
    assert len(upload.items) == 1
    assert "in all: upload it in parts" in upload.refusals[0].reason
    upload = read(two, limits=Limits(most_files=1))
    assert len(upload.items) == 1
    assert "more than 1 files" in upload.refusals[0].reason
    upload = read({"i.csv": "id,text\na,x\nb,y\n"}, limits=Limits(most_items=1))
    assert "more than 1 rows: upload it in parts" in upload.refusals[0].reason
    upload = read({"i.csv": "id,text\na,x\nb,y\n"}, limits=Limits(largest_table=9))
    assert "MB: make it smaller" in upload.refusals[0].reason
    upload = read({"a.txt": "too long"}, limits=Limits(largest_text=5))
    assert "MB: make it smaller" in upload.refusals[0].reason


def test_a_parquet_file_of_endless_rows_is_refused(read, tmp_path):
    path = tmp_path / "rows"
    pl.select(id=pl.repeat("a", 3_000_000), text=pl.repeat("b", 3_000_000)).write_parquet(path)
    assert path.stat().st_size < 1_000_000
    upload = read({"rows.parquet": path.read_bytes()})
    assert "more than 100,000 rows" in upload.refusals[0].reason


def test_a_workbook_that_unpacks_to_too_much_is_refused(read):
    upload = read(
        {"book.xlsx": zip_of({"xl/a.xml": bytes(3_000_000)})}, limits=Limits(largest_file=2 << 20)
    )
    assert "more than 2 MB" in upload.refusals[0].reason


def test_a_workbook_with_a_cell_in_the_far_corner_is_refused(read):
    content = xlsx_of(xlsx_rows({"A1": "id", "A2": "tea", "XFD1048576": "x"}))
    upload = read({"book.xlsx": content})
    assert "Delete single cells far from the table" in upload.refusals[0].reason


@pytest.mark.parametrize("form", ["parquet", "xlsx", "xls", "json", "csv", "ods"])
def test_damaged_tables_are_refused(read, form):
    for content in (b"PK\3\4 nonsense", b"PAR1nonsense", b"\x00\xff" * 50, b"[[[["):
        upload = read({f"items.{form}": content})
        assert upload.items == ()
        assert upload.refusals or upload.faults


@given(st.dictionaries(st.text(max_size=20), st.binary(max_size=60), max_size=4))
def test_any_files_are_read_or_refused(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("upload")
    given = []
    for number, (name, content) in enumerate(files.items()):
        path = folder / str(number)
        path.write_bytes(content)
        given.append((name, path))
    upload = read_upload(given)
    assert upload.items or upload.faults


def test_an_upload_goes_through_a_pickle(read, library):
    upload = pickle.loads(pickle.dumps(read({"all.zip": zip_of({"a.png": png()})})))
    assert len(upload.store(library)) == 1
    assert len(names_in(library.folder)) == 1


def test_pictures_beside_tables_are_looked_at_once(read, monkeypatch):
    looked: list[Path] = []
    monkeypatch.setattr(
        "hodgerank.server.uploads.item_tables.validate_media",
        lambda file: looked.append(file) or validate_media(file),
    )
    upload = read({"i.csv": "id,image\na,x.png\nb,x.png\n", "x.png": png()})
    assert len(upload.items) == 2
    assert len(looked) == 1
