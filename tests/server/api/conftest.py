"""One context for all tests of the API: each makes a campaign of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.standings import Standings
from server.api.served import HERE, Program, Served


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Its cases are made while it is collected, which takes seconds in each worker."""
    is_left_out = config.option.markexpr == "not slow"
    return True if is_left_out and collection_path.name == "test_conformance.py" else None


async def _do_nothing(standings: Standings) -> None:
    await asyncio.Event().wait()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A context that computes only what is asked for."""
    context = ServerContext(ServerConfig(str(tmp_path_factory.mktemp("api") / "campaigns.db")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Standings, "keep_up", _do_nothing)
        with TestClient(create_app(context), base_url=HERE) as client:
            patch.undo()  # other servers of the tests do compute them
            yield Served(context, client)


@pytest.fixture
def owner(served: Served) -> Program:
    """A program that may do everything."""
    return served.program()
