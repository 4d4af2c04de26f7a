"""A failed write is never acknowledged, and the campaign goes on when there is room again."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from campaign.folded import folded, plain
from campaign.trial import QUESTION
from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CannotWrite

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

SMALL_DISK = """
import json, os, resource, signal, sys
from campaign.folded import folded, plain
from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CannotWrite

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
acknowledged, refused = [], []

def answer(campaign, n):
    for k in range(n):
        try:
            for task in campaign.lease(f"worker {len(acknowledged)} {len(refused)}", 5):
                campaign.answer(task.id, 1)
                acknowledged.append(task.id)
        except CannotWrite as error:
            refused.append(str(error))

with Campaign.open(sys.argv[1]) as campaign:
    answer(campaign, 5)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = max(os.path.getsize(sys.argv[1] + end) for end in ("", "-wal")) + 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    answer(campaign, 60)
    n_refused = len(refused)
    assert campaign.counts.n_votes == len(acknowledged)
    assert plain(campaign.log.state) == plain(folded(campaign))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    answer(campaign, 5)
    assert len(refused) == n_refused, "it does not go on"
print(json.dumps([acknowledged, n_refused]))
"""


@on_linux
def test_on_a_full_disk_nothing_is_acknowledged_that_is_not_kept(tmp_path):
    path = tmp_path / "campaign.db"
    with Campaign.create(path, list(range(30)), question=QUESTION):
        pass
    ended = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert ended.returncode == 0, ended.stderr
    acknowledged, n_refused = json.loads(ended.stdout)
    assert n_refused > 0
    with Campaign.open(path) as campaign:
        answered = [event.task for event in campaign.events() if event.kind == "answered"]
        assert sorted(answered) == sorted(acknowledged)
        assert campaign.counts.n_votes == len(acknowledged)
        assert plain(campaign.log.state) == plain(folded(campaign))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


FORGETTING = """
import os, resource, signal, sys
from campaign.folded import folded, plain
from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CannotWrite

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, room = sys.argv[1], int(sys.argv[2])
with Campaign.open(path) as campaign:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    campaign.join("Zoe Quine")
    for task in campaign.lease("Zoe Quine", 50):
        campaign.answer(task.id, 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path + "-wal") + room, hard))
    try:
        campaign.forget("Zoe Quine")
        sys.exit("there was room")
    except CannotWrite as error:
        print(error)
    [she] = [who.worker for who in campaign.workers() if who.n_answers == 50]
    assert plain(campaign.log.state) == plain(folded(campaign))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    campaign.forget(she)
    for end in ("", "-wal"):
        with open(path + end, "rb") as file:
            assert b"Zoe Quine" not in file.read()
    campaign.lease("ann")
    assert plain(campaign.log.state) == plain(folded(campaign))
"""


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize("room", [100_000, pytest.param(0, marks=pytest.mark.slow)])
def test_on_a_full_disk_who_is_not_forgotten_entirely_is_so_when_there_is_room(tmp_path, room):
    path = tmp_path / "campaign.db"
    with Campaign.create(path, list(range(30)), question=QUESTION) as campaign:
        campaign.import_votes([(k % 29, k % 29 + 1, 1, f"worker {k}") for k in range(2000)])
    ended = subprocess.run(
        [sys.executable, "-c", FORGETTING, str(path), str(room)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert ended.returncode == 0, ended.stderr
    assert ("wiped" if room else "written") in ended.stdout
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


class FailingNow(Exception):
    """Something that no store expects."""


@pytest.mark.parametrize("error", [OSError(5, "I/O error"), FailingNow(), CannotWrite("!")])
@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_write_that_fails_leaves_the_campaign_as_it_was(tmp_path, monkeypatch, where, error):
    place = None if where == "memory" else tmp_path / "campaign.db"
    with Campaign.create(place, list(range(10)), question=QUESTION) as campaign:
        tasks = campaign.lease("ann", 5)
        campaign.answer(tasks[0], 1)
        seq, writing = campaign.counts.seq, campaign.database.store.writing

        class Broken:
            """A transaction that fails when it is committed."""

            def __init__(self, name):
                self.inner = writing(name)

            def __enter__(self):
                return self.inner.__enter__()

            def __exit__(self, *_):
                self.inner.__exit__(FailingNow, FailingNow(), None)
                raise error

        monkeypatch.setattr(campaign.database.store, "writing", Broken)
        for act in (
            lambda: campaign.answer(tasks[1], 1),
            lambda: campaign.lease("bob"),
            lambda: campaign.undo("ann"),
            lambda: campaign.ban("ann"),
            lambda: campaign.join("cy"),
            lambda: campaign.finish("ann"),
            lambda: campaign.forget("ann"),
            campaign.reset,
        ):
            with pytest.raises((CannotWrite, OSError, FailingNow)):
                act()
        monkeypatch.undo()
        assert campaign.counts.seq == seq
        assert plain(campaign.log.state) == plain(folded(campaign))
        assert campaign.answer(tasks[1], -1).is_counted
        assert campaign.counts.n_votes == 2
