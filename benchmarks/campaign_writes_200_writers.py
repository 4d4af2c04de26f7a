"""Answers per second that are on disk: 200 writers that share commits, beside a commit for each."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from unittest.mock import patch

import numpy as np

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores import group_commit
from hodgerank.campaign.stores.sqlite import SqliteStore
from hodgerank.campaign.stores.store import Transaction

WRITERS = 200
SECONDS = 3.0


def _file_system(folder: Path) -> str:
    """Return the file system of a folder: a commit to memory says nothing about disks."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    around = [mount for mount in mounts if folder.resolve().is_relative_to(mount[0])]
    return max(around, key=lambda mount: len(mount[0]))[1]


class _Log:
    """Appends one answer at a time, and knows where the log ends."""

    def __init__(self) -> None:
        self.last = 0

    def answer(self, writing: Transaction) -> int:
        for event in writing.news(self.last):
            self.last = event.seq
        self.last += 1
        event = Event(
            self.last, time.time(), "answered", "worker 17", "t" * 22, None, None, 1.0, 2.5
        )
        writing.append([event])
        return self.last


def _measure(path: Path, most_works: int) -> tuple[int, np.ndarray]:
    """Measure with the same thread and queue; only the number of works per commit differs."""
    with patch.object(group_commit, "MOST_WORKS", most_works):
        store, log = SqliteStore(path, create=True), _Log()
        commits = group_commit.GroupCommit(store)
        counted = _load(lambda: commits.submit("votes", log.answer).result())
        commits.close()
        store.close()
    return counted


def _load(answer: Callable[[], object]) -> tuple[int, np.ndarray]:
    """How many answers were acknowledged in the time, and how long each took."""
    times: list[float] = []
    together = Barrier(WRITERS + 1)

    def work() -> None:
        mine = []
        together.wait()
        until = time.perf_counter() + SECONDS
        while (start := time.perf_counter()) < until:
            answer()
            mine.append(time.perf_counter() - start)
        times.extend(mine)

    threads = [Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    together.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return round(len(times) / (time.perf_counter() - start)), np.array(times)


def run(repeats: int = 3) -> str:
    candidates = {"a commit for each": 1, "shared commits": group_commit.MOST_WORKS}
    best: dict[str, tuple[int, np.ndarray]] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        kind = _file_system(Path(folder))
        for turn in range(repeats):
            for name, most_works in candidates.items():
                found = _measure(Path(folder) / f"{name} {turn}.db", most_works)
                best[name] = max(best.get(name, found), found, key=lambda each: each[0])
    base = best["a commit for each"][0]
    lines = [
        f"### Answers acknowledged by {WRITERS} writers, SQLite on {kind}, best of {repeats}",
        "",
        "| | per second | ratio | p50, ms | p99, ms |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, (rate, times) in best.items():
        p50, p99 = 1000 * np.quantile(times, [0.5, 0.99])
        lines.append(f"| {name} | {rate:,} | {rate / base:.1f} | {p50:.0f} | {p99:.0f} |")
    return "\n".join(lines) + "\n"
