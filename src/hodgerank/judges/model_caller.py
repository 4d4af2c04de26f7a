"""ModelCaller: ask one model one question, pay for it once, and log it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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
    judge_in,
    judged_as,
    question_of,
    verdict_in,
)
from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.endpoint.endpoint import CallFailed, EndpointRefuses, WhileOut
from hodgerank.judges.ledger import Ledger
from hodgerank.judges.panel import Assignment, ModelPanel
from hodgerank.judges.prices import guess_tokens
from hodgerank.judges.prompts.images import logged
from hodgerank.judges.prompts.template import Template
from hodgerank.judges.replies import NO_PROBABILITIES, Verdict, read_reply

LEAST_SHARE = 0.5  # of the estimated tokens of a prompt, below which a server may have cut it
LEAST_CHECKED = 200  # estimated tokens from which prompts are checked


class ModelCaller:
    """Question, templates, models, prices and log of calls.

    A prompt with a reply is not sent again, even if it is about other items.

    Attributes
    ----------
    truncated
        Number of prompts of each judge that the endpoint may have cut.
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
        self.panel, self.ledger = panel, ledger
        self.templates = {judge.name: judge.template or template for judge in panel.judges.values()}
        self.truncated: Counter[str] = Counter()
        self._probabilities = probabilities
        self._alike: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()
        self._refusals: dict[str, EndpointRefuses] = {}
        # held by a judge's first calls until one shows that log-probabilities are returned
        self._trials = {name: asyncio.Lock() for name in panel.models if probabilities}
        self._log = None if log is None else CallLog(log)

    def messages(self, showing: ShownPair, judge: str | None = None) -> list[dict[str, Any]]:
        """Return the messages about two samples, to the first judge unless another is named."""
        template = self.templates[judge or self.panel.models[0]]
        return template.messages(self.question, showing)

    def has_asked(self, record: Mapping[str, Any], showing: ShownPair) -> bool:
        """Return whether a call of the log asked the same as would be asked now.

        The parameters of judges who are no longer in the panel may be their own.
        """
        judge = judge_in(record)
        if judge in self.templates:
            return bool(
                logged(self.messages(showing, judge)) == record["messages"]
                and self.panel.parameters(judge) == record["parameters"]
            )
        known = self.templates.values()
        return any(
            logged(template.messages(self.question, showing)) == record["messages"]
            for template in known
        )

    def logged_calls(self) -> Iterator[dict[str, Any]]:
        """Return the calls in the log."""
        return iter(self._log or ())

    @property
    def log_path(self) -> Path | None:
        """Path of the log."""
        return None if self._log is None else self._log.path

    @property
    def n_cut_off(self) -> int:
        """Number of calls of earlier runs that were sent and did not come back."""
        return 0 if self._log is None else self._log.n_cut_off

    async def finish(self) -> None:
        """Wait until all calls are saved."""
        if self._log is not None:
            await self._log.finish()

    def close(self) -> None:
        """Unlock the log."""
        if self._log is not None:
            self._log.close()

    def note(self, record: Mapping[str, Any]) -> None:
        """Take from a call with a reply what it shows about its judge."""
        judge = judge_in(record)
        if record["probabilities"] is not None:
            self._trials.pop(judge, None)
        if record["prompt_tokens"] is not None and record["attempts"]:
            least = LEAST_SHARE * guess_tokens(record["messages"], is_least=True)
            if least >= LEAST_SHARE * LEAST_CHECKED and record["prompt_tokens"] < least:
                self.truncated[judge] += 1

    def read_again(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], Verdict] | None:
        """Return the record and verdict of a logged reply that can be read now; None if not."""
        judge = judge_in(record)
        if record["status"] != "unparsable" or self._probabilities or judge not in self.templates:
            return None
        reply = Reply(
            record["reply"] or "", record["refusal"], record["finish_reason"], (), None, None, "",
            0.0, 1,
        )  # fmt: skip
        verdict = read_reply(reply, self.templates[judge])
        if verdict.status == "unparsable":
            return None
        nothing = dict.fromkeys(("prompt_tokens", "completion_tokens", "cost"))
        again = {**record, **nothing, "seconds": 0.0, "attempts": 0, **judged_as(verdict)}
        return again, verdict

    def save(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Append records to the log at once."""
        if self._log is not None and records:
            self._log.append(*records)

    async def ask(self, turn: Assignment, while_out: WhileOut) -> Verdict:
        """Return the verdict of a model, which is saved before."""
        if turn.model in self._trials:
            async with self._trials[turn.model]:
                if turn.model in self._trials:
                    return await self._ask(turn, while_out)
        return await self._ask(turn, while_out)

    async def _ask(self, turn: Assignment, while_out: WhileOut) -> Verdict:
        if turn.model in self._refusals:
            raise self._refusals[turn.model]
        messages = self.messages(turn.showing, turn.model)
        parameters = self.panel.parameters(turn.model)
        asked = question_of(turn, self.panel[turn.model], logged(messages), parameters)
        same = asked["key"], turn.repeat
        async with self._alike.setdefault(same, asyncio.Lock()):
            known = None if self._log is None else self._log.find(*same)
            if known is not None:
                verdict = verdict_in(known)
                with while_out():
                    await self._write(asked | {name: known[name] for name in SAID}, verdict)
                return verdict
            try:
                return await self._call(turn.model, messages, asked, while_out)
            except EndpointRefuses as refusal:
                self._refusals[turn.model] = refusal
                if self._log is not None:
                    self._log.settle(*same)
                raise

    async def _call(
        self,
        judge: str,
        messages: list[dict[str, Any]],
        asked: dict[str, Any],
        while_out: WhileOut,
    ) -> Verdict:
        if self._log is not None:
            self._log.require_room(len(str(asked)))
        guesses = guess_tokens(messages), self.panel.expected_reply(judge)
        with await self.ledger.room_for(judge, *guesses) as reserved:
            try:
                reply = await self.panel[judge].complete(
                    messages,
                    logprobs=self._probabilities,
                    expected_tokens=reserved.tokens,
                    idempotency_key=self._id_of(asked),
                    while_out=partial(self._sending, asked, while_out),
                )
            except CallFailed as error:
                used = error.prompt_tokens, error.completion_tokens
                cost = reserved.settle(*used, status="failed", attempts=error.attempts)
                with while_out():  # a call that was made is saved in any case
                    await self._write(
                        asked | failed_by(error, cost), Verdict("failed", detail=str(error))
                    )
                raise
            verdict = read_reply(reply, self.templates[judge], by_probability=self._probabilities)
            cost = reserved.settle(
                reply.prompt_tokens,
                reply.completion_tokens,
                status=verdict.status,
                seconds=reply.seconds,
                attempts=reply.attempts,
            )
        with while_out():
            await self._write(asked | answered_by(reply, cost), verdict)
        if self._probabilities:
            self._require_probabilities(judge, reply)
        return verdict

    def _id_of(self, asked: Mapping[str, Any]) -> str:
        return "" if self._log is None else self._log.id_of(asked["key"], asked["repeat"])

    @contextmanager
    def _sending(self, asked: Mapping[str, Any], while_out: WhileOut) -> Iterator[None]:
        """Note a call before it is sent."""
        with ExitStack() as stack:
            if self._log is not None:
                try:
                    stack.enter_context(self._log.sending(asked["key"], asked["repeat"]))
                except CannotWrite as error:
                    raise JudgeFailed(f"{error}. Earlier replies are kept") from error
            stack.enter_context(while_out())
            yield

    def _require_probabilities(self, judge: str, reply: Reply) -> None:
        """Refuse a judge whose replies come without log-probabilities: none will have any."""
        if any(place.alternatives for place in reply.first_tokens):
            self._trials.pop(judge, None)
        elif judge in self._trials and reply.text.strip():
            raise EndpointRefuses(
                f"{judge} {NO_PROBABILITIES}", status=200, attempts=reply.attempts
            )

    async def _write(self, record: dict[str, Any], verdict: Verdict) -> None:
        record = record | judged_as(verdict)
        if verdict.status != "failed":
            self.note(record)
        if self._log is None:
            return
        try:
            await self._log.save(record)
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
