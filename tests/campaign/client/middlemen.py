"""What may stand between a client and its server."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

LENGTH = re.compile(rb"content-length: *([0-9]+)", re.IGNORECASE)


class CuttingProxy:
    """Hands everything on, but cuts some of the connections.

    Attributes
    ----------
    cut_before, cut_after
        How many more requests do not reach the server; how many do, and their answers get lost.
    n_connections
        Of clients.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.cut_before = self.cut_after = self.n_connections = 0
        self._clients: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)  # wakes who waits for the next client
        self._door.close()

    def hang_up(self) -> None:
        """Close the connections that clients keep."""
        clients, self._clients = self._clients, []
        for client in clients:
            with suppress(OSError):  # closed before
                client.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            self.n_connections += 1
            self._clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._server) as server:
            while request := self._whole(client):
                if self.cut_before:
                    self.cut_before -= 1
                    return
                server.sendall(request)
                answer = self._whole(server)
                if self.cut_after:
                    self.cut_after -= 1
                    return
                client.sendall(answer)

    @staticmethod
    def _whole(source: socket.socket) -> bytes:
        """A request or an answer of known length."""
        found = b""
        while b"\r\n\r\n" not in found:
            piece = source.recv(65536)
            if not piece:
                return b""
            found += piece
        head, _, body = found.partition(b"\r\n\r\n")
        lengths = [
            line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
        ]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        while len(body) < length:
            body += source.recv(65536)
        return head + b"\r\n\r\n" + body


@contextmanager
def answering(respond: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[tuple[str, list[Any]]]:
    """A server that answers everything in one way; its address, and the headers it was sent."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            seen.append(dict(self.headers))
            respond(self)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.block_on_close = False  # clients keep their connections
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", seen
        server.shutdown()
        thread.join()
