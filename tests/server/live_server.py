"""A server on loopback for browsers, in a thread of the tests."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.app import create_app
from hodgerank.server.context import ServerContext
from hodgerank.server.standings import Standings
from server.pages.owning import context_at

HOST = "127.0.0.1"
TEXTS = {f"item-{k}": f"Sentence {k}" for k in range(8)}


class LiveServer:
    """A context with its doors open.

    Attributes
    ----------
    url
        Where it is, without a slash at the end.
    """

    def __init__(self, context: ServerContext, port: int) -> None:
        self.context, self.url = context, f"http://{HOST}:{port}"
        self._numbers = count(1)

    def campaign(self, items: Any = TEXTS, **settings: Any) -> Campaign:
        """A new campaign of this context; what the server does in it is seen here too."""
        settings = {"question": "Which is better?", **settings}
        return Campaign.create(
            self.context.database, items, id=f"c{next(self._numbers)}", **settings
        )

    def owner_link(self) -> str:
        """The address that signs an owner in, once."""
        token = self.context.keys.issue("link", "owner", "owner", seconds=3600)
        return f"{self.url}/enter#{token}"

    def owner_session(self) -> str:
        """What the browser of an owner keeps."""
        return self.context.keys.issue("session", "owner", "owner", seconds=3600)

    def join_link(self, campaign: Campaign, query: str = "") -> str:
        """Where workers of a campaign begin."""
        entrance = campaign.settings.pages.entrance
        path = f"/j/{campaign.id}" + (f"/{entrance}" if entrance else "")
        return f"{self.url}{path}{'?' * bool(query)}{query}"


@contextmanager
def live_server(
    folder: Path, *, with_standings: bool = False, database: str = ""
) -> Iterator[LiveServer]:
    """Serve a new context; rankings are computed beside it only where a test looks at them."""
    context = context_at(database or str(folder / "campaigns.db"))
    with pytest.MonkeyPatch.context() as patch, socket.create_server((HOST, 0)) as door:
        if not with_standings:
            patch.setattr(Standings, "keep_up", _do_nothing)
        config = uvicorn.Config(
            create_app(context), log_level="warning", access_log=False, timeout_graceful_shutdown=2
        )
        server, is_up = uvicorn.Server(config), threading.Event()
        thread = threading.Thread(target=_run, args=(server, door, is_up))
        thread.start()
        try:
            assert is_up.wait(30)
            patch.undo()  # other servers of the tests do compute them
            yield LiveServer(context, door.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def _run(server: uvicorn.Server, door: socket.socket, is_up: threading.Event) -> None:
    async def serve() -> None:
        serving = asyncio.create_task(server.serve([door]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        is_up.set()
        await serving

    asyncio.run(serve())


async def _do_nothing(standings: Standings) -> None:
    await asyncio.Event().wait()
