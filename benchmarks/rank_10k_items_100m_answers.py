"""A hundred million votes in Parquet files: time and memory of a ranking with standard errors."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

ITEMS, FILES, PER_FILE = 10_000, 10, 10_000_000
SCRIPT = """
import resource, sys, time
import hodgerank as hr
hr.hodge_rank([("a", "b", 1)])
start = time.perf_counter()
ranking = hr.hodge_rank(sys.argv[1])
ranking.standard_errors
seconds = time.perf_counter() - start
gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(f"{seconds:.1f} s, {gigabytes:.2f} GB at most; {ranking.uncertainty}")
"""


def _write(folder: Path) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, ITEMS)
    for k in range(FILES):
        left = rng.integers(0, ITEMS, PER_FILE, dtype=np.int32)
        right = (left + rng.integers(1, ITEMS, PER_FILE, dtype=np.int32)) % ITEMS
        p = 1 / (1 + np.exp(scores[right] - scores[left]))
        label = np.where(rng.random(PER_FILE) < p, 1, -1).astype(np.int8)
        table = pl.DataFrame({"left": left, "right": right.astype(np.int32), "label": label})
        table.write_parquet(folder / f"{k}.parquet")


def run() -> str:
    """In a process of its own, whose memory is the ranking's."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder))
        pattern = f"{folder}/*.parquet"
        found = [
            subprocess.run(
                [sys.executable, "-c", SCRIPT, pattern], check=True, capture_output=True, text=True
            ).stdout.strip()
            for _ in range(2)
        ]
    title = "### 10,000 items, 100,000,000 answers in ten Parquet files"
    return f"{title}\n\n" + "\n".join(f"- {line}" for line in found) + "\n"
