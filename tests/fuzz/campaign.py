"""Many cases one after the other, and what was found."""

from __future__ import annotations

import os
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.cases import Case, draw_case
from fuzz.checking import problems, snapshot
from fuzz.own_process import run_in_a_process
from fuzz.running import Outcome, Worker


@dataclass(frozen=True)
class Finding:
    """A case that went wrong, and the folder that holds it."""

    case: Case
    outcome: Outcome
    problems: list[str]
    folder: Path

    def __str__(self) -> str:
        """Everything needed to repeat it."""
        lines = [
            f"case {self.case.seed}: {self.case.mode}, {self.case.format}, {self.case.layout}",
            f"  cd {shlex.quote(str(self.folder))}; {_command_line(self.case)}",
            *(f"  ! {problem}" for problem in self.problems),
        ]
        lines += [f"  | {line[:200]}" for line in _last_words(self.outcome.stderr)]
        return "\n".join(line.encode("unicode_escape").decode() for line in lines)


@dataclass
class Campaign:
    """What was run, and what was found; findings are kept in a folder."""

    folder: Path
    process_share: float | None = None
    runs: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    n_counted: int = 0

    def run(self, seeds: Iterable[int]) -> None:
        """Run the cases of these seeds."""
        worker = Worker()
        try:
            for seed in seeds:
                self._run(seed, worker)
        finally:
            worker.close()

    def _run(self, seed: int, worker: Worker) -> None:
        share = {} if self.process_share is None else {"process_share": self.process_share}
        case = draw_case(seed, **share)
        folder = self.folder / f"case-{seed}"
        _lay_out(case, folder)
        for _ in range(case.times):
            before = snapshot(folder)
            if case.mode == "inside":
                outcome = worker.run(case, folder)
            else:
                outcome = run_in_a_process(case, folder)
            found = problems(case, outcome, before, snapshot(folder))
            self.runs[case.command, case.format, _status(outcome)] += 1
            self.n_counted += case.tally is not None and outcome.status == 0
            if found:
                self.findings.append(Finding(case, outcome, found, folder))
                (folder / "command").write_text(_command_line(case), errors="surrogateescape")
                return
        shutil.rmtree(folder)


def _lay_out(case: Case, folder: Path) -> None:
    """The files that the command finds."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("in", "out"):
        (folder / part).mkdir(parents=True)
    for name, content in case.inputs.items():
        if case.mode == "fifo" and name == case.piped:
            os.mkfifo(folder / "in" / name)
        else:
            (folder / "in" / name).write_bytes(content)
    for name, old in case.outputs.items():
        if old is not None:
            (folder / "out" / name).write_bytes(old)


def _command_line(case: Case) -> str:
    return shlex.join(["hodgerank", *case.arguments])


def _status(outcome: Outcome) -> str:
    return "hung" if outcome.status is None else str(outcome.status)


def _last_words(stderr: bytes) -> list[str]:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-6:]
