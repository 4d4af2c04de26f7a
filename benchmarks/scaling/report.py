"""The one table: CSV for programs, Markdown and a chart for people, the machine named."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeGuard

import altair as alt
import numpy as np
import polars as pl

from benchmarks.scaling.tasks import OURS, PLAIN, TASKS
from hodgerank.plotting.charts import save_chart
from hodgerank.plotting.theme import COLOURS, GRID

LAST = 3  # sizes that the slope is taken over
PACKAGES = ("numpy", "scipy", "numba", "polars", "evalica", "choix", "crowd-kit", "arena-rank",
            "gudhi")  # fmt: skip


def write(rows: list[dict[str, object]], folder: Path) -> str:
    """Write scaling.csv, scaling.md and scaling.svg; returns the second."""
    table = _with_ratios(pl.DataFrame(rows))
    table.with_columns(machine=pl.lit(machine())).write_csv(folder / "scaling.csv")
    save_chart(_chart(table), folder / "scaling.svg")
    text = _markdown(table)
    (folder / "scaling.md").write_text(text)
    return text


def machine() -> str:
    """Processor, cores, memory, Python and packages."""
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    return (
        f"{cores} cores of an {cpu}, {memory:.0f} GB; Python {platform.python_version()}, "
        f"hodgerank {_version('hodgerank')}, {packages}"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _with_ratios(table: pl.DataFrame) -> pl.DataFrame:
    """How many times longer than ours each takes, and how its time grows."""
    ours = table.filter(pl.col("method") == OURS).select("task", "size", ours="seconds")
    slopes = table.group_by("task", "method", maintain_order=True).map_groups(
        lambda group: pl.DataFrame(
            {"task": group["task"][:1], "method": group["method"][:1], "slope": [_slope(group)]}
        )
    )
    return (
        table.join(ours, on=["task", "size"], how="left", maintain_order="left")
        .with_columns(times_ours=pl.col("seconds") / pl.col("ours"))
        .drop("ours")
        .join(slopes, on=["task", "method"], how="left", maintain_order="left")
    )


def _slope(group: pl.DataFrame) -> float:
    """Return the slope of log seconds over log size, at the largest sizes."""
    done = group.filter(pl.col("seconds").is_not_nan()).sort("size").tail(LAST)
    if len(done) < 2:
        return float("nan")
    return float(np.polyfit(np.log(done["size"]), np.log(done["seconds"]), 1)[0])


def _markdown(table: pl.DataFrame) -> str:
    notes = {task.name: task.note for task in TASKS}
    rivals = [name for name in table["method"].unique(maintain_order=True) if name != OURS]
    lines = [
        "# How time and memory grow",
        "",
        f"Written by `make bench` on {machine()}.",
        "",
        "Each cell in a process of its own, the fastest of five (once where it takes longer than "
        "five seconds). Memory is the peak beyond the libraries, votes included. The "
        "other columns say how many times as long a straightforward form in NumPy and SciPy and "
        "each peer that can do it take; what took over 5 seconds, or too much memory, is not "
        "tried with more. Growth is the slope of log time over log size at the three largest "
        "sizes: 1 is linear, 2 quadratic. On a shared machine trust ratios more than seconds.",
        "",
        "![Time over size, both logarithmic, a panel for each task](scaling.svg)",
    ]
    for task in table["task"].unique(maintain_order=True):
        part = table.filter(pl.col("task") == task)
        present = [name for name in rivals if name in part["method"].to_list()]
        slopes = dict(zip(part["method"], part["slope"], strict=True))
        lines += ["", f"## {task}", ""]
        lines += ["| " + " | ".join([part["unit"][0], "time", "memory", *present]) + " |"]
        lines += ["|---:" * (3 + len(present)) + "|"]
        for (size,), rows in part.group_by("size", maintain_order=True):
            cells = {row["method"]: row for row in rows.iter_rows(named=True)}
            others = [_ratio(cells.get(name)) for name in present]
            row = [f"{size:,}", _time(cells.get(OURS)), _memory(cells.get(OURS)), *others]
            lines.append("| " + " | ".join(row) + " |")
        growth = ["growth", _slope_text(slopes[OURS]), ""]
        growth += [_slope_text(slopes[name]) for name in present]
        lines.append("| " + " | ".join(growth) + " |")
        if notes[task]:
            lines += ["", notes[task]]
        failed = part.filter(pl.col("problem") != "")
        lines += [
            f"\n{row['method']} at {row['size']:,}: {row['problem']}."
            for row in failed.iter_rows(named=True)
        ]
    return "\n".join(lines) + "\n"


def _slope_text(slope: float) -> str:
    return "–" if np.isnan(slope) else f"{slope:.1f}"


def _is_done(row: dict | None) -> TypeGuard[dict]:
    return row is not None and not np.isnan(row["seconds"])


def _ratio(row: dict | None) -> str:
    if not _is_done(row):
        return "–"
    return f"{row['times_ours']:,.{1 if row['times_ours'] < 10 else 0}f} ×"


def _time(row: dict | None) -> str:
    if not _is_done(row):
        return "–"
    seconds = row["seconds"]
    unit, size = next(
        (unit, size)
        for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
        if seconds >= size or unit == "µs"
    )
    return f"{seconds / size:.3g} {unit}"


def _memory(row: dict | None) -> str:
    if not _is_done(row):
        return "–"
    megabytes = row["megabytes"]
    return f"{megabytes / 1024:.1f} GB" if megabytes >= 1000 else f"{megabytes:.0f} MB"


def _powers_of_ten(values: pl.Series) -> list[float]:
    low, high = np.floor(np.log10(values.min())), np.ceil(np.log10(values.max()))
    return [10.0**k for k in np.arange(low, high + 1)]


def _chart(table: pl.DataFrame) -> alt.Chart:
    known = table.filter(pl.col("seconds").is_not_nan())
    methods = [OURS, PLAIN, *sorted(set(known["method"]) - {OURS, PLAIN})]
    colour = alt.Scale(domain=methods, range=[COLOURS[0], "#999999", *COLOURS[1:]][: len(methods)])
    panels = []
    for task in known["task"].unique(maintain_order=True):
        part = known.filter(pl.col("task") == task)
        sizes = sorted(set(part["size"]))
        lines = alt.Chart(alt.Data(values=part.drop("problem").to_dicts())).encode(
            x=alt.X(
                "size:Q",
                title=part["unit"][0],
                scale=alt.Scale(type="log", nice=False, domain=[sizes[0], sizes[-1]]),
                axis=alt.Axis(values=sizes, format="~s", gridColor=GRID, labelOverlap=True),
            ),
            y=alt.Y(
                "seconds:Q",
                title="seconds",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=_powers_of_ten(part["seconds"]), format="~g", gridColor=GRID),
            ),
            color=alt.Color(
                "method:N",
                scale=colour,
                sort=methods,
                legend=alt.Legend(title=None, orient="bottom", symbolType="stroke"),
            ),
        )
        panels.append(
            (lines.mark_line(strokeWidth=2) + lines.mark_point(filled=True, size=30)).properties(
                width=330, height=200, title=alt.TitleParams(task, fontSize=12)
            )
        )
    title = alt.TitleParams(
        "Time over size", subtitle=machine().split("; ")[0], anchor="start", fontSize=16
    )
    together = alt.concat(*panels, columns=2).resolve_scale(x="independent", y="independent")
    return together.properties(title=title)
