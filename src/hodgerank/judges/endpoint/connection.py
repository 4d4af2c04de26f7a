"""Connection: sends one call, and reads what comes back, whatever that is."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hodgerank.display import cut, visible
from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.judges.endpoint.completion import BrokenCompletion, Reply, read_completion
from hodgerank.judges.endpoint.retries import LONGEST_QUOTE, CallError, Remedy, broken, refused_with

VARIABLES = ("HODGERANK_API_KEY", "OPENAI_API_KEY")
PLACEHOLDER = "no-key"  # for servers that want none, of a client that must send one
HIDDEN = "[key]"
SHARED = 6  # so many letters of a key in a row give it away in part
SECRET = 8  # a shorter key is none, and might be a word of a reply
MASKED = re.compile(r"\S*\*{3,}\S*")  # how servers quote a key: sk-ab****yz


class ApiKey:
    """The key given, else that of the environment, else none where a server of one's own is named.

    Whatever shows it shows no key.
    """

    def __init__(self, given: str | None, *, is_needed: bool) -> None:
        known = [given, *(os.environ.get(name) for name in VARIABLES)]
        self._key = next((key.strip() for key in known if key and key.strip()), "")
        if not self._key and is_needed:
            raise InvalidArgument(
                f"no key: set the environment variable {VARIABLES[0]} or {VARIABLES[1]}, or name a "
                "server that needs none: base_url, --base-url"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise InvalidArgument("the key holds characters that no key has: copy it once more")

    def __repr__(self) -> str:
        return f"ApiKey({HIDDEN if self._key else ''})"

    @property
    def sent(self) -> str:
        """What is sent."""
        return self._key or PLACEHOLDER

    def hidden_in_error(self, text: str) -> str:
        """What an error says, without the key, parts of it, or what looks like one."""
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
        """A reply without the key, if a server sends it back; nothing else is changed."""
        return text.replace(self._key, HIDDEN) if len(self._key) >= SECRET else text


LARGEST_BODY = 32 * 2**20


class Connection:
    """A client of one address. Each try has `timeout` seconds from the first byte to the last.

    Redirections are not followed: neither key nor items go where they were not sent.
    """

    def __init__(self, base_url: str, key: ApiKey, timeout: float) -> None:
        try:
            import openai
        except ImportError:
            raise MissingDependency("hodgerank[llm]", "asking language models") from None
        self._openai: Any = openai
        self._base_url, self._key, self._timeout = base_url, key, timeout
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, model: str, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
    ) -> Reply | CallError:
        """One try. Errors of the client stay here: they hold the request, and with it the key."""
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
        """Close what is open; the next call opens anew."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _send(
        self, model: str, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
    ) -> Reply | CallError:
        headers: Mapping[str, str] | None = None
        body = bytearray()
        calls = self._connected().chat.completions.with_streaming_response
        # extra_body takes parameters that this client has never heard of
        call = calls.create(model=model, messages=messages, extra_body=dict(parameters))
        try:
            async with asyncio.timeout(self._timeout), call as response:
                headers = response.headers
                async for piece in response.iter_bytes():
                    body += piece
                    if len(body) > LARGEST_BODY:
                        return CallError(f"it sent more than {LARGEST_BODY:,} bytes")
            return read_completion(bytes(body), model)
        except BrokenCompletion as error:
            return broken(error, headers or {})
        except (TimeoutError, self._openai.APITimeoutError):
            return CallError(f"no whole reply within {self._timeout:g} s")
        except self._openai.APIStatusError as error:
            return refused_with(error.status_code, error.body, error.response.headers)
        except self._openai.APIConnectionError as error:
            return CallError(
                f"no connection to {self._base_url}: {_said(error.__cause__ or error)}"
            )
        except (TypeError, ValueError) as error:
            if headers is not None:
                return CallError(f"the connection broke: {_said(error)}")
            return CallError(f"it cannot be sent as JSON: {_said(error)}", Remedy.LEAVE_THE_CALL)
        except Exception as error:  # of whatever carries the connection
            return CallError(f"the connection broke: {_said(error)}")

    def _connected(self) -> Any:
        """The client; connections belong to the loop that runs, and another one needs others."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._opened(), loop
        return self._client

    def _opened(self) -> Any:
        return self._openai.AsyncOpenAI(
            api_key=self._key.sent,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=0,
            http_client=self._openai.DefaultAsyncHttpxClient(follow_redirects=False),
        )


def _said(error: BaseException) -> str:
    return visible(cut(str(error) or type(error).__name__, LONGEST_QUOTE))


def _refusal(call_error: CallError, model: str) -> Reply:
    """A prompt that a filter stopped: an answer, though not to the question."""
    tokens = call_error.prompt_tokens, call_error.completion_tokens
    return Reply("", call_error.what, "content_filter", (), *tokens, model, 0.0, 1)
