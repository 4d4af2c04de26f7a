"""The work of a contest in pieces, for one process or several."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from time import monotonic
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from benchmarks.contest.measuring import Measures, measure
from benchmarks.contest.players import plays
from benchmarks.contest.regimes import Regime, Setting

BLOCK = 5  # runs in one piece


class Task(NamedTuple):
    """Some runs of one player in one regime."""

    regime: Regime
    player: str
    runs: range
    setting: Setting

    def __str__(self) -> str:
        """Return the progress line."""
        return f"{self.regime.name}: {self.player}, runs {self.runs[0]} to {self.runs[-1]}"


def tasks(regimes: Sequence[Regime], players: Sequence[str], setting: Setting) -> list[Task]:
    """Everything that is to be done."""
    found = []
    for regime in regimes:
        runs = setting.runs or regime.part.runs
        blocks = [range(start, min(start + BLOCK, runs)) for start in range(0, runs, BLOCK)]
        for player in players:
            if plays(player, regime, setting):
                found += [Task(regime, player, block, setting) for block in blocks]
    return found


def done(todo: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Measures]]:
    """Tasks with what was measured, in order; progress goes to stderr."""
    if jobs == 1:
        yield from _told(todo, map(_do, todo))
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from _told(todo, pool.imap(_do, todo))


def _do(task: Task) -> Measures:
    with threadpool_limits(1):  # matrices are small, and other processes need the cores
        return measure(*task)


def _told(todo: Sequence[Task], results: Iterator[Measures]) -> Iterator[tuple[Task, Measures]]:
    """Report progress on stderr: one changing line on a terminal, one per regime in a log."""
    is_terminal, began = sys.stderr.isatty(), monotonic()
    for k, (task, measures) in enumerate(zip(todo, results, strict=True), start=1):
        is_last = k == len(todo) or todo[k].regime != task.regime
        if is_terminal or is_last:
            line = f"{monotonic() - began:5.0f} s: {k:,} of {len(todo):,} done, {task}"
            print(line.ljust(80), end="\r" if is_terminal else "\n", file=sys.stderr, flush=True)
        yield task, measures
    if is_terminal:
        print(file=sys.stderr)
