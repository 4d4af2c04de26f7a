"""Headers of requests: bounded in size and time, before anybody is authenticated."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import pytest
import uvicorn

from hodgerank.server import bounded_http
from hodgerank.server.bounded_http import MOST_HEADER_BYTES, BoundedHttp

HELLO = b"GET / HTTP/1.1\r\nHost: a\r\n"


async def echo(scope, receive, send):
    """Answer with the number of bytes of the body."""
    n, more = 0, True
    while more:
        message = await receive()
        n, more = n + len(message.get("body", b"")), message.get("more_body", False)
    headers = [(b"x-n", b"%d" % n), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        config = uvicorn.Config(echo, http=BoundedHttp, lifespan="off", log_level="error")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([door])))
        thread.start()
        while not server.started:
            pass
        yield door.getsockname()[1]
        server.should_exit = True
        thread.join()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        yield connection


def reply(connection: socket.socket) -> bytes:
    """What the server sends until it closes the connection, or the end of the first headers."""
    found = b""
    try:
        while b"\r\n\r\n" not in found and (part := connection.recv(1 << 16)):
            found += part
    except ConnectionResetError:
        pass
    return found


def send_all(connection: socket.socket, data: bytes, times: int) -> int:
    """Send as often as the server accepts it; how often it did."""
    for k in range(times):
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return k
    return times


def test_usual_requests_are_served_one_after_the_other(port):
    with connected(port) as connection:
        for n in (0, 10, 100_000):
            body = b"x" * n
            connection.sendall(HELLO + b"Content-Length: %d\r\n\r\n" % n + body)
            assert b"x-n: %d" % n in reply(connection)


def test_large_bodies_in_many_parts_are_served(port):
    with connected(port) as connection:
        connection.sendall(HELLO + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(300):
            connection.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert b"x-n: 307200" in reply(connection)


@pytest.mark.parametrize(
    "headers",
    [
        b"X: " + b"a" * MOST_HEADER_BYTES + b"\r\n\r\n",  # at once
        b"A: b\r\n" * 20_000 + b"\r\n",
        b"X: " + b"a" * 3 * MOST_HEADER_BYTES,  # without an end
    ],
    ids=["long", "many", "endless"],
)
def test_headers_that_are_too_large_are_refused(port, headers):
    with connected(port) as connection:
        send_all(connection, HELLO + headers, 1)
        assert reply(connection).startswith(b"HTTP/1.1 431 ")


def test_an_address_without_an_end_is_refused(port):
    with connected(port) as connection:
        send_all(connection, b"GET /" + b"a" * 2 * MOST_HEADER_BYTES, 1)
        assert reply(connection).startswith(b"HTTP/1.1 431 ")


def test_trailers_without_an_end_are_refused(port):
    with connected(port) as connection:
        connection.sendall(HELLO + b"Transfer-Encoding: chunked\r\n\r\n0\r\n")
        assert send_all(connection, b"X-a: " + b"b" * 10_000, 1000) < 1000


def test_headers_that_do_not_come_end_the_connection(port, monkeypatch):
    monkeypatch.setattr(bounded_http, "HEADER_SECONDS", 0.2)
    for begin in (b"", b"GET / HT", HELLO):
        with connected(port) as connection:
            connection.sendall(begin)
            began = monotonic()
            assert reply(connection) == b""
            assert monotonic() - began < 10


def test_a_slow_body_is_waited_for(port, monkeypatch):
    monkeypatch.setattr(bounded_http, "HEADER_SECONDS", 0.2)
    with connected(port) as connection:
        connection.sendall(HELLO + b"Content-Length: 2\r\n\r\nx")
        connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(30)
        connection.sendall(b"x")
        assert b"x-n: 2" in reply(connection)
