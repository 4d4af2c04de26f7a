"""Zips that are made to harm: each is refused in words, and the rest of the zip is taken."""

from __future__ import annotations

import io
import stat
import zipfile
from random import Random

import pytest

from hodgerank.errors import CannotWrite
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.uploads import uploaded_files
from hodgerank.server.uploads.file_names import Limits
from hodgerank.server.uploads.read_upload import read_upload
from pace import at_most
from server.media.kept import names_in
from server.media.made import png
from server.uploads.made_zips import (
    encrypted,
    entry,
    lying_about_its_size,
    overlapping,
    patched,
    zip_of,
)


@pytest.fixture
def read(tmp_path):
    def read_zip(content: bytes, **limits: int):
        path = tmp_path / "upload"
        path.write_bytes(content)
        return read_upload([("all.zip", path)], limits=Limits(**limits))

    return read_zip


def test_names_that_lead_out_of_the_folder_are_refused(read, tmp_path):
    names = {
        "../a.png": "leads out of the folder",
        "x/../../a.png": "leads out of the folder",
        "..\\a.png": "leads out of the folder",
        "/etc/a.png": "a path from the root of a disk",
        "C:\\a.png": "a path from the root of a disk",
        "c:/a.png": "a path from the root of a disk",
        "\\\\server\\share\\a.png": "a path from the root of a disk",
    }
    before = sorted(tmp_path.parent.iterdir())
    upload = read(zip_of({**{name: png(1) for name in names}, "good.png": png(2)}))
    assert [item.id for item in upload.items] == ["good"]
    told = {refusal.name: refusal.reason for refusal in upload.refusals}
    assert set(told) == {f"all.zip: {name}" for name in names}
    for name, words in names.items():
        assert words in told[f"all.zip: {name}"]
    assert sorted(tmp_path.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (stat.S_IFLNK, "it is a link"),
        (stat.S_IFIFO, "a device or a pipe"),
        (stat.S_IFCHR, "a device or a pipe"),
        (stat.S_IFSOCK, "a device or a pipe"),
    ],
)
def test_links_and_devices_are_refused(read, kind, words):
    upload = read(zip_of({entry("a.png", kind): b"/etc/passwd", "b.png": png()}))
    assert [item.id for item in upload.items] == ["b"]
    assert words in upload.refusals[0].reason


def test_encrypted_files_are_refused(read):
    assert "without a password" in read(encrypted("a.png")).refusals[0].reason


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rare_packers_are_refused(read, method):
    assert "as an ordinary zip" in read(zip_of({"a.png": png()}, method)).refusals[0].reason


def test_zips_within_zips_stay_closed(read):
    upload = read(zip_of({"inner.zip": zip_of({"a.png": png(1)}), "b.png": png(2)}))
    assert [item.id for item in upload.items] == ["b"]
    assert upload.refusals[0] == (
        "inner.zip",
        "it is a zip or a document: save what it holds as files",
    )


def test_files_that_share_bytes_are_refused(read):
    content = overlapping()
    assert len(zipfile.ZipFile(io.BytesIO(content)).infolist()) == 50
    upload = read(content)
    assert upload.refusals == (("all.zip", "files in it overlap, as in zip bombs: pack it again"),)


def test_bombs_are_refused_while_they_are_read(read):
    bomb = zip_of({"a.bmp": bytes(50_000_000), "b.png": png()})
    assert len(bomb) < 100_000
    with at_most(1):
        upload = read(bomb)
    assert [item.id for item in upload.items] == ["b"]
    assert "more than 200 times its size" in upload.refusals[0].reason
    upload = read(bomb, most_unpacked=10_000, largest_file=1 << 20)
    assert "more than 1 MB" in upload.refusals[0].reason
    upload = read(bomb, most_unpacked=10_000, all_files=1 << 20)
    assert "in all" in upload.refusals[0].reason


def test_a_zip_that_lies_about_sizes_is_refused(read):
    assert "damaged in the zip" in read(lying_about_its_size()).refusals[0].reason


def test_large_files_are_unpacked_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(uploaded_files, "IN_MEMORY", 100)
    path = tmp_path / "upload"
    path.write_bytes(zip_of({"a.png": png()}))
    room = tmp_path / "room"
    room.mkdir()
    upload = read_upload([("all.zip", path)], folder=room)
    assert len(upload.items) == 1
    assert list(room.iterdir()) == []


@pytest.mark.parametrize("name", ["a.png", "items.csv"])
def test_a_zip_that_finds_no_room_is_said(tmp_path, monkeypatch, name):
    monkeypatch.setattr(uploaded_files, "IN_MEMORY", 100 if name == "a.png" else 10_000)
    path = tmp_path / "upload"
    path.write_bytes(zip_of({name: png()}))
    with pytest.raises(CannotWrite, match=f"no room to unpack {name}: No such file or directory"):
        read_upload([("all.zip", path)], folder=tmp_path / "nowhere")


def test_too_many_files_are_refused_before_they_are_listed(read):
    many = zip_of({f"{k}.txt": b"x" for k in range(60)})
    assert "more than 50 files: upload it in parts" in read(many, most_files=50).refusals[0].reason
    assert len(read(many, most_files=60).items) == 60
    endless = zip_of({f"{k}{'x' * 60_000}.txt": b"x" for k in range(20)})
    upload = read(endless, most_files=30)
    assert upload.refusals == (("all.zip", "it has more than 30 files: upload it in parts"),)


def test_the_second_file_of_a_name_is_refused(read):
    upload = read(patched(zip_of({"a.png": png(1), "b.png": png(2)}), b"b.png", b"a.png"))
    assert len(upload.items) == 1
    assert upload.refusals == (("a.png", "there is another file of this name: rename one of them"),)
    upload = read(zip_of({"x/a.png": png(1), "x\\a.png": png(2), "./x//a.png": png(3)}))
    assert len(upload.items) == 1
    assert len(upload.refusals) == 2


def test_names_in_other_encodings(read):
    written = patched(zip_of({"caf__.png": png()}), b"caf__", "café".encode())
    assert [item.id for item in read(written).items] == ["café"]  # UTF-8 that is not said to be
    latin = patched(zip_of({"caf_.png": png()}), b"caf_", b"caf\xe9")
    upload = read(latin)
    assert upload.items == ()
    assert "its name is not UTF-8: rename it" in upload.refusals[0].reason
    lying = bytearray(latin)
    lying[7] |= 8
    lying[lying.index(b"PK\1\2") + 9] |= 8
    assert "a name that is not UTF-8" in read(bytes(lying)).refusals[0].reason
    ended = patched(zip_of({"a.pngxyz": png()}), b"a.pngxyz", b"a.png\0yz")
    assert "a character that ends names" in read(ended).refusals[0].reason


def test_what_systems_leave_behind_is_left_out(read):
    clutter = [
        "__MACOSX/._a.png",
        ".DS_Store",
        "x/.DS_Store",
        "x/Thumbs.db",
        "desktop.ini",
        ".git/x",
    ]
    upload = read(zip_of({**dict.fromkeys(clutter, b"junk"), "a.png": png()}))
    assert sorted(one.name for one in upload.left_out) == sorted(clutter)
    assert {one.reason for one in upload.left_out} == {"a system file"}
    assert upload.refusals == ()
    assert [item.id for item in upload.items] == ["a"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_zip_that_is_cut_off_is_refused(read, share):
    content = zip_of({f"{k}.png": png(k) for k in range(5)})
    upload = read(content[: int(len(content) * share)])
    assert upload.items == ()
    assert "damaged: pack it again" in upload.refusals[0].reason


def test_a_damaged_file_in_a_zip_is_refused_alone(read):
    content = bytearray(zip_of({"a.png": png(1), "b.png": png(2)}, zipfile.ZIP_STORED))
    content[content.index(b"IDAT") + 20] ^= 1
    upload = read(bytes(content))
    assert [item.id for item in upload.items] == ["b"]
    assert upload.refusals == (("a.png", "it is damaged in the zip: pack it again"),)


def test_a_damaged_table_in_a_zip_is_refused(read):
    content = bytearray(zip_of({"items.csv": b"id,text\na,x\n" * 9}, zipfile.ZIP_STORED))
    content[60] ^= 1
    upload = read(bytes(content))
    assert upload.refusals == (("items.csv", "it is damaged in the zip: pack it again"),)


def test_a_zip_that_changed_meanwhile_is_not_stored(read, tmp_path):
    content = bytearray(zip_of({"a.png": png()}, zipfile.ZIP_STORED))
    upload = read(bytes(content))
    content[content.index(b"IDAT") + 20] ^= 1
    (tmp_path / "upload").write_bytes(bytes(content))
    library = MediaLibrary(tmp_path / "library")
    with pytest.raises(ValueError, match="damaged"):
        upload.store(library)
    assert names_in(library.folder) == []


def test_a_file_without_a_name_is_refused(read):
    nameless = bytearray(zip_of({"a.png": b""}))
    directory = nameless.index(b"PK\1\2")
    nameless[directory + 28] = 0  # the length of the name, which stands in the extra field then
    nameless[directory + 30] = 5
    [refusal] = read(bytes(nameless)).refusals
    assert "damaged" in refusal.reason or "name" in refusal.reason


def test_any_damage_to_a_zip_is_told(read):
    random = Random(1)
    whole = zip_of({"items.csv": b"id,image\na,a.png\n", "a.png": png()})
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(random.randrange(1, 9)):
            place = random.randrange(len(content))
            content[place : place + 4] = random.choice([b"\xff" * 4, bytes(4), b"", b"\1"])
        upload = read(bytes(content))
        assert upload.items or upload.faults
