"""What is measured: how often a statement is made, where it is false and where it is true."""

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
        What is said, in short: 'cycles', 'interval covers'.
    crowd
        Whom it is said of.
    nominal
        What the share should be, in words: 'at most 8 %', '95 %', 'at least 85 %'.
    measured, n
        The share, and of how many.
    error
        Its Monte-Carlo standard error; of independent runs unless it is given.
    """

    statement: str
    crowd: str
    nominal: str
    measured: float
    n: int
    error: float | None = None

    @property
    def standard_error(self) -> float:
        """Of the share; never quite 0, since a share of 0 may be of something rare."""
        if self.error is not None:
            return self.error
        share = (self.measured * self.n + 1) / (self.n + 2)
        return sqrt(share * (1 - share) / self.n)


def summary(rows: Iterable[Row]) -> str:
    """The same, one line for each statement: from the least to the most over all crowds."""
    by_statement: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_statement.setdefault((row.statement, row.nominal), []).append(row)
    lines = [
        "| statement | nominal | crowds | least | middle | most | most of all said of |",
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
    """A table of them."""
    lines = ["| statement | crowd | nominal | measured | of |", "|---|---|---|---:|---:|"]
    lines += [
        f"| {row.statement} | {row.crowd} | {row.nominal} | "
        f"{row.measured:.1%} +- {row.standard_error:.1%} | {row.n:,} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
