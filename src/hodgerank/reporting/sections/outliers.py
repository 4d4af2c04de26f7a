"""Answers that stray from the ranking."""

from __future__ import annotations

from functools import partial

from hodgerank.plotting.outliers import outliers_chart
from hodgerank.reporting.blocks import Block, Figure, Paragraph, Section, Table
from hodgerank.reporting.catalogue import name_of, say, words
from hodgerank.reporting.findings import Findings

MOST_OUTLIERS = 10


def outliers_section(found: Findings) -> Section:
    """How many there are beside what to expect, and the most outlying by name."""
    outliers = found.trust.outliers
    title = say("outliers.title")
    if not outliers.n_flagged:
        return Section("outliers", title, (Paragraph((say("outliers.none"),)),))
    blocks: list[Block] = [
        Paragraph((words(outliers.verdict),)),
        Figure(partial(outliers_chart, outliers, n_named=0)),
        Paragraph((say("outliers.worst"),)),
    ]
    rows = []
    for row in outliers.to_frame("polars").head(MOST_OUTLIERS).iter_rows(named=True):
        cells = [f"{row['row']:,}", name_of(row["left"]), name_of(row["right"])]
        cells += [f"{row['outcome']:+.2g}", f"{row['expected']:+.2f}"]
        if "worker" in row:
            cells.append("" if row["worker"] is None else name_of(row["worker"]))
        rows.append(cells)
    names = ("row", "left", "right", "answer", "expected", "worker")[: len(rows[0])]
    header = [say(f"outliers.{name}") for name in names]
    blocks.append(Table(header, rows, frozenset({0, 3, 4})))
    note = say("outliers.criterion", criterion=outliers.criterion)
    return Section("outliers", title, (*blocks, Paragraph((note,), "note")))
