"""Open event streams, which the server ends when it stops."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Streams:
    """The open event streams; `len` is their number."""

    def __init__(self) -> None:
        self._open: set[asyncio.Task[None]] = set()
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._open)

    def end(self) -> None:
        """End all streams, including those that are about to start."""
        self._is_ending = True
        for task in self._open:
            task.cancel()

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, which may be a stream."""
        task = asyncio.current_task()
        assert task is not None

        async def send_watched(message: Message) -> None:
            if message["type"] == "http.response.start" and is_stream(scope, message):
                self._open.add(task)
                if self._is_ending:
                    task.cancel()
            await send(message)

        try:
            await app(scope, receive, send_watched)
        except asyncio.CancelledError:
            if not (self._is_ending and task in self._open):
                raise
            task.uncancel()
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._open.discard(task)


class StreamKeeper:
    """Lets requests run among the streams of the server."""

    def __init__(self, app: ASGIApp, streams: Streams) -> None:
        self._app, self._streams = app, streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and scope["method"] == "GET":
            await self._streams.run(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)


def is_stream(scope: Scope, message: Message) -> bool:
    """Return whether a response is an event stream."""
    return scope["method"] == "GET" and any(
        name == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message["headers"]
    )
