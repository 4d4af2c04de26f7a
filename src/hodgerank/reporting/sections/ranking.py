"""The ranking with intervals, and which neighbours cannot be told apart."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from hodgerank.plotting.ranking import ranking_chart
from hodgerank.reporting.blocks import Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import name_of, say, words
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.numbers import level, percent

MOST_ROWS = 100
MOST_RUNS = 5


def ranking_section(found: Findings) -> Section:
    """Chart, table and notes."""
    ranking = found.ranking
    texts = [_told_apart(found)]
    if runs := _runs(found):
        listed = "; ".join(str(_run(found, run)) for run in runs[:MOST_RUNS])
        texts.append(say("ranking.tied", n=len(runs), runs=listed + _more(len(runs))))
    if ranking.n_components > 1:
        texts.append(say("ranking.separate"))
    notes = tuple(words(note) for note in ranking.notes)
    return Section(
        "ranking",
        say("ranking.title"),
        (
            Paragraph(tuple(texts)),
            Figure(partial(ranking_chart, ranking)),
            *([Bullets(notes)] if notes else []),
            ranking_table(found),
            Paragraph((say("ranking.reading", level=level(ranking.confidence)),), "note"),
        ),
    )


def ranking_table(found: Findings) -> Table:
    """A row for each item, up to a hundred; all of them to take away."""
    ranking = found.ranking
    names = ["rank", "item", "score", "interval", "ranks", "next", "comparisons"]
    header = [say(f"ranking.{name}", level=level(ranking.confidence)) for name in names]
    rows = []
    for row, sure in zip(ranking, found.over_next[:MOST_ROWS].tolist(), strict=False):
        best, worst = row.rank_lower, row.rank_upper
        spread = say("ranking.spread_of_ranks", best=best, worst=worst)
        rows.append(
            [
                f"{row.rank:,}",
                name_of(row.item),
                f"{row.score:+.3f}",
                f"{row.lower:+.3f} to {row.upper:+.3f}",
                f"{best:,}" if best == worst else str(spread),
                "" if np.isnan(sure) else percent(sure),
                f"{row.comparisons:,}",
            ]
        )
    shown = None
    if len(ranking) > MOST_ROWS:
        shown = say("page.shown_of", shown=MOST_ROWS, total=len(ranking))
    csv = ranking.to_frame("polars").write_csv()
    return Table(header, rows, frozenset({0, 2, 3, 4, 5, 6}), shown, ("ranking.csv", csv))


def _told_apart(found: Findings) -> Text:
    sure = found.over_next[~np.isnan(found.over_next)]
    threshold = found.ranking.confidence
    return say(
        "ranking.told_apart",
        n=len(sure),
        k=int((sure >= threshold).sum()),
        level=level(threshold),
    )


def _runs(found: Findings) -> list[tuple[int, int]]:
    """First and last place of neighbours in a row of whom none is told from the next."""
    apart = ~(found.over_next < found.ranking.confidence)  # the last of a component is
    ends = np.flatnonzero(apart).tolist()
    return [(start + 1, end) for start, end in pairwise([-1, *ends]) if end > start + 1]


def _run(found: Findings, run: tuple[int, int]) -> Text:
    first, last = run
    ranking = found.ranking
    key = "ranking.run_of_two" if last == first + 1 else "ranking.run"
    return say(
        key,
        first=name_of(ranking.items[first]),
        last=name_of(ranking.items[last]),
        best=int(ranking.ranks[first]),
        worst=int(ranking.ranks[last]),
    )


def _more(n_runs: int) -> str:
    return "; ..." if n_runs > MOST_RUNS else ""
