"""Connection: sends one call, and reads the response."""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hodgerank import __version__
from hodgerank.display import cut, visible
from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.judges.endpoint.completion import BrokenCompletion, Reply, read_completion
from hodgerank.judges.endpoint.retries import LONGEST_QUOTE, CallError, Remedy, broken, refused_with

if TYPE_CHECKING:
    import httpx

VARIABLES = ("HODGERANK_API_KEY", "OPENAI_API_KEY")
PLACEHOLDER = "no-key"  # for servers that want none, of a client that must send one
HIDDEN = "[key]"
SHARED = 6  # so many letters of a key in a row give it away in part
SECRET = 8  # a shorter key is none, and might be a word of a reply
MASKED = re.compile(r"\S*\*{3,}\S*")  # how servers quote a key: sk-ab****yz


class ApiKey:
    """The API key: as given, or from the environment, or none for a server that needs none.

    It never appears in representations and messages.
    """

    def __init__(self, given: str | None, *, is_needed: bool) -> None:
        known = [given, *(os.environ.get(name) for name in VARIABLES)]
        self._key = next((key.strip() for key in known if key and key.strip()), "")
        if not self._key and is_needed:
            raise InvalidArgument(
                f"no API key: set the environment variable {VARIABLES[0]} or {VARIABLES[1]}, or "
                "name a server that needs none with --base-url (base_url)"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise InvalidArgument("the API key has invalid characters: copy it again")

    def __repr__(self) -> str:
        return f"ApiKey({HIDDEN if self._key else ''})"

    @property
    def sent(self) -> str:
        """Return what is sent."""
        return self._key or PLACEHOLDER

    def hidden_in_error(self, text: str) -> str:
        """Return an error message without the key or anything that looks like one."""
        text = MASKED.sub(HIDDEN, text)
        if len(self._key) < SECRET:
            return (
                re.sub(rf"(?<!\w){re.escape(self._key)}(?!\w)", HIDDEN, text) if self._key else text
            )
        pieces = {self._key[i : i + SHARED] for i in range(len(self._key) - SHARED + 1)}
        hidden: set[int] = set()
        for start in range(len(text) - SHARED + 1):
            if text[start : start + SHARED] in pieces:
                hidden.update(range(start, start + SHARED))
        shown = []
        for i, letter in enumerate(text):
            if i not in hidden:
                shown.append(letter)
            elif i - 1 not in hidden:
                shown.append(HIDDEN)
        return "".join(shown)

    def hidden_in_reply(self, text: str) -> str:
        """Remove the key from a reply, if a server sends it back."""
        return text.replace(self._key, HIDDEN) if len(self._key) >= SECRET else text


LARGEST_BODY = 32 * 2**20
MOST_IDLE = 100  # connections kept open; how many calls are out at once is up to the pace
# Who pays, where a key is good for several accounts; the headers are those that OpenAI reads.
ACCOUNTS = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}


class Connection:
    """HTTP client of one address. Each try has `timeout` seconds in total.

    The key goes into `key_header`, or into Authorization as a bearer token; `headers` and `query`
    are sent with every call.

    Redirections are not followed: neither key nor items go where they were not sent. Proxies come
    from the environment (HTTPS_PROXY, NO_PROXY and the like).
    """

    def __init__(
        self,
        base_url: str,
        key: ApiKey,
        timeout: float,
        *,
        key_header: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
        query: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        try:
            import httpx  # noqa: F401
        except ImportError:
            raise MissingDependency("hodgerank[llm]", "asking language models") from None
        self._base_url, self._key, self._timeout = base_url, key, timeout
        self._key_header, self._further_headers = key_header, dict(headers)
        self._query = f"?{urlencode(query)}" if query else ""
        self._idle: list[httpx.AsyncClient] = []
        self._tls: ssl.SSLContext | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        parameters: Mapping[str, Any],
        idempotency_key: str = "",
    ) -> Reply | CallError:
        """Make one try. Errors of the client are not passed on, since they contain the key.

        Servers that know the header Idempotency-Key return the first reply to the same key again.
        """
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        result = await self._send(model, messages, parameters, headers)
        if isinstance(result, CallError):
            hidden = replace(result, what=self._key.hidden_in_error(result.what))
            return _refusal(hidden, model) if hidden.is_filtered else hidden
        return replace(
            result,
            text=self._key.hidden_in_reply(result.text),
            refusal=result.refusal and self._key.hidden_in_reply(result.refusal),
            finish_reason=result.finish_reason and self._key.hidden_in_reply(result.finish_reason),
            model=self._key.hidden_in_reply(result.model),
        )

    async def close(self) -> None:
        """Close connections; the next call opens new ones."""
        clients, self._idle = self._idle, []
        if self._loop is asyncio.get_running_loop():
            for client in clients:
                await client.aclose()

    async def _send(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str],
    ) -> Reply | CallError:
        try:
            content = _json({"model": model, "messages": messages, **parameters})
        except (TypeError, ValueError) as error:
            return CallError(
                f"the request cannot be sent as JSON: {_said(error)}", Remedy.LEAVE_THE_CALL
            )
        url = f"{self._base_url}/chat/completions{self._query}"
        response: httpx.Response | None = None
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client() as client,
                client.stream("POST", url, content=content, headers=headers) as response,
            ):
                body, is_whole = await _body(response)
            if not response.is_success:
                return refused_with(response.status_code, _error(body, response), response.headers)
            if not is_whole:
                return CallError(f"it sent more than {LARGEST_BODY:,} bytes")
            return read_completion(body, model)
        except BrokenCompletion as error:
            return broken(error, response.headers if response else {})
        except TimeoutError:
            return CallError(f"no complete reply within {self._timeout:g} s")
        except Exception as error:  # of whatever carries the connection
            if response is None:
                return CallError(f"no connection to {self._base_url}: {_said(error)}")
            return CallError(f"the connection broke: {_said(error)}")

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx.AsyncClient]:
        """Lend a client with one connection, which must not be used by two calls at once.

        One client for all calls would search all its connections several times for each of them.
        Connections belong to the loop that runs, and another one needs others.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._idle, self._loop = [], loop
        client = self._idle.pop() if self._idle else self._opened()
        try:
            yield client
        finally:
            if self._loop is loop and len(self._idle) < MOST_IDLE:
                self._idle.append(client)
            else:
                await client.aclose()

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        if self._tls is None:
            self._tls = _tls_context(self._base_url)
            _settle_optional_imports()
        return httpx.AsyncClient(
            headers=self._headers(),
            verify=self._tls,
            follow_redirects=False,
            timeout=None,  # a try has its time as a whole
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
        )

    def _headers(self) -> httpx.Headers:
        """Return the headers of every call, in a type that does not show the key."""
        import httpx

        accounts = {header: os.environ.get(name) for name, header in ACCOUNTS.items()}
        sent = self._key.sent
        key = (self._key_header, sent) if self._key_header else ("Authorization", f"Bearer {sent}")
        return httpx.Headers(
            {
                key[0]: key[1],
                "User-Agent": f"hodgerank/{__version__}",
                "Accept": "application/json",
                "Content-Type": "application/json",
                **{header: account for header, account in accounts.items() if account},
                **self._further_headers,
            }
        )


def _tls_context(base_url: str) -> ssl.SSLContext:
    """Return a TLS context with the certificates of SSL_CERT_FILE, SSL_CERT_DIR or the system.

    Certificates take a while to load: they are left out, and none is trusted, for plain HTTP.
    """
    import httpx

    if not base_url.lower().startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context()
    if not (os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")):
        context.load_default_certs()
    return context


def _settle_optional_imports() -> None:
    """Let a missing module be known as missing.

    httpcore tries to import sniffio with every lock, and each time searches the whole path.
    """
    if "sniffio" not in sys.modules and find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment]


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


async def _body(response: httpx.Response) -> tuple[bytes, bool]:
    """Read the body up to the limit; return whether it is complete."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LARGEST_BODY:
            return bytes(body[:LARGEST_BODY]), False
    return bytes(body), True


def _error(body: bytes, response: httpx.Response) -> object:
    """Return the message in the body of an error response."""
    text = body.decode(response.encoding or "utf-8", "replace").strip()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(said, list) and len(said) == 1:  # Gemini puts the object into a list
        (said,) = said
    return said.get("error", said) if isinstance(said, dict) else said


def _said(error: BaseException) -> str:
    return visible(cut(str(error) or type(error).__name__, LONGEST_QUOTE))


def _refusal(call_error: CallError, model: str) -> Reply:
    """Return whether a content filter rejected the prompt."""
    tokens = call_error.prompt_tokens, call_error.completion_tokens
    return Reply("", call_error.what, "content_filter", (), *tokens, model, 0.0, 1)
