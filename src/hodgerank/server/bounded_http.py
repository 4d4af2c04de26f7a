"""BoundedHttp: uvicorn's HTTP protocol with limits on the size and the time of headers.

Headers arrive before anybody is authenticated, and the parser keeps them in memory. Sizes are
checked as bytes arrive, so that a header without an end is refused too.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEADER_BYTES = 1 << 16
HEADER_SECONDS = 20.0
"""Seconds for the headers of a request, from its first byte; for the first one, from the start."""


class BoundedHttp(HttpToolsProtocol):
    """Refuses requests whose headers are too large, and connections that do not complete them."""

    _n_unparsed = 0  # bytes of headers or trailers that have not ended yet
    _n_header_bytes = 0
    _is_refused = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock of the first request."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, unless the request was refused."""
        if self._is_refused:
            return
        self._n_unparsed += len(data)
        super().data_received(data)
        if self._n_unparsed > MOST_HEADER_BYTES:
            self._refuse()

    def on_message_begin(self) -> None:
        """Start the clock of another request."""
        self._n_header_bytes = 0
        if self._deadline is None:
            self._start_clock()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count the bytes of a header."""
        self._n_header_bytes += (
            len(name) + len(value) + 4
        )  # a colon, a space and the end of the line
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request if its headers are not too large."""
        self._stop_clock()
        self._n_unparsed = 0
        if self._n_header_bytes + len(self.url) > MOST_HEADER_BYTES:
            self._refuse()
        if not self._is_refused:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._n_unparsed = 0
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request."""
        self._n_unparsed = 0
        if not self._is_refused:
            super().on_message_complete()

    def _refuse(self) -> None:
        if self._is_refused:
            return
        self._is_refused = True
        self._stop_clock()
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(
                b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
                b"content-length: 0\r\nconnection: close\r\n\r\n"
            )
        self.transport.close()

    def _start_clock(self) -> None:
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self.transport.close()
