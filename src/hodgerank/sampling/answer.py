"""Answer: what a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.errors import InvalidComparisons
from hodgerank.notebook import short
from hodgerank.types import Item, Pair

MOST_WEIGHT = 1e6


@dataclass(frozen=True)
class Answer:
    """One answer with who gave it; a judge may return it instead of a bare outcome."""

    outcome: float
    worker: Item | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", read_outcome(self.outcome))
        object.__setattr__(self, "worker", read_worker(self.worker))
        object.__setattr__(self, "weight", read_weight(self.weight))

    @classmethod
    def of(cls, said: Any, pair: Pair) -> Answer | None:
        """What a judge returned: an outcome, with the worker or not, or None for no answer."""
        if said is None or isinstance(said, Answer):
            return said
        try:
            return cls(*said) if isinstance(said, tuple) and len(said) == 2 else cls(said)
        except InvalidComparisons as error:
            about = f"({short(str(pair.left))}, {short(str(pair.right))})"
            raise InvalidComparisons(
                f"the judge said {short(repr(said))} about {about}: {error}. A judge returns an "
                "outcome, a tuple of outcome and worker, an Answer, or None for no answer"
            ) from None


def read_outcome(value: Any) -> float:
    """A number in [-1, 1]."""
    number = _number(value)
    if not -1 <= number <= 1:
        raise InvalidComparisons(
            "an outcome is a number from -1 (right is better) to 1 (left is better), "
            f"not {short(repr(value))}"
        )
    return number


def read_weight(value: Any) -> float:
    """A positive number; beyond a million to one, single answers drown in rounding."""
    number = _number(value)
    if not 1 / MOST_WEIGHT <= number <= MOST_WEIGHT:
        raise InvalidComparisons(
            f"a weight is relative to that of one plain answer and lies between "
            f"{1 / MOST_WEIGHT:g} and {MOST_WEIGHT:g}, not {short(repr(value))}"
        )
    return number


def read_worker(value: Any) -> Item | None:
    """An integer or a string, or nobody."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, int | str):
        return value
    raise InvalidComparisons(f"a worker is an integer or a string, not {short(repr(value))}")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
