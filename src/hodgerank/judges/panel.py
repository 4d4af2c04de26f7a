"""ModelPanel: the models that judge, each with its endpoint, and the same parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, starmap
from random import Random
from typing import Any

from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.data.items.samples import ShownPair
from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.endpoint import Endpoint
from hodgerank.judges.endpoint.pace import Pace
from hodgerank.types import Item, Pair

SHORT_REPLY = 16  # tokens expected of a reply until some are known
LIMITS = ("max_tokens", "max_completion_tokens")


class ModelPanel:
    """Endpoints by the names of their models.

    `base_url` and `api_key` are one for all models or one for each; other options are those of
    `Endpoint` and `Pace`.
    """

    def __init__(
        self,
        models: str | Sequence[str],
        base_url: str | Sequence[str] | None,
        api_key: str | Sequence[str] | None,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        *,
        parameters: Mapping[str, Any],
        logprobs: bool,
        **options: Any,
    ) -> None:
        self.models = _different([models] if isinstance(models, str) else list(models))
        urls = _for_each(base_url, self.models, "addresses")
        keys = _for_each(api_key, self.models, "keys")
        self._endpoints = {
            model: Endpoint(
                model,
                base_url=url,
                api_key=key,
                parameters=parameters,
                pace=Pace(requests_per_minute, tokens_per_minute),
                **options,
            )
            for model, url, key in zip(self.models, urls, keys, strict=True)
        }
        any_one = self._endpoints[self.models[0]]
        self.parameters = any_one.parameters_sent(logprobs=logprobs)

    def __getitem__(self, model: str) -> Endpoint:
        return self._endpoints[model]

    @property
    def expected_reply(self) -> int:
        """Return the expected tokens of a reply, until some are known."""
        told = (self.parameters.get(name) for name in LIMITS)
        return min([SHORT_REPLY, *(limit for limit in told if isinstance(limit, int))])

    async def close(self) -> None:
        """Close all connections."""
        for endpoint in self._endpoints.values():
            await endpoint.close()


def _different(models: list[str]) -> tuple[str, ...]:
    for place, model in enumerate(models):
        if not isinstance(model, str) or not model.strip():
            raise InvalidArgument(f"a model must be a name, not {model!r}")
        if model in models[:place]:
            raise InvalidArgument(
                f"{model} is named twice: to ask it more often, use repeats (--repeats)"
            )
    if not models:
        raise InvalidArgument("name at least one model")
    return tuple(models)


def _for_each(
    given: str | Sequence[str] | None, models: Sequence[str], what: str
) -> list[str | None]:
    values = [given] if given is None or isinstance(given, str) else list(given)
    if len(values) == 1:
        return [values[0]] * len(models)
    if len(values) != len(models):
        raise InvalidArgument(
            f"{len(values)} {what} for {len(models)} models: give one, or one for each model"
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

    def next(self, pair: Pair, model: str | None = None) -> Assignment | None:
        """Take the next turn; None if there are no questions left.

        With `model`, the next turn of that model.
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
            and (turn := self._turn(pair, one, showing)).repeat < self._repeats
        )
        best = min(turns, key=lambda found: found[:3], default=None)
        if best is None:
            return None
        self.take(best[-1])
        return best[-1]

    def is_taken(self, pair: Pair, model: str, context: str, repeat: int) -> bool:
        """Return whether a question was asked so often already."""
        return ((pair, model, context), repeat) in self._taken

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
