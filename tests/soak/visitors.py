"""Visitors: many workers on one thread, each with a connection of its own, as browsers have it.

The client is written by hand: what it costs is taken from the server, on a small machine.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n")
COOKIE = re.compile(rb"\r\nset-cookie: ([^;]+)")
RELOADS = 0.05  # how often a worker asks for the tasks once more


class Connection(asyncio.Protocol):
    """One request after the other, over a connection that stays open."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[tuple[int, bytes, bytes]] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionResetError("the server has gone"))

    @property
    def is_open(self) -> bool:
        return self._transport is not None

    async def ask(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Status, head and body of the answer."""
        if self._transport is None:
            raise ConnectionResetError("the connection is closed")
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._received[: end + 2]
        found = LENGTH.search(head)
        size = int(found[1]) if found else 0
        if len(self._received) < end + 4 + size:
            return
        body = self._received[end + 4 : end + 4 + size]
        self._received = self._received[end + 4 + size :]
        assert self._answer is not None
        if not self._answer.done():
            self._answer.set_result((int(head[9:12]), head, body))


@dataclass
class Seen:
    """What the visitors saw: how long answers and tasks took, in ms, and what went wrong.

    `rate` is answers a second.
    """

    answers: list[float] = field(default_factory=list)
    tasks: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    rate: float = 0.0


class Visitors:
    """Workers of one campaign of a server on loopback."""

    def __init__(self, port: int, campaign: str) -> None:
        self._port, self._campaign = port, campaign
        self._cookies: list[bytes] = []
        self.seen = Seen()

    async def join(self, n: int) -> None:
        """Let so many come, by links that have their names in them."""
        self._cookies = await asyncio.gather(*(self._join(f"visitor {k}") for k in range(n)))

    async def work(self, think: float, seconds: float) -> None:
        """Let them work for so long.

        They think for so many seconds on average before each answer; none at all is flat out.
        """
        until = time.perf_counter() + seconds
        await asyncio.gather(*(self._work(cookie, think, until) for cookie in self._cookies))

    async def _work(self, cookie: bytes, think: float, until: float) -> None:
        random = Random(cookie)
        connection, tasks = await self._connect(), list[str]()
        await asyncio.sleep(random.uniform(0, think))
        while time.perf_counter() < until:
            if not tasks or random.random() < RELOADS:
                turn = await self._ask(connection, cookie, "tasks", {"has": tasks}, self.seen.tasks)
            else:
                given = {
                    "task": tasks[0], "outcome": random.choice([-1.0, 1.0]), "seconds": 2.0,
                    "is_focused": True, "has": tasks[1:],
                }  # fmt: skip
                turn = await self._ask(connection, cookie, "answer", given, self.seen.answers)
                await asyncio.sleep(random.uniform(0.5, 1.5) * think)
            if turn is None:
                connection.close()
                connection, tasks = await self._connect(), []
                await asyncio.sleep(0.5)
            else:
                tasks = [task["id"] for task in turn["tasks"]]
                if not tasks:
                    self.seen.errors[f"no task: {turn['why']}"] += 1
                    break
        connection.close()

    async def _ask(
        self, connection: Connection, cookie: bytes, what: str, given: Any, waits: list[float]
    ) -> dict[str, Any] | None:
        request = self._request(f"/w/{self._campaign}/{what}", json.dumps(given).encode(), cookie)
        begin = time.perf_counter()
        try:
            status, _, body = await connection.ask(request)
        except OSError as error:
            self.seen.errors[str(error)] += 1
            return None
        waits.append(1000 * (time.perf_counter() - begin))
        if status != 200:
            self.seen.errors[f"{status}: {body[:200].decode(errors='replace')}"] += 1
            return None
        return dict(json.loads(body))

    async def _join(self, name: str) -> bytes:
        """The cookie of who has come."""
        connection = await self._connect()
        path = f"/j/{self._campaign}?worker={name.replace(' ', '%20')}"
        kind = "application/x-www-form-urlencoded"
        status, head, body = await connection.ask(self._request(path, b"", b"", kind))
        connection.close()
        found = COOKIE.search(head)
        assert status == 303, (head, body)
        assert found is not None
        return found[1]

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(Connection, "127.0.0.1", self._port)
        return connection

    def _request(
        self, path: str, body: bytes, cookie: bytes, kind: str = "application/json"
    ) -> bytes:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Origin: http://127.0.0.1:{self._port}\r\nContent-Type: {kind}\r\n"
            f"Accept: application/json\r\nContent-Length: {len(body)}\r\nCookie: "
        )
        return head.encode() + cookie + b"\r\n\r\n" + body
