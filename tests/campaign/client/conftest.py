"""A live server for clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from campaign.client.clients import Clients
from server.live_server import LiveServer, live_server


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One for all tests: each makes a campaign of its own."""
    with live_server(tmp_path_factory.mktemp("remote")) as server:
        yield server


@pytest.fixture
def clients(live: LiveServer) -> Iterator[Clients]:
    """Makes clients, and closes them."""
    clients = Clients(live)
    yield clients
    clients.close()
