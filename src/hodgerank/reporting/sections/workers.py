"""Workers, and what the ranking would be without those flagged."""

from __future__ import annotations

from functools import partial

import numpy as np

from hodgerank.estimators.trust.statements import about_workers
from hodgerank.estimators.workers.assessment import WORDS, WorkerAssessment
from hodgerank.plotting.workers import workers_chart
from hodgerank.reporting.blocks import Block, Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import name_of, say, words
from hodgerank.reporting.findings import Findings, Without
from hodgerank.types import Item

MOST_WORKERS = 30


def workers_section(found: Findings) -> Section:
    """Who should be looked at, and what hangs on it."""
    workers = found.trust.workers
    if workers is None:
        return Section("workers", say("workers.title"), (Paragraph((say("workers.unknown"),)),))
    if found.without is None and workers.flagged:
        without = say("workers.lean_in_model")
    else:
        without = _without(found.without, found.ranking.items[0])
    return Section(
        "workers", say("workers.title"), (*about(workers, found.votes.n_workers, without),)
    )


def about(workers: WorkerAssessment, n_workers: int, without: Text | None) -> list[Block]:
    """Statements, the map, those that stand out, and what their flags mean."""
    said = tuple(words(str(said)) for said in about_workers(workers, n_workers))
    texts = said if without is None else (*said, without)
    blocks: list[Block] = [Paragraph(texts), Figure(partial(workers_chart, workers))]
    rows = [_row(workers, k) for k in workers.worst_first if workers.level[k] != "none"]
    if rows:
        names = ("worker", "flag", "answers", "agreement", "bias")
        header = [say(f"workers.{name}") for name in names]
        shown = None
        if len(rows) > MOST_WORKERS:
            shown = say("page.shown_of", shown=MOST_WORKERS, total=len(rows))
        csv = workers.to_frame("polars").write_csv()
        right = frozenset({2, 3, 4})
        blocks.append(Table(header, rows[:MOST_WORKERS], right, shown, ("workers.csv", csv)))
        flags = dict.fromkeys(workers.flag[k] for k in workers.worst_first)
        means = (
            say("workers.means", flag=flag, words=WORDS[flag])
            for flag in flags
            if any(row[1] == flag for row in rows)
        )
        blocks.append(Bullets(tuple(means)))
        note = say("workers.innocent", rate=workers.false_discovery_rate)
        blocks.append(Paragraph((note,), "note"))
    notes = tuple(words(note) for note in workers.notes)
    return [*blocks, Bullets(notes)] if notes else blocks


def _row(workers: WorkerAssessment, k: int) -> tuple[str, ...]:
    agreement, bias = workers.agreement[k], workers.position_bias[k]
    return (
        name_of(workers.workers[k]),
        workers.flag[k],
        f"{workers.answers[k]:,}",
        "" if np.isnan(agreement) else f"{agreement:.0%}",
        "" if np.isnan(bias) else f"{bias:+.2f}",
    )


def _without(without: Without | None, leader: Item) -> Text:
    if without is None:
        return say("workers.none_flagged")
    other = without.ranking
    if other is None:
        return say("workers.without_lost")
    return say(
        "workers.without_same" if other.items[0] == leader else "workers.without_other",
        leader=name_of(other.items[0]),
        turned=without.n_turned,
        pairs=without.n_pairs,
        tau=without.tau,
    )
