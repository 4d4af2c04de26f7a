"""Every released schema is opened with its data, on both databases.

`schemas/` has a file of SQLite for each revision, with the same log; a new revision adds its own.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores import postgres, sql
from hodgerank.campaign.stores.postgres import PostgresStore
from hodgerank.campaign.stores.sql import HEAD, REVISION_TABLE, metadata
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.errors import CampaignError

MIGRATIONS = sql.MIGRATIONS
SCHEMAS = Path(__file__).parent / "schemas"
RELEASED = sorted(path.stem for path in SCHEMAS.glob("*.sql"))
KINDS = (
    "created settings_changed item_added item_retired item_restored issued answered undone skipped "
    "expired imported worker_banned worker_restored paused resumed enough closed reset"
)
TOMORROW = f"{int(HEAD) + 1:04}"

EVENTS = [
    Event(
        seq,
        1.7e9 + seq / 8,
        kind,
        None if seq % 3 else f"wörker {seq}",
        None if seq % 2 else f"task-{seq}",
        None if seq % 4 else seq,
        None if seq % 4 else seq + 1,
        None if seq % 5 else 1 / seq,
        None if seq % 5 else 1e-300,
        None if seq % 6 else {"item": "naïve 😀", "numbers": [1, 2.5, None], "deep": {"a": True}},
    )
    for seq, kind in enumerate(KINDS.split(), 1)
]

NEXT = '''
"""A revision of tomorrow."""
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade():
    op.add_column("campaigns", sa.Column("title", sa.Text, server_default="untitled"))
    {more}
'''


@pytest.fixture
def tomorrow(tmp_path_factory, monkeypatch):
    """A hodgerank that has one more revision."""

    def have_another(more="pass"):
        folder = tmp_path_factory.mktemp("migrations")
        shutil.copytree(MIGRATIONS, folder, dirs_exist_ok=True)
        script = NEXT.format(revision=TOMORROW, before=HEAD, more=more)
        (folder / "versions" / f"{TOMORROW}_tomorrow.py").write_text(script)
        monkeypatch.setattr(sql, "MIGRATIONS", folder)
        monkeypatch.setattr(sql, "HEAD", TOMORROW)
        monkeypatch.setattr(postgres, "HEAD", TOMORROW)

    return have_another


def sqlite_of(revision: str, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SCHEMAS / f"{revision}.sql").read_text())
    return path


def postgres_of(revision: str, url: str, tmp_path: Path) -> str:
    """The tables as that revision made them, with the rows of the file of SQLite."""
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    rows = sqlite3.connect(sqlite_of(revision, tmp_path / "rows.db"))
    with closing(rows), engine.begin() as connection:
        sql.upgrade(connection, None, url, to=revision)
        for table in ("campaigns", "events"):
            found = rows.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in found.description]
            connection.exec_driver_sql(
                f"INSERT INTO {table} ({', '.join(names)}) "
                f"VALUES ({', '.join(['%s'] * len(names))})",
                found.fetchall(),
            )
    engine.dispose()
    return url


def continued(store):
    """What a store holds, after an event was added to show that it goes on."""
    before = list(store.read("released"))
    with store.writing("released") as writing:
        writing.append([Event(len(before) + 1, 2e9, "closed")])
    assert store.campaigns() == ["released"]
    assert sum(1 for _ in store.read("released")) == len(before) + 1
    return before


def revision_in(store) -> str:
    query = f"SELECT version_num FROM {REVISION_TABLE}"
    return store._look(lambda connection: connection.exec_driver_sql(query).scalar())


def test_every_revision_has_a_file():
    found = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("*.py"))
    assert found == RELEASED
    assert found[-1] == HEAD


@pytest.mark.parametrize("revision", RELEASED)
def test_a_released_file_is_opened_with_all_its_events(revision, tmp_path):
    path = sqlite_of(revision, tmp_path / "campaign.db")
    store = SqliteStore(path)
    assert continued(store) == EVENTS
    assert revision_in(store) == HEAD
    store.close()
    reader = SqliteStore(path, read_only=True)
    assert list(reader.read("released"))[:-1] == EVENTS
    reader.close()


@pytest.mark.parametrize("revision", RELEASED)
def test_released_tables_of_postgresql_are_opened_with_all_their_events(
    revision, postgres_url, tmp_path
):
    store = PostgresStore(postgres_of(revision, postgres_url, tmp_path))
    assert continued(store) == EVENTS
    assert revision_in(store) == HEAD
    store.close()


def differences(engine):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with engine.connect() as connection:
        options = {"version_table": REVISION_TABLE, "compare_type": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


def test_the_revisions_lead_to_the_schema(tmp_path, postgres_url):
    file = SqliteStore(tmp_path / "campaign.db", create=True)
    assert differences(file._reader._engine) == []
    file.close()
    database = PostgresStore(postgres_url, create=True)
    assert differences(database._engine) == []
    database.close()


def test_an_older_file_is_upgraded_when_it_is_written(tmp_path, tomorrow):
    path = sqlite_of("0001", tmp_path / "campaign.db")
    tomorrow()
    with pytest.raises(CampaignError, match="older hodgerank: open it once for writing"):
        SqliteStore(path, read_only=True)
    store = SqliteStore(path)
    assert continued(store) == EVENTS
    assert revision_in(store) == TOMORROW
    store.close()
    SqliteStore(path, read_only=True).close()


def test_older_tables_of_postgresql_are_upgraded(tmp_path, postgres_url, tomorrow):
    url = postgres_of("0001", postgres_url, tmp_path)
    tomorrow()
    with pytest.raises(CampaignError, match="older hodgerank"):
        PostgresStore(url, read_only=True)
    store = PostgresStore(url)
    assert continued(store) == EVENTS
    assert revision_in(store) == TOMORROW
    store.close()


def test_an_upgrade_that_fails_leaves_everything_as_it_was(tmp_path, postgres_url, tomorrow):
    path = sqlite_of("0001", tmp_path / "campaign.db")
    url = postgres_of("0001", postgres_url, tmp_path)
    tomorrow("raise RuntimeError('in the middle')")
    for open_it in (lambda: SqliteStore(path), lambda: PostgresStore(url)):
        with pytest.raises(RuntimeError, match="in the middle"):
            open_it()
    tomorrow("pass")
    for store in (SqliteStore(path), PostgresStore(url)):
        assert continued(store) == EVENTS
        store.close()


def test_a_newer_file_is_refused(tmp_path, tomorrow, monkeypatch):
    path = sqlite_of("0001", tmp_path / "campaign.db")
    tomorrow()
    SqliteStore(path).close()
    monkeypatch.undo()
    for options in ({}, {"create": True}, {"read_only": True}):
        with pytest.raises(CampaignError, match="made by a newer hodgerank: install"):
            SqliteStore(path, **options)


def test_newer_tables_of_postgresql_are_refused(tmp_path, postgres_url, tomorrow, monkeypatch):
    tomorrow()
    PostgresStore(postgres_url, create=True).close()
    monkeypatch.undo()
    for options in ({}, {"create": True}, {"read_only": True}):
        with pytest.raises(CampaignError, match="made by a newer hodgerank: install"):
            PostgresStore(postgres_url, **options)


def test_alembic_is_not_imported_where_there_is_nothing_to_upgrade(tmp_path):
    path = sqlite_of(HEAD, tmp_path / "campaign.db")
    code = (
        "import sys\n"
        "from hodgerank.campaign.stores.sqlite import SqliteStore\n"
        "SqliteStore(sys.argv[1]).close()\n"
        "print('alembic' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")
