"""A stand-in under an address that stays the same, since logs of calls hold the address."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from hodgerank.judges.fake_llm import FakeLLM, ModelProfile

BASE_URL = "http://judges.example/v1"
TEMPERS = {
    "small": ModelProfile(
        acuity=1, position_bias=0.5, ties=0.8, abstain=0.2, refuse=0.1, ramble=0.1
    ),
    "large": ModelProfile(acuity=3, ties=0.4),
}
PROXIES = ("HTTP_PROXY", "http_proxy")
ELSEWHERE = ("ALL_PROXY", "NO_PROXY", "OPENAI_BASE_URL", "OPENAI_API_KEY", "HODGERANK_API_KEY")


@contextmanager
def stand_in_at_base_url(scores: Mapping[str, float], **options: Any) -> Iterator[FakeLLM]:
    """A stand-in that answers what is sent to BASE_URL, from any port of this machine."""
    surroundings = {
        name: value
        for name, value in os.environ.items()
        if name.upper() not in {name.upper() for name in (*PROXIES, *ELSEWHERE)}
    }
    with FakeLLM(scores, profiles=TEMPERS, seed=3, **options) as fake_llm:
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), _forwarding_to(fake_llm.base_url))
        proxy.daemon_threads = True
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        thread = threading.Thread(target=proxy.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            with patch.dict(os.environ, surroundings | dict.fromkeys(PROXIES, address), clear=True):
                yield fake_llm
        finally:
            proxy.shutdown()
            proxy.server_close()
            thread.join()


def _forwarding_to(base_url: str) -> type[BaseHTTPRequestHandler]:
    """What a proxy does that sends everything to one place."""
    there = urlsplit(base_url)

    class Forwarding(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            connection = HTTPConnection(there.hostname or "", there.port, timeout=20)
            try:
                connection.request("POST", urlsplit(self.path).path, content)
                answer = connection.getresponse()
                body = answer.read()
            finally:
                connection.close()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Forwarding
