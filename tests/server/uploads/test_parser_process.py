from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.server.uploads.parser_process import (
    CRASHED,
    TOO_DEEP,
    TOO_MUCH_MEMORY,
    TOO_SLOW,
    ParserProcesses,
)
from hodgerank.server.uploads.read_upload import read_upload
from server.media.made import png


def loop() -> None:
    while True:
        pass


def crash() -> None:
    ctypes.string_at(0)


def recurse() -> None:
    recurse()


def allocate() -> int:
    return len(bytearray(4 << 30))


def blunder() -> None:
    raise ZeroDivisionError("a defect of a parser")


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


@pytest.fixture(scope="module")
def parsers():
    parsers = ParserProcesses()
    yield parsers
    parsers.close()


@pytest.fixture
def hasty():
    parsers = ParserProcesses(seconds=1)
    yield parsers
    parsers.close()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table"
    path.write_text("id,text\na,Tea\nb,Milk\n")
    return [("items.csv", path)]


def repeated(path: Path) -> Path:
    """A Parquet file of a few kilobytes whose texts have three gigabytes."""
    text = pl.Series(["x" * 1_000_000], dtype=pl.Categorical)
    rows = pl.DataFrame({"id": range(3000), "text": text.sample(3000, with_replacement=True)})
    rows.write_parquet(path)
    assert path.stat().st_size < 10_000
    return path


def test_an_upload_is_read_as_in_this_process(parsers, table, tmp_path):
    picture = tmp_path / "picture"
    picture.write_bytes(png(1))
    files = [("a.png", picture), ("notes.svg", table[0][1])]
    for each in (table, files):
        assert parsers.read_upload(each) == read_upload(each)
    assert parsers.validate_media(picture).size == picture.stat().st_size
    with pytest.raises(InvalidArgument):
        parsers.validate_media(table[0][1])


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (crash, CRASHED),
        (os.abort, CRASHED),
        (recurse, TOO_DEEP),
        (blunder, CRASHED),
        pytest.param(
            allocate,
            TOO_MUCH_MEMORY,
            marks=pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux only"),
        ),
    ],
)
def test_what_stops_a_parser_is_told_and_the_next_upload_is_read(parsers, table, what, words):
    with pytest.raises(InvalidArgument, match=words[:40]):
        parsers._run(0, what)
    assert len(parsers.read_upload(table).items) == 2


def test_a_loop_is_ended_while_others_are_read(hasty, table):
    with ThreadPoolExecutor(4) as threads:
        looping = threads.submit(hasty._run, 0, loop)
        others = [threads.submit(hasty.read_upload, table) for _ in range(6)]
        assert [len(other.result(20).items) for other in others] == [2] * 6
        with pytest.raises(InvalidArgument, match=TOO_SLOW[:40]):
            looping.result(20)
    assert len(hasty.read_upload(table).items) == 2


def test_two_uploads_are_read_at_once(parsers):
    with ThreadPoolExecutor(2) as threads:
        assert len(set(threads.map(lambda _: parsers._run(0, sleep, 0.5), range(2)))) == 2


def test_a_process_that_was_killed_while_idle_is_replaced(parsers, table):
    process = parsers._run(0, sleep, 0)
    os.kill(process, signal.SIGKILL)
    assert len(parsers.read_upload(table).items) == 2


def test_texts_that_a_table_repeats_are_counted(parsers, tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    upload = parsers.read_upload([("items.parquet", repeated(tmp_path / "table"))])
    assert upload.items == ()
    assert "more than 50 MB" in upload.refusals[0].reason
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10
