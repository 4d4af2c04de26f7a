"""Campaigns and their events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the two tables."""
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("campaign", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("task", sa.Text),
        sa.Column("left_item", sa.Integer),
        sa.Column("right_item", sa.Integer),
        sa.Column("outcome", sa.Double),
        sa.Column("seconds", sa.Double),
        sa.Column("data", sa.Text),
        sqlite_with_rowid=False,
    )
