"""Requests to a stand-in over real HTTP, with nothing but the standard library."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPMessage
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: HTTPMessage
    content: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.content)

    @property
    def choice(self) -> dict[str, Any]:
        return self.body["choices"][0]

    @property
    def text(self) -> str | None:
        return self.choice["message"]["content"]

    @property
    def chances(self) -> dict[str, float]:
        """Log-probabilities of the first token."""
        top = self.choice["logprobs"]["content"][0]["top_logprobs"]
        return {each["token"]: each["logprob"] for each in top}


class Client:
    """A connection that stays open."""

    def __init__(self, base_url: str, **headers: str) -> None:
        parts = urlsplit(base_url)
        self._path, self._headers = parts.path, headers
        self._connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def send(self, method: str, path: str, content: bytes | None = None, **more: str) -> Answer:
        self._connection.request(method, self._path + path, content, self._headers | more)
        answer = self._connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())

    def post(self, body: Any) -> Answer:
        return self.send("POST", "/chat/completions", json.dumps(body).encode())

    def ask(self, left: str, right: str, offer: str = "A, B or X", **more: Any) -> Answer:
        """Which of two texts is better."""
        return self.post(request(left, right, offer) | more)


def request(left: str, right: str, offer: str = "A, B or X") -> dict[str, Any]:
    """A body as an endpoint gets it."""
    prompt = f"Which is better?\n<one>\n{left}\n</one>\n<two>\n{right}\n</two>\nReply {offer}."
    return {"model": "m", "messages": [{"role": "user", "content": prompt}]}
