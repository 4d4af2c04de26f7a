"""Whether one ranking explains the answers, beside what noise gives."""

from __future__ import annotations

from functools import partial

import numpy as np

from hodgerank.display import p_words
from hodgerank.estimators.trust import TrustReport
from hodgerank.estimators.trust_statements import about_workers
from hodgerank.estimators.workers.assessment import WORDS, WorkerAssessment
from hodgerank.graph.consistency import Cycle
from hodgerank.graph.decomposition import PART_WORDS
from hodgerank.plotting.comparison_graph import graph_chart
from hodgerank.plotting.decomposition import decomposition_chart
from hodgerank.plotting.outliers import outliers_chart
from hodgerank.plotting.triangles import triangles_chart
from hodgerank.plotting.workers import workers_chart
from hodgerank.reporting.blocks import Block, Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import Findings, WithoutFlagged
from hodgerank.reporting.messages import name_of, p_value, say, words
from hodgerank.types import Item

ABOUT = ("items", "ranking", "cycles", "noise", "reliability")


def consistency_section(found: Findings) -> Section:
    """Statements, the parts of the votes, and cycles by name."""
    trust = found.trust
    said = tuple(words(str(said)) for said in found.statements if said.about in ABOUT)
    blocks: list[Block] = [
        Bullets(said),
        Figure(partial(decomposition_chart, trust)),
        _parts(trust),
        Paragraph((say("consistency.parts"),), "note"),
    ]
    if trust.triangles:
        blocks += [
            Paragraph((say("consistency.cycles"),)),
            Bullets(tuple(_cycle(cycle) for cycle in trust.triangles)),
            Figure(partial(triangles_chart, trust)),
        ]
    return Section("consistency", say("consistency.title"), tuple(blocks))


def _parts(trust: TrustReport) -> Table:
    header = [say(f"consistency.{name}") for name in ("part", "share", "expected", "p")]
    rows = []
    for part, meaning in PART_WORDS.items():
        noise, p = trust.decomposition.noise(part), trust.p_value(part)
        share, expected = f"{trust.decomposition.energy[part]:.1%}", ""
        if part == "bias" and not trust.decomposition.expected.n_both_ways:
            share, p = str(say("consistency.unseen")), None
        elif p is not None and noise is not None:
            expected = f"{noise.mean:.1%} ± {noise.std:.1%}"
        rows.append((meaning, share, expected, p_value(p)))
    return Table(header, rows, frozenset({1, 2, 3}))


def _cycle(cycle: Cycle) -> Text:
    (a, b, c), (x, y, z) = map(name_of, cycle.items), cycle.flows
    return say(
        "consistency.cycle",
        a=a, b=b, c=c, x=x, y=y, z=z, answers=sum(cycle.votes), p=p_words(cycle.p_value),
    )  # fmt: skip


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


def sides_section(found: Findings) -> Section:
    """What may be said about sides."""
    said = tuple(words(str(said)) for said in found.statements if said.about == "position_bias")
    if found.settings.position_bias == "worker":
        said = (*said, say("position_bias.by_worker"))
    return Section("position_bias", say("position_bias.title"), (Paragraph(said),))


MOST_ITEMS = 60  # that a drawn graph shows


def topology_section(found: Findings) -> Section:
    """Components, open loops, and the graph."""
    parts = found.trust.decomposition
    components, loops = parts.betti
    joined = say("topology.whole") if components == 1 else say("topology.apart", n=components)
    opened = say("topology.loops", n=loops) if loops else say("topology.no_loops")
    n = len(found.ranking)
    blocks: list[Block] = [Paragraph((joined, opened))]
    if n <= MOST_ITEMS:
        blocks.append(Figure(partial(graph_chart, parts)))
    else:
        blocks.append(Paragraph((say("topology.too_many", n=n),), "note"))
    return Section("topology", say("topology.title"), tuple(blocks))


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
        f"{workers.votes[k]:,}",
        "" if np.isnan(agreement) else f"{agreement:.0%}",
        "" if np.isnan(bias) else f"{bias:+.2f}",
    )


def _without(without: WithoutFlagged | None, leader: Item) -> Text:
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
