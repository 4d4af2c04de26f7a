"""Endpoint: one chat completion from an OpenAI-compatible server, with retries."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode, urlsplit

from hodgerank.display import short
from hodgerank.errors import HodgeRankError, InvalidArgument, JudgeFailed, require_positive
from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.endpoint.connection import ApiKey, Connection
from hodgerank.judges.endpoint.pace import Pace
from hodgerank.judges.endpoint.retries import LONGEST_RETRY_AFTER, CallError, Remedy, backoff


def checked_address(url: str) -> str:
    """Return an http or https address without a trailing slash.

    >>> checked_address("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address &= parts.port is None or parts.port > 0
        has_user = "@" in parts.netloc
    except ValueError:
        is_address, has_user = False, False
    if has_user or "?" in url or "#" in url or (not is_address and "@" in url):
        raise InvalidArgument(
            "a base URL must not contain a user, password, ? or #; set HODGERANK_API_KEY for a key"
        )
    if not is_address or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidArgument(
            f"base URL {short(repr(url))} is not an address such as http://localhost:8000/v1"
        )
    return url.rstrip("/")


OPENAI = "https://api.openai.com/v1"
MOST_LOGPROBS = 20  # what chat completions give at most
NOT_PARAMETERS = ("model", "messages", "stream", "n")  # what a call is, and what would break it
MOST_REJECTED = 10  # calls in a row that are rejected for an unclear reason
SECRETS = ("api_key", "apikey", "key", "authorization", "headers", "extra_headers")
WhileOut = Callable[[], AbstractContextManager[None]]
OnAttempt = Callable[[int, str | None], None]


class CallFailed(HodgeRankError):
    """A call without a reply, after all tries or because the prompt was rejected.

    Attributes
    ----------
    attempts
        Number of tries.
    prompt_tokens, completion_tokens
        Tokens reported by unusable replies.
    """

    def __init__(
        self,
        message: str,
        *,
        attempts: int,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
    ) -> None:
        self.attempts = attempts
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens
        super().__init__(message)


class EndpointRefuses(JudgeFailed):
    """The endpoint rejects all calls: wrong key, model, address or parameters, or no credit.

    Attributes
    ----------
    status
        HTTP status.
    attempts
        Number of tries.
    """

    def __init__(self, message: str, *, status: int, attempts: int) -> None:
        self.status = status
        self.attempts = attempts
        super().__init__(message)


class Endpoint:
    """A model at an OpenAI-compatible address.

    Parameters
    ----------
    model
        Name of the model.
    base_url
        Address before /chat/completions. Default: OPENAI_BASE_URL, or OpenAI's. Redirections are
        not followed.
    api_key
        Default: HODGERANK_API_KEY or OPENAI_API_KEY. Optional with `base_url`.
    parameters
        Further parameters of every call, such as temperature or max_tokens.
    timeout
        Seconds until a try times out.
    retries
        Retries of a call without a valid chat completion.
    key_header, headers, query
        Header for the key instead of Authorization; headers and parameters of the address that are
        sent with every call.
    pace
        Pace shared by all calls to this model.
    on_attempt
        Called after every try with its number and error (None on success).
    rng, sleep, clock
        Sources of randomness, waiting and time, for tests.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        timeout: float = 60.0,
        retries: int = 6,
        key_header: str = "",
        headers: Mapping[str, str] = MappingProxyType({}),
        query: Mapping[str, str] = MappingProxyType({}),
        pace: Pace,
        on_attempt: OnAttempt = lambda attempt, problem: None,
        rng: Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if retries < 0:
            raise InvalidArgument(f"retries must be at least 0, not {retries}")
        address = base_url or os.environ.get("OPENAI_BASE_URL")
        self.model = model
        self.base_url = checked_address(address or OPENAI)
        self.parameters = _checked_parameters(parameters)
        self._connection = Connection(
            self.base_url,
            ApiKey(api_key, is_needed=not address),
            require_positive(timeout, "timeout"),
            key_header=key_header,
            headers=headers,
            query=query,
        )
        self.address = f"{self.base_url}?{urlencode(query)}" if query else self.base_url
        self._n_rejected = 0  # in a row
        self._retries, self._pace, self._on_attempt = retries, pace, on_attempt
        self._rng, self._sleep, self._clock = rng or Random(), sleep, clock

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r}, base_url={self.base_url!r})"

    def parameters_sent(self, *, logprobs: bool) -> dict[str, Any]:
        """Return the parameters of a call beside model and messages."""
        if not logprobs:
            return dict(self.parameters)
        return {"top_logprobs": MOST_LOGPROBS, **self.parameters, "logprobs": True}

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        logprobs: bool,
        expected_tokens: float = 0,
        idempotency_key: str = "",
        while_out: WhileOut = nullcontext,
    ) -> Reply:
        """Return the reply to messages.

        `expected_tokens` counts towards the pace until the reply reports its tokens; `while_out` is
        entered while a try is in progress, not while it waits. Tries have the same
        `idempotency_key` until the server has answered with an error, which it might repeat.
        Raises `CallFailed` or `EndpointRefuses`.
        """
        place, attempt, wasted = self._pace.place(), 0, (0, 0)
        key, n_errors = idempotency_key, 0
        parameters = self.parameters_sent(logprobs=logprobs)
        while True:
            attempt += 1
            async with self._pace.slot(expected_tokens, place):
                started = self._clock()
                with while_out():
                    result = await self._connection.send(self.model, messages, parameters, key)
                seconds = self._clock() - started
                if isinstance(result, Reply):
                    self._on_attempt(attempt, None)
                    self._n_rejected = 0
                    self._count_tokens(result, expected_tokens)
                    return _with_costs(result, wasted, seconds, attempt)
                wait = result.retry_after or backoff(attempt, self._rng)
                if result.remedy is Remedy.HOLD_BACK and wait <= LONGEST_RETRY_AFTER:
                    self._pace.hold_back(wait)
            self._on_attempt(attempt, result.what)
            if result.status and idempotency_key:
                n_errors += 1
                key = f"{idempotency_key}-{n_errors}"
            wasted = (
                wasted[0] + (result.prompt_tokens or 0),
                wasted[1] + (result.completion_tokens or 0),
            )
            self._raise_if_useless(result, wait, attempt, wasted)
            if result.remedy is Remedy.TRY_AGAIN:
                await self._sleep(wait)

    async def close(self) -> None:
        """Close connections; a further call opens new ones."""
        await self._connection.close()

    def _count_tokens(self, reply: Reply, expected: float) -> None:
        if reply.prompt_tokens is not None and reply.completion_tokens is not None:
            self._pace.correct(expected, reply.prompt_tokens + reply.completion_tokens)

    def _is_hopeless(self, call_error: CallError) -> bool:
        """Return whether all calls will be rejected.

        An unclear error is that of the call, unless many calls in a row have it.
        """
        if call_error.remedy is Remedy.DOUBT:
            self._n_rejected += 1
            return self._n_rejected >= MOST_REJECTED
        return call_error.remedy is Remedy.LEAVE_THE_ENDPOINT

    def _raise_if_useless(
        self, call_error: CallError, wait: float, attempt: int, wasted: tuple[int, int]
    ) -> None:
        if self._is_hopeless(call_error):
            raise EndpointRefuses(
                f"{self.model} at {self.base_url} rejects calls: {call_error.what}",
                status=call_error.status,
                attempts=attempt,
            )
        if call_error.remedy in (Remedy.LEAVE_THE_CALL, Remedy.DOUBT):
            why = f"rejected this prompt: {call_error.what}"
        elif wait > LONGEST_RETRY_AFTER:
            why = (
                f"asks to wait {wait:,.0f} s, longer than the limit of {LONGEST_RETRY_AFTER:g} "
                f"s: {call_error.what}"
            )
        elif attempt > self._retries:
            tries = "1 try" if attempt == 1 else f"{attempt} tries, the last time"
            why = f"gave no reply in {tries}: {call_error.what}"
        else:
            return
        raise CallFailed(
            f"{self.model} at {self.base_url} {why}",
            attempts=attempt,
            prompt_tokens=wasted[0] or None,
            completion_tokens=wasted[1] or None,
        )


def _with_costs(reply: Reply, wasted: tuple[int, int], seconds: float, attempt: int) -> Reply:
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    return replace(
        reply,
        prompt_tokens=None if prompt is None else prompt + wasted[0],
        completion_tokens=None if completion is None else completion + wasted[1],
        seconds=seconds,
        attempts=attempt,
    )


def _checked_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    for name in parameters:
        if name in NOT_PARAMETERS:
            raise InvalidArgument(f"{name} cannot be set for a judge: leave it out")
        if name.lower() in SECRETS:
            raise InvalidArgument(
                f"{name} would be written to the log: set the key in the environment "
                "(HODGERANK_API_KEY)"
            )
    try:
        return dict(json.loads(json.dumps(dict(parameters), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"the parameters cannot be sent as JSON: {error}") from None
