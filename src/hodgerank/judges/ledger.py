"""Ledger: tokens and cost of calls, and limits on them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from types import TracebackType
from typing import Any

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, StopAsking, did_you_mean
from hodgerank.judges.prices import (
    LETTERS_PER_TOKEN,
    Account,
    Estimate,
    ModelCost,
    Prices,
    guess_tokens,
)

ROUNDING = 1 + 1e-9  # of sums of money


class CapReached(StopAsking):
    """The next call would exceed a limit, which the message names."""

    code = "limit"


@dataclass(frozen=True)
class Caps:
    """Limits on calls, tokens of prompts and replies together, and cost."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that are not positive."""
        for name, cap in (("calls", self.calls), ("tokens", self.tokens), ("cost", self.cost)):
            if cap is not None and not 0 < cap < float("inf"):
                raise InvalidArgument(f"the limit on {name} must be positive and finite, not {cap}")


class Ledger:
    """Adds up tokens and cost of calls, and reserves those of calls in progress.

    The reservation is estimated from the length of the prompt (four letters per token, a thousand
    tokens per image) and an expected reply; once an endpoint has reported tokens, from those and
    the longest reply. So a limit on calls is exact, and limits on tokens and cost hold as long as
    no reply is longer than all before. Under such a limit the first call to a model is made alone,
    since the length of its replies is unknown.

    Parameters
    ----------
    prices
        Prices of the models; the cost of other models is unknown.
    caps
        Limits. A limit on cost needs the price of every model.
    models
        Models that will be used, if known, so that a missing price is an error at once.
    """

    def __init__(
        self, prices: Prices | None = None, caps: Caps | None = None, *, models: Iterable[str] = ()
    ) -> None:
        self.prices = prices or Prices({})
        self.caps = caps or Caps()
        self._accounts: dict[str, Account] = {}
        self._out: set[Reservation] = set()
        self._change = asyncio.Event()  # reserved for calls in progress
        for model in models:
            self._account(model)

    def reserve(self, model: str, prompt_guess: float, completion_guess: float) -> Reservation:
        """Reserve tokens for a call; raises `CapReached` if that would exceed a limit.

        `prompt_guess` is that of `guess_tokens`, `completion_guess` the expected tokens of the
        reply.
        """
        estimate = self._account(model).estimate(prompt_guess, completion_guess)
        reservation = Reservation(self, model, estimate)
        self._check_caps(reservation)
        self._out.add(reservation)
        return reservation

    async def room_for(
        self, model: str, prompt_guess: float, completion_guess: float
    ) -> Reservation:
        """Do the same, but wait for calls in progress before a limit counts as reached."""
        while True:
            try:
                return self.reserve(model, prompt_guess, completion_guess)
            except CapReached:
                if not self._out:
                    raise
                await self._change.wait()

    def restore(self, record: Mapping[str, Any]) -> None:
        """Count a call of a log, which counts towards the limits too."""
        account = self._account(str(record.get("judge") or record["model"]))
        reply = ceil(len(record["reply"] or "") / LETTERS_PER_TOKEN)
        account.add(
            account.estimate(guess_tokens(record["messages"]), reply),
            record["prompt_tokens"],
            record["completion_tokens"],
            status=record["status"],
            seconds=record["seconds"],
            attempts=record["attempts"],
            cost=record["cost"],
        )

    def rows(self) -> list[ModelCost]:
        """Return the account of each model."""
        return [account.row() for account in self._accounts.values()]

    @property
    def calls(self) -> int:
        """Number of calls with a reply."""
        return sum(account.calls for account in self._accounts.values())

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies."""
        return sum(a.prompt_tokens + a.completion_tokens for a in self._accounts.values())

    @property
    def cost(self) -> float | None:
        """Total cost; None if a price is missing."""
        costs = [account.cost for account in self._accounts.values()]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    def _account(self, model: str) -> Account:
        if model not in self._accounts:
            if self.caps.cost is not None and model not in self.prices.by_model:
                raise InvalidArgument(
                    "--max-cost needs the price of "
                    f"{short(model)}{did_you_mean(model, self.prices.by_model)}: add it to the "
                    "price table, or limit calls or tokens instead"
                )
            self._accounts[model] = Account(model, self.prices)
        return self._accounts[model]

    def _no_longer_out(self, reservation: Reservation) -> None:
        self._out.discard(reservation)
        self._change.set()
        self._change = asyncio.Event()

    def _check_caps(self, asked: Reservation) -> None:
        out = [*self._out, asked]
        has_cap = self.caps.tokens is not None or self.caps.cost is not None
        first = (reservation.model == asked.model for reservation in self._out)
        if has_cap and not self._account(asked.model).tells_replies and any(first):
            raise CapReached(f"the length of replies of {asked.model} is not known yet")
        if self.caps.calls is not None and self.calls + len(out) > self.caps.calls:
            raise CapReached(f"limit of {self.caps.calls:,} calls reached")
        tokens = self.tokens + sum(reservation.tokens for reservation in out)
        if self.caps.tokens is not None and tokens > self.caps.tokens:
            raise CapReached(
                f"limit of {self.caps.tokens:,} tokens reached: {self.tokens:,} are used, and "
                f"calls in progress and the next one need about {tokens - self.tokens:,}"
            )
        if self.caps.cost is not None:
            spent = self.cost or 0.0
            more = sum(reservation.cost or 0.0 for reservation in out)
            if spent + more > self.caps.cost * ROUNDING:
                money = f"cost of {self.caps.cost:,g} {self.prices.currency}".rstrip()
                raise CapReached(
                    f"limit on the {money} reached: {spent:,.4g} are spent, and calls in "
                    f"progress and the next one cost about {more:,.4g}"
                )


class Reservation:
    """Reservation for a call in progress, to be settled or released.

    As a context manager it is released at the end, unless it was settled.
    """

    def __init__(self, ledger: Ledger, model: str, estimate: Estimate) -> None:
        self.model = model
        self.tokens = estimate.prompt_tokens + estimate.completion_tokens
        self.cost = ledger.prices.cost(model, estimate.prompt_tokens, estimate.completion_tokens)
        self._ledger, self._estimate = ledger, estimate

    def settle(
        self,
        prompt_tokens: int | None,
        completion_tokens: int | None,
        *,
        status: str,
        seconds: float = 0.0,
        attempts: int = 1,
    ) -> float | None:
        """Count the tokens of the call, and return its cost; None without a price.

        Tokens that the endpoint does not report are estimated, except for failed calls.
        """
        if self not in self._ledger._out:
            raise KeyError("a call is not paid twice")
        self._ledger._no_longer_out(self)
        return self._ledger._account(self.model).add(
            self._estimate,
            prompt_tokens,
            completion_tokens,
            status=status,
            seconds=seconds,
            attempts=attempts,
        )

    def release(self) -> None:
        """Release the reservation, unless it is settled or released already."""
        if self in self._ledger._out:
            self._ledger._no_longer_out(self)

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()
