"""Timing: several candidates take turns, the minimum counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One candidate: its best time and what it achieved."""

    name: str
    seconds: float
    note: str = ""


def take_turns(
    candidates: dict[str, Callable[[], Any]], repeats: dict[str, int]
) -> tuple[dict[str, float], dict[str, Any]]:
    """Best seconds and last result of each; slow ones may take fewer turns."""
    best: dict[str, float] = {}
    results: dict[str, Any] = {}
    for turn in range(max(repeats.values())):
        for name, run in candidates.items():
            if turn >= repeats[name]:
                continue
            start = time.perf_counter()
            results[name] = run()
            seconds = time.perf_counter() - start
            best[name] = min(best.get(name, seconds), seconds)
    return best, results


def table(title: str, rows: list[Row], reference: str | None = None) -> str:
    """A Markdown table, with each time as a ratio to the reference's if there is one."""
    lines = [f"### {title}", ""]
    if reference is None:
        lines += ["| | seconds |", "|---|---:|"]
        lines += [f"| {row.name} | {row.seconds:.3f} |" for row in rows]
    else:
        base = next(row.seconds for row in rows if row.name == reference)
        lines += [f"| | seconds | ratio to {reference} | |", "|---|---:|---:|---|"]
        lines += [
            f"| {row.name} | {row.seconds:.3f} | {row.seconds / base:.2f} | {row.note} |"
            for row in rows
        ]
    return "\n".join(lines) + "\n"
