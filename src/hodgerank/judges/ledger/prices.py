"""Prices: what a million tokens cost, model by model, as the user says."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

FORM = (
    'write a CSV file with the columns model, input and output, or TOML: ["name of the model"], '
    "then input = 2.5 and output = 10, each for a million tokens"
)


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, those of prompts and those of replies."""

    input: float
    output: float


@dataclass(frozen=True)
class Prices:
    """Prices of models, in one currency, which may have no name."""

    by_model: Mapping[str, Price]
    currency: str = ""

    def cost(self, model: str, prompt_tokens: float, completion_tokens: float) -> float | None:
        """What so many tokens cost; None for a model without a price."""
        price = self.by_model.get(model)
        if price is None:
            return None
        return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6

    @classmethod
    def read(cls, path: Path | str) -> Prices:
        """Prices from a TOML or CSV file.

        TOML has a table for each model with `input` and `output`, and may have a `currency` before
        them. CSV has columns model, input and output, and may have a currency.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
            is_toml = path.suffix.lower() == ".toml"
            found, currency = _from_toml(text) if is_toml else _from_csv(text)
            return cls({model: _price(model, row) for model, row in found.items()}, currency)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be read: {error.strerror or error}") from None
        except ValueError as error:  # of TOML, of UTF-8, or ours
            raise InvalidArgument(f"{path} has no prices: {error}; {FORM}") from None


def _from_toml(text: str) -> tuple[dict[str, Any], str]:
    found = tomllib.loads(text)
    currency = found.pop("currency", "")
    if not isinstance(currency, str):
        raise InvalidArgument("currency is no text")
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
            raise InvalidArgument("a row, or all of them, names no model")
        if model in found:
            raise InvalidArgument(f"{short(model)!r} has two prices")
        found[model] = named
        currencies.add(str(named.get("currency") or "").strip())
    if len(currencies) > 1:
        raise InvalidArgument("it has more than one currency")
    return found, currencies.pop() if currencies else ""


def _price(model: str, row: object) -> Price:
    if not isinstance(row, dict):
        raise InvalidArgument(f"{short(model)!r} is no table")
    return Price(_amount(model, row, "input"), _amount(model, row, "output"))


def _amount(model: str, row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    try:
        amount = float(value) if isinstance(value, str | int | float) else -1.0
    except ValueError:
        amount = -1.0
    if not (isfinite(amount) and amount >= 0) or isinstance(value, bool):
        raise InvalidArgument(f"{name} {short(repr(value))} of {short(model)!r} is no price")
    return amount
