"""Connection: requests to one server, over connections that are kept open."""

from __future__ import annotations

import json
import os
import ssl
import stat
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode

from hodgerank import __version__
from hodgerank.campaign.client.address import Address
from hodgerank.display import cut, short, visible
from hodgerank.errors import (
    CampaignError,
    CannotWrite,
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
    NoTask,
    UnknownItem,
)

PROBLEM = "application/problem+json"
LONGEST_WORDS = 2000
NOT_TAKEN = (413, 415, 422)
"""What is sent is too large, of another kind, or not as it should be."""
SAME = {kind.__name__: kind for kind in (CannotWrite, InvalidArgument, InvalidComparisons)}


def is_problem(response: HTTPResponse) -> bool:
    """Whether the server itself has answered, and not something on the way to it."""
    return response.headers.get_content_type() == PROBLEM


def error_of(server: str, response: HTTPResponse, body: bytes) -> HodgeRankError:
    """What to raise for an answer that is not the one that was hoped for."""
    status = response.status
    if 300 <= status < 400:
        there = visible(response.headers.get("Location", "another address"))
        return CampaignError(
            f"{server} sends on to {there}, where no token is sent: use the right address"
        )
    if not is_problem(response):
        return not_hodgerank(server, response)
    problem = _read(body)
    words = cut(str(problem.get("detail") or problem.get("title")), LONGEST_WORDS)
    if status == 401:
        return CampaignError(f"{server} does not know this token: ask its owner for another one")
    if status == 403:
        return CampaignError(f"{server} does not allow this: {words}")
    name = problem.get("error")
    if name == "NoTask":
        return NoTask(str(problem.get("why")), words)
    if name == "UnknownItem":
        return UnknownItem.__new__(UnknownItem, words)  # which has no list of those that are known
    if name in SAME:
        return SAME[name](words)
    if status == 404 and not problem.get("detail"):
        return CampaignError(f"{server} has no such campaign for this token")
    return InvalidArgument(words) if status in NOT_TAKEN else CampaignError(words)


def not_hodgerank(server: str, response: HTTPResponse) -> CampaignError:
    """For an answer that another program gives."""
    return CampaignError(
        f"{server} answers with status {response.status}, and not as hodgerank serve does: is this "
        "its address?"
    )


def _read(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


FILE_PIECE = 1 << 18


class FileContent:
    """The bytes of a file, never many at once; they are read again where a request is sent again.

    Attributes
    ----------
    size
        How many there are.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            found = path.stat()
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        if not stat.S_ISREG(found.st_mode):
            raise InvalidArgument(f"{visible(str(path))} is not a file: name one")
        self.size = found.st_size

    def __iter__(self) -> Iterator[bytes]:
        left = self.size
        try:
            with self._path.open("rb") as file:
                while left and (piece := file.read(min(FILE_PIECE, left))):
                    left -= len(piece)
                    yield piece
        except OSError as error:
            raise self._unreadable(error) from None
        if left:
            raise InvalidArgument(f"{visible(str(self._path))} got shorter meanwhile: try again")

    def _unreadable(self, error: OSError | ValueError) -> InvalidArgument:
        reason = error.strerror if isinstance(error, OSError) else None
        return InvalidArgument(f"{visible(str(self._path))} cannot be read: {reason or error}")


WAITS = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds before a request is sent again whose fate is unknown."""
RESTARTING = (*WAITS, 4.0, 8.0, 16.0)
"""The same where the server has answered before: it may be at starting again."""
MOST_IDLE = 32
IDLE_SECONDS = 4.0
"""After which a connection is not used again: servers close them after some seconds."""
LONGEST_PAUSE = 10.0
GATEWAY = (502, 503, 504)
PIECE = 1 << 16


class ConnectionLost(CampaignError):
    """Nobody answers, or only half."""


class _Request(NamedTuple):
    method: str
    target: str
    body: bytes | FileContent | None
    headers: Mapping[str, str]
    timeout: float


class Connection:
    """Sends requests, from any thread. What goes wrong is told in words, and holds no token.

    A request that may be sent again is, with longer and longer waits, as long as nobody answers.
    The token goes to this one address: redirections are not followed.

    Parameters
    ----------
    timeout
        Seconds that nothing may happen in.
    """

    def __init__(self, address: Address, token: str, timeout: float) -> None:
        if not token.isascii() or not token.isprintable() or not token.strip():
            raise InvalidArgument("this is no token: copy it as the server showed it")
        self.address, self._timeout = address, timeout
        self._headers = {
            "Authorization": f"Bearer {token}",
            "User-Agent": f"hodgerank/{__version__}",
            "Accept": "application/json, application/jsonl",
        }
        self._tls = ssl.create_default_context() if address.scheme == "https" else None
        self._idle: list[tuple[float, HTTPConnection]] = []
        self._lock = Lock()
        self._process = os.getpid()
        self._is_closed = False
        self._waits: tuple[float, ...] = WAITS

    def call(
        self,
        method: str,
        *path: str,
        content: Any = None,
        query: Mapping[str, Any] | None = None,
        kind: str = "application/json",
        is_repeatable: bool = False,
        extra_seconds: float = 0.0,
    ) -> Any:
        """What the server answers, as JSON; None where it answers nothing.

        The content is a file or bytes of some kind, or what can be JSON. A request is repeatable if
        nothing more happens when the server gets it twice. It may take some extra seconds.
        """
        body = content if isinstance(content, bytes | FileContent) else _json(content)
        headers = {} if body is None else {"Content-Type": kind}
        if isinstance(body, FileContent):
            headers["Content-Length"] = str(body.size)
        target, timeout = self._target(path, query), self._timeout + extra_seconds
        wanted = _Request(method, target, body, headers, timeout)
        connection, response, answer = self._send(wanted, self._waits if is_repeatable else ())
        self._keep(connection)
        if response.status >= 300:
            raise error_of(str(self.address), response, answer)
        try:
            return json.loads(answer) if answer else None
        except ValueError:
            raise not_hodgerank(str(self.address), response) from None

    def lines(self, *path: str, query: Mapping[str, Any]) -> Iterator[bytes]:
        """What the server answers, line by line as it comes."""
        wanted = _Request("GET", self._target(path, query), None, {}, self._timeout)
        connection, response, answer = self._send(wanted, self._waits, is_streamed=True)
        rest = b""
        try:
            if response.status >= 300:
                raise error_of(str(self.address), response, answer)
            while piece := response.read1(PIECE):
                *whole, rest = (rest + piece).split(b"\n")
                yield from whole
        except (OSError, HTTPException) as error:
            raise self._lost(error) from None
        finally:
            connection.close()
        if rest:
            raise ConnectionLost(f"{self.address} broke off in the middle of a line: try again")

    def media(self, campaign: str, file: str) -> bytes:
        """A file that a campaign shows; InvalidArgument if it shows none of that name."""
        target = self.address.media_path(campaign, file)
        wanted = _Request("GET", target, None, {"Accept": "*/*"}, self._timeout)
        connection, response, content = self._send(wanted, self._waits)
        self._keep(connection)
        if response.status == 404 and is_problem(response):
            raise InvalidArgument(f"{self.address} has no {short(file)} to show")
        if response.status >= 300:
            raise error_of(str(self.address), response, content)
        return content

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _target(self, path: tuple[str, ...], query: Mapping[str, Any] | None) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return self.address.path(*path) + (f"?{urlencode(given)}" if given else "")

    def _send(
        self, wanted: _Request, waits: tuple[float, ...], *, is_streamed: bool = False
    ) -> tuple[HTTPConnection, HTTPResponse, bytes]:
        """Somebody's answer with its body, unless that is to be read piece by piece."""
        for wait in (*waits, None):
            # One that was idle may have been closed meanwhile: then nobody knows how far it got.
            connection = self._take(wanted.timeout, may_be_idle=bool(waits))
            try:
                connection.request(
                    wanted.method, wanted.target, wanted.body, {**self._headers, **wanted.headers}
                )
                response = connection.getresponse()
                is_whole = not is_streamed or response.status >= 300
                body = response.read() if is_whole else b""
            except (OSError, HTTPException) as error:
                connection.close()
                if wait is None or isinstance(error, ssl.SSLCertVerificationError):
                    raise self._lost(error) from None
                sleep(wait)
                continue
            except BaseException:
                connection.close()
                raise
            self._waits = RESTARTING
            if wait is None or not _is_to_be_sent_again(response):
                return connection, response, body
            connection.close()
            sleep(max(wait, _retry_after(response)))
        raise AssertionError("the last try returns or raises")

    def _take(self, timeout: float, *, may_be_idle: bool) -> HTTPConnection:
        with self._lock:
            if self._is_closed:
                raise CampaignError(f"the connection to {self.address} is closed: open it again")
            if self._process != os.getpid():  # two processes must not share one
                self._process, self._idle = os.getpid(), []
            while may_be_idle and self._idle:
                since, connection = self._idle.pop()
                if monotonic() - since < IDLE_SECONDS and connection.sock is not None:
                    connection.sock.settimeout(timeout)
                    return connection
                connection.close()
        host, port = self.address.host, self.address.port
        if self._tls is not None:
            return HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return HTTPConnection(host, port, timeout=timeout)

    def _keep(self, connection: HTTPConnection) -> None:
        """A connection whose answer was read is good for another request."""
        with self._lock:
            if connection.sock is not None and not self._is_closed and len(self._idle) < MOST_IDLE:
                self._idle.append((monotonic(), connection))
                return
        connection.close()

    def _lost(self, error: Exception) -> ConnectionLost:
        """In words what happened on the way."""
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"its certificate is not trusted ({error.verify_message})"
        elif isinstance(error, ConnectionRefusedError):
            words = "nobody listens there; is hodgerank serve running?"
        elif isinstance(error, TimeoutError):
            words = "it did not answer in time"
        else:
            words = short(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        return ConnectionLost(f"{self.address} cannot be reached: {words}")


def _is_to_be_sent_again(response: HTTPResponse) -> bool:
    """Whether the server has not looked at a request: too many came, or something is before it."""
    return response.status == 429 or (response.status in GATEWAY and not is_problem(response))


def _retry_after(response: HTTPResponse) -> float:
    """The seconds that it asks for."""
    asked = response.headers.get("Retry-After", "")
    return min(float(asked), LONGEST_PAUSE) if asked.isdecimal() else WAITS[1]


def _json(content: Any) -> bytes | None:
    if content is None:
        return None
    try:
        return json.dumps(content, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"this cannot be sent: {error}") from None


def _plain(value: Any) -> Any:
    """Numbers of NumPy."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{short(repr(value))} is no JSON")
