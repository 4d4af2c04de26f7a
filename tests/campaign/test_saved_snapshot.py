"""Snapshots spare reading a log from its beginning, and are used only where they fit it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from campaign.folded import anatomy, asked_next, folded, plain
from campaign.test_any_order import run
from campaign.trial import QUESTION, Trial
from hodgerank.campaign import saved_snapshot
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.stores import snapshot_files
from hodgerank.errors import CannotWrite

NEVER = 10**9


@pytest.fixture(autouse=True)
def _small_ones(monkeypatch):
    monkeypatch.setattr(saved_snapshot, "FEWEST", 20)


@pytest.fixture
def n_folded(monkeypatch):
    """How many events each fold took, one entry for each state."""
    counts = []
    fold = CampaignState.fold
    init = CampaignState.__init__

    def begin(self):
        init(self)
        counts.append(0)

    def count(self, event):
        fold(self, event)
        counts[-1] += 1

    monkeypatch.setattr(CampaignState, "__init__", begin)
    monkeypatch.setattr(CampaignState, "fold", count)
    return counts


def path_of(folder: Path) -> Path:
    return folder / "campaign.db"


def snapshot_of(folder: Path) -> Path:
    [found] = Path(f"{path_of(folder)}-snapshots").iterdir()
    return found


def made(folder: Path, n_answers: int = 30, **options) -> Trial:
    """A campaign that was opened again, and so has a snapshot; later ones are made when opened."""
    trial = Trial(range(8), str(path_of(folder)), **options)
    trial.campaign.log._save_from = NEVER
    work(trial.campaign, n_answers)
    trial.reopen()
    trial.campaign.log._save_from = NEVER
    return trial


def work(campaign: Campaign, n: int, seed: int = 1) -> None:
    random = Random(seed)
    for k in range(n):
        [task] = campaign.lease(f"w{seed} {k % 5}")
        campaign.answer(task, random.choice([-1, 1]))


def is_what_the_log_says(campaign: Campaign) -> bool:
    live, again = campaign.log.state, folded(campaign)
    return plain(live) == plain(again) and asked_next(live) == asked_next(again)


def test_a_log_is_read_on_from_its_snapshot(tmp_path, n_folded):
    with made(tmp_path).campaign as campaign:
        seq = campaign.counts.seq
        work(campaign, 3, seed=2)
        more = campaign.counts.seq - seq
    with Campaign.open(path_of(tmp_path)) as campaign:
        assert n_folded[-1] == more
        assert is_what_the_log_says(campaign)


def test_who_may_only_read_uses_it_and_makes_none(tmp_path, n_folded):
    with made(tmp_path).campaign as campaign:
        before = snapshot_of(tmp_path).read_bytes()
        work(campaign, 15, seed=2)
        with Campaign.open(path_of(tmp_path), read_only=True) as reader:
            assert n_folded[-1] == 30
            assert is_what_the_log_says(reader)
    assert snapshot_of(tmp_path).read_bytes() == before
    snapshot_of(tmp_path).unlink()
    with Campaign.open(path_of(tmp_path), read_only=True) as reader:
        assert is_what_the_log_says(reader)
    assert not list(Path(f"{path_of(tmp_path)}-snapshots").iterdir())


def test_small_campaigns_have_none(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_snapshot, "FEWEST", 1000)
    made(tmp_path).campaign.leave()
    assert [path.name for path in tmp_path.iterdir() if "snapshot" in path.name] == []


def test_one_is_made_when_a_campaign_that_has_grown_is_left(tmp_path, n_folded):
    trial = Trial(range(8), str(path_of(tmp_path)))
    work(trial.campaign, 30)
    assert not list(tmp_path.glob("*-snapshots/*"))
    trial.reopen()
    assert n_folded[-1] == 0
    made_first = snapshot_of(tmp_path).read_bytes()
    work(trial.campaign, 5, seed=2)
    trial.reopen()
    assert snapshot_of(tmp_path).read_bytes() == made_first
    trial.campaign.leave()
    trial.campaign.leave()


def test_one_is_made_by_who_opens_where_the_last_process_had_no_time(tmp_path, n_folded):
    trial = Trial(range(8), str(path_of(tmp_path)))
    trial.campaign.log._save_from = NEVER
    work(trial.campaign, 30)
    trial.reopen()
    assert n_folded[-1] == trial.campaign.counts.seq
    assert snapshot_of(tmp_path)
    trial.campaign.leave()


def spoil_a_byte(path: Path, random: Random) -> None:
    content = bytearray(path.read_bytes())
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.write_bytes(content)


def cut(path: Path, random: Random) -> None:
    path.write_bytes(path.read_bytes()[: random.randrange(path.stat().st_size)])


def replace_by_nonsense(path: Path, random: Random) -> None:
    path.write_bytes(random.choice([b"", b"\n", b"[]\n", b'{"seq": "x"}\n', random.randbytes(500)]))


@pytest.mark.parametrize("spoil", [spoil_a_byte, cut, replace_by_nonsense])
@pytest.mark.parametrize("seed", range(8))
def test_a_spoilt_snapshot_is_none_and_is_replaced(tmp_path, n_folded, spoil, seed):
    made(tmp_path).campaign.leave()
    good = snapshot_of(tmp_path).read_bytes()
    spoil(snapshot_of(tmp_path), Random(seed))
    with Campaign.open(path_of(tmp_path)) as campaign:
        assert n_folded[-1] == campaign.counts.seq
        assert is_what_the_log_says(campaign)
    assert snapshot_of(tmp_path).read_bytes() == good


def test_a_snapshot_of_another_campaign_is_none(tmp_path, n_folded):
    for name, seed in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        made(tmp_path / name, ids=seed).campaign.leave()
    shutil.copy(snapshot_of(tmp_path / "a"), snapshot_of(tmp_path / "b"))
    with Campaign.open(path_of(tmp_path / "b")) as campaign:
        assert n_folded[-1] == campaign.counts.seq
        assert is_what_the_log_says(campaign)


def test_campaigns_of_one_file_have_one_each(tmp_path):
    path = path_of(tmp_path)
    for id in ("one", "two/../three"):
        with Campaign.create(path, range(8), question=QUESTION, id=id) as campaign:
            work(campaign, 30)
        with Campaign.open(path, id) as campaign:
            assert is_what_the_log_says(campaign)
    assert len(list(Path(f"{path}-snapshots").iterdir())) == 2


def test_a_snapshot_of_a_longer_log_is_none_where_a_backup_was_restored(tmp_path, n_folded):
    trial = Trial(range(8), str(path_of(tmp_path)))
    work(trial.campaign, 15)
    trial.campaign.leave()
    shutil.copy(path_of(tmp_path), tmp_path / "backup")
    trial.reopen()
    work(trial.campaign, 30, seed=2)
    trial.reopen()
    trial.campaign.leave()
    shutil.copy(tmp_path / "backup", path_of(tmp_path))
    trial.reopen()
    assert n_folded[-1] == trial.campaign.counts.seq
    assert is_what_the_log_says(trial.campaign)
    work(trial.campaign, 40, seed=3)  # as long as that one, and another
    trial.reopen(ids=3)
    assert is_what_the_log_says(trial.campaign)
    trial.campaign.leave()


def test_a_snapshot_of_other_code_is_none(tmp_path, monkeypatch, n_folded):
    made(tmp_path).campaign.leave()
    monkeypatch.setattr(saved_snapshot, "code_version", lambda: "of tomorrow")
    with Campaign.open(path_of(tmp_path)) as campaign:
        assert n_folded[-1] == campaign.counts.seq
    with Campaign.open(path_of(tmp_path)):
        assert n_folded[-1] == 0  # that one has made its own


CHANGES = [
    ("worker = 'somebody'", "answered"),
    ("kind = 'skipped', outcome = NULL", "answered"),
    ("outcome = -outcome", "answered"),
    ("outcome = outcome * 0.999", "answered"),
    ("seconds = 3", "answered"),
    ("data = '{\"weight\": 2}'", "answered"),
    ("at = at + 1", "answered"),
    ("left_item = right_item, right_item = left_item", "issued"),
    ("data = NULL", "answered"),  # which it was
]


@pytest.mark.parametrize(("change", "kind"), CHANGES)
@pytest.mark.parametrize("which", ["min", "max"])
def test_a_snapshot_of_a_log_of_which_one_event_was_changed_is_none(tmp_path, change, kind, which):
    made(tmp_path).campaign.leave()
    changed = sqlite3.connect(path_of(tmp_path))
    found = changed.execute(
        f"UPDATE events SET {change} WHERE seq = "
        f"(SELECT {which}(seq) FROM events WHERE kind = ? AND (outcome = 1 OR outcome IS NULL))",
        (kind,),
    )
    assert found.rowcount == 1
    is_no_change = change == "data = NULL"
    changed.commit()
    changed.close()
    with Database(path_of(tmp_path), read_only=True) as database:
        assert database.store.snapshots is not None
        found = database.store.snapshots.load("campaign", saved_snapshot.code_version())
    assert (found is not None) == is_no_change


def test_two_events_that_changed_places_are_noticed(tmp_path):
    made(tmp_path).campaign.leave()
    changed = sqlite3.connect(path_of(tmp_path))
    rows = changed.execute(
        "SELECT seq, outcome FROM events WHERE kind = 'answered' ORDER BY outcome"
    ).fetchall()
    (one, low), (other, high) = rows[0], rows[-1]
    assert low < high
    changed.execute("UPDATE events SET outcome = ? WHERE seq = ?", (high, one))
    changed.execute("UPDATE events SET outcome = ? WHERE seq = ?", (low, other))
    changed.commit()
    changed.close()
    with Campaign.open(path_of(tmp_path)) as campaign:
        assert is_what_the_log_says(campaign)


def test_names_that_were_forgotten_are_in_no_snapshot(tmp_path):
    with made(tmp_path).campaign as campaign:
        assert b"w1 3" in snapshot_of(tmp_path).read_bytes()
        campaign.forget("w1 3")
        assert not list(tmp_path.glob("*-snapshots/*"))
    with Campaign.open(path_of(tmp_path)) as campaign:
        assert is_what_the_log_says(campaign)
    assert b"w1 3" not in snapshot_of(tmp_path).read_bytes()


def test_a_snapshot_that_was_begun_before_somebody_was_forgotten_is_not_saved(tmp_path):
    with made(tmp_path).campaign as campaign:
        files = campaign.database.store.snapshots
        mark = files.mark("campaign", campaign.counts.seq)
        content = saved_snapshot.encode_state(folded(campaign))
        campaign.forget("w1 3")
        assert not files.save(mark, "code", content)
        assert not list(tmp_path.glob("*-snapshots/*"))


def test_forgetting_says_where_a_snapshot_cannot_be_removed(tmp_path, monkeypatch):
    with made(tmp_path).campaign as campaign:

        def fail(self):
            raise PermissionError(1, "not yours")

        with monkeypatch.context() as patched:
            patched.setattr(Path, "unlink", fail)
            with pytest.raises(CannotWrite, match="not yours"):
                campaign.forget("w1 3")
    made_again = Campaign.open(path_of(tmp_path))  # which tries again
    assert b"w1 3" not in snapshot_of(tmp_path).read_bytes()
    made_again.leave()


def test_a_disk_without_room_for_a_snapshot_hurts_nobody(tmp_path, monkeypatch):
    made(tmp_path).campaign.leave()
    snapshot_of(tmp_path).unlink()

    def full(path, content):
        raise CannotWrite("no space left")

    monkeypatch.setattr(snapshot_files, "write_file", full)
    with Campaign.open(path_of(tmp_path)) as campaign:
        work(campaign, 40, seed=2)
        assert is_what_the_log_says(campaign)
    assert not list(tmp_path.glob("*-snapshots/*"))


def test_a_folder_that_cannot_be_made_hurts_nobody(tmp_path):
    trial = Trial(range(8), str(path_of(tmp_path)))
    Path(f"{path_of(tmp_path)}-snapshots").write_bytes(b"a file is in its place")
    work(trial.campaign, 30)
    trial.reopen()
    assert is_what_the_log_says(trial.campaign)
    trial.campaign.leave()


def test_others_cannot_read_them(tmp_path):
    made(tmp_path).campaign.leave()
    assert snapshot_of(tmp_path).parent.stat().st_mode & 0o077 == 0


SAVING = """
import sys
from hodgerank.campaign import saved_snapshot
from hodgerank.campaign.campaign import Campaign
saved_snapshot.FEWEST = 2
for k in range(10**6):
    with Campaign.open(sys.argv[1]) as campaign:
        [task] = campaign.lease(f"w {sys.argv[2]} {k}")
        campaign.answer(task, 1)
        print(task.id, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_killed_at_any_moment_no_answer_is_lost(tmp_path):
    made(tmp_path).campaign.leave()
    acknowledged: set[str] = set()
    for kill in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", SAVING, str(path_of(tmp_path)), str(kill)],
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            for _ in range(20 + 7 * kill):
                acknowledged.add(process.stdout.readline().strip())
            os.kill(process.pid, signal.SIGKILL)
            acknowledged.update(process.stdout.read().split("\n")[:-1])
        with Campaign.open(path_of(tmp_path)) as campaign:
            assert is_what_the_log_says(campaign)
            answered = {event.task for event in campaign.events() if event.kind == "answered"}
            assert acknowledged <= answered
    assert not list(tmp_path.glob("*-snapshots/.*.part"))


def test_a_saved_state_has_every_part_of_one_that_was_folded(tmp_path):
    trial = made(tmp_path, 60, gold=[{"better": 0, "worse": 7}], repeat_share=0.2)
    campaign = trial.campaign
    campaign.join("ann", {"study": "s"})
    campaign.import_votes([(1, 2, 1, "bob"), (2, 3, 0.5, None)], again=True)
    campaign.answer(campaign.lease("ann")[0], 1, weight=2.0, is_focused=False)
    campaign.skip(campaign.lease("ann")[0], "cannot decide")
    campaign.retire(3)
    campaign.undo("w1 1")
    campaign.ban("w1 2", "careless")
    for k in range(40):  # so many that pairs are chosen ahead
        campaign.lease(f"late {k}")
    trial.clock.move(700)
    campaign.answer(campaign.lease("w1 4")[0], -1)
    state = folded(campaign)
    saved = saved_snapshot.decode_state(saved_snapshot.encode_state(state))
    assert state.chooser(0)._next is not None or state.chooser(0)._ahead is not None
    assert plain(saved) == plain(state)
    assert anatomy(saved) == anatomy(state)
    assert asked_next(saved) == asked_next(state)
    campaign.leave()


def test_in_any_order(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_snapshot, "FEWEST", 3)
    reached = run(tmp_path / "campaigns.db", 3)
    assert reached["answered"] > 3
    assert list(tmp_path.glob("*-snapshots/*"))


def test_memory_has_none():
    trial = Trial(range(8))
    work(trial.campaign, 30)
    assert trial.campaign.database.store.snapshots is None
