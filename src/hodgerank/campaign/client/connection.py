"""Connection: HTTP requests to one server, over connections kept open."""

from __future__ import annotations

import json
import os
import ssl
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import sleep
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hodgerank import __version__
from hodgerank.campaign.client.address import Address
from hodgerank.display import cut, short, visible
from hodgerank.errors import (
    CampaignError,
    CannotRead,
    CannotWrite,
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
    MissingDependency,
    NoTask,
    UnknownItem,
)

if TYPE_CHECKING:
    import httpx

PROBLEM = "application/problem+json"
LONGEST_WORDS = 2000
NOT_TAKEN = (413, 415, 422)
"""Status codes for content that is too large or invalid."""
SAME = {
    kind.__name__: kind for kind in (CannotRead, CannotWrite, InvalidArgument, InvalidComparisons)
}


def is_problem(response: httpx.Response) -> bool:
    """Return whether hodgerank itself has answered, not a proxy."""
    kind = str(response.headers.get("Content-Type", "")).partition(";")[0]
    return kind.strip().lower() == PROBLEM


def error_of(server: str, response: httpx.Response, body: bytes) -> HodgeRankError:
    """Return the error for a response that is not a success."""
    status = response.status_code
    if 300 <= status < 400:
        there = visible(response.headers.get("Location", "another address"))
        return CampaignError(f"{server} redirects to {there}: use that address")
    if not is_problem(response):
        return not_hodgerank(server, response)
    problem = _read(body)
    words = cut(str(problem.get("detail") or problem.get("title")), LONGEST_WORDS)
    if status == 401:
        return CampaignError(f"{server} does not accept this token: ask the owner for a new one")
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
        return CampaignError(f"{server} has no such campaign, or the token does not allow it")
    return InvalidArgument(words) if status in NOT_TAKEN else CampaignError(words)


def not_hodgerank(server: str, response: httpx.Response) -> CampaignError:
    """Return the error for a response that another program gives."""
    return CampaignError(
        f"{server} returned status {response.status_code}, but not from hodgerank serve: check "
        "the address"
    )


def _read(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


FILE_PIECE = 1 << 18


class FileContent:
    """The bytes of a file in small parts; they are read again if a request is repeated.

    Attributes
    ----------
    size
        Number of bytes.
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
            raise InvalidArgument(
                f"{visible(str(self._path))} was shortened while it was read: try again"
            )

    def _unreadable(self, error: OSError | ValueError) -> InvalidArgument:
        reason = error.strerror if isinstance(error, OSError) else None
        return InvalidArgument(f"{visible(str(self._path))} cannot be read: {reason or error}")


WAITS = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds before a request without a response is repeated."""
RESTARTING = (*WAITS, 4.0, 8.0, 16.0)
"""The same if the server has answered before and may be restarting."""
MOST_IDLE = 32
IDLE_SECONDS = 4.0
"""Seconds after which a connection is not reused, since servers close idle ones."""
LONGEST_PAUSE = 10.0
GATEWAY = (502, 503, 504)
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class ConnectionLost(CampaignError):
    """No response, or an incomplete one."""


class Connection:
    """Sends requests from any thread. Errors never contain the token.

    Requests that may be repeated are, after increasing delays, until the server responds. The token
    is sent to this address only: redirections are not followed, and proxies in the environment are
    not used.

    Parameters
    ----------
    timeout
        Seconds without any data after which a request fails.
    """

    def __init__(self, address: Address, token: str, timeout: float) -> None:
        if not token.isascii() or not token.isprintable() or not token.strip():
            raise InvalidArgument("this is not a valid token: copy it as the server showed it")
        try:
            import httpx
        except ImportError:
            raise MissingDependency("hodgerank[campaign]", "using a campaign of a server") from None
        self.address, self._timeout = address, timeout
        self._headers = httpx.Headers(
            {
                "Authorization": f"Bearer {token}",
                "User-Agent": f"hodgerank/{__version__}",
                "Accept": "application/json, application/jsonl",
                "Accept-Encoding": "identity",
            }
        )
        self._failures = (OSError, httpx.HTTPError)
        # Certificates take a while to load: none is trusted, and none needed, for plain HTTP.
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if address.scheme == "https":
            self._tls = ssl.create_default_context()
        self._lock = Lock()
        self._is_closed = False
        self._waits: tuple[float, ...] = WAITS
        self._open_clients()

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
        """Send a request; return the JSON of the response, None if it is empty.

        The content is a file, bytes, or values for JSON. A request is repeatable if it has no
        further effect the second time. `extra` seconds are added to the time-out.
        """
        body = content if isinstance(content, bytes | FileContent) else _json(content)
        headers = {} if body is None else {"Content-Type": kind}
        if isinstance(body, FileContent):
            headers["Content-Length"] = str(body.size)
        seconds = self._timeout + extra_seconds
        request = self._request(method, self._target(path, query), body, headers, seconds)
        with self._answer(request, self._waits if is_repeatable else ()) as response:
            answer = response.content
        if response.status_code >= 300:
            raise error_of(str(self.address), response, answer)
        try:
            return json.loads(answer) if answer else None
        except ValueError:
            raise not_hodgerank(str(self.address), response) from None

    def lines(self, *path: str, query: Mapping[str, Any]) -> Iterator[bytes]:
        """Send a request; yield the lines of the response as they arrive."""
        request = self._request("GET", self._target(path, query))
        rest = b""
        with self._answer(request, self._waits, is_streamed=True) as response:
            if response.status_code >= 300:
                raise error_of(str(self.address), response, response.content)
            try:
                for piece in response.iter_bytes():
                    *whole, rest = (rest + piece).split(b"\n")
                    yield from whole
            except self._failures as error:
                raise self._lost(error) from None
        if rest:
            raise ConnectionLost(
                f"{self.address} closed the connection in the middle of a line: try again"
            )

    def media(self, campaign: str, file: str) -> bytes:
        """Download a media file of a campaign; InvalidArgument if there is none of that name."""
        target = self.address.media_path(campaign, file)
        request = self._request("GET", target, headers={"Accept": "*/*"})
        with self._answer(request, self._waits) as response:
            content = response.content
        if response.status_code == 404 and is_problem(response):
            raise InvalidArgument(f"{self.address} has no {short(file)} to show")
        if response.status_code >= 300:
            raise error_of(str(self.address), response, content)
        return content

    def close(self) -> None:
        """Close all connections, those in use after their responses."""
        with self._lock:
            self._is_closed = True
            self._close_if_idle()

    def _target(self, path: tuple[str, ...], query: Mapping[str, Any] | None) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return self.address.path(*path) + (f"?{urlencode(given)}" if given else "")

    def _request(
        self,
        method: str,
        target: str,
        body: bytes | FileContent | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        seconds: float | None = None,
    ) -> httpx.Request:
        """Send a request, and repeat it if necessary."""
        import httpx

        timeout = httpx.Timeout(self._timeout if seconds is None else seconds)
        all_headers = self._headers.copy()
        all_headers.update(headers)
        try:
            return httpx.Request(
                method,
                str(replace(self.address, prefix="")) + target,
                headers=all_headers,
                content=body,
                extensions={"timeout": timeout.as_dict()},
            )
        except httpx.InvalidURL as error:
            raise InvalidArgument(
                f"this request cannot be sent to {self.address}: {error}"
            ) from None

    @contextmanager
    def _answer(
        self, request: httpx.Request, waits: tuple[float, ...], *, is_streamed: bool = False
    ) -> Iterator[httpx.Response]:
        """Somebody's answer with its body, unless that is to be read piece by piece."""
        for wait in (*waits, None):
            with ExitStack() as until_read:
                try:
                    response = until_read.enter_context(self._sent(request, is_kept=bool(waits)))
                    if not is_streamed or response.status_code >= 300:
                        response.read()
                except self._failures as error:
                    if wait is None or isinstance(_origin(error), ssl.SSLCertVerificationError):
                        raise self._lost(error) from None
                else:
                    self._waits = RESTARTING
                    if wait is None or not _is_to_be_sent_again(response):
                        yield response
                        return
                    wait = max(wait, _retry_after(response))
            sleep(wait)

    @contextmanager
    def _sent(self, request: httpx.Request, *, is_kept: bool) -> Iterator[httpx.Response]:
        """One try: an answer of which nothing was read so far."""
        with self._lock:
            if self._is_closed:
                raise CampaignError(f"the connection to {self.address} is closed: open it again")
            if self._process != os.getpid():  # two processes must not share one
                self._open_clients()
            client = self._keeping if is_kept else self._forgetting
            self._n_out += 1
        try:
            with closing(client.send(request, stream=True)) as response:
                yield response
        finally:
            with self._lock:
                self._n_out -= 1
                self._close_if_idle()

    def _open_clients(self) -> None:
        """One client that keeps connections open, and one that opens another for every request.

        A connection that was kept may have been closed meanwhile: then nobody knows how far a
        request got. So one that must not be sent twice has a connection of its own.
        """
        self._process, self._n_out = os.getpid(), 0
        self._keeping, self._forgetting = self._client(MOST_IDLE), self._client(0)

    def _client(self, n_idle: int) -> httpx.Client:
        import httpx

        limits = httpx.Limits(max_keepalive_connections=n_idle, keepalive_expiry=IDLE_SECONDS)
        return httpx.Client(
            verify=self._tls, trust_env=False, follow_redirects=False, limits=limits
        )

    def _close_if_idle(self) -> None:
        if self._is_closed and not self._n_out:
            self._keeping.close()
            self._forgetting.close()

    def _lost(self, error: Exception) -> ConnectionLost:
        """Return what went wrong on the way."""
        error = _origin(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"its certificate is not trusted ({error.verify_message})"
        elif isinstance(error, ConnectionRefusedError):
            words = "connection refused: start hodgerank serve, or check the address"
        elif isinstance(error, TimeoutError):
            words = "it did not respond in time"
        else:
            words = short(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        return ConnectionLost(f"{self.address} cannot be reached: {words}")


def _origin(error: Exception) -> Exception:
    """Return the system's error, which httpx wraps twice."""
    carried = getattr(error.__cause__, "args", ())
    return next((one for one in carried if isinstance(one, OSError)), error)


def _is_to_be_sent_again(response: httpx.Response) -> bool:
    """Return whether the server has not processed a request: too many requests, or a proxy."""
    return response.status_code == 429 or (
        response.status_code in GATEWAY and not is_problem(response)
    )


def _retry_after(response: httpx.Response) -> float:
    """Return the seconds that the server asks to wait."""
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
    raise TypeError(f"{short(repr(value))} cannot be written as JSON")
