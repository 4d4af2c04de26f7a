"""A context with its owner, for the tests of the owner's pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hodgerank.server import standings
from server.pages.owning import Owned, app_of, context_at


@pytest.fixture
def owned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_futures: None) -> Iterator[Owned]:
    """A context, which looks at nothing but the campaigns of the test."""
    monkeypatch.setattr(standings, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(standings, "FEWEST_SECONDS", 0.05)
    with app_of(context_at(str(tmp_path / "campaigns.db"))) as client:
        yield Owned(client.app.state.context, client)
