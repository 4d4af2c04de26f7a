"""How time and memory grow with size: one table of everything, beside plain forms and peers."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def run() -> str:
    """Measure everything, and write table and chart into docs/."""
    from benchmarks.scaling.report import write

    return write(_measure_all(), DOCS)


def _measure_all() -> list[dict[str, object]]:
    """Every method at every size it gets to, methods taking turns."""
    from benchmarks.scaling.measure import measure
    from benchmarks.scaling.tasks import TASKS

    rows: list[dict[str, object]] = []
    for task in TASKS:
        given_up: set[str] = set()
        for size in task.sizes:
            for method in (name for name in task.methods if name not in given_up):
                found = measure(task.name, method, size)
                which = {"task": task.name, "method": method, "unit": task.unit, "size": size}
                rows.append(which | found.__dict__)
                said = found.problem or f"{found.seconds:.3g} s, {found.megabytes:.0f} MB"
                print(f"{task.name}, {size:,}: {method} {said}", file=sys.stderr, flush=True)
                if found.is_too_much:
                    given_up.add(method)
    return rows
