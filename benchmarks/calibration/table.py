"""Tables of how often a statement is made, where it is false and where it is true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True)
class Row:
    """One statement on one kind of crowd.

    Attributes
    ----------
    statement
        The statement in short: 'cycles', 'interval covers'.
    crowd
        The crowd.
    nominal
        The nominal share, in words: 'at most 8 %', '95 %', 'at least 85 %'.
    measured, n
        The measured share, and the number of cases.
    error
        Its Monte-Carlo standard error; that of independent runs unless it is given.
    """

    statement: str
    crowd: str
    nominal: str
    measured: float
    n: int
    error: float | None = None

    @property
    def standard_error(self) -> float:
        """Standard error of the share; never exactly 0, since a share of 0 may be a rare event."""
        if self.error is not None:
            return self.error
        share = (self.measured * self.n + 1) / (self.n + 2)
        return sqrt(share * (1 - share) / self.n)


def summary(rows: Iterable[Row]) -> str:
    """Return one line per statement: the range over all crowds."""
    by_statement: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_statement.setdefault((row.statement, row.nominal), []).append(row)
    lines = [
        "| statement | nominal | crowds | lowest | median | highest | highest for |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for (statement, nominal), found in by_statement.items():
        found.sort(key=lambda row: row.measured)
        least, middle, most = (found[k].measured for k in (0, len(found) // 2, -1))
        lines.append(
            f"| {statement} | {nominal} | {len(found):,} | {least:.1%} | {middle:.1%} | "
            f"{most:.1%} | {found[-1].crowd} |"
        )
    return "\n".join(lines) + "\n"


def as_markdown(rows: Iterable[Row]) -> str:
    """Return a table of the rows."""
    lines = ["| statement | crowd | nominal | measured | of |", "|---|---|---|---:|---:|"]
    lines += [
        f"| {row.statement} | {row.crowd} | {row.nominal} | "
        f"{row.measured:.1%} +- {row.standard_error:.1%} | {row.n:,} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
