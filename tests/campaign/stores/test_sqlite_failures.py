"""A failed write is never acknowledged, and writing goes on when it is possible again."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contracts.store import some_events
from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CannotWrite

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

SMALL_DISK = """
import json, resource, signal, sys
from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CannotWrite

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(sys.argv[1], create=True)
commits = GroupCommit(store)
acknowledged, refused = [], []

def answer(name):
    def work(writing):
        number = 1 + sum(1 for _ in writing.news(0))
        writing.append([Event(number, 1.0, "answered", name, data={"filler": "x" * 5000})])
    try:
        commits.submit("votes", work).result()
        acknowledged.append(name)
    except CannotWrite as error:
        refused.append(str(error))

for k in range(5):
    answer(f"before {k}")
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
for k in range(60):
    answer(f"while {k}")
assert refused, "the disk was large enough"
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
for k in range(5):
    answer(f"after {k}")
commits.close()
store.close()
print(json.dumps([acknowledged, refused, commits.failures.total()]))
"""

OPENED_ON_SMALL_DISK = """
import resource, signal, sys
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CannotWrite

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    SqliteStore(sys.argv[1])
except CannotWrite as error:
    print(error)
"""

UNDER_LOAD = """
import sys
from threading import Thread
from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.sqlite import SqliteStore

commits = GroupCommit(SqliteStore(sys.argv[1], create=True))
last = [0]

def work(writing):
    for event in writing.news(last[0]):
        last[0] = event.seq
    last[0] += 1
    writing.append([Event(last[0], 1.0, "answered")])
    return last[0]

def answer():
    while True:
        number = commits.submit("votes", work).result()
        print(f"{number}\\n", end="", flush=True)  # in one piece: other threads print, too

for _ in range(8):
    Thread(target=answer).start()
"""


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "campaign.db", create=True)
    yield store
    store.close()


def write(store, first, last):
    with store.writing("votes") as writing:
        writing.append(some_events(first, last))


def is_whole(path) -> bool:
    with sqlite3.connect(path) as connection:
        verdict = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return verdict == ("ok",)


def answering(name):
    """A work that puts one answer behind whatever there is."""

    def work(writing):
        number = 1 + sum(1 for _ in writing.news(0))
        writing.append([Event(number, 1.0, "answered", name)])

    return work


def test_a_full_database_takes_nothing_of_a_transaction(store):
    write(store, 1, 3)
    pages = store._writer.exec_driver_sql("PRAGMA page_count").scalar()
    store._writer.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(CannotWrite, match="the disk is full: free some space"):
        write(store, 4, 5000)
    assert list(store.read("votes")) == some_events(1, 3)
    write(store, 4, 5000)
    assert sum(1 for _ in store.read("votes")) == 5000
    assert is_whole(store.name)


@on_linux
@pytest.mark.parametrize(
    ("replacement", "flags", "words"),
    [
        ("/dev/full", os.O_RDWR, "disk is full"),
        (os.devnull, os.O_RDONLY, "disk error: check that the disk is connected"),
    ],
)
def test_a_log_file_that_fails_while_it_is_written(store, replacement, flags, words):
    """The file descriptor of SQLite leads elsewhere, so that its own writing fails."""
    write(store, 1, 3)
    target = f"{store.name}-wal"
    (descriptor,) = [
        int(each.name)
        for each in Path("/proc/self/fd").iterdir()
        if os.path.realpath(each) == target
        and "02" in (Path("/proc/self/fdinfo") / each.name).read_text().split("flags:")[1]
    ][:1]
    elsewhere = os.open(replacement, flags)
    os.dup2(elsewhere, descriptor, inheritable=False)
    os.close(elsewhere)
    with pytest.raises(CannotWrite, match=words):
        write(store, 4, 6)
    assert list(store.read("votes")) == some_events(1, 3)
    write(store, 4, 5)
    store.close()
    again = SqliteStore(store.name)
    assert list(again.read("votes")) == some_events(1, 5)
    again.close()
    assert is_whole(store.name)


@on_linux
def test_a_disk_that_fails_when_it_is_opened_is_named(store):
    write(store, 1, 3)
    store.close()
    ended = subprocess.run(
        [sys.executable, "-c", OPENED_ON_SMALL_DISK, store.name],
        capture_output=True,
        text=True,
        timeout=120,
    )
    why = "disk error: check that the disk is connected and not full"
    assert ended.stdout == f"{store.name} cannot be opened: {why}\n"
    again = SqliteStore(store.name)
    assert list(again.read("votes")) == some_events(1, 3)
    again.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_commits_that_fail_under_load_are_acknowledged_to_nobody(store, moment, monkeypatch):
    """After an error nobody knows whether the disk has it; what was acknowledged, it has."""
    opened = SqliteStore._open_writer
    dice = random.Random(5)

    def open_unreliable(self, create):
        connection = opened(self, create)
        run = connection.exec_driver_sql

        def unreliable(statement, *rest):
            fails = statement == "COMMIT" and dice.random() < 0.3
            if fails and moment == "before":
                raise sqlite3.OperationalError("disk I/O error")
            result = run(statement, *rest)
            if fails:
                raise sqlite3.OperationalError("disk I/O error")
            return result

        connection.exec_driver_sql = unreliable
        return connection

    monkeypatch.setattr(SqliteStore, "_open_writer", open_unreliable)
    store._close_writer()
    commits = GroupCommit(store)
    acknowledged, failed = set(), set()

    def answer(name):
        try:
            commits.submit("votes", answering(name)).result()
            acknowledged.add(name)
        except CannotWrite:
            failed.add(name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(answer, [f"answer {k}" for k in range(300)]))
    commits.close()
    found = [event.worker for event in store.read("votes")]
    assert failed
    assert len(found) == len(set(found))
    assert acknowledged <= set(found)
    assert commits.failures.total() <= len(failed)
    if moment == "before":
        assert failed.isdisjoint(found)


@on_linux
def test_a_full_disk_loses_nothing_and_is_not_the_end(tmp_path):
    path = tmp_path / "campaign.db"
    ended = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, path], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    acknowledged, refused, failures = json.loads(ended.stdout)
    assert len(refused) == failures
    assert len(acknowledged) + len(refused) == 70
    assert {name for name in acknowledged if name.startswith("after")} == {
        f"after {k}" for k in range(5)
    }
    assert all("cannot be written" in words for words in refused)
    store = SqliteStore(path)
    assert [event.worker for event in store.read("votes")] == acknowledged
    store.close()
    assert is_whole(path)


def test_what_was_acknowledged_survives_a_killed_process(tmp_path):
    path = tmp_path / "campaign.db"
    acknowledged = 0
    for lines in (1, 40, 300):
        process = subprocess.Popen(
            [sys.executable, "-c", UNDER_LOAD, path], stdout=subprocess.PIPE, text=True
        )
        for _ in range(lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0]
        told = [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = max([acknowledged + lines, *told])
        store = SqliteStore(path)
        found = [event.seq for event in store.read("votes")]
        store.close()
        assert found == list(range(1, len(found) + 1))
        assert len(found) >= acknowledged
        assert is_whole(path)
