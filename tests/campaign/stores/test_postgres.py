from __future__ import annotations

import traceback
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from threading import Event as Signal
from time import monotonic, sleep

import psycopg
import pytest
from sqlalchemy import text

from contracts.store import DurableStoreContract, some_events
from hodgerank.campaign.events import Event
from hodgerank.campaign.stores import postgres
from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.postgres import PostgresStore
from hodgerank.errors import CampaignError, CannotRead, CannotWrite, InvalidArgument


class TestPostgresStore(DurableStoreContract):
    @pytest.fixture
    def store(self, postgres_url):
        store = PostgresStore(postgres_url, create=True)
        self.url = postgres_url
        self.opened = [store]
        yield store
        for each in self.opened:
            each.close()

    def reopened(self, store):
        self.opened.append(PostgresStore(self.url))
        return self.opened[-1]


@pytest.fixture
def open_postgres(postgres_url):
    """Open the same place, as another process would."""
    opened = []

    def open_store(**options):
        opened.append(PostgresStore(postgres_url, **options))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(open_postgres):
    return open_postgres(create=True)


@pytest.fixture
def kill(postgres_url):
    """End the connections of this test that are in a state, as a restart of the server does."""
    name = postgres_url.rpartition("application_name=")[2]

    def kill_connections(state="%"):
        with psycopg.connect(
            postgres_url.replace("application_name=", "application_name=not_")
        ) as c:
            query = (
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
                "WHERE application_name = %s AND state LIKE %s"
            )
            return c.execute(query, (name, state)).fetchone()[0]

    return kill_connections


def write(store, first, last):
    with store.writing("votes") as writing:
        writing.append(some_events(first, last))


def answering(name):
    """A work that puts one answer behind whatever there is."""

    def work(writing):
        number = 1 + sum(1 for _ in writing.news(0))
        writing.append([Event(number, 1.0, "answered", name)])

    return work


def limits(monkeypatch, idle, lock):
    words = str(postgres._LIMITS).replace("30s", idle).replace("40s", lock)
    monkeypatch.setattr(postgres, "_LIMITS", text(words))


def test_tables_that_should_be_there_are_asked_for(open_postgres):
    for read_only in (False, True):
        with pytest.raises(CampaignError, match="has no campaigns: create"):
            open_postgres(read_only=read_only)


def test_readers_never_write(open_postgres):
    write(open_postgres(create=True), 1, 3)
    reader = open_postgres(read_only=True)
    assert list(reader.read("votes")) == some_events(1, 3)
    with pytest.raises(CampaignError, match="read only"):
        write(reader, 4, 4)


def test_tables_of_another_program_are_left_alone(postgres_url, open_postgres):
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE notes (words text)")
    open_postgres(create=True)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP TABLE hodgerank_revision")
    with pytest.raises(CampaignError, match="another program"):
        open_postgres(create=True)


def test_a_connection_in_use_when_the_store_is_closed_does_not_stay_open(store):
    with store.writing("votes") as writing:
        writing.append(some_events(1, 1))
        store.close()
    assert store._engine.pool.checkedin() == 0


def test_several_processes_may_create_it_at_once(open_postgres):
    together = Barrier(6)

    def create_and_write(number):
        together.wait()
        store = open_postgres(create=True)
        together.wait()
        with store.writing("votes") as writing:
            answering(f"process {number}")(writing)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(create_and_write, range(6)))
    assert [event.seq for event in open_postgres().read("votes")] == [1, 2, 3, 4, 5, 6]


def test_several_processes_write_one_log_without_gaps(open_postgres):
    commits = [GroupCommit(open_postgres(create=True)) for _ in range(3)]
    names = [f"answer {k}" for k in range(150)]
    with ThreadPoolExecutor(12) as pool:
        list(
            pool.map(
                lambda k: commits[k % 3].submit("votes", answering(names[k])).result(), range(150)
            )
        )
    for each in commits:
        each.close()
    found = list(open_postgres().read("votes"))
    assert [event.seq for event in found] == list(range(1, 151))
    assert sorted(event.worker for event in found) == sorted(names)


def test_another_process_is_woken(open_postgres, monkeypatch):
    monkeypatch.setattr(postgres, "POLL_SECONDS", 30.0)
    here, there = open_postgres(create=True), open_postgres()
    write(here, 1, 1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(there.wait, "votes", 1, 60)
        while not is_listening(here):
            sleep(0.01)
        began = monotonic()
        write(here, 2, 2)
        assert waiting.result()
        assert monotonic() - began < 10


def is_listening(store) -> bool:
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND state = 'idle' "
        "AND application_name = current_setting('application_name')"
    )
    return store._look(lambda connection: connection.scalar(text(query))) > 0


def test_who_waits_looks_by_itself_where_nothing_is_notified(open_postgres, monkeypatch):
    monkeypatch.setattr(postgres, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(postgres, "notify", lambda *of: None)
    here, there = open_postgres(create=True), open_postgres()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(there.wait, "votes", 0, 60)
        write(here, 1, 1)
        assert waiting.result()


def test_who_waits_outlives_the_connection_that_listens(open_postgres, kill, monkeypatch):
    monkeypatch.setattr(postgres, "POLL_SECONDS", 0.2)
    here, there = open_postgres(create=True), open_postgres()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(there.wait, "votes", 0, 60)
        while not is_listening(here):
            sleep(0.01)
        assert kill("idle") > 0
        write(here, 1, 1)
        assert waiting.result()


def test_a_connection_lost_in_the_middle_acknowledges_nothing(store, kill):
    write(store, 1, 2)

    def lose_it():
        with store.writing("votes") as writing:
            writing.append(some_events(3, 4))
            assert kill("idle in transaction") == 1

    with pytest.raises(CannotWrite, match="cannot be written: "):
        lose_it()
    assert list(store.read("votes")) == some_events(1, 2)
    write(store, 3, 3)
    assert list(store.read("votes")) == some_events(1, 3)


def test_a_connection_lost_while_reading_within_a_transaction(store, kill):
    write(store, 1, 2)

    def lose_it():
        with store.writing("votes") as writing:
            assert kill("idle in transaction") == 1
            list(writing.news(0))

    with pytest.raises(CannotWrite, match="cannot be written: "):
        lose_it()
    write(store, 3, 3)


def test_connections_lost_between_transactions_are_not_noticed(store, kill):
    write(store, 1, 2)
    assert kill() > 0
    write(store, 3, 3)
    assert kill() > 0
    assert list(store.read("votes")) == some_events(1, 3)


def test_connections_lost_under_load_lose_nothing_that_was_acknowledged(store, kill):
    commits = GroupCommit(store)
    acknowledged, failed, done = set(), set(), Signal()

    def answer(name):
        try:
            commits.submit("votes", answering(name)).result()
            acknowledged.add(name)
        except CannotWrite:
            failed.add(name)

    def go_on_killing():
        while not done.wait(0.02):
            kill()

    with ThreadPoolExecutor(9) as pool:
        killer = pool.submit(go_on_killing)
        futures = [pool.submit(answer, f"answer {k}") for k in range(400)]
        for future in futures:
            future.result()
        done.set()
        killer.result()
    commits.submit("votes", answering("the last one")).result()
    commits.close()
    found = [event.worker for event in store.read("votes")]
    assert len(found) == len(set(found))
    assert acknowledged | {"the last one"} <= set(found)
    assert len(acknowledged) + len(failed) == 400


def test_a_frozen_process_loses_the_campaign(open_postgres, monkeypatch):
    limits(monkeypatch, idle="200ms", lock="20s")
    frozen, other = open_postgres(create=True), open_postgres()

    def freeze():
        with frozen.writing("votes") as writing:
            write(other, 1, 2)  # waits until the other one has lost its place
            writing.append(some_events(1, 1))

    with pytest.raises(CannotWrite, match="idle-in-transaction timeout"):
        freeze()
    assert list(frozen.read("votes")) == some_events(1, 2)


def test_nobody_waits_for_ever(open_postgres, monkeypatch):
    limits(monkeypatch, idle="30s", lock="100ms")
    slow, other = open_postgres(create=True), open_postgres()
    write(slow, 1, 1)
    with slow.writing("votes") as writing:
        with pytest.raises(CannotWrite, match="lock timeout"):
            write(other, 2, 2)
        writing.append(some_events(2, 2))
    write(other, 3, 3)
    assert list(slow.read("votes")) == some_events(1, 3)


def test_a_commit_is_on_disk_where_the_server_is_careless(postgres_url):
    careless = postgres_url.replace("options=", "options=-csynchronous_commit%3Doff%20")
    store = PostgresStore(careless, create=True)
    query = text("SELECT current_setting('synchronous_commit')")
    with store._engine.connect() as connection:
        assert connection.scalar(query) == "off"
        connection.execute(postgres._LIMITS)
        assert connection.scalar(query) == "on"
    store.close()


@pytest.mark.parametrize("words", ["user:s3cret@127.0.0.1:9/x", "u@127.0.0.1:9/x?password=s3cret"])
def test_a_password_is_in_no_message(words):
    with pytest.raises(CannotRead, match=r"cannot be read: .*connection") as failure:
        PostgresStore(f"postgresql://{words}")
    assert "s3cret" not in "".join(traceback.format_exception(failure.value))
    assert "127.0.0.1:9/x" in str(failure.value)


@pytest.mark.parametrize("address", ["mysql://user:s3cret@host/x", "campaign.db"])
def test_other_addresses_are_refused(address):
    with pytest.raises(InvalidArgument, match="not an address of PostgreSQL"):
        PostgresStore(address)


def test_a_password_that_the_server_repeats_is_hidden(postgres_url):
    store = PostgresStore(postgres_url, create=True)
    store._secrets = ["s3cret", None]
    with pytest.raises(CannotRead, match=r'column "\*\*\*" does not exist'):
        store._look(lambda connection: connection.execute(text("SELECT s3cret")))
    store.close()
