"""Who is forgotten is in no file any more, and their answers count as before."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from random import Random
from threading import Event as Signal

import pytest

from campaign.folded import asked_next, folded, plain
from campaign.trial import QUESTION, Clock, Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import leases, workers
from hodgerank.campaign.stores import sql, sqlite_reader
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CampaignError, CannotWrite, NoTask

NAME = "Zoë Quine-9@example.org"
SESSION = "5f3e-session-of-hers"
REASON = "calls herself Zoe"
PERSONAL = [text.encode() for text in (NAME, SESSION, REASON)] + [ascii(NAME)[1:-1].encode()]


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def traces(folder: Path) -> list[bytes]:
    return [text for text in PERSONAL if text in bytes_of(folder)]


def visited(where, n_answers: int = 5, **options) -> Trial:
    """A campaign in which she, and two others, did something of everything."""
    trial = Trial("abcdef", where, **options)
    for worker, session in ((NAME, SESSION), ("ann", "a"), ("bob", "b")):
        trial.campaign.join(worker, {"study": "s", "session": session})
        trial.campaign.quiz(worker, True)
        trial.answer_all(worker, n_answers)
        trial.campaign.skip(trial.campaign.lease(worker)[0])
        trial.campaign.undo(worker)
    trial.campaign.import_votes([("a", "b", 1, NAME), ("b", "c", 1, "ann")], again=True)
    trial.campaign.ban(NAME, REASON)
    trial.campaign.restore(NAME)
    return trial


def test_answers_of_who_is_forgotten_count_as_before():
    trial = visited(None)
    campaign = trial.campaign
    before, scores = campaign.workers()[0], campaign.ranking().score_by_item
    pseudonym = campaign.forget(NAME)
    after = campaign.workers()[0]
    assert pseudonym.startswith("forgotten-")
    assert (after.worker, after.panel) == (pseudonym, {})
    assert (after.n_answers, after.n_counted, after.joined_at) == (
        before.n_answers,
        before.n_counted,
        before.joined_at,
    )
    assert campaign.ranking().score_by_item == pytest.approx(scores)
    assert plain(campaign.log.state) == plain(folded(campaign))
    assert asked_next(campaign.log.state) == asked_next(folded(campaign))
    trial.reopen()
    assert trial.campaign.workers()[0] == after


def test_the_reason_of_a_ban_goes_and_the_ban_stays():
    campaign = visited(None).campaign
    campaign.ban(NAME, REASON)
    campaign.forget(NAME)
    she = campaign.workers()[0]
    assert (she.is_banned, she.ban_reason) == (True, "")
    assert plain(campaign.log.state) == plain(folded(campaign))


def test_who_is_forgotten_gets_no_more_tasks_and_who_comes_by_the_name_is_new():
    campaign = visited(None).campaign
    [task] = campaign.lease(NAME)
    pseudonym = campaign.forget(NAME)
    with pytest.raises(CampaignError, match="no longer valid"):
        campaign.answer(task, 1)
    campaign.join(pseudonym)
    with pytest.raises(NoTask) as refusal:
        campaign.lease(pseudonym)
    assert refusal.value.why == "left"
    with pytest.raises(CampaignError, match="forgotten"):
        campaign.finish(pseudonym, "completed")
    with pytest.raises(CampaignError, match="has left"):
        campaign.undo(pseudonym)
    campaign.reset()
    with pytest.raises(NoTask):
        campaign.lease(pseudonym)
    campaign.join(NAME)
    assert campaign.lease(NAME)
    assert [who.worker for who in campaign.workers()] == [pseudonym, "ann", "bob", NAME]


def test_forgetting_again_changes_nothing_and_strangers_are_not_known():
    campaign = visited(None).campaign
    pseudonym = campaign.forget(NAME)
    seq = campaign.counts.seq
    assert campaign.forget(pseudonym) == pseudonym
    assert campaign.counts.seq == seq
    for name in (NAME, "nobody"):
        with pytest.raises(CampaignError, match="no worker"):
            campaign.forget(name)


def test_nobody_else_has_the_pseudonym():
    trial = visited(None)
    first = f"forgotten-{Random(5).getrandbits(128):032x}"[:18]
    trial.campaign.join(first)
    trial.reopen(ids=5)
    pseudonym = trial.campaign.forget(NAME)
    assert len(pseudonym) == 18
    assert pseudonym != first


def test_no_file_has_the_name(tmp_path):
    folder = tmp_path / "campaign"
    folder.mkdir()
    campaign = visited(folder / "c.db").campaign
    campaign.database.store.keys.add(
        AccessKey("d", "session", "worker", campaign.id, NAME, 1.0, None)
    )
    assert len(traces(folder)) >= 3
    pseudonym = campaign.forget(NAME)
    assert traces(folder) == []  # while it is open
    campaign.leave()
    assert traces(folder) == []
    with Campaign.open(folder / "c.db") as again:
        assert [who.worker for who in again.workers()] == [pseudonym, "ann", "bob"]
        for name in ("log.jsonl", "votes.csv", "all.csv"):
            again.export(folder / name, everything=name == "all.csv")
        assert b"forgotten-" in (folder / "all.csv").read_bytes()
        assert traces(folder) == []
        loaded = Campaign.load(None, folder / "log.jsonl")
        assert plain(loaded.log.state) == plain(again.log.state)


def test_a_file_of_which_the_process_died_meanwhile_is_wiped_when_it_is_opened(
    tmp_path, monkeypatch
):
    living, dead = tmp_path / "living", tmp_path / "dead"
    living.mkdir()
    campaign = visited(living / "c.db").campaign
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "wipe", lambda self: None)
        campaign.forget(NAME)
    shutil.copytree(living, dead)
    campaign.leave()
    assert traces(dead)
    with Campaign.open(dead / "c.db") as again:
        assert traces(dead) == []
        assert again.counts.n_workers == 3


def test_who_reads_all_the_time_is_told_of_and_wiping_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_reader, "BUSY_SECONDS", 0.05)
    campaign = visited(tmp_path / "c.db").campaign
    reader = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchone()
    with pytest.raises(CannotWrite, match="while another program reads it"):
        campaign.forget(NAME)
    assert traces(tmp_path)
    reader.close()
    pseudonym = campaign.workers()[0].worker
    assert campaign.forget(pseudonym) == pseudonym
    assert traces(tmp_path) == []
    campaign.leave()


def test_a_file_that_has_nothing_to_wipe_is_left_alone(tmp_path):
    trial = visited(tmp_path / "c.db")
    said = []
    assert trial.campaign.database.store._writer is not None
    driver = trial.campaign.database.store._writer.connection.driver_connection
    driver.set_trace_callback(said.append)
    pseudonym = trial.campaign.forget(NAME)
    assert said.count("VACUUM") == 1
    trial.campaign.forget(pseudonym)
    trial.campaign.database.store.wipe()
    assert said.count("VACUUM") == 1
    trial.campaign.leave()


def test_who_looks_on_hears_of_it(tmp_path):
    trial = visited(tmp_path / "c.db")
    with Campaign.open(tmp_path / "c.db", read_only=True) as looking:
        assert looking.workers()[0].worker == NAME
        pseudonym = trial.campaign.forget(NAME)
        assert looking.workers()[0].worker == pseudonym
        assert plain(looking.log.state) == plain(trial.campaign.log.state)
        with pytest.raises(CampaignError, match="only"):
            looking.forget("ann")
    trial.campaign.leave()


@pytest.mark.parametrize("is_file", [True, False])
def test_who_lags_behind_does_not_take_one_worker_for_two(tmp_path, postgres_url, is_file):
    """Events that another process has not read yet have the new name already."""
    where, clock = tmp_path / "c.db" if is_file else postgres_url, Clock()
    campaign = Campaign.create(where, list("abcdef"), question=QUESTION, clock=clock)
    campaign.lease(NAME)
    campaign.lease("ann")
    with Campaign.open(where, read_only=is_file, clock=clock) as lagging:
        assert lagging.counts.n_workers == 2
        campaign.lease("bob")
        campaign.lease(NAME, 2)
        pseudonym = campaign.forget(NAME)
        campaign.lease("cy")
        assert [who.worker for who in lagging.workers()] == [pseudonym, "ann", "bob", "cy"]
        assert plain(lagging.log.state) == plain(campaign.log.state) == plain(folded(campaign))
        if not is_file:
            assert lagging.lease("dan")
            assert plain(lagging.log.state) == plain(folded(campaign))
    campaign.leave()


def test_a_log_that_is_exported_meanwhile_has_one_of_both_names(tmp_path, monkeypatch):
    campaign = visited(tmp_path / "c.db", n_answers=8).campaign
    monkeypatch.setattr(sql, "PAGE", 10)
    page, n_pages = sql._page, []

    def forget_meanwhile(*given, **options):
        n_pages.append(1)
        rows = page(*given, **options)
        if len(n_pages) == 3:
            campaign.log.transact(
                lambda state, now: workers.forget(state, now, campaign.new_id, NAME)
            )
        return rows

    monkeypatch.setattr(sql, "_page", forget_meanwhile)
    campaign.export(tmp_path / "log.jsonl")
    monkeypatch.undo()
    assert len(n_pages) > 6
    loaded = Campaign.load(None, tmp_path / "log.jsonl")
    assert plain(loaded.log.state) == plain(campaign.log.state)
    campaign.leave()


@pytest.mark.parametrize("is_file", [False, True])
def test_what_is_written_with_it_has_the_new_name_too(tmp_path, is_file):
    trial = visited(tmp_path / "c.db" if is_file else None)
    campaign, new_id = trial.campaign, trial.campaign.new_id
    busy, go_on = Signal(), Signal()
    campaign.log.begin(lambda state, now: (busy.set(), go_on.wait()))
    busy.wait()
    decisions = [
        lambda state, now: leases.lease(state, now, new_id, NAME, 2),
        lambda state, now: workers.forget(state, now, new_id, NAME),
        lambda state, now: leases.lease(state, now, new_id, NAME, 1),
        lambda state, now: workers.forget(state, now, new_id, "ann"),
    ]
    futures = [campaign.log.begin(decision) for decision in decisions]
    go_on.set()
    pseudonym = futures[1].result()
    [task] = futures[2].result()
    other = futures[3].result()
    assert task.worker == NAME
    names = [who.worker for who in campaign.workers()]
    assert names == [pseudonym, other, "bob", NAME]
    assert plain(campaign.log.state) == plain(folded(campaign))
    campaign.leave()
