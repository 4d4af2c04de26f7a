"""Connection: sends one call, and reads the response."""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
MOST_CONNECTIONS = 1000  # how many calls are out at once is up to the pace
MOST_IDLE = 100
# Who pays, where a key is good for several accounts; the headers are those that OpenAI reads.
ACCOUNTS = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}


class Connection:
    """HTTP client of one address. Each try has `timeout` seconds in total.

    Redirections are not followed: neither key nor items go where they were not sent. Proxies come
    from the environment (HTTPS_PROXY, NO_PROXY and the like).
    """

    def __init__(self, base_url: str, key: ApiKey, timeout: float) -> None:
        try:
            import httpx  # noqa: F401
        except ImportError:
            raise MissingDependency("hodgerank[llm]", "asking language models") from None
        self._base_url, self._key, self._timeout = base_url, key, timeout
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, model: str, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
    ) -> Reply | CallError:
        """Make one try. Errors of the client are not passed on, since they contain the key."""
        result = await self._send(model, messages, parameters)
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
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _send(
        self, model: str, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
    ) -> Reply | CallError:
        try:
            content = _json({"model": model, "messages": messages, **parameters})
        except (TypeError, ValueError) as error:
            return CallError(
                f"the request cannot be sent as JSON: {_said(error)}", Remedy.LEAVE_THE_CALL
            )
        client, url = self._connected(), f"{self._base_url}/chat/completions"
        response: httpx.Response | None = None
        try:
            async with (
                asyncio.timeout(self._timeout),
                client.stream("POST", url, content=content) as response,
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

    def _connected(self) -> httpx.AsyncClient:
        """The client; connections belong to the loop that runs, and another one needs others."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._opened(), loop
        return self._client

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            headers=self._headers(),
            verify=_tls_context(self._base_url),
            follow_redirects=False,
            timeout=None,  # a try has its time as a whole
            limits=httpx.Limits(
                max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_IDLE
            ),
        )

    def _headers(self) -> httpx.Headers:
        """Return the headers of every call, in a type that does not show the key."""
        import httpx

        accounts = {header: os.environ.get(name) for name, header in ACCOUNTS.items()}
        return httpx.Headers(
            {
                "Authorization": f"Bearer {self._key.sent}",
                "User-Agent": f"hodgerank/{__version__}",
                "Accept": "application/json",
                "Content-Type": "application/json",
                **{header: account for header, account in accounts.items() if account},
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
    return said.get("error", said) if isinstance(said, dict) else said


def _said(error: BaseException) -> str:
    return visible(cut(str(error) or type(error).__name__, LONGEST_QUOTE))


def _refusal(call_error: CallError, model: str) -> Reply:
    """Return whether a content filter rejected the prompt."""
    tokens = call_error.prompt_tokens, call_error.completion_tokens
    return Reply("", call_error.what, "content_filter", (), *tokens, model, 0.0, 1)
