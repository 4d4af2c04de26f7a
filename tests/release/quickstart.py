"""The first steps of a new user, in an environment where nothing else is installed."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import hodgerank
from hodgerank.cli.result import BAD_INPUT

STEPS = (
    ("--version",),
    ("doctor",),
    ("simulate", "--items", "8", "--votes", "300", "--seed", "1", "-o", "votes.csv"),
    ("describe", "votes.csv"),
    ("rank", "votes.csv"),
    ("rank", "votes.csv", "-o", "ranking.csv"),
    ("trust", "votes.csv"),
    ("report", "votes.csv", "--no-forecast", "-o", "report.md"),
    ("plan", "votes.csv", "--budget", "5", "-o", "pairs.csv"),
)
CHARTED = ("rank", "votes.csv", "-o", "ranking.svg")  # needs an extra that is not there
IN_PYTHON = """
import hodgerank as hr
ranking = hr.hodge_rank(hr.read_comparisons("votes.csv"))
assert len(ranking) == 8
assert hr.__version__ == {version!r}, hr.__version__
assert hr.__file__.startswith({folder!r}), hr.__file__
"""


def run_quickstart(python: Path, folder: Path) -> list[str]:
    """Run every step in the folder; what went wrong."""
    command = python.parent / "hodgerank"
    wrong = [problem for step in STEPS for problem in _problems([command, *step], folder, 0)]
    script = IN_PYTHON.format(version=hodgerank.__version__, folder=str(folder.resolve()))
    wrong += _problems([python, "-c", script], folder, 0)
    wrong += _problems([command, *CHARTED], folder, BAD_INPUT, says="hodgerank[plot]")
    return wrong


def _problems(step: list[object], folder: Path, status: int, says: str = "") -> list[str]:
    words = [str(word) for word in step]
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    began = time.monotonic()
    end = subprocess.run(
        words, cwd=folder, env=kept | {"HOME": str(folder)}, capture_output=True, text=True
    )
    shown = " ".join([Path(words[0]).name, *words[1:]]).replace("\n", " ")[:70]
    print(f"  {time.monotonic() - began:5.1f} s  {shown}", flush=True)
    if end.returncode != status:
        return [f"{shown} ended with {end.returncode}, not {status}: {end.stderr[-500:]}"]
    if says not in end.stderr:
        return [f"{shown} does not say {says}: {end.stderr[-500:]}"]
    return []
