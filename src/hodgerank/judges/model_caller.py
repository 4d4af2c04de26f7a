"""ModelCaller: ask one model one question, pay for it once, and log it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from hodgerank.data.items.samples import ShownPair, require_text
from hodgerank.errors import CannotWrite, JudgeFailed, StopAsking
from hodgerank.judges.call_log import (
    SAID,
    CallLog,
    answered_by,
    failed_by,
    judged_as,
    question_of,
    verdict_in,
)
from hodgerank.judges.endpoint.endpoint import CallFailed, WhileOut
from hodgerank.judges.ledger import Ledger
from hodgerank.judges.panel import Assignment, ModelPanel
from hodgerank.judges.prices import guess_tokens
from hodgerank.judges.prompts.images import logged
from hodgerank.judges.prompts.template import Template
from hodgerank.judges.replies import Verdict, read_reply


class ModelCaller:
    """Question, template, models, prices and log of calls.

    A prompt with a reply is not sent again, even if it is about other items.
    """

    def __init__(
        self,
        question: str,
        template: Template,
        panel: ModelPanel,
        ledger: Ledger,
        log: Path | str | None,
        *,
        probabilities: bool,
    ) -> None:
        self.question = require_text(question, "question")
        self.template, self.panel, self.ledger = template, panel, ledger
        self._probabilities = probabilities
        self._alike: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()
        self._log = None if log is None else CallLog(log)

    def messages(self, showing: ShownPair) -> list[dict[str, Any]]:
        """Return the messages about two samples."""
        return self.template.messages(self.question, showing)

    def has_asked(self, record: Mapping[str, Any], showing: ShownPair) -> bool:
        """Return whether a call of the log asked the same as would be asked now."""
        return bool(
            logged(self.messages(showing)) == record["messages"]
            and self.panel.parameters == record["parameters"]
        )

    def logged_calls(self) -> Iterator[dict[str, Any]]:
        """Return the calls in the log."""
        return iter(self._log or ())

    @property
    def log_path(self) -> Path | None:
        """Path of the log."""
        return None if self._log is None else self._log.path

    async def finish(self) -> None:
        """Wait until all calls are saved."""
        if self._log is not None:
            await self._log.finish()

    def close(self) -> None:
        """Unlock the log."""
        if self._log is not None:
            self._log.close()

    async def ask(self, turn: Assignment, while_out: WhileOut) -> Verdict:
        """Return the verdict of a model, which is saved before."""
        messages = self.messages(turn.showing)
        asked = question_of(turn, self.panel[turn.model], logged(messages), self.panel.parameters)
        same = asked["key"], turn.repeat
        async with self._alike.setdefault(same, asyncio.Lock()):
            known = None if self._log is None else self._log.find(*same)
            if known is not None:
                verdict = verdict_in(known)
                with while_out():
                    await self._write(asked | {name: known[name] for name in SAID}, verdict)
                return verdict
            return await self._call(turn.model, messages, asked, while_out)

    async def _call(
        self,
        model: str,
        messages: list[dict[str, Any]],
        asked: dict[str, Any],
        while_out: WhileOut,
    ) -> Verdict:
        if self._log is not None:
            self._log.require_room(len(str(asked)))
        guesses = guess_tokens(messages), self.panel.expected_reply
        with await self.ledger.room_for(model, *guesses) as reserved:
            try:
                reply = await self.panel[model].complete(
                    messages,
                    logprobs=self._probabilities,
                    expected_tokens=reserved.tokens,
                    while_out=while_out,
                )
            except CallFailed as error:
                used = error.prompt_tokens, error.completion_tokens
                cost = reserved.settle(*used, status="failed", attempts=error.attempts)
                with while_out():  # a call that was made is saved in any case
                    await self._write(
                        asked | failed_by(error, cost), Verdict("failed", detail=str(error))
                    )
                raise
            verdict = read_reply(reply, self.template.labels, by_probability=self._probabilities)
            cost = reserved.settle(
                reply.prompt_tokens,
                reply.completion_tokens,
                status=verdict.status,
                seconds=reply.seconds,
                attempts=reply.attempts,
            )
        with while_out():
            await self._write(asked | answered_by(reply, cost), verdict)
        return verdict

    async def _write(self, record: dict[str, Any], verdict: Verdict) -> None:
        if self._log is None:
            return
        try:
            await self._log.save(record | judged_as(verdict))
        except CannotWrite as error:  # a call that could not be saved must not be paid for
            raise JudgeFailed(f"{error}. Earlier replies are kept") from error


class CallGate:
    """Tasks whose call waits: `end` ends them, and lets calls in progress finish.

    Attributes
    ----------
    reason
        Why no more calls are made; empty if they are.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self.reason = ""

    def begin(self) -> None:
        """Allow calls, from now on or again."""
        self.reason = ""

    def end(self, reason: str) -> None:
        """Make no more calls."""
        self.reason = reason
        for task in self._tasks:
            task.cancel()

    @contextmanager
    def call(self) -> Iterator[WhileOut]:
        """Register a call of the current task; the context is entered while it is in progress.

        Raises `StopAsking` if no more calls are made.
        """
        if self.reason:
            raise StopAsking(self.reason)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            yield partial(self._out, task)
        except asyncio.CancelledError:
            if self.reason and task in self._tasks:
                raise StopAsking(self.reason) from None
            raise
        finally:
            self._tasks.discard(task)

    @contextmanager
    def _out(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """Afterwards it may wait again, to be tried once more."""
        self._tasks.discard(task)
        try:
            yield
        finally:
            self._tasks.add(task)
