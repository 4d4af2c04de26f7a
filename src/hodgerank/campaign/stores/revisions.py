"""revision_of and upgrade: which tables a database has, and how it gets those of `schema`."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from hodgerank.campaign.stores.schema import HEAD, REVISION_TABLE
from hodgerank.errors import CampaignError

MIGRATIONS = Path(__file__).parent / "migrations"


def revision_of(connection: Connection, name: str) -> str | None:
    """The revision of a database, None if it is empty; refuses one that is not of campaigns."""
    tables = inspect(connection).get_table_names()
    if REVISION_TABLE in tables:
        found = connection.scalar(text(f"SELECT version_num FROM {REVISION_TABLE}"))
        if found is not None:
            return str(found)
    if {"campaigns", "events", REVISION_TABLE}.isdisjoint(tables) and (
        not tables or connection.dialect.name == "postgresql"  # which programs may share
    ):
        return None
    raise CampaignError(
        f"{name} is the database of another program ({', '.join(sorted(tables)[:3])}): "
        "give campaigns a place of their own"
    )


def upgrade(connection: Connection, revision: str | None, name: str, to: str = "head") -> None:
    """Bring the tables to a revision, within the transaction that the connection is in."""
    if revision == HEAD:
        return
    # Imported here: most databases are at the head, and Alembic takes its time.
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(MIGRATIONS))
    known = {script.revision for script in scripts.walk_revisions()}
    if revision is not None and revision not in known:
        raise newer(name)
    context = MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE})
    with Operations.context(context):
        for script in reversed(list(scripts.iterate_revisions(to, revision or "base"))):
            script.module.upgrade()
            context.stamp(scripts, script.revision)


def require_head(revision: str | None, name: str) -> None:
    """Refuse to read tables that are not those of `schema`."""
    if revision is None:
        raise CampaignError(f"{name} holds no campaigns: create one there first")
    if revision > HEAD:
        raise newer(name)
    if revision < HEAD:
        raise CampaignError(
            f"{name} was made by an older hodgerank: open it once for writing, which upgrades it"
        )


def newer(name: str) -> CampaignError:
    """A database of tomorrow."""
    return CampaignError(
        f"{name} was made by a newer hodgerank: upgrade this one (pip install -U hodgerank)"
    )
