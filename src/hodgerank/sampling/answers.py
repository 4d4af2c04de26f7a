"""Answer: what a judge says. AnswerFile: answers on disk as they come, so that none is lost."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hodgerank.errors import HodgeRankError, InvalidArgument, InvalidComparisons
from hodgerank.types import Item, Pair

if TYPE_CHECKING:
    from hodgerank.sampling.protocol import Sampler

MOST_WEIGHT = 1e6
OUR_LINES = b'{"left": '


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
    def of(cls, said: Any) -> Answer | None:
        """What a judge returned: an outcome, with the worker or not, or None for no answer."""
        if said is None or isinstance(said, Answer):
            return said
        return cls(*said[:2]) if isinstance(said, tuple) and said else cls(said)


def read_outcome(value: Any) -> float:
    """A number in [-1, 1]."""
    number = _number(value)
    if not -1 <= number <= 1:
        raise InvalidComparisons(
            f"an outcome is a number from -1 (right is better) to 1 (left is better), not {value!r}"
        )
    return number


def read_weight(value: Any) -> float:
    """A positive number; beyond a million to one, single answers drown in rounding."""
    number = _number(value)
    if not 1 / MOST_WEIGHT <= number <= MOST_WEIGHT:
        raise InvalidComparisons(
            f"a weight is relative to that of one plain answer and lies between "
            f"{1 / MOST_WEIGHT:g} and {MOST_WEIGHT:g}, not {value!r}"
        )
    return number


def read_worker(value: Any) -> Item | None:
    """An integer or a string, or nobody."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, int | str):
        return value
    raise InvalidComparisons(f"a worker is an integer or a string, not {value!r}")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


class AnswerFile:
    """One JSON object a line: left, right, outcome, and worker and weight where they say something.

    `read_comparisons` reads it too. Every line is written through at once; a line of ours that a
    crash cut short is dropped when the file is opened again.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def replay(self, sampler: Sampler) -> None:
        """Tell a new sampler everything that is in the file, or nothing if a line is wrong."""
        answers = self._read(sampler) if self.path.exists() else []
        if answers and sampler.n_answers:
            raise InvalidArgument(
                f"{self.path} already holds answers, and so does the sampler: resume with a new one"
            )
        for pair, answer in answers:
            sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)

    def _read(self, sampler: Sampler) -> list[tuple[Pair, Answer]]:
        content = self.path.read_bytes()
        lines = content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
        answers = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                answers.append(_parse(line, sampler))
            except (ValueError, HodgeRankError) as error:
                is_cut = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
                is_cut &= number == len(lines) and not line.endswith((b"\n", b"\r"))
                if is_cut and line.startswith(OUR_LINES):
                    os.truncate(self.path, len(content) - len(line))
                    return answers
                raise InvalidComparisons(f"{self.path}, line {number}: {error}") from None
        if lines and not lines[-1].endswith((b"\n", b"\r")):
            with self.path.open("ab") as file:
                file.write(b"\n")
        return answers

    def append(self, pair: Pair, answer: Answer) -> None:
        """One more answer, on disk when this returns."""
        row: dict[str, Any] = {"left": pair.left, "right": pair.right, "outcome": answer.outcome}
        if answer.worker is not None:
            row["worker"] = answer.worker
        if answer.weight != 1:
            row["weight"] = answer.weight
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _parse(line: bytes, sampler: Sampler) -> tuple[Pair, Answer]:
    row = json.loads(line)
    if not isinstance(row, dict) or not {"left", "right", "outcome"} <= row.keys():
        raise InvalidComparisons("not an answer with left, right and outcome")
    pair = Pair(row["left"], row["right"])
    sampler.gain(pair)  # knows the items, or says which one it does not
    return pair, Answer(row["outcome"], row.get("worker"), row.get("weight", 1.0))
