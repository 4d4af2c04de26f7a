"""The tables of campaigns, the same in SQLite and PostgreSQL.

A change is a new file in `migrations/versions`, and its number is the new `HEAD`.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Integer, MetaData, Table, Text

HEAD = "0002"
"""The revision of the tables as they stand here."""

REVISION_TABLE = "hodgerank_revision"
"""Which revision a database has; not Alembic's usual name, which other programs use too."""

metadata = MetaData()

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created", Double, nullable=False),
    Column("last", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("campaign", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("worker", Text),
    Column("task", Text),
    Column("left_item", Integer),
    Column("right_item", Integer),
    Column("outcome", Double),
    Column("seconds", Double),
    Column("data", Text),
    sqlite_with_rowid=False,  # the rows of a campaign lie together, in order
)

access_keys = Table(
    "access_keys",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("campaign", Text),
    Column("holder", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
)
