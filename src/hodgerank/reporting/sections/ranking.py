"""The ranking with intervals, and which neighbours cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np

from hodgerank.estimators.certainty import certainties
from hodgerank.plotting.ranking import ranking_chart
from hodgerank.reporting.blocks import Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import name_of, say, words
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.numbers import level, percent

MOST_RANKED = 100
MOST_RUNS = 5


def ranking_section(found: Findings, finding: Text) -> Section:
    """Chart, table and notes; the title of the chart is what was found."""
    ranking = found.ranking
    texts = [_told_apart(found)]
    if runs := list(islice(_runs(found), MOST_RUNS + 1)):
        listed = "; ".join(str(_run(found, run)) for run in runs[:MOST_RUNS])
        texts.append(say("ranking.tied", runs=f"{listed}; ..." if runs[MOST_RUNS:] else listed))
    if ranking.n_components > 1:
        texts.append(say("ranking.separate"))
    notes = [words(note) for note in ranking.notes]
    if found.same_as:
        notes.append(say("ranking.same_as", options=found.same_as))
    if found.repeats and ranking.is_clustered:
        notes.append(say("ranking.repeats"))
    return Section(
        "ranking",
        say("ranking.title"),
        (
            Paragraph(tuple(texts)),
            Figure(partial(ranking_chart, ranking, finding=str(finding).rstrip("."))),
            *([Bullets(tuple(notes))] if notes else []),
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
    for row, sure in zip(ranking, found.over_next[:MOST_RANKED].tolist(), strict=False):
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
    if len(ranking) > MOST_RANKED:
        shown = say("page.shown_of", shown=MOST_RANKED, total=len(ranking))
    csv = ranking.to_frame("polars").write_csv()
    return Table(header, rows, frozenset({0, 2, 3, 4, 5, 6}), shown, ("ranking.csv", csv))


def _told_apart(found: Findings) -> Text:
    sure = found.over_next[~np.isnan(found.over_next)]
    if len(sure) == 1:
        return say("ranking.told_apart_of_two", sure=percent(float(sure[0])))
    threshold = found.ranking.confidence
    n_apart = int((sure >= threshold).sum())
    return say("ranking.told_apart", n=len(sure), k=n_apart, level=level(threshold))


def _runs(found: Findings) -> Iterator[tuple[int, int]]:
    """First and last place of items in a row that are not told apart from the first of them."""
    ranking, first = found.ranking, 0
    while first < len(ranking) - 1:
        if not found.over_next[first] < ranking.confidence:  # told apart, or last of a component
            first += 1
            continue
        component = np.flatnonzero(ranking.components == ranking.components[first])
        others = component[component > first]
        sure = certainties(ranking, np.full(len(others), first), others)
        apart = np.flatnonzero(sure >= ranking.confidence)
        last = int(others[apart[0]]) - 1 if len(apart) else int(others[-1])
        yield first, last
        first = last + 1


def _run(found: Findings, run: tuple[int, int]) -> Text:
    first, last = run
    ranking = found.ranking
    names = {"first": name_of(ranking.items[first]), "last": name_of(ranking.items[last])}
    if last == first + 1:
        return say("ranking.run_of_two", **names)
    best, worst = int(ranking.ranks[first]), int(ranking.ranks[last])
    return say("ranking.run", **names, best=best, worst=worst)
