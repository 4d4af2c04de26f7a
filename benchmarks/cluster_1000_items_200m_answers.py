"""Twenty to two hundred million votes on a cluster of two processes: Dask and Spark beside polars.

Needs the extras `dask` and `spark`, and Java. Files are of one size and their number grows, as on a
real cluster, so that processor time per vote and memory of the driver carry over.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

ITEMS, PER_FILE, FILES = 1_000, 5_000_000, (4, 12, 40)
ENGINES = ("polars", "dask", "spark")
SCRIPT = """
import json, sys, threading, time, warnings
import psutil
import hodgerank as hr

engine, files = sys.argv[1], sys.argv[2:]
warnings.simplefilter("ignore")
if engine == "dask":
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = Client(cluster)
    table = dd.read_parquet(files)
elif engine == "spark":
    from pyspark.sql import SparkSession

    settings = {"ui.enabled": "false", "driver.memory": "4g", "sql.shuffle.partitions": "8"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    table = builder.getOrCreate().read.parquet(*files)
else:
    import polars as pl

    table = pl.scan_parquet(files)

this = psutil.Process()
def everybody():
    return [this, *this.children(recursive=True)]
def processor_seconds():
    return sum(sum(process.cpu_times()[:2]) for process in everybody())
most = 0
def watch():
    global most
    while True:
        try:
            most = max(most, sum(process.memory_info().rss for process in everybody()))
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.2)
threading.Thread(target=watch, daemon=True).start()

hr.hodge_rank([("a", "b", 1)])
start, used = time.perf_counter(), processor_seconds()
ranking = hr.hodge_rank(table)
seconds, used = time.perf_counter() - start, processor_seconds() - used
print(json.dumps([seconds, used, most / 1e9, dict(zip(ranking.items, ranking.scores.tolist()))]))
"""


def _write(folder: Path) -> list[str]:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, ITEMS)
    paths = [str(folder / f"{k:02d}.parquet") for k in range(max(FILES))]
    for path in paths:
        left = rng.integers(0, ITEMS, PER_FILE, dtype=np.int32)
        right = (left + rng.integers(1, ITEMS, PER_FILE, dtype=np.int32)) % ITEMS
        p = 1 / (1 + np.exp(scores[right] - scores[left]))
        label = np.where(rng.random(PER_FILE) < p, 1, -1).astype(np.int8)
        pl.DataFrame({"left": left, "right": right, "label": label}).write_parquet(path)
    return paths


def run() -> str:
    """Each engine and size in a process of its own."""
    lines = [
        f"### {ITEMS:,} items on two cores, Parquet files of {PER_FILE:,} answers",
        "",
        "| engine | answers | seconds | processor seconds per million | memory | off polars by |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        paths = _write(Path(folder))
        for n_files in FILES:
            wanted: dict[str, float] = {}
            for engine in ENGINES:
                command = [sys.executable, "-c", SCRIPT, engine, *paths[:n_files]]
                printed = subprocess.run(command, check=True, capture_output=True, text=True)
                seconds, used, memory, scores = json.loads(printed.stdout.splitlines()[-1])
                wanted = wanted or scores
                off = max(abs(scores[item] - wanted[item]) for item in wanted)
                n = n_files * PER_FILE
                lines.append(
                    f"| {engine} | {n:,} | {seconds:.0f} | {used / n * 1e6:.2f} | {memory:.1f} GB "
                    f"| {off:.0e} |"
                )
                print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines) + "\n"
