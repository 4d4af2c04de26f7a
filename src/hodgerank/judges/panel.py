"""ModelPanel: the models that judge, each with its endpoint; JudgeSchedule: whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count, starmap
from random import Random
from typing import Any

from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.data.items.samples import ShownPair
from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.endpoint import Endpoint
from hodgerank.judges.endpoint.pace import Pace
from hodgerank.judges.prices import Price
from hodgerank.judges.prompts.template import Template
from hodgerank.types import Item, Pair

SHORT_REPLY = 16  # tokens expected of a reply until some are known
LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class PanelJudge:
    """One judge of a panel: a model, where it is, and how it is asked.

    Judges may have the same model, if they have different names and prompts or parameters.

    Attributes
    ----------
    model
        Name of the model at its endpoint.
    name
        Name of the judge; default: that of the model.
    base_url, api_key, key_header, headers, query
        Endpoint, as in `Endpoint`.
    parameters
        Parameters sent with every call, in addition to those of all judges.
    template
        Prompt; None for that of all judges.
    price
        Price of its tokens; None for that of the price table.
    family
        Items of the model's own family, such as the outputs of its siblings. An item that has the
        name of the model or judge belongs to it without being named.
    requests_per_minute, tokens_per_minute, timeout, retries
        As in `ChatJudge`; None for those of all judges.
    """

    model: str
    name: str = ""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    key_header: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    template: Template | None = None
    price: Price | None = None
    family: tuple[str, ...] = ()
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float | None = None
    retries: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise InvalidArgument(f"a model must be a name, not {self.model!r}")
        object.__setattr__(self, "name", self.name or self.model)


class ModelPanel:
    """Judges by name, with their endpoints.

    `models` are names of models, or judges. `base_url` and `api_key` are one for all or one for
    each; other options are those of `Endpoint` and `Pace`. What a judge sets itself takes
    precedence.

    Attributes
    ----------
    models
        Names of the judges.
    judges
        The judges by name.
    """

    def __init__(
        self,
        models: str | PanelJudge | Sequence[str | PanelJudge],
        base_url: str | Sequence[str] | None,
        api_key: str | Sequence[str] | None,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        *,
        parameters: Mapping[str, Any],
        logprobs: bool,
        **options: Any,
    ) -> None:
        given = [models] if isinstance(models, str | PanelJudge) else list(models)
        judges = _different([j if isinstance(j, PanelJudge) else PanelJudge(j) for j in given])
        urls = _for_each(base_url, judges, "addresses")
        keys = _for_each(api_key, judges, "keys")
        self.judges = {judge.name: judge for judge in judges}
        self.models = tuple(self.judges)
        self._logprobs = logprobs
        self._endpoints: dict[str, Endpoint] = {}
        for judge, url, key in zip(judges, urls, keys, strict=True):
            own = {"timeout": judge.timeout, "retries": judge.retries}
            self._endpoints[judge.name] = Endpoint(
                judge.model,
                base_url=judge.base_url or url,
                api_key=judge.api_key or key,
                parameters={**parameters, **judge.parameters},
                key_header=judge.key_header,
                headers=judge.headers,
                query=judge.query,
                pace=Pace(
                    judge.requests_per_minute or requests_per_minute,
                    judge.tokens_per_minute or tokens_per_minute,
                ),
                **{**options, **{name: value for name, value in own.items() if value is not None}},
            )
        self._require_differences()

    def __getitem__(self, judge: str) -> Endpoint:
        return self._endpoints[judge]

    def parameters(self, judge: str) -> dict[str, Any]:
        """Return the parameters of the calls to a judge."""
        return self[judge].parameters_sent(logprobs=self._logprobs)

    def expected_reply(self, judge: str) -> int:
        """Return the expected tokens of a judge's reply, until some are known."""
        sent = self[judge].parameters
        told = (sent.get(name) for name in LIMITS)
        return min([SHORT_REPLY, *(limit for limit in told if isinstance(limit, int))])

    async def close(self) -> None:
        """Close all connections."""
        for endpoint in self._endpoints.values():
            await endpoint.close()

    def _require_differences(self) -> None:
        """Refuse two judges that would give the same replies."""
        for one, other in combinations(self.judges.values(), 2):
            here, there = self[one.name], self[other.name]
            if (
                (one.model, here.address, here.parameters)
                == (other.model, there.address, there.parameters)
            ) and one.template == other.template:
                raise InvalidArgument(
                    f"{one.name} and {other.name} have the same model, address, parameters and "
                    "template: change one of these, or use repeats (--repeats) to ask more often"
                )


def _different(judges: list[PanelJudge]) -> tuple[PanelJudge, ...]:
    names = [judge.name for judge in judges]
    for place, judge in enumerate(judges):
        if judge.name in names[:place]:
            remedy = "to ask it more often, use repeats (--repeats)"
            if judge.name != judge.model or any(j.name != j.model for j in judges):
                remedy = "give each judge a name of its own"
            raise InvalidArgument(f"{judge.name} is named twice: {remedy}")
    if not judges:
        raise InvalidArgument("name at least one model")
    return tuple(judges)


def _for_each(
    given: str | Sequence[str] | None, judges: Sequence[PanelJudge], what: str
) -> list[str | None]:
    values = [given] if given is None or isinstance(given, str) else list(given)
    if len(values) == 1:
        return [values[0]] * len(judges)
    if len(values) != len(judges):
        raise InvalidArgument(
            f"{len(values)} {what} for {len(judges)} models: give one, or one for each model"
        )
    return list(values)


@dataclass(frozen=True)
class Assignment:
    """One question to one model; `repeat` counts how often it was asked before."""

    pair: Pair
    model: str
    showing: ShownPair
    repeat: int

    @property
    def _cell(self) -> tuple[Pair, str, str]:
        return self.pair, self.model, self.showing.key


class JudgeSchedule:
    """Distributes questions over models and contexts.

    A model gets the same prompt (a pair in one order and context) at most `repeats` times, since it
    would mostly repeat its reply. What was asked least comes first: the question itself, its
    context for this pair, the model for this pair, then model and context overall. Ties between
    contexts are broken at random for each pair.
    """

    def __init__(self, items: JudgedItems, models: Sequence[str], repeats: int, seed: int) -> None:
        self._items, self._models, self._repeats, self._seed = items, tuple(models), repeats, seed
        self._taken: set[tuple[tuple[Pair, str, str], int]] = set()
        self._by_context: Counter[tuple[frozenset[Item], str]] = Counter()
        self._by_model: Counter[tuple[frozenset[Item], str]] = Counter()
        self._of_model: Counter[str] = Counter()
        self._of_context: Counter[str] = Counter()

    def retire(self, model: str) -> None:
        """Give a model no more turns."""
        self._models = tuple(one for one in self._models if one != model)

    @property
    def models(self) -> tuple[str, ...]:
        """Models that get turns."""
        return self._models

    def n_open(self, pair: Pair) -> int:
        """Return how often a pair can still be asked, in both orders together."""
        both = frozenset(pair)
        return self._per_pair(pair) - sum(self._by_model[both, model] for model in self._models)

    def _per_pair(self, pair: Pair) -> int:
        left, right = map(str, pair)
        return 2 * len(self._models) * self._repeats * self._items.n_showings(left, right)

    @property
    def total(self) -> int:
        """Number of questions left, over all pairs."""
        n = len(self._items.items)
        if self._items.has_one_sample_each and self._items.comparable is None:
            return n * (n - 1) * len(self._models) * self._repeats
        return sum(map(self._per_pair, self._pairs))

    @property
    def n_left(self) -> int:
        """Number of different questions that were not asked."""
        return self.total - sum(model in self._models for (_, model, _), _ in self._taken)

    @property
    def open_pairs(self) -> list[Pair] | None:
        """Pairs about which questions are left; None for all pairs."""
        asked = {both for (both, _), times in self._by_model.items() if times}
        has_closed = any(self.n_open(Pair(*both)) <= 0 for both in asked)
        if self._items.comparable is None and not has_closed:
            return None
        return [pair for pair in self._pairs if self.n_open(pair) > 0]

    @property
    def _pairs(self) -> Iterator[Pair]:
        """Pairs that can be compared."""
        pairs = self._items.comparable
        return starmap(Pair, combinations(self._items.items, 2) if pairs is None else pairs)

    def next(
        self, pair: Pair, model: str | None = None, context: str | None = None
    ) -> Assignment | None:
        """Take the next turn; None if there are no questions left.

        With `model`, the next turn of that model; with `context`, the next one in it.
        """
        left, right = map(str, pair)
        showings = self._items.showings(left, right)
        places = list(range(len(showings)))
        if len(places) > 1:
            Random(f"{self._seed} {min(left, right)} {max(left, right)}").shuffle(places)
        turns = (
            (self._wear(turn), place, k, turn)
            for place, showing in zip(places, showings, strict=True)
            for k, one in enumerate(self._models)
            if model in (None, one)
            and context in (None, showing.key)
            and (turn := self._turn(pair, one, showing)).repeat < self._repeats
        )
        best = min(turns, key=lambda found: found[:3], default=None)
        if best is None:
            return None
        self.take(best[-1])
        return best[-1]

    def take(self, turn: Assignment) -> None:
        """Count a turn."""
        self._count(turn, 1)
        self._of_model[turn.model] += 1

    def give_back(self, turn: Assignment) -> None:
        """Return a turn without a reply; the model has had its turn."""
        self._count(turn, -1)

    def _turn(self, pair: Pair, model: str, showing: ShownPair) -> Assignment:
        cell = pair, model, showing.key
        return Assignment(
            pair, model, showing, next(k for k in count() if (cell, k) not in self._taken)
        )

    def _count(self, turn: Assignment, step: int) -> None:
        if turn.repeat >= self._repeats:
            return  # of a log with more repetitions than are wanted
        both, key = frozenset(turn.pair), turn.showing.key
        (self._taken.add if step > 0 else self._taken.discard)((turn._cell, turn.repeat))
        self._by_context[both, key] += step
        self._by_model[both, turn.model] += step
        self._of_context[key] += step

    def _wear(self, turn: Assignment) -> tuple[int, ...]:
        both, key = frozenset(turn.pair), turn.showing.key
        return (
            turn.repeat,
            self._by_context[both, key],
            self._by_model[both, turn.model],
            self._of_model[turn.model],
            self._of_context[key],
        )
