"""A live server for tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.live_server import LiveServer, live_server


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all tests: each makes a campaign of its own. It computes no rankings."""
    with live_server(tmp_path_factory.mktemp("context")) as server:
        yield server
