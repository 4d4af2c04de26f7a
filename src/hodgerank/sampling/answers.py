"""Answer: what a judge says. AnswerFile: answers on disk as they come, so that none is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import Item, Pair

if TYPE_CHECKING:
    from hodgerank.sampling.protocol import Sampler


@dataclass(frozen=True)
class Answer:
    """One answer with who gave it; a judge may return it instead of a bare outcome."""

    outcome: float
    worker: Item | None = None
    weight: float = 1.0

    @classmethod
    def of(cls, said: Any) -> Answer | None:
        """What a judge returned: an outcome, with the worker or not, or None for no answer."""
        if said is None or isinstance(said, Answer):
            return said
        try:
            return cls(float(said[0]), said[1]) if isinstance(said, tuple) else cls(float(said))
        except (TypeError, ValueError, IndexError):
            raise InvalidComparisons(
                "a judge returns a number from -1 (right is better) to 1 (left is better), that "
                f"and the worker, an Answer, or None, not {said!r}"
            ) from None


class AnswerFile:
    """One JSON object a line: left, right, outcome, and worker and weight where they say something.

    `read_comparisons` reads it too. Every line is written through at once; a line cut short by a
    crash is dropped when the file is opened again.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def replay(self, sampler: Sampler) -> None:
        """Tell a new sampler everything that is in the file."""
        if not self.path.exists():
            return
        if sampler.n_answers:
            raise InvalidArgument(
                f"{self.path} already holds answers, and so does the sampler: resume with a new one"
            )
        for row in self._rows():
            pair = Pair(row["left"], row["right"])
            sampler.tell(pair, row["outcome"], row.get("worker"), weight=row.get("weight", 1.0))

    def _rows(self) -> Iterator[dict[str, Any]]:
        whole = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                    if not {"left", "right", "outcome"} <= row.keys():
                        raise ValueError
                except (ValueError, AttributeError):
                    raise InvalidComparisons(
                        f"{self.path}, line {number}: not an answer with left, right and outcome"
                    ) from None
                yield row
        if whole < self.path.stat().st_size:
            os.truncate(self.path, whole)

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
