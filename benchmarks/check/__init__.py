"""Has anything become slower? Times what is used most, and compares it with a recorded table.

    python -m benchmarks.check              what is slower than recorded; status 1 if anything is
    python -m benchmarks.check --record     write the table
    python -m benchmarks.check samplers     rows whose name contains this word

Seconds say little on another machine, or on a busy one. Each row is therefore a ratio to a
reference that takes turns with it: a peer, plain NumPy, or starting Python. A row that looks
slower is measured again before it is reported.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.check.rows import Row, Work, rows

TABLE = Path(__file__).with_name("recorded.csv")
TOLERANCE = 1.3  # times the recorded ratio
ROUNDS, FURTHER_ROUNDS = 3, 3  # in which row and reference take turns
LEAST_TIME = 0.05  # seconds of a round: what takes less is repeated


@dataclass
class Timing:
    """The fastest of several rounds, of a row and of its reference, per operation."""

    seconds: float = float("inf")
    reference: float = float("inf")

    @property
    def ratio(self) -> float:
        """How many times as long as its reference the row takes."""
        return self.seconds / self.reference

    def take_turns(self, row: Row, work: Work, reference: Work, rounds: int) -> None:
        """Add some rounds."""
        for _ in range(rounds):
            self.reference = min(self.reference, _seconds(reference, row.clock))
            self.seconds = min(self.seconds, _seconds(work, row.clock))


def check(words: Iterable[str] = (), *, record: bool = False) -> int:
    """Measure, print, and return how many rows are slower than recorded."""
    recorded, found, slower = read_table(), dict[str, Timing](), list[str]()
    for row in rows(tuple(words)):
        work, reference = row.prepare()
        timing = found[row.name] = Timing()
        timing.take_turns(row, work, reference, ROUNDS)
        before = recorded.get(row.name)
        if before is not None and timing.ratio > TOLERANCE * before and not record:
            timing.take_turns(row, work, reference, FURTHER_ROUNDS)
        is_slower = before is not None and timing.ratio > TOLERANCE * before
        if is_slower:
            slower.append(f"{row.name}: {timing.ratio / before:.2f} times as long as recorded")
        print(_line(row, timing, before), flush=True)
    if record:
        write_table({**recorded, **{name: timing.ratio for name, timing in found.items()}})
        print(f"\nwritten to {TABLE}")
        return 0
    print(f"\n{len(slower)} of {len(found)} rows more than {TOLERANCE} times slower than recorded")
    print("\n".join(slower), file=sys.stderr)
    return len(slower)


def read_table() -> dict[str, float]:
    """The recorded ratio of each row."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {line["row"]: float(line["ratio"]) for line in csv.DictReader(file)}


def write_table(ratios: dict[str, float]) -> None:
    """Record the ratio of each row; rows that are gone are left out."""
    known = {row.name: row for row in rows(())}
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["row", "ratio", "reference"])
        table.writerows(
            [name, f"{ratios[name]:.4g}", row.reference]
            for name, row in known.items()
            if name in ratios
        )


def _seconds(work: Work, clock: str) -> float:
    """Return the seconds of one operation; short work is repeated, and the fastest counts."""
    now = time.perf_counter if clock == "wall" else _cpu_of_children
    best, spent = float("inf"), 0.0
    while spent < LEAST_TIME:
        start = now()
        work.run()
        seconds = now() - start
        best, spent = min(best, seconds), spent + seconds
    return best / work.operations


def _cpu_of_children() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _line(row: Row, timing: Timing, before: float | None) -> str:
    now = f"{_readable(timing.seconds):>9}  {timing.ratio:>8.3g} x {row.reference:<12}"
    beside = "not recorded" if before is None else f"{timing.ratio / before:.2f} of recorded"
    return f"{row.name:58} {now} {beside}"


def _readable(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} us"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
