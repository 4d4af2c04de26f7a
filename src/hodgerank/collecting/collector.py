"""Collector: stopping and saving votes, shared by `run` and `run_async`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from hodgerank.atomic_write import append_line
from hodgerank.collecting.call_loop import Budget, MissedInARow, StopReason
from hodgerank.collecting.stopping import Progress, StoppingRule
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.decode import follows_labels
from hodgerank.display import Charted, Displayed, Preview
from hodgerank.errors import HodgeRankError, InvalidArgument, InvalidComparisons, JudgeFailed
from hodgerank.estimators.ranking import Ranking
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair

OUR_LINES = b'{"left": '


class AnswerFile:
    """A log of votes, one JSON object per line: left, right, outcome, asked_by, worker, weight.

    `read_comparisons` reads it too. Every line is flushed at once; an incomplete last line after a
    crash is dropped when the file is opened again.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def replay(self, sampler: Sampler) -> None:
        """Tell a new sampler everything in the file, or nothing if a line is invalid."""
        answers = self._read(sampler) if self.path.exists() else []
        if answers and sampler.n_votes:
            raise InvalidArgument(
                f"{self.path} already holds votes, and so does the sampler: resume with a "
                "new sampler"
            )
        for pair, answer, asked_by in answers:
            sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
            sampler.has_adaptive_votes |= follows_labels(asked_by)

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
        """Append a vote and flush it; `asked_by` is the name of the sampler."""
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
        raise InvalidComparisons("not a vote with left, right and outcome")
    pair = Pair(row["left"], row["right"])
    sampler.gain(pair)  # raises an error for an unknown item
    answer = Answer(row["outcome"], row.get("worker"), row.get("weight", 1.0))
    return pair, answer, str(row.get("asked_by", ""))


OnAnswer: TypeAlias = Callable[[Pair, Answer], None]


@dataclass(frozen=True, repr=False)
class RunResult(Displayed, Charted):
    """Result of a run.

    Attributes
    ----------
    ranking
        Ranking by all votes.
    votes
        All votes, including those of the resumed run.
    reason
        Why it stopped.
    n_unanswered
        Pairs that were asked and not answered.
    """

    ranking: Ranking
    votes: Comparisons
    reason: str
    n_unanswered: int

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return self.votes.n_votes

    def _headline(self) -> str:
        return f"{self.n_votes:,} votes, stopped: {self.reason}; {self.ranking!r}"

    def _preview(self) -> Preview:
        return self.ranking._preview()


class Collector:
    """A sampler, the file that saves its votes, and the stopping rule."""

    def __init__(
        self,
        sampler: Sampler,
        budget: Budget,
        stop: StoppingRule | None,
        log: Path | str | None,
        on_answer: OnAnswer | None,
    ) -> None:
        if stop is not None and not isinstance(stop, StoppingRule):
            raise InvalidArgument(
                f"stop must be a stopping rule such as ExpectedTau(0.9), not {stop!r}"
            )
        self.sampler = sampler
        self.budget = budget
        self.n_unanswered = 0
        self._stop = stop
        self._file = None if log is None else AnswerFile(log)
        self._on_answer = on_answer
        self._progress = Progress(sampler)
        self._missed = MissedInARow()
        sampler.announce_budget(budget.size)
        if stop is not None and stop.looks_at_rankings:
            sampler.prepare_to_stop()
        if self._file is not None:
            self._file.replay(sampler)

    def reason_to_stop(self) -> str:
        """Return why to stop; empty if there is no reason."""
        if reason := self.budget.reason_to_stop(self.sampler.n_votes):
            return reason
        is_reached = self._stop is not None and self._stop.is_reached(self._progress)
        return StopReason(f"{self._stop} reached", "target") if is_reached else ""

    def keep(self, pair: Pair, answer: Answer) -> None:
        """Save an answer that the sampler was told, and report it."""
        if self._file is not None:
            self._file.append(pair, answer, self.sampler.name)
        if self._on_answer is not None:
            self._on_answer(pair, answer)
        self._missed.answer()

    def miss(self, error: BaseException | None) -> None:
        """Count a pair without an answer; many in a row raise JudgeFailed."""
        self.n_unanswered += 1
        if n := self._missed.miss():
            why = f", last with {type(error).__name__}: {error}" if error is not None else ""
            raise JudgeFailed(
                f"{n} pairs in a row got no answer{why}. The {self.sampler.n_votes:,} votes "
                "collected so far are kept"
            ) from error

    def result(self, reason: str) -> RunResult:
        """Return the result with the reason why the run ended."""
        ranking = self.sampler.ranking()
        return RunResult(ranking, self.sampler.votes, reason, self.n_unanswered)

    @contextmanager
    def progress_bar(self, wanted: bool | None) -> Iterator[Callable[[], None]]:
        """Yield what to call after each answer; shows a bar in a terminal, or if requested."""
        if not (sys.stderr.isatty() if wanted is None else wanted):
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("votes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("votes", total=self.budget.size, completed=self.sampler.n_votes)
            yield lambda: bar.update(task, completed=self.sampler.n_votes)
