"""Calls to language models as judges: how many a ranking takes, compared with usual practice.

`python -m benchmarks judging` runs all of it; `python -m benchmarks.judging --help` explains how to
run a part. Judges are simulated, or replies are drawn from recorded votes. A judge gives the same
reply to the same pair in the same order for every player, so players of the same run face the same
judges.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.judging.players import PLAYERS
from benchmarks.judging.reaching import calls_to_reach
from benchmarks.judging.result import JudgingResult
from benchmarks.judging.scenarios import Scenario, all_scenarios
from benchmarks.judging.tables import as_markdown

RUNS = 20
SEED = 1


Done = tuple[np.ndarray, int]
"""Calls of each player until each target, infinite if never; and the most calls there are."""


class UnknownName(ValueError):
    """A scenario that does not exist."""


class Task(NamedTuple):
    """All players in one run of one scenario."""

    scenario: Scenario
    run: int
    seed: int


def judging(
    *, scenarios: Iterable[str] = ("*",), runs: int = RUNS, seed: int = SEED, jobs: int = 1
) -> JudgingResult:
    """Let players ask the same judges until their rankings reach the targets.

    Parameters
    ----------
    scenarios
        Names or patterns such as 'one-*'.
    runs
        Number of runs of each player in each scenario.
    seed
        Seed of judges and players.
    jobs
        Number of processes.
    """
    known, notes = all_scenarios()
    wanted = list(scenarios)
    for name in wanted:
        if not any(fnmatch(each.name, name) for each in known):
            names = ", ".join(each.name for each in known)
            raise UnknownName(f"there is no {name}: name some of {names}")
    playing = [each for each in known if any(fnmatch(each.name, name) for name in wanted)]
    tasks = [Task(*which, seed) for which in product(playing, range(runs))]
    calls: dict[str, list[np.ndarray]] = {each.name: [] for each in playing}
    most: dict[str, int] = {}
    for task, (found, limit) in zip(tasks, _told(tasks, _done(tasks, jobs)), strict=True):
        calls[task.scenario.name].append(found)
        most[task.scenario.name] = limit
    together = {name: np.array(found) for name, found in calls.items()}
    return JudgingResult(seed, tuple(playing), together, most, tuple(notes))


def _done(tasks: Sequence[Task], jobs: int) -> Iterator[Done]:
    if jobs == 1:
        yield from map(_do, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_do, tasks)


def _do(task: Task) -> Done:
    with threadpool_limits(1):  # matrices are small, and other processes need the cores
        scenario, run, seed = task
        rng = np.random.default_rng((seed, run, *scenario.name.encode()))
        judges, luck = scenario.judges(rng), int(rng.integers(1 << 62))
        calls = [calls_to_reach(build(judges, luck), judges) for build in PLAYERS.values()]
        return np.array(calls), judges.most_calls


def _told(tasks: Sequence[Task], found: Iterator[Done]) -> Iterator[Done]:
    """Yield the results, with a line on stderr after each scenario."""
    for k, (task, calls) in enumerate(zip(tasks, found, strict=True), start=1):
        if k == len(tasks) or tasks[k].scenario != task.scenario:
            print(f"{k:,} of {len(tasks):,} done, {task.scenario.name}", file=sys.stderr)
        yield calls


def run() -> str:
    """All scenarios."""
    return as_markdown(judging())
