"""Experiment: tasks to run, and what to make of their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hodgerank.data.datasets import DatasetName
from hodgerank.reproduce.tasks import Effort, Outcome, Task
from hodgerank.reproduce.verdict import Findings, Published


@dataclass(frozen=True)
class Experiment:
    """One figure or table.

    Attributes
    ----------
    name
        As on the command line.
    tasks
        What to compute, given the effort.
    findings
        Chart, data and verdicts, given the results and what was published.
    datasets
        Data sets it needs.
    """

    name: str
    tasks: Callable[[Effort], Sequence[Task]]
    findings: Callable[[Sequence[Outcome], Published], Findings]
    datasets: tuple[DatasetName, ...] = ()
