"""100,000 items and 5,000,000 answers, each way in a fresh process to see its memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

import hodgerank as hr
from benchmarks.timing import Row, table

N_ITEMS, N_ANSWERS = 100_000, 5_000_000

CHILD = """
import json, sys, time
from pathlib import Path
import polars as pl
import hodgerank as hr
frame = pl.read_parquet(sys.argv[1])
hr.hodge_rank(frame.head(1000), components="separate")  # imports are not what is timed
start = time.perf_counter()
ranking = getattr(hr, sys.argv[2])(frame)
if sys.argv[3]:
    ranking.standard_errors
seconds = time.perf_counter() - start
# not ru_maxrss, which a process inherits from the one that started it
status = Path("/proc/self/status").read_text().split()
memory = int(status[status.index("VmHWM:") + 1]) / 1e6
print(json.dumps([seconds, memory, ranking.uncertainty if sys.argv[3] else ""]))
"""


def measure(path: Path, method: str, errors: bool) -> tuple[float, float, str]:
    command = [sys.executable, "-c", CHILD, str(path), method, "errors" if errors else ""]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    return min(runs)


def run() -> str:
    votes = hr.simulate_comparisons(N_ITEMS, N_ANSWERS, rng=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.parquet")
        votes.to_frame("polars").select(
            "left", "right", winner=pl.col("outcome").replace_strict({1: "left", -1: "right"})
        ).write_parquet(path)
        del votes
        rows = []
        for method in ("hodge_rank", "bradley_terry"):
            for errors in (False, True):
                seconds, memory, note = measure(path, method, errors)
                name = f"{method}{' with standard errors' if errors else ''}"
                rows.append(
                    Row(name, seconds, f"{memory:.2f} GB, the votes included; {note}".strip("; "))
                )
    title = f"{N_ITEMS:,} items, {N_ANSWERS:,} answers (minimum of 3)"
    return table(title, rows, "hodge_rank")
