"""Ledger: what calls to models took, and caps that they must not pass."""

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
    """The next call would pass a cap; the message says which."""


@dataclass(frozen=True)
class Caps:
    """The most that may be spent: calls, tokens of prompts and replies together, money."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        """A cap is positive: nothing could be asked under any other."""
        for name, cap in (("calls", self.calls), ("tokens", self.tokens), ("cost", self.cost)):
            if cap is not None and not 0 < cap < float("inf"):
                raise InvalidArgument(f"a cap on {name} must be positive and finite, not {cap}")


class Ledger:
    """Adds up what calls take, and sets aside what those that are out may take.

    What a call may take follows from the length of its prompt (a token for four letters, a
    thousand for an image) and from what is expected of a reply; as soon as an endpoint has told
    tokens, from what prompts took for their length, and the longest reply. So a cap on calls holds
    exactly; those on tokens and money as long as no reply is longer than all before it. Under such
    a cap the first call to a model goes out alone: nobody knows yet how long its replies are.

    Parameters
    ----------
    prices
        Of the models; those that have none cost what nobody knows.
    caps
        What must not be passed. A cap on cost needs a price of every model.
    models
        Those that will be used, if they are known: a price that is missing is said at once.
    """

    def __init__(
        self, prices: Prices | None = None, caps: Caps | None = None, *, models: Iterable[str] = ()
    ) -> None:
        self.prices = prices or Prices({})
        self.caps = caps or Caps()
        self._accounts: dict[str, Account] = {}
        self._out: set[Reservation] = set()
        self._change = asyncio.Event()  # of what is out
        for model in models:
            self._account(model)

    def reserve(self, model: str, prompt_guess: float, completion_guess: float) -> Reservation:
        """Set aside what a call may take; raises `CapReached` if that would pass a cap.

        `prompt_guess` is what `guess_tokens` says, `completion_guess` what the reply may take.
        """
        estimate = self._account(model).estimate(prompt_guess, completion_guess)
        reservation = Reservation(self, model, estimate)
        self._check_caps(reservation)
        self._out.add(reservation)
        return reservation

    async def room_for(
        self, model: str, prompt_guess: float, completion_guess: float
    ) -> Reservation:
        """The same, but what is out is waited for before a cap is said to be reached."""
        while True:
            try:
                return self.reserve(model, prompt_guess, completion_guess)
            except CapReached:
                if not self._out:
                    raise
                await self._change.wait()

    def restore(self, record: Mapping[str, Any]) -> None:
        """Count a call of a log: it is paid for, so it counts towards the caps as well."""
        account = self._account(record["model"])
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
        """What each model took, in the order in which they came."""
        return [account.row() for account in self._accounts.values()]

    @property
    def calls(self) -> int:
        """Calls with a reply."""
        return sum(account.calls for account in self._accounts.values())

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies."""
        return sum(a.prompt_tokens + a.completion_tokens for a in self._accounts.values())

    @property
    def cost(self) -> float | None:
        """What everything cost; None where a price is missing."""
        costs = [account.cost for account in self._accounts.values()]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    def _account(self, model: str) -> Account:
        if model not in self._accounts:
            if self.caps.cost is not None and model not in self.prices.by_model:
                raise InvalidArgument(
                    f"a cap on cost needs the price of {short(model)}"
                    f"{did_you_mean(model, self.prices.by_model)}: put it into the price table, or "
                    "cap calls or tokens instead"
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
            raise CapReached(f"it is not known yet how long the replies of {asked.model} are")
        if self.caps.calls is not None and self.calls + len(out) > self.caps.calls:
            raise CapReached(f"the cap of {self.caps.calls:,} calls is reached")
        tokens = self.tokens + sum(reservation.tokens for reservation in out)
        if self.caps.tokens is not None and tokens > self.caps.tokens:
            raise CapReached(
                f"the cap of {self.caps.tokens:,} tokens is reached: {self.tokens:,} are spent, "
                f"and the calls that are out and the next one take about {tokens - self.tokens:,}"
            )
        if self.caps.cost is not None:
            spent = self.cost or 0.0
            more = sum(reservation.cost or 0.0 for reservation in out)
            if spent + more > self.caps.cost * ROUNDING:
                money = f"cost of {self.caps.cost:,g} {self.prices.currency}".rstrip()
                raise CapReached(
                    f"the cap on a {money} is reached: {spent:,.4g} are spent, and the calls "
                    f"that are out and the next one cost about {more:,.4g}"
                )


class Reservation:
    """What is set aside for a call that is out: to be settled, or else released.

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
        """Count what the call took, and return its cost, None without a price.

        Tokens that the endpoint does not tell are estimated, except of a call that failed.
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
        """Give back what was set aside, unless it is settled or given back already."""
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
