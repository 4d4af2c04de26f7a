"""An owner who is signed in, in a context whose rankings are computed in this process."""

from __future__ import annotations

import asyncio
import math
import pickle
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from random import Random
from typing import Any

from httpx import Response
from starlette.testclient import TestClient

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext

HERE = "http://localhost:8000"
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>مرحبا" + "x" * 300
"""A name that would run, break out, or turn the direction, if it could."""


class DirectAnalyst:
    """Answers as the other process would, in a thread: what it returns has been pickled.

    Attributes
    ----------
    failing
        Is told of the next failure, where a test waits for what may never come.
    """

    failing: asyncio.Future[Any] | None = None

    def __init__(self, address: str) -> None:
        self._database = Database(address, read_only=True)
        self._campaigns: dict[str, Campaign] = {}
        self._threads = ThreadPoolExecutor(2)

    async def ask(self, what: Callable[..., Any], id: str, *args: Any, **options: Any) -> Any:
        try:
            answering = self._threads.submit(self._answer, what, id, args, options)
            return await asyncio.wrap_future(answering)
        except Exception as error:
            if self.failing is not None and not self.failing.done():
                self.failing.set_exception(error)
            raise

    def _answer(
        self, what: Callable[..., Any], id: str, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        if id not in self._campaigns:
            self._campaigns[id] = Campaign.open(self._database, id, read_only=True)
        asked = pickle.loads(pickle.dumps((what, args, options)))
        return pickle.loads(pickle.dumps(asked[0](self._campaigns[id], *asked[1], **asked[2])))

    def close(self) -> None:
        self._threads.shutdown()  # what is being computed still reads the database
        self._database.close()


class Owned:
    """A context, and a browser that its owner is signed in with."""

    def __init__(self, context: ServerContext, client: TestClient) -> None:
        self.context, self.client = context, client
        self._numbers = count(1)
        token = context.keys.issue("session", "owner", "owner", seconds=3600)
        client.cookies.set("hodgerank-8000", token)

    def campaign(self, items: Any = ("tea", "milk", "cola"), **settings: Any) -> Campaign:
        """A new campaign of this context."""
        given = {"question": "Which is better?", "id": f"c{next(self._numbers)}", **settings}
        return Campaign.create(self.context.database, items, **given)

    def page(self, *parts: str, status: int = 200, **query: str) -> str:
        """The HTML of a page, which has no styles or scripts of its own."""
        address = "/" + "/".join(parts)
        answer = self.client.get(address, params=query, headers={"accept": "text/html"})
        assert answer.status_code == status, answer.text
        return harmless(answer.text)

    def post(self, *parts: str, files: Any = None, **form: Any) -> Response:
        """Send a form; where it leads is not followed."""
        return self.client.post(
            "/" + "/".join(parts),
            data={name.replace("__", "."): value for name, value in form.items()},
            files=files,
            headers={"accept": "text/html", "origin": HERE},
            follow_redirects=False,
        )

    def view(self, campaign: Campaign, track: str = "") -> Any:
        """What the live page shows, once it is computed; if that fails, so does this."""
        return self.client.portal.call(self._view, campaign.id, track)

    async def _view(self, id: str, track: str) -> Any:
        await self.context.campaign(id)
        failing = asyncio.get_running_loop().create_future()
        self.context.analysis.failing = failing  # type: ignore[attr-defined]
        viewing = asyncio.ensure_future(self.client.app.state.standings.view(id, track))
        await asyncio.wait({failing, viewing}, return_when=asyncio.FIRST_COMPLETED)
        if failing.done():
            viewing.cancel()
            return failing.result()
        failing.cancel()
        return viewing.result()


def context_at(path: str) -> ServerContext:
    """A context whose analysts are in this process."""
    context = ServerContext(ServerConfig(path))
    context.analysis = context.forecaster = DirectAnalyst(path)  # type: ignore[assignment]
    return context


def app_of(context: ServerContext) -> TestClient:
    return TestClient(create_app(context), base_url=HERE)


def harmless(html: str) -> str:
    """HTML that breaks no policy: no style attributes, no handlers, no script of its own."""
    lowered = html.lower()
    assert " style=" not in lowered
    assert "<style" not in lowered
    assert "<script>" not in lowered
    assert "<img src=x" not in lowered
    return html


def answer(
    campaign: Campaign,
    n: int,
    workers: Iterable[str] = ("ann", "bob"),
    scores: Mapping[Any, float] | None = None,
    seed: int = 1,
) -> None:
    """Answers of workers in turn, by the scores of the items: the first ones are best."""
    random, names = Random(seed), list(workers)
    known = scores or {item.id: -0.7 * k for k, item in enumerate(campaign.items)}
    for k in range(n):
        [task] = campaign.lease(names[k % len(names)])
        chance = 1 / (1 + math.exp(known[task.right] - known[task.left]))
        campaign.answer(task, 1 if random.random() < chance else -1, seconds=2.0)
