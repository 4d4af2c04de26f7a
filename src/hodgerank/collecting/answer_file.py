"""AnswerFile: answers on disk as they come, so that none is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hodgerank.data.reading.asked_by import follows_labels
from hodgerank.errors import HodgeRankError, InvalidArgument, InvalidComparisons
from hodgerank.sampling.answer import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair
from hodgerank.writing import append_line

OUR_LINES = b'{"left": '


class AnswerFile:
    """One JSON object a line: left, right, outcome, asked_by, and worker and weight if known.

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
        for pair, answer, asked_by in answers:
            sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
            sampler.told_adaptive |= follows_labels(asked_by)

    def _read(self, sampler: Sampler) -> list[tuple[Pair, Answer, str]]:
        content = self.path.read_bytes()
        lines = content.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
        answers = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                answers.append(_parse(line, sampler))
            except (ValueError, RecursionError, HodgeRankError) as error:
                is_cut = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
                is_cut &= number == len(lines) and not line.endswith((b"\n", b"\r"))
                if is_cut and line[: len(OUR_LINES)] == OUR_LINES[: len(line)]:
                    os.truncate(self.path, len(content) - len(line))
                    return answers
                raise InvalidComparisons(f"{self.path}, line {number}: {error}") from None
        if lines and not lines[-1].endswith((b"\n", b"\r")):
            with self.path.open("ab") as file:
                file.write(b"\n")
        return answers

    def append(self, pair: Pair, answer: Answer, asked_by: str) -> None:
        """One more answer, on disk when this returns; `asked_by` is the name of the sampler."""
        row: dict[str, Any] = {"left": pair.left, "right": pair.right, "outcome": answer.outcome}
        if answer.worker is not None:
            row["worker"] = answer.worker
        if answer.weight != 1:
            row["weight"] = answer.weight
        row["asked_by"] = asked_by
        append_line(self.path, json.dumps(row, ensure_ascii=False).encode())


def _parse(line: bytes, sampler: Sampler) -> tuple[Pair, Answer, str]:
    row = json.loads(line)
    if not isinstance(row, dict) or not {"left", "right", "outcome"} <= row.keys():
        raise InvalidComparisons("not an answer with left, right and outcome")
    pair = Pair(row["left"], row["right"])
    sampler.gain(pair)  # knows the items, or says which one it does not
    answer = Answer(row["outcome"], row.get("worker"), row.get("weight", 1.0))
    return pair, answer, str(row.get("asked_by", ""))
