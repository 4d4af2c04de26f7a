from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

from contracts.store import DurableStoreContract, some_events
from hodgerank.campaign.events import Event
from hodgerank.campaign.stores import sqlite_reader
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CampaignError, CannotRead, CannotWrite

HOLD = """
import sys
from hodgerank.campaign.stores import sqlite_reader
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.campaign.events import Event
store = SqliteStore(sys.argv[1], create=True)
print("open", flush=True)
for line in sys.stdin:
    with store.writing("votes") as writing:
        writing.append([Event(int(line), 1.0, "paused")])
    print("written", flush=True)
"""


class TestSqliteStore(DurableStoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        store = SqliteStore(tmp_path / "campaign.db", create=True)
        self.opened = [store]
        yield store
        for each in self.opened:
            each.close()

    def reopened(self, store):
        self.opened.append(SqliteStore(store.name))
        return self.opened[-1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "campaign é%20?#.db"


@pytest.fixture
def written(path):
    """A file with three events, closed."""
    store = SqliteStore(path, create=True)
    write(store, 1, 3)
    store.close()
    return path


@pytest.fixture
def holder(path):
    """Another process that has the file open, and writes an event for each line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "open\n"
    yield process
    process.kill()
    process.communicate()


def write(store, first, last):
    with store.writing("votes") as writing:
        writing.append(some_events(first, last))


def tell(process, number):
    process.stdin.write(f"{number}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "written\n"


def names(path: Path) -> list[str]:
    return sorted(each.name.removeprefix(path.name) for each in path.parent.iterdir())


def test_every_commit_reaches_the_disk(path):
    store = SqliteStore(path, create=True)
    settings = [
        store._writer.exec_driver_sql(f"PRAGMA {name}").scalar()
        for name in ("journal_mode", "synchronous", "busy_timeout")
    ]
    assert settings == ["wal", 2, 10_000]
    store.close()


def test_one_file_and_the_lock_are_left_when_it_is_closed(written):
    assert names(written) == ["", ".lock"]


def test_a_second_writer_is_refused_in_words(written):
    store = SqliteStore(written)
    with pytest.raises(CampaignError, match=rf"in use by process {os.getpid()} since .*read only"):
        SqliteStore(written)
    link = written.with_name("link.db")
    link.symlink_to(written)
    with pytest.raises(CampaignError, match=r"link\.db is in use by process"):
        SqliteStore(link)
    store.close()
    SqliteStore(link).close()


def test_another_process_is_named_until_it_ends(path, holder):
    with pytest.raises(CampaignError, match=f"process {holder.pid} since"):
        SqliteStore(path)
    tell(holder, 1)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    store = SqliteStore(path)
    assert [event.kind for event in store.read("votes")] == ["paused"]
    write(store, 2, 2)
    store.close()


def test_others_read_while_one_process_writes(path, holder):
    tell(holder, 1)
    store = SqliteStore(path, read_only=True)
    assert len(list(store.read("votes"))) == 1
    tell(holder, 2)
    assert len(list(store.read("votes"))) == 2
    assert store.campaigns() == ["votes"]
    assert not store.wait("votes", 2, 0.01)
    tell(holder, 3)
    assert store.wait("votes", 2, 60)
    with pytest.raises(CampaignError, match="read only"):
        write(store, 4, 4)
    store.close()


def test_a_reader_makes_no_files(written):
    lock = written.with_name(written.name + ".lock")
    lock.unlink()
    store = SqliteStore(written, read_only=True)
    assert list(store.read("votes")) == some_events(1, 3)
    assert not store.wait("votes", 3, 0)
    assert names(written) == [""]
    store.close()


def test_a_reader_follows_a_file_that_begins_to_change(written):
    reader = SqliteStore(written, read_only=True)
    assert len(list(reader.read("votes"))) == 3
    for round_ in range(4, 7):
        writer = SqliteStore(written)
        assert len(list(reader.read("votes"))) == round_ - 1
        write(writer, round_, round_)
        assert len(list(reader.read("votes"))) == round_
        writer.close()
        assert len(list(reader.read("votes"))) == round_
    reader.close()


def test_a_page_read_while_the_file_changed_is_read_again(written):
    reader = SqliteStore(written, read_only=True)
    interrupted = []

    def query(connection):
        found = connection.exec_driver_sql("SELECT last FROM campaigns").scalar()
        if not interrupted:
            interrupted.append(found)
            writer = SqliteStore(written)
            write(writer, 4, 4)
            writer.close()
        return found

    assert reader._look(query) == 4
    assert interrupted == [3]
    reader.close()


def test_a_file_that_should_be_there_is_asked_for(path):
    for read_only in (False, True):
        with pytest.raises(CampaignError, match=r"there is no file .*create"):
            SqliteStore(path, read_only=read_only)
    with pytest.raises(CampaignError, match="there is no file"):
        SqliteStore(path, create=True, read_only=True)
    assert names(path) == []


def test_folders_are_told_from_files(tmp_path):
    with pytest.raises(CampaignError, match="is a folder"):
        SqliteStore(tmp_path, create=True)
    with pytest.raises(CampaignError, match=r"folder of .* does not exist"):
        SqliteStore(tmp_path / "no" / "campaign.db", create=True)


@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_database_is_left_alone(path, read_only):
    path.write_text("left,right,outcome\n" * 200)
    with pytest.raises(CannotRead, match="not a database"):
        SqliteStore(path, create=not read_only, read_only=read_only)
    assert path.read_text() == "left,right,outcome\n" * 200
    assert names(path) == [""]


@pytest.mark.parametrize("table", ["notes", "campaigns", "hodgerank_revision"])
def test_the_database_of_another_program_is_left_alone(path, table):
    with sqlite3.connect(path) as other:
        other.execute(f"CREATE TABLE {table} (version_num text)")
    other.close()
    before = path.read_bytes()
    for options in ({"create": True}, {}, {"read_only": True}):
        with pytest.raises(CampaignError, match=f"another program .{table}."):
            SqliteStore(path, **options)
    assert path.read_bytes() == before
    assert names(path) == [""]


def test_an_empty_file_becomes_a_database_where_one_is_to_be_made(path):
    path.touch()
    for read_only in (False, True):
        with pytest.raises(CampaignError, match="no campaigns"):
            SqliteStore(path, read_only=read_only)
    store = SqliteStore(path, create=True)
    write(store, 1, 2)
    store.close()


def test_making_it_twice_keeps_what_is_there(written):
    store = SqliteStore(written, create=True)
    assert len(list(store.read("votes"))) == 3
    store.close()


def test_a_file_that_was_moved_away_takes_no_answers(written):
    store = SqliteStore(written)
    away = written.with_name("away.db")
    written.rename(away)
    with pytest.raises(CannotWrite, match="moved, deleted or replaced"):
        write(store, 4, 4)
    away.rename(written)
    write(store, 4, 4)
    store.close()


def test_a_file_that_was_replaced_after_a_failure_is_not_opened_in_its_place(written):
    store = SqliteStore(written)
    store._close_writer()  # as after a failed write
    away = written.with_name("away.db")
    written.rename(away)
    SqliteStore(written.with_name("other.db"), create=True).close()
    written.with_name("other.db").rename(written)
    with pytest.raises(CannotWrite, match="moved, deleted or replaced"):
        write(store, 4, 4)
    away.rename(written)
    write(store, 4, 4)
    store.close()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_journal_that_was_removed_takes_no_answers_and_closing_saves_its_own(path, is_replaced):
    store = SqliteStore(path, create=True)
    write(store, 1, 3)
    journal = Path(f"{path}-wal")
    journal.unlink()
    if is_replaced:
        journal.touch()
    for _ in range(2):
        with pytest.raises(CannotWrite, match=r"-wal, .* was moved, deleted or replaced"):
            write(store, 4, 4)
    store.close()
    again = SqliteStore(path)
    assert list(again.read("votes")) == some_events(1, 3)
    again.close()


def test_a_journal_that_was_put_back_takes_answers_again(path):
    store = SqliteStore(path, create=True)
    journal, away = Path(f"{path}-wal"), path.with_name("away")
    journal.rename(away)
    with pytest.raises(CannotWrite, match="put it back"):
        write(store, 1, 1)
    away.rename(journal)
    write(store, 1, 3)
    store.close()
    again = SqliteStore(path)
    assert list(again.read("votes")) == some_events(1, 3)
    again.close()


def test_what_is_written_while_the_journal_goes_is_not_acknowledged(path):
    store = SqliteStore(path, create=True)

    def write_while_it_goes():
        with store.writing("votes") as writing:
            writing.append(some_events(1, 3))
            Path(f"{path}-wal").unlink()

    with pytest.raises(CannotWrite, match="-wal"):
        write_while_it_goes()
    store.close()


@pytest.mark.parametrize("n_writes", [0, 1])
@pytest.mark.parametrize("size", [0, 8192])
def test_a_file_that_was_cut_short_takes_no_answers(written, size, n_writes):
    store = SqliteStore(written)
    for number in range(4, 4 + n_writes):
        write(store, number, number)
    os.truncate(written, size)
    for _ in range(2):
        with pytest.raises(CannotWrite, match=r"was truncated .* import an exported log"):
            write(store, 4 + n_writes, 4 + n_writes)
    store.close()


def test_a_file_of_several_names_is_only_read(written):
    other = written.with_name("other.db")
    other.hardlink_to(written)
    before = names(written)
    for name in (written, other):
        with pytest.raises(
            CampaignError, match=r"several names .* remove the other names, or open a cop"
        ):
            SqliteStore(name)
        reader = SqliteStore(name, read_only=True)
        assert list(reader.read("votes")) == some_events(1, 3)
        reader.close()
    assert names(written) == before
    other.unlink()
    SqliteStore(written).close()


@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_journal_without_its_database_is_left_alone(path, holder, is_emptied):
    tell(holder, 1)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    away, journal = path.with_name("away.db"), Path(f"{path}-wal")
    path.rename(away)
    if is_emptied:
        path.touch()
    before, answers = names(path), journal.read_bytes()
    assert answers
    for options in ({"create": True}, {}, {"read_only": True}):
        with pytest.raises(CampaignError, match=r"-wal belongs to a database .* put the"):
            SqliteStore(path, **options)
    assert (names(path), journal.read_bytes()) == (before, answers)
    away.rename(path)
    store = SqliteStore(path)
    assert len(list(store.read("votes"))) == 1
    store.close()


def test_an_empty_journal_is_in_nobodys_way(path):
    Path(f"{path}-wal").touch()
    store = SqliteStore(path, create=True)
    write(store, 1, 3)
    store.close()


def test_missing_events_are_noticed(written):
    with sqlite3.connect(written) as damaging:
        damaging.execute("DELETE FROM events WHERE seq = 2")
    damaging.close()
    store = SqliteStore(written, read_only=True)
    with pytest.raises(CannotRead, match=r"damaged: of the events 1 to 3 .* only 2 exist"):
        list(store.read("votes"))
    store.close()


@pytest.mark.skipif(not hasattr(os, "seteuid") or os.geteuid() != 0, reason="needs to be root")
def test_permissions_that_lack_are_named():
    """As somebody else: root may do everything."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder, "campaign.db")
        SqliteStore(path, create=True).close()
        os.chmod(path, 0o644)
        os.seteuid(65534)
        try:
            with pytest.raises(CampaignError, match="no permission to write"):
                SqliteStore(path)
            with pytest.raises(CampaignError, match="no permission to create files"):
                SqliteStore(Path(folder, "new.db"), create=True)
            reader = SqliteStore(path, read_only=True)
            assert reader.campaigns() == []
            reader.close()
        finally:
            os.seteuid(0)
        os.chmod(path, 0o600)
        os.seteuid(65534)
        try:
            with pytest.raises(CampaignError, match="no permission to read"):
                SqliteStore(path, read_only=True)
        finally:
            os.seteuid(0)
        os.chmod(path, 0o666)
        os.seteuid(65534)
        try:
            with pytest.raises(CampaignError, match="no permission to create files"):
                SqliteStore(path)
        finally:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_holds_no_lock_of_a_parent_that_closed(written):
    store = SqliteStore(written)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    store.close()
    SqliteStore(written).close()
    os.close(writing)
    assert os.waitpid(child, 0)[1] == 0


def test_a_lock_file_of_somebody_else_is_named(path):
    path.with_name(path.name + ".lock").mkdir()
    with pytest.raises(CannotWrite, match=r"cannot be locked, because .*\.lock cannot be opened"):
        SqliteStore(path, create=True)


def test_a_reader_of_a_file_that_has_gone_says_so(written):
    reader = SqliteStore(written, read_only=True)
    written.unlink()
    with pytest.raises(CannotRead, match="cannot be read: unable to open"):
        reader.campaigns()
    reader.close()


def test_no_page_has_a_name_that_was_replaced(tmp_path):
    """Rows of any length between others: SQLite moves them, and leaves copies where they were."""
    random, last = Random(0), dict.fromkeys((f"campaign {k}" for k in range(8)), 0)
    store = SqliteStore(tmp_path / "campaign.db", create=True)
    for _ in range(400):
        campaign = random.choice(list(last))
        with store.writing(campaign) as writing:
            for _ in range(random.choice([1, 3, 25])):
                last[campaign] += 1
                name = random.choice(["Zq9@", *(f"w{k}" for k in range(3))])
                data = {"text": "x" * random.choice([5, 300, 3000, 9000])}
                event = Event(last[campaign], 1.0, "answered", name, "t" * 32)
                writing.append([event if random.random() < 0.6 else event._replace(data=data)])
    for campaign in last:
        with store.writing(campaign) as writing:
            writing.append([Event(last[campaign] + 1, 1.0, "worker_forgotten", "forgotten")])
            writing.forget("Zq9@", "forgotten")
    store.wipe()
    assert not any(b"Zq9@" in path.read_bytes() for path in tmp_path.iterdir())
    store.close()
    assert not any(b"Zq9@" in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("is_read", [False, True])
def test_a_file_that_is_wiped_may_become_smaller(tmp_path, monkeypatch, is_read):
    monkeypatch.setattr(sqlite_reader, "BUSY_SECONDS", 0.05)
    path = tmp_path / "campaign.db"
    store = SqliteStore(path, create=True)
    with store.writing("personal") as writing:
        data = {"text": "x" * 3000}
        writing.append([Event(seq, 1.0, "joined", "ann", data=data) for seq in range(1, 1001)])
    write(store, 1, 3)
    store.close()
    store = SqliteStore(path)
    before = path.stat().st_size
    with store.writing("personal") as writing:
        writing.append([Event(1001, 1.0, "worker_forgotten", "x", data={"number": 0})])
        writing.forget("ann", "x")
    reader = sqlite3.connect(path, isolation_level=None)
    if is_read:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        with pytest.raises(CannotWrite, match="while another program reads it"):
            store.wipe()
        write(store, 4, 4)
        assert path.stat().st_size >= before
        reader.execute("COMMIT")
        store._writer.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")  # as SQLite does at times
        write(store, 5, 5)
    store.wipe()
    assert path.stat().st_size < before / 2
    reader.close()
    last = 6 if is_read else 4
    write(store, last, last)
    assert [event.worker for event in store.read("personal")] == ["x"] * 1001
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 4096)
    with pytest.raises(CannotWrite, match="truncated"):
        write(store, last + 1, last + 1)
    store.close()
