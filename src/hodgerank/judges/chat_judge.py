"""ChatJudge: a language model, or a panel of them, that says which of two items is better."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

from hodgerank.errors import CannotWrite, InvalidArgument, JudgeFailed
from hodgerank.judges.endpoint.endpoint import CallFailed
from hodgerank.judges.items.judged_items import JudgedItems, read_items
from hodgerank.judges.items.samples import Showing, require_text
from hodgerank.judges.ledger.account import guess_tokens
from hodgerank.judges.ledger.call_log import CallLog
from hodgerank.judges.ledger.ledger import Caps, Ledger
from hodgerank.judges.ledger.prices import Prices
from hodgerank.judges.ledger.record import (
    SAID,
    answered_by,
    failed_by,
    judged_as,
    question_of,
    verdict_in,
)
from hodgerank.judges.panel import Panel
from hodgerank.judges.prompts.image_parts import logged
from hodgerank.judges.prompts.template import Template, load_template
from hodgerank.judges.replies.verdict import Verdict, read_reply
from hodgerank.judges.turns import Turn, Turns
from hodgerank.judges.waiting import Waiting
from hodgerank.notebook import short
from hodgerank.sampling.answer import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair


@dataclass(frozen=True)
class Judged:
    """A call that got a reply: what was asked of whom, how often before, and the verdict.

    `repeat` counts from 0. A reply to what was asked before counts for less each time.
    """

    pair: Pair
    context: str
    model: str
    verdict: Verdict
    repeat: int = 0


class ChatJudge:
    """A judge for `run_async`: shows two items to a model and reads its reply.

    Each call goes to disk before its answer is used, so that a run that was interrupted goes on
    with a judge on the same log, and nothing is paid for twice. What the log holds must have been
    asked in the same words: another question, template, text or parameter needs another log.

    Abstentions, refusals, replies that name no answer and calls that fail are no answers, counted
    apart.

    Attributes
    ----------
    judged
        Calls with a reply, in the order in which they came, those of the log first.
    ledger
        What calls took.
    trouble
        Why the last call that brought no answer brought none.
    is_stopped
        Whether somebody wanted no more calls.

    Parameters
    ----------
    items
        What `read_items` takes: a mapping from ids to texts, a file, a folder.
    question
        Which of the two?
    models
        One, or several that take turns; each is a worker of the run.
    base_url, api_key
        Of the endpoint, as in `Endpoint`; for several models one, or one for each.
    template
        'choice', 'tie', 'grade', the path of a TOML file, or a `Template`.
    probabilities
        Take the mean outcome by the probabilities that the endpoint gives to the replies.
    parameters
        What is sent with every call, such as temperature.
    repeats
        How often a model may be asked the same: a pair in one order and context.
    timeout, retries
        Of a call, as in `Endpoint`.
    requests_per_minute, tokens_per_minute
        Limits of each model.
    prices, caps
        What tokens cost, and what must not be exceeded: see `Ledger`.
    log
        A file that gets every call.
    seed
        Breaks ties between contexts.

    Examples
    --------
    >>> judge = ChatJudge({"a": "Hi.", "b": "Hello!"}, "Which is kinder?", "small",
    ...                   base_url="http://localhost:8000/v1")
    >>> judge.n_open(Pair("a", "b"))  # once in each order
    2
    """

    def __init__(
        self,
        items: JudgedItems | Mapping[str, Any] | Path | str,
        question: str,
        models: str | Sequence[str],
        *,
        base_url: str | Sequence[str] | None = None,
        api_key: str | Sequence[str] | None = None,
        template: Template | Path | str = "choice",
        probabilities: bool = False,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        repeats: int = 1,
        timeout: float = 60.0,
        retries: int = 6,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        prices: Prices | None = None,
        caps: Caps | None = None,
        log: Path | str | None = None,
        seed: int = 0,
    ) -> None:
        self.items = read_items(items)
        self.question = require_text(question, "question")
        self.template = template if isinstance(template, Template) else load_template(template)
        if repeats < 1:
            raise InvalidArgument(f"repeats is how often the same may be asked, not {repeats}")
        self.panel = Panel(
            models,
            base_url,
            api_key,
            requests_per_minute,
            tokens_per_minute,
            parameters=parameters,
            logprobs=probabilities,
            timeout=timeout,
            retries=retries,
        )
        self.ledger = Ledger(prices, caps, models=self.panel.models)
        self.judged: list[Judged] = []
        self.trouble = ""
        self.is_stopped = False
        self._probabilities, self._waiting = probabilities, Waiting()
        self._turns = Turns(self.items, self.panel.models, repeats, seed)
        self._alike: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()
        self._log = None if log is None else CallLog(log)
        try:
            for record in self._log or ():
                self._remember(record)
        except BaseException:
            self._close_log()
            raise

    def tell(self, sampler: Sampler) -> None:
        """Tell a new sampler the answers that the log held."""
        if sampler.n_answers:
            raise InvalidArgument("the sampler has answers already: tell a new one")
        for call in self.judged:
            if call.verdict.outcome is not None:
                weight = 1 / (call.repeat + 1)
                sampler.tell(call.pair, call.verdict.outcome, call.model, weight=weight)

    @property
    def unanswered(self) -> list[Pair]:
        """Pairs, as they were shown, that were replied to without an answer."""
        return [call.pair for call in self.judged if call.verdict.outcome is None]

    @property
    def n_left(self) -> int:
        """How many questions can still be asked, over pairs, orders, contexts and models."""
        return self._turns.n_left

    @property
    def open_pairs(self) -> list[Pair] | None:
        """Pairs about which something can still be asked; None where that is all of them."""
        return self._turns.open_pairs

    def n_open(self, pair: Pair) -> int:
        """How often a pair can be asked and no model be asked the same more than `repeats` times.

        Give it to `run_async` as `per_pair`.
        """
        return self._turns.n_open(pair)

    def begin(self) -> None:
        """Make calls, from now on or again."""
        self.is_stopped = False
        self._waiting.begin()

    def end(self, reason: str) -> None:
        """Make no more calls: who waits to make one raises `StopAsking`; those out go on."""
        self._waiting.end(reason)

    def stop(self, reason: str) -> None:
        """The same because somebody wants it, not because there is nothing more to ask."""
        self.is_stopped = True
        self.end(reason)

    async def __call__(self, pair: Pair) -> Answer | None:
        """Ask the model whose turn it is; raises `StopAsking` where a cap is reached."""
        with self._waiting.call() as while_out:
            turn = self._turns.next(pair)
            if turn is None:
                self.trouble = "every model was asked about this pair in this order and context"
                return None
            try:
                verdict = await self._ask(turn, while_out)
            except BaseException as error:
                self._turns.give_back(turn)
                if isinstance(error, CallFailed):
                    self.trouble = str(error)
                raise
        if verdict.outcome is None:
            self.trouble = ": ".join(filter(None, (verdict.status, verdict.detail)))
            return None
        return Answer(verdict.outcome, turn.model, 1 / (turn.repeat + 1))

    async def close(self) -> None:
        """Close connections, and let others open the log."""
        self._close_log()
        await self.panel.close()

    def messages(self, pair: Pair) -> list[dict[str, Any]]:
        """What would be sent about a pair, in its first context."""
        showings = self.items.showings(str(pair.left), str(pair.right))
        if not showings:
            raise InvalidArgument(f"{pair.left} and {pair.right} have no context in common")
        return self.template.messages(self.question, showings[0])

    async def _ask(self, turn: Turn, while_out: AbstractContextManager[None]) -> Verdict:
        messages = self.template.messages(self.question, turn.showing)
        asked = question_of(turn, self.panel[turn.model], logged(messages), self.panel.parameters)
        same = asked["key"], turn.repeat
        async with self._alike.setdefault(same, asyncio.Lock()):
            known = None if self._log is None else self._log.find(*same)
            if known is not None:  # the same words about other items
                verdict = verdict_in(known)
                self._keep(turn, asked | {name: known[name] for name in SAID}, verdict)
                return verdict
            return await self._call(turn, messages, asked, while_out)

    async def _call(
        self,
        turn: Turn,
        messages: list[dict[str, Any]],
        asked: dict[str, Any],
        while_out: AbstractContextManager[None],
    ) -> Verdict:
        endpoint, reply_guess = self.panel[turn.model], self.panel.expected_reply
        if self._log is not None:
            self._log.require_room(len(str(asked)))
        prompt_guess = guess_tokens(messages)
        with await self.ledger.room_for(turn.model, prompt_guess, reply_guess) as reserved:
            try:
                reply = await endpoint.complete(
                    messages,
                    logprobs=self._probabilities,
                    expected_tokens=reserved.tokens,
                    while_out=while_out,
                )
            except CallFailed as error:
                used = error.prompt_tokens, error.completion_tokens
                cost = reserved.settle(*used, status="failed", attempts=error.attempts)
                self._write(asked | failed_by(error, cost), Verdict("failed", detail=str(error)))
                raise
            verdict = read_reply(reply, self.template.labels, by_probability=self._probabilities)
            cost = reserved.settle(
                reply.prompt_tokens,
                reply.completion_tokens,
                status=verdict.status,
                seconds=reply.seconds,
                attempts=reply.attempts,
            )
        self._keep(turn, asked | answered_by(reply, cost), verdict)
        return verdict

    def _keep(self, turn: Turn, record: dict[str, Any], verdict: Verdict) -> None:
        self._write(record, verdict)
        self.judged.append(_judged(turn, verdict))

    def _write(self, record: dict[str, Any], verdict: Verdict) -> None:
        if self._log is None:
            return
        try:
            self._log.append(record | judged_as(verdict))
        except CannotWrite as error:  # what cannot be kept is not to be paid for
            raise JudgeFailed(f"{error}. The replies that came before are kept") from error

    def _remember(self, record: Mapping[str, Any]) -> None:
        """A call of the log: it is paid for, and its answer is one if it is to this question."""
        pair = Pair(record["left"], record["right"])
        if record["status"] != "failed" and self._is_known(pair, record):
            return  # the line stands there twice
        if record["attempts"]:  # else it was taken over from an equal prompt
            self.ledger.restore(record)
        if record["status"] == "failed":
            return
        showing = self._showing(pair, record["context"] or "")
        if showing is None or not self._is_the_same(record, showing):
            assert self._log is not None
            raise InvalidArgument(
                f"{self._log.path} holds calls that ask something else (such as that about "
                f"{short(pair.left)} and {short(pair.right)}): another question, template or "
                "parameter, or other items. Name another folder to begin anew, or ask the same"
            )
        turn = Turn(pair, record["model"], showing, record["repeat"])
        self._turns.take(turn)
        self.judged.append(_judged(turn, verdict_in(record)))

    def _is_known(self, pair: Pair, record: Mapping[str, Any]) -> bool:
        return self._turns.is_taken(
            pair, record["model"], record["context"] or "", record["repeat"]
        )

    def _showing(self, pair: Pair, key: str) -> Showing | None:
        if pair.left not in self.items or pair.right not in self.items:
            return None
        showings = self.items.showings(str(pair.left), str(pair.right))
        return next((showing for showing in showings if showing.key == key), None)

    def _is_the_same(self, record: Mapping[str, Any], showing: Showing) -> bool:
        messages = logged(self.template.messages(self.question, showing))
        return bool(
            messages == record["messages"] and self.panel.parameters == record["parameters"]
        )

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()


def _judged(turn: Turn, verdict: Verdict) -> Judged:
    return Judged(turn.pair, turn.showing.key, turn.model, verdict, turn.repeat)
