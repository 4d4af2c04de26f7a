"""ChatJudge: a language model, or a panel of them, that compares two items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hodgerank.collecting.call_loop import MissedInARow
from hodgerank.data.items.judged_items import JudgedItems, read_items
from hodgerank.data.items.samples import ShownPair
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, JudgeFailed, UnknownItem, require_one_of
from hodgerank.judges.call_log import judge_in, verdict_in
from hodgerank.judges.endpoint.endpoint import CallFailed, EndpointRefuses
from hodgerank.judges.ledger import Caps, Ledger
from hodgerank.judges.model_caller import CallGate, ModelCaller
from hodgerank.judges.panel import Assignment, JudgeSchedule, ModelPanel, PanelJudge
from hodgerank.judges.prices import Prices
from hodgerank.judges.prompts.template import Template, load_template
from hodgerank.judges.replies import Verdict
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair


@dataclass(frozen=True)
class Judged:
    """A call with a reply: pair, model, repetition and verdict.

    `repeat` counts from 0. A repeated reply counts less each time. `is_late` is true of a reply
    that could not be read at first.
    """

    pair: Pair
    context: str
    model: str
    verdict: Verdict
    repeat: int = 0
    is_late: bool = False

    @property
    def answer(self) -> Answer | None:
        """Answer as told to samplers; None if there is none."""
        if self.verdict.outcome is None:
            return None
        return Answer(self.verdict.outcome, self.model, 1 / (self.repeat + 1))


class ChatJudge:
    """A judge for `run_async`: shows two items to a model and reads its reply.

    Each call is saved before its answer is used, so an interrupted run resumes with a judge on the
    same log. No saved reply is paid for twice. Calls in progress when the process dies are made
    again, at most as many as `concurrency`. A log belongs to one prompt: another question,
    template, text or parameter needs another log. Calls about withdrawn items are ignored.

    A judge that its endpoint rejects for good, or that gives no answer to twenty pairs in a row, is
    retired: the others go on. If none is left, `JudgeFailed` is raised.

    Abstentions, refusals, unusable replies and failed calls are not answers, and are counted
    separately.

    Attributes
    ----------
    judged
        Calls with a reply in order, those of the log first.
    withdrawn
        Calls of the log about items or contexts that are no longer there.
    retired
        Judges that are asked no more, and why.
    n_read_again
        Logged replies that could not be read before, and can be now.
    families
        Items of each judge's own family.
    ledger
        Tokens and cost of the calls.
    trouble
        Why the last call without an answer had none.
    is_stopped
        Whether the run was stopped.
    outcomes
        Possible outcomes; None for any number from -1 to 1.

    Parameters
    ----------
    items
        Anything that `read_items` accepts: a mapping from ids to texts, a file, a folder.
    question
        Question asked about every pair.
    models
        One model, or several that take turns; each is a worker of the run. `PanelJudge` instead of
        names gives each its own prompt and parameters: see `read_panel`.
    base_url, api_key
        Endpoint, as in `Endpoint`; one for all models, or one for each.
    template
        'choice', 'tie', 'grade', the path of a TOML file, or a `Template`.
    probabilities
        Use the mean outcome by the probabilities of the replies.
    parameters
        Parameters sent with every call, such as temperature.
    repeats
        How often a model may get the same prompt: a pair in one order and context.
    timeout, retries
        Of a call, as in `Endpoint`.
    requests_per_minute, tokens_per_minute
        Limits of each model.
    prices, caps
        Prices of tokens, and limits: see `Ledger`.
    log
        File to which every call is written.
    seed
        Seed of the random order of contexts.

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
        models: str | PanelJudge | Sequence[str | PanelJudge],
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
        if repeats < 1:
            raise InvalidArgument(f"repeats must be at least 1, not {repeats}")
        self.panel = ModelPanel(
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
        self.families = self._families()
        own = {name: j.price for name, j in self.panel.judges.items() if j.price is not None}
        known = (prices or Prices({})).with_prices(own)
        self.ledger = Ledger(known, caps, models=self.panel.models)
        self.judged: list[Judged] = []
        self.withdrawn: list[Judged] = []
        self.retired: dict[str, str] = {}
        self._places: dict[tuple[Pair, str, str, int], int] = {}  # of calls among those judged
        self._missed = MissedInARow()
        self._replies: dict[tuple[Pair, str], Judged] = {}  # the first one of each model
        self.trouble = ""
        self.is_stopped = False
        self._gate = CallGate()
        self._turns = JudgeSchedule(self.items, self.panel.models, repeats, seed)
        prompt = template if isinstance(template, Template) else load_template(template)
        for each in (one.template or prompt for one in self.panel.judges.values()):
            each.require_columns(self.items.column_names)
        self._caller = ModelCaller(
            question, prompt, self.panel, self.ledger, log, probabilities=probabilities
        )
        labels = [template.labels for template in self._caller.templates.values()]
        told = [y for each in labels for y in each.values() if y is not None]
        self.outcomes = None if probabilities else tuple(dict.fromkeys(told))
        try:
            for record in self._caller.logged_calls():
                self._remember(record)
            if self.withdrawn and not self.judged:
                raise InvalidArgument(
                    f"{self._caller.log_path} has calls with other prompts only: no item and "
                    "context of them is left. Use the same ones to resume, or another folder to "
                    "start again"
                )
            self.n_read_again = self._read_again()
        except BaseException:
            self._caller.close()
            raise

    def _families(self) -> dict[str, tuple[str, ...]]:
        """Return the items of each judge's own family; raises an error for unknown items."""
        found = {}
        for name, judge in self.panel.judges.items():
            for item in judge.family:
                if item not in self.items:
                    raise UnknownItem(item, self.items.items)
            named = [item for item in (name, judge.model) if item in self.items]
            found[name] = tuple(dict.fromkeys([*judge.family, *named]))
        return found

    @property
    def question(self) -> str:
        """Question asked about every pair."""
        return self._caller.question

    def tell(self, sampler: Sampler) -> None:
        """Tell a new sampler the answers in the log."""
        if sampler.n_votes:
            raise InvalidArgument("the sampler has votes already: use a new one")
        for call in self.judged:
            if (said := call.answer) is not None:
                sampler.tell(call.pair, said.outcome, said.worker, weight=said.weight)

    @property
    def unanswered(self) -> list[Pair]:
        """Pairs, as shown, with replies but without an answer."""
        return [call.pair for call in self.judged if call.verdict.outcome is None]

    @property
    def n_left(self) -> int:
        """Number of questions that can still be asked, over pairs, orders, contexts and models."""
        return self._turns.n_left

    @property
    def open_pairs(self) -> list[Pair] | None:
        """Pairs about which questions are left; None for all pairs."""
        return self._turns.open_pairs

    def n_open(self, pair: Pair) -> int:
        """Return how often a pair can still be asked, given `repeats`.

        Pass it to `run_async` as `per_pair`.
        """
        return self._turns.n_open(pair)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the judges that are not retired."""
        return self._turns.models

    @property
    def ended_by(self) -> str:
        """Why no more calls are made; empty if they are."""
        return self._gate.reason

    def begin(self) -> None:
        """Allow calls, from now on or again."""
        self.is_stopped = False
        self._gate.begin()

    def end(self, reason: str) -> None:
        """Make no more calls: waiting calls raise `StopAsking`, those in progress finish."""
        self._gate.end(reason)

    def stop(self, reason: str) -> None:
        """Do the same because the user stopped the run."""
        self.is_stopped = True
        self.end(reason)

    async def __call__(self, pair: Pair) -> Answer | None:
        """Ask the next model; raises `StopAsking` if a limit is reached."""
        call = await self.put(pair)
        return None if call is None else call.answer

    def replied(self, pair: Pair, model: str) -> Judged | None:
        """Return a model's earlier reply about a pair in this order, if any."""
        return self._replies.get((pair, model))

    async def ask(self, pair: Pair, model: str) -> Judged | None:
        """Return a model's reply about a pair in this order, an earlier one or a new one.

        None if it cannot be asked; `trouble` has the reason. Raises the errors of a call.
        """
        require_one_of(model, self.panel.models, "model")
        return self.replied(pair, model) or await self.put(pair, model)

    async def put(
        self, pair: Pair, model: str | None = None, context: str | None = None
    ) -> Judged | None:
        """Ask a new question about a pair; the reply is in the log when this returns.

        Without `model`, the next model is asked, and without `context`, in the next context. None
        if there is no new question.
        """
        with self._gate.call() as while_out:
            while True:
                turn = self._turns.next(pair, model, context)
                if turn is None:
                    asked = "every model" if model is None else model
                    self.trouble = (
                        f"{asked} has been asked about this pair in this order and context"
                    )
                    return None
                try:
                    verdict = await self._caller.ask(turn, while_out)
                    break
                except BaseException as error:
                    self._turns.give_back(turn)
                    if isinstance(error, CallFailed):
                        self.trouble = str(error)
                        self._miss(turn.model)
                    if not isinstance(error, EndpointRefuses):
                        raise
                    self._retire(turn.model, error)
                    if model is not None:
                        raise
            call = self._keep(turn, verdict)
        if verdict.outcome is None:
            self.trouble = ": ".join(filter(None, (verdict.status, verdict.detail)))
            self._miss(turn.model)
        else:
            self._missed.answer(turn.model)
        return call

    def _miss(self, judge: str) -> None:
        """Retire a judge that gives no answer to many pairs in a row, if others are left."""
        n = self._missed.miss(judge)
        if n and judge in self._turns.models and len(self._turns.models) > 1:
            words = f"{judge} gave no answer to {n} pairs in a row. The last reason: {self.trouble}"
            self._retire(judge, JudgeFailed(words))

    def _retire(self, judge: str, error: JudgeFailed) -> None:
        """Ask a judge no more; raises the error if no other is left."""
        self.retired.setdefault(judge, str(error))
        self._turns.retire(judge)
        if not self._turns.models:
            raise error

    async def close(self) -> None:
        """Close connections, and unlock the log."""
        await self._caller.finish()
        self._caller.close()
        await self.panel.close()

    def messages(self, pair: Pair, judge: str | None = None) -> list[dict[str, Any]]:
        """Return the messages about a pair, in its first context, to the first judge or another."""
        showings = self.items.showings(str(pair.left), str(pair.right))
        if not showings:
            tracks = {self.items.tracks.get(str(item)) for item in pair}
            shared = "context" if len(tracks) == 1 else "track"
            raise InvalidArgument(f"{pair.left} and {pair.right} have no {shared} in common")
        return self._caller.messages(showings[0], judge)

    @property
    def truncated(self) -> Mapping[str, int]:
        """Number of prompts that the endpoint of each judge may have cut.

        It reported less than half of the tokens that they are estimated to have.
        """
        return self._caller.truncated

    @property
    def n_cut_off(self) -> int:
        """Number of calls of earlier runs that were sent and did not come back.

        They may have been paid for, and are made again.
        """
        return self._caller.n_cut_off

    def _remember(self, record: Mapping[str, Any]) -> None:
        """Restore a call from the log."""
        pair, judge = Pair(record["left"], record["right"]), judge_in(record)
        context, repeat = record["context"] or "", record["repeat"]
        is_failed = record["status"] == "failed"
        earlier = self._places.get((pair, judge, context, repeat))
        if not is_failed and earlier is not None:
            if self.judged[earlier].verdict.status == "unparsable":  # it could be read later
                self._replace(earlier, verdict_in(record))
            return  # or the line stands there twice
        if record["attempts"]:  # else it was taken over from an equal prompt
            self.ledger.restore(record)
        if is_failed:
            return
        verdict = verdict_in(record)
        showing = self._showing(pair, context)
        if showing is None:
            self.withdrawn.append(Judged(pair, context, judge, verdict, repeat))
            return
        if not self._caller.has_asked(record, showing):
            raise InvalidArgument(
                f"{self._caller.log_path} has calls with other prompts (such as that about "
                f"{short(pair.left)} and {short(pair.right)}): the question, template, "
                "parameters or items have changed. Use the same ones to resume, or another "
                "folder to start again"
            )
        turn = Assignment(pair, judge, showing, repeat)
        self._caller.note(record)
        self._turns.take(turn)
        self._keep(turn, verdict)

    def _read_again(self) -> int:
        """Read unparsable replies of the log again, and save those that can be read now."""
        found = []
        if any(call.verdict.status == "unparsable" for call in self.judged):
            for record in self._caller.logged_calls():
                pair, judge = Pair(record["left"], record["right"]), judge_in(record)
                place = self._places.get((pair, judge, record["context"] or "", record["repeat"]))
                if place is None or self.judged[place].verdict.status != "unparsable":
                    continue
                if (again := self._caller.read_again(record)) is not None:
                    found.append(again[0])
                    self._replace(place, again[1])
        self._caller.save(found)
        return len(found)

    def _replace(self, place: int, verdict: Verdict) -> None:
        """Give a call the verdict of a reply that could not be read at first."""
        before = self.judged[place]
        call = self.judged[place] = replace(before, verdict=verdict, is_late=True)
        if self._replies.get((call.pair, call.model)) is before:
            self._replies[call.pair, call.model] = call

    def _keep(self, turn: Assignment, verdict: Verdict) -> Judged:
        call = Judged(turn.pair, turn.showing.key, turn.model, verdict, turn.repeat)
        self._places[call.pair, call.model, call.context, call.repeat] = len(self.judged)
        self.judged.append(call)
        self._replies.setdefault((call.pair, call.model), call)
        return call

    def _showing(self, pair: Pair, key: str) -> ShownPair | None:
        if pair.left not in self.items or pair.right not in self.items:
            return None
        showings = self.items.showings(str(pair.left), str(pair.right))
        return next((showing for showing in showings if showing.key == key), None)
