"""HTTP server of a fake model, with persistent connections, on a local port."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Protocol

from hodgerank.judges.fake_llm.faults import Fault, Faults
from hodgerank.judges.fake_llm.prompt import NotAPrompt

HERE = "127.0.0.1"
MOST_BYTES = 1 << 28


class RequestHandler(Protocol):
    """Source of the replies that the server sends."""

    key: str | None
    faults: Faults

    @property
    def models(self) -> list[str]:
        """Names of the models that it simulates."""

    def mishap(self) -> Fault | None:
        """Wait for the latency of a reply, and return its fault, if any."""

    def answer(self, body: Any) -> dict[str, Any]:
        """Return the reply to a request; raise NotAPrompt if it cannot be answered."""


class Server(ThreadingTCPServer):
    """HTTP server with a thread for each connection; all are closed together."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024  # campaigns open many connections at once

    def __init__(self, answering: RequestHandler, port: int) -> None:
        self.answering = answering
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__((HERE, port), _Handler)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection until it ends."""
        with self._guard:
            self._open.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._guard:
                self._open.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report errors other than lost connections."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close_all(self) -> None:
        """Accept no more connections, and close the open ones."""
        self.server_close()
        with self._guard:
            for connection in self._open:
                with suppress(OSError):  # it may have gone by itself
                    connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and writes answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # small answers are not to wait for company
    server: Server

    def do_GET(self) -> None:
        if not self._is_allowed():
            return
        if self.path != "/v1/models":
            self._refuse(404, f"there is no {self.path} here")
            return
        names = self.server.answering.models
        self._send(200, {"object": "list", "data": [_model(name) for name in names]})

    def do_POST(self) -> None:
        content = self._content()
        if content is None or not self._is_allowed():
            return
        if self.path != "/v1/chat/completions":
            self._refuse(404, f"there is no {self.path} here")
            return
        answering = self.server.answering
        match answering.mishap():
            case "too_many":
                headers = answering.faults.waiting_header()
                self._refuse(429, "too many requests", "rate_limit_exceeded", headers)
            case "server_error":
                self._refuse(500, "simulated server error", "server_error")
            case "broken_json":
                self._write(200, b'{"id": "chatcmpl-broken", "choices": [{"index": 0, "mess', {})
            case "closed":
                self.close_connection = True
            case None:
                self._answer(content)

    def _answer(self, content: bytes) -> None:
        try:
            self._send(200, self.server.answering.answer(json.loads(content)))
        except NotAPrompt as error:
            self._refuse(400, str(error))
        except (ValueError, RecursionError):
            self._refuse(400, "the body is not JSON")

    def _content(self) -> bytes | None:
        """Return the body of a request; refuse it and return None if its length is invalid."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and int(length) <= MOST_BYTES):
            self.close_connection = True  # where the next request begins is not known
            self._refuse(400, "Content-Length is missing or wrong")
            return None
        return self.rfile.read(int(length))

    def _is_allowed(self) -> bool:
        key = self.server.answering.key
        if key is None or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self._refuse(401, "incorrect API key provided", "invalid_api_key")
        return False

    def _refuse(
        self, status: int, why: str, code: str | None = None, headers: Mapping[str, str] = {}
    ) -> None:
        kind = "invalid_request_error" if status < 429 else code
        error = {"message": why, "type": kind, "param": None, "code": code}
        self._write(status, json.dumps({"error": error}).encode(), headers)

    def _send(self, status: int, answer: Mapping[str, Any]) -> None:
        self._write(status, json.dumps(answer).encode(), {})

    def _write(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        lines = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
        if self.close_connection:
            lines["Connection"] = "close"
        first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
        head = "\r\n".join([first, *(f"{name}: {value}" for name, value in lines.items())])
        self.wfile.write(f"{head}\r\n\r\n".encode() + content)  # one packet for both

    def log_message(self, *_: object) -> None:
        """Quiet: what was asked is in `calls`."""


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "hodgerank"}
