"""Account: tokens and cost of one model, and estimates of its next call."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from pathlib import Path
from typing import Any

from hodgerank.display import short
from hodgerank.errors import InvalidArgument

FORM = (
    'write a CSV file with the columns model, input and output, or TOML: ["name of the model"], '
    "then input = 2.5 and output = 10, each for a million tokens"
)


@dataclass(frozen=True)
class Price:
    """Price of a million tokens of prompts and of replies."""

    input: float
    output: float


@dataclass(frozen=True)
class Prices:
    """Prices of models in one currency, which may be unnamed."""

    by_model: Mapping[str, Price]
    currency: str = ""

    def cost(self, model: str, prompt_tokens: float, completion_tokens: float) -> float | None:
        """Return the cost of tokens; None for a model without a price."""
        price = self.by_model.get(model)
        if price is None:
            return None
        return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6

    def with_prices(self, prices: Mapping[str, Price]) -> Prices:
        """Return these prices with others in their place."""
        return Prices({**self.by_model, **prices}, self.currency)

    @classmethod
    def read(cls, path: Path | str) -> Prices:
        """Read prices from a TOML or CSV file.

        TOML has a table for each model with `input` and `output`, and may have a `currency` before
        them. CSV has columns model, input and output, and may have a currency.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
            is_toml = path.suffix.lower() == ".toml"
            found, currency = _from_toml(text) if is_toml else _from_csv(text)
            return cls({model: price_in(model, row) for model, row in found.items()}, currency)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be read: {error.strerror or error}") from None
        except ValueError as error:  # of TOML, of UTF-8, or ours
            raise InvalidArgument(f"{path} is not a valid price table: {error}; {FORM}") from None


def _from_toml(text: str) -> tuple[dict[str, Any], str]:
    found = tomllib.loads(text)
    currency = found.pop("currency", "")
    if not isinstance(currency, str):
        raise InvalidArgument("currency is not a text")
    for model, row in found.items():
        if isinstance(row, dict) and any(isinstance(value, dict) for value in row.values()):
            raise InvalidArgument(f"the name that begins with {short(model)!r} needs quotes")
    return found, currency


def _from_csv(text: str) -> tuple[dict[str, Any], str]:
    found: dict[str, Any] = {}
    currencies = set()
    for row in csv.DictReader(text.splitlines(), skipinitialspace=True):
        named = {str(name).strip().lower(): value for name, value in row.items()}
        model = str(named.get("model") or "").strip()
        if not model:
            raise InvalidArgument("a row names no model")
        if model in found:
            raise InvalidArgument(f"{short(model)!r} has two prices")
        found[model] = named
        currencies.add(str(named.get("currency") or "").strip())
    if len(currencies) > 1:
        raise InvalidArgument("it has more than one currency")
    return found, currencies.pop() if currencies else ""


def price_in(model: str, row: object) -> Price:
    """Return the price of a model from its row: input and output."""
    if not isinstance(row, dict):
        raise InvalidArgument(f"{short(model)!r} is not a table")
    return Price(_amount(model, row, "input"), _amount(model, row, "output"))


def _amount(model: str, row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    try:
        amount = float(value) if isinstance(value, str | int | float) else -1.0
    except ValueError:
        amount = -1.0
    if not (isfinite(amount) and amount >= 0) or isinstance(value, bool):
        raise InvalidArgument(f"{name} {short(repr(value))} of {short(model)!r} is not a price")
    return amount


LETTERS_PER_TOKEN = 4  # of English; until calls have told better
TOKENS_PER_IMAGE = 1000
FAILED = "failed"  # the status of a call that got no reply


@dataclass(frozen=True)
class ModelCost:
    """Calls, tokens and cost of one model.

    Attributes
    ----------
    calls
        Calls with a reply.
    retries
        Retries of all calls.
    prompt_tokens, completion_tokens, estimated_calls
        Tokens, and the number of calls whose tokens are estimated because the endpoint did not
        report them.
    cost, currency
        Cost; None if a price is missing.
    seconds
        Total time of all replies.
    statuses
        Number of calls by status; failed ones are not among `calls`.
    """

    model: str
    calls: int
    retries: int
    prompt_tokens: int
    completion_tokens: int
    estimated_calls: int
    cost: float | None
    currency: str
    seconds: float
    statuses: Mapping[str, int]


@dataclass(frozen=True)
class Estimate:
    """Estimate the tokens of a call, from its prompt alone and from earlier calls."""

    prompt_guess: float
    prompt_tokens: int
    completion_tokens: int


DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
"""Letters of Chinese, Japanese and Korean, which take almost a token each."""
OTHER = re.compile("[\u0370-\u17ff]")
"""Letters of other alphabets but the Latin one: Greek, Cyrillic, Arabic, Devanagari, Thai ..."""
RUN = re.compile(r"(.)\1{3,}", re.DOTALL)
TOKENS_PER_DENSE_LETTER, TOKENS_PER_OTHER_LETTER = 0.8, 0.4


def guess_tokens(messages: Sequence[Mapping[str, Any]], *, is_least: bool = False) -> int:
    """Estimate the tokens of messages: four letters per token, a thousand tokens per image.

    Letters of alphabets other than the Latin one take more. With `is_least`, images and repeated
    characters are not counted.

    >>> guess_tokens([{"role": "user", "content": "Which of the two is better?"}])
    7
    """
    tokens, images = 0.0, 0
    for message in messages:
        content = message.get("content") or ""
        parts = [{"text": content}] if isinstance(content, str) else content
        for part in parts:
            text = part.get("text") or ""
            tokens += _tokens_in(RUN.sub(r"\1\1", text) if is_least else text)
        images += sum("image_url" in part for part in parts)
    return ceil(tokens) + (0 if is_least else TOKENS_PER_IMAGE * images)


def _tokens_in(text: str) -> float:
    if text.isascii():
        return len(text) / LETTERS_PER_TOKEN
    dense, other = len(DENSE.findall(text)), len(OTHER.findall(text))
    rest = (len(text) - dense - other) / LETTERS_PER_TOKEN
    return rest + TOKENS_PER_DENSE_LETTER * dense + TOKENS_PER_OTHER_LETTER * other


class Account:
    """Adds up the calls to one model."""

    def __init__(self, model: str, prices: Prices) -> None:
        self.model = model
        self.calls, self.prompt_tokens, self.completion_tokens = 0, 0, 0
        self.cost: float | None = 0.0
        self._prices = prices
        self._retries, self._estimated_calls, self._seconds = 0, 0, 0.0
        self._statuses: Counter[str] = Counter()
        self._guessed, self._told_prompts = 0.0, 0
        self._n_told, self._longest = 0, 0

    @property
    def tells_replies(self) -> bool:
        """Whether the length of replies is known."""
        return self._n_told > 0 or self._estimated_calls > 0

    def estimate(self, prompt_guess: float, completion_guess: float) -> Estimate:
        """Estimate prompts in proportion to earlier ones, and replies as the longest so far.

        Without earlier calls, the guesses are used.
        """
        if self._guessed:
            prompt_tokens = prompt_guess * self._told_prompts / self._guessed
        else:
            prompt_tokens = prompt_guess
        if self._n_told:
            completion_guess = self._longest
        return Estimate(prompt_guess, ceil(prompt_tokens), ceil(completion_guess))

    def add(
        self,
        estimate: Estimate,
        prompt_tokens: int | None,
        completion_tokens: int | None,
        *,
        status: str,
        seconds: float,
        attempts: int,
        cost: float | None = None,
    ) -> float | None:
        """Count a call and return its cost, if known; missing tokens are estimated."""
        if status != FAILED:
            self._learn(estimate, prompt_tokens, completion_tokens)
            self.calls += 1
            self._estimated_calls += prompt_tokens is None or completion_tokens is None
            prompt_tokens = _known(prompt_tokens, estimate.prompt_tokens)
            completion_tokens = _known(completion_tokens, estimate.completion_tokens)
        self.prompt_tokens += prompt_tokens or 0
        self.completion_tokens += completion_tokens or 0
        self._retries += max(0, attempts - 1)
        self._seconds += seconds
        self._statuses[status] += 1
        if cost is None:
            cost = self._prices.cost(self.model, prompt_tokens or 0, completion_tokens or 0)
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        return cost

    def row(self) -> ModelCost:
        """Return the total so far."""
        return ModelCost(
            self.model,
            self.calls,
            self._retries,
            self.prompt_tokens,
            self.completion_tokens,
            self._estimated_calls,
            self.cost,
            self._prices.currency,
            self._seconds,
            dict(self._statuses),
        )

    def _learn(
        self, estimate: Estimate, prompt_tokens: int | None, completion_tokens: int | None
    ) -> None:
        if prompt_tokens is not None:
            self._guessed += estimate.prompt_guess
            self._told_prompts += prompt_tokens
        if completion_tokens is not None:
            self._n_told += 1
            self._longest = max(self._longest, completion_tokens)


def _known(told: int | None, estimated: int) -> int:
    return estimated if told is None else told
