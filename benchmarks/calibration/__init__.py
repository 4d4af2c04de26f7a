"""Calibration of every statement, on crowds that mostly do not follow the model.

`python -m benchmarks calibration` runs all parts; `python -m benchmarks.calibration cycles` one.
Each part is a module with `statements(runs, seed)`, which yields one `Row` per statement and crowd.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from benchmarks.calibration.table import Row, as_markdown, summary

PARTS = (
    "ranking",
    "position",
    "covariates",
    "cycles",
    "uncertainty",
    "clusters",
    "workers",
    "careless",
    "reliability",
    "groups",
    "answer",
    "judges",
    "agreement",
    "forecasts",
    "chaos",
)
RUNS = 200
SEED = 20261117


def rows(part: str, runs: int = RUNS, seed: int = SEED) -> Iterator[Row]:
    """Yield the measured statements of one part."""
    found: Iterator[Row] = import_module(f"benchmarks.calibration.{part}").statements(runs, seed)
    return found


def run(parts: tuple[str, ...] = PARTS, runs: int = RUNS, seed: int = SEED) -> str:
    """Return all statements as tables."""
    found = {part: list(rows(part, runs, seed)) for part in parts}
    tables = (f"{summary(found[part])}\n{as_markdown(found[part])}" for part in parts)
    return "\n".join(f"### {part}\n\n{table}" for part, table in zip(parts, tables, strict=True))
