"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from hodgerank.atomic_write import append_line, write_file
from hodgerank.errors import CannotWrite
from processes import small_disk


def test_the_content_is_replaced_and_nothing_else_is_there(tmp_path):
    path = tmp_path / "x.csv"
    for content in (b"long" * 100, b"short"):
        write_file(path, content)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["x.csv"]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    message = r"x\.csv cannot be written: File too large"
    with small_disk(1000), pytest.raises(CannotWrite, match=message):
        write_file(path, b"n" * 5000)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.csv"]


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_whatever_happens_no_part_is_left(tmp_path, monkeypatch, function, error):
    def fail(*arguments):
        raise error

    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, function, fail)
    with pytest.raises((KeyboardInterrupt, CannotWrite)):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.csv"]


def test_permissions_are_kept_or_usual(tmp_path):
    path = tmp_path / "x.csv"
    umask = os.umask(0o027)
    try:
        write_file(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_file(path, b"newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(umask)


def test_a_file_protected_from_writing_stays(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *arguments: False)  # root may do everything
    with pytest.raises(CannotWrite, match="protected"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_folder_that_takes_no_files_is_named(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere: run this test as somebody else")
    tmp_path.chmod(0o500)
    with pytest.raises(CannotWrite, match="Permission denied"):
        write_file(tmp_path / "x.csv", b"new")


def test_a_link_stays_and_leads_to_the_new_content(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "x.csv", tmp_path / "link.csv"
    link.symlink_to(target)
    for content in (b"first", b"second"):
        write_file(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert os.listdir(tmp_path / "there") == ["x.csv"]


def test_a_full_device_behind_a_link_is_an_error(tmp_path):
    link = tmp_path / "x.csv"
    link.symlink_to("/dev/full")
    with pytest.raises(CannotWrite, match="No space left"):
        write_file(link, b"new")
    assert link.is_symlink()


def test_a_pipe_is_written_to(tmp_path):
    pipe, read = tmp_path / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"new")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_or_a_missing_folder_cannot_be_written(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "x.csv"):
        with pytest.raises(CannotWrite, match="cannot be written"):
            write_file(path, b"new")


def test_lines_are_appended_one_by_one(tmp_path):
    path = tmp_path / "x.jsonl"
    for line in (b"first", b"second", b""):
        append_line(path, line)
    assert path.read_bytes() == b"first\nsecond\n\n"


def test_a_line_that_a_full_disk_takes_in_part_is_taken_back(tmp_path):
    path = tmp_path / "x.jsonl"
    message = r"x\.jsonl cannot be written: File too large; earlier lines"
    with small_disk(1000):
        append_line(path, b"a" * 600)
        with pytest.raises(CannotWrite, match=message):
            append_line(path, b"b" * 600)
        append_line(path, b"c" * 300)
    assert path.read_bytes() == b"a" * 600 + b"\n" + b"c" * 300 + b"\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_line_is_on_disk_or_not_there(tmp_path, monkeypatch, error):
    def fail(*arguments):
        raise error

    path = tmp_path / "x.jsonl"
    append_line(path, b"first")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, CannotWrite)):
        append_line(path, b"second")
    assert path.read_bytes() == b"first\n"


def test_a_line_goes_where_a_link_leads_and_not_into_folders(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "x.jsonl")
    append_line(tmp_path / "link", b"first")
    assert (tmp_path / "x.jsonl").read_bytes() == b"first\n"
    for path in (tmp_path, tmp_path / "no" / "x.jsonl"):
        with pytest.raises(CannotWrite, match="cannot be written"):
            append_line(path, b"new")
