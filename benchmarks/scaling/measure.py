"""Time and memory of one job, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scaling.tasks import TASKS

LONGEST = 300  # seconds for a process, preparation included
SLOW = 5.0  # seconds from which once is enough
ENOUGH = 5.0  # seconds from which larger sizes are not tried
REPEATS = 5
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Measurement:
    """Time and memory of one operation, the fastest of several; `problem` if there is none."""

    seconds: float
    megabytes: float
    problem: str = ""

    @property
    def is_too_much(self) -> bool:
        """Whether larger sizes need not be tried."""
        out_of_reach = ("memory", "Memory", "not within")
        return self.seconds > ENOUGH or any(words in self.problem for words in out_of_reach)


def measure(task: str, method: str, size: int) -> Measurement:
    """In a fresh process."""
    command = [sys.executable, "-m", "benchmarks.scaling.measure", task, method, str(size)]
    nothing = float("nan")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return Measurement(nothing, nothing, f"not within {LONGEST} s")
    if done.returncode < 0:
        return Measurement(nothing, nothing, "ended by the system, out of memory")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return Measurement(nothing, nothing, " ".join(last)[:120])
    return Measurement(**json.loads(done.stdout.splitlines()[-1]))


def _resident(line: str) -> float:
    """Megabytes, from the line of that name in the process's status."""
    words = STATUS.read_text().split()
    return int(words[words.index(f"{line}:") + 1]) / 1024


def _measure_here(task_name: str, method: str, size: int) -> Measurement:
    task = next(task for task in TASKS if task.name == task_name)
    prepare = task.methods[method]
    with suppress(RuntimeError):  # a peer may fail here and not there
        prepare(task.sizes[0]).work()  # imports and compilation are not what is timed
    before = _resident("VmRSS")
    job = prepare(size)
    CLEAR.write_text("5")  # the peak counts from here, not that of making up the votes
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        job.work()
        seconds = time.perf_counter() - start
        best = min(best, seconds)
        if seconds > SLOW:
            break
    return Measurement(best / job.operations, max(_resident("VmHWM") - before, 0.0))


if __name__ == "__main__":
    found = _measure_here(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    print(json.dumps(found.__dict__))
