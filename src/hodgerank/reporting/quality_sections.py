"""Sections on the votes behind the order: consistency, graph, workers, outliers, position bias."""

from __future__ import annotations

from functools import partial

import numpy as np

from hodgerank.display import p_number, p_words
from hodgerank.estimators.position_bias.groupings import has_term_per_worker
from hodgerank.estimators.position_bias.terms import PositionBiasTerms
from hodgerank.estimators.preference_groups.result import PreferenceGroups
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.trust import TrustReport
from hodgerank.estimators.trust_statements import SURE
from hodgerank.estimators.workers.assessment import WORDS, WorkerAssessment
from hodgerank.graph.consistency import Cycle
from hodgerank.graph.decomposition import PART_WORDS, HodgeDecomposition
from hodgerank.plotting.comparison_graph import graph_chart
from hodgerank.plotting.decomposition import decomposition_chart
from hodgerank.plotting.outliers import outliers_chart
from hodgerank.plotting.preference_groups import preference_groups_chart
from hodgerank.plotting.triangles import triangles_chart
from hodgerank.plotting.workers import workers_chart
from hodgerank.reporting.blocks import (
    Block,
    Bullets,
    Figure,
    Paragraph,
    Section,
    Table,
    Text,
    VerdictLine,
)
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.messages import name_of, quoted, say, words

ABOUT = ("items", "ranking", "cycles", "noise", "reliability")


def consistency_section(found: Findings) -> Section:
    """Statements, the parts of the votes, and cycles by name."""
    trust = found.trust
    said = tuple(words(str(said), said.code) for said in found.statements if said.about in ABOUT)
    blocks: list[Block] = [
        Bullets(said),
        Figure(partial(decomposition_chart, trust)),
        _parts(trust),
        Paragraph((say("consistency.parts"),), "note"),
    ]
    if trust.triangles:
        blocks += [
            Paragraph((say("consistency.named_cycles"),)),
            Bullets(tuple(_cycle(cycle) for cycle in trust.triangles)),
            Figure(partial(triangles_chart, trust)),
        ]
    summary = next(words(str(said)) for said in found.statements if said.about == "cycles")
    return Section("consistency", say("consistency.title"), summary, tuple(blocks))


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
        rows.append((meaning, share, expected, "" if p is None else p_number(p)))
    return Table(header, rows, frozenset({1, 2, 3}))


def _cycle(cycle: Cycle) -> Text:
    (a, b, c), (x, y, z) = map(quoted, cycle.items), cycle.flows
    return say(
        "consistency.cycle",
        a=a, b=b, c=c, x=x, y=y, z=z, votes=sum(cycle.votes), p=p_words(cycle.p_value),
    )  # fmt: skip


MOST_OUTLIERS = 10


def outliers_section(found: Findings) -> Section | None:
    """How many there are compared with chance, and the largest residuals; None without any."""
    outliers = found.trust.outliers
    if not outliers.n_flagged:
        return None
    blocks: list[Block] = [
        Paragraph((words(outliers.verdict),)),
        Figure(partial(outliers_chart, outliers, n_named=0)),
        Paragraph((say("outliers.worst"),)),
    ]
    rows = []
    for row in outliers.to_frame("polars", extra=False).head(MOST_OUTLIERS).iter_rows(named=True):
        cells = [f"{row['row']:,}", name_of(row["left"]), name_of(row["right"])]
        cells += [f"{row['outcome']:+.2g}", f"{min(max(row['expected'], -1.0), 1.0):+.2f}"]
        if "worker" in row:
            cells.append("" if row["worker"] is None else name_of(row["worker"]))
        rows.append(cells)
    names = ("row", "left", "right", "vote", "expected", "worker")[: len(rows[0])]
    header = [say(f"outliers.{name}") for name in names]
    blocks.append(Table(header, rows, frozenset({0, 3, 4})))
    blocks.append(Paragraph((say("outliers.criterion", criterion=outliers.criterion),), "note"))
    summary = say(
        "outliers.summary",
        n=outliers.n_flagged,
        votes=outliers.votes.n_votes,
        share=outliers.share,
        p=p_words(outliers.p_value),
    )
    return Section("outliers", say("outliers.title"), summary, tuple(blocks))


def position_bias_section(found: Findings) -> Section | None:
    """Test of position bias; None where the display order is not known."""
    report = found.trust.position_bias
    if not report.n_known:
        return None
    said = tuple(words(str(said)) for said in found.statements if said.about == "position_bias")
    if has_term_per_worker(found.settings.position_bias):
        said = (*said, say("position_bias.by_worker"))
    lean = report.estimate
    if lean is None:
        summary = say("position_bias.too_few")
    else:
        name = "not_significant"
        if lean.p_value < SURE:
            name = "significant"
        elif not lean.lower <= 0 <= lean.upper:
            name = "possible"
        summary = say(f"position_bias.{name}", bias=lean.value, p=p_words(lean.p_value))
    blocks: tuple[Block, ...] = (Paragraph(said),)
    terms = found.ranking.position_bias
    if terms is not None:
        level = 100 * terms.confidence
        blocks += (Paragraph((say("position_bias.terms", level=level),)), _terms(terms))
    return Section("position_bias", say("position_bias.title"), summary, blocks)


MOST_RANKS = 30  # of both orders


def covariates_section(ranking: Ranking) -> Section | None:
    """Effects of covariates, and both orders; None without covariates."""
    terms, controlled = ranking.covariates, ranking.controlled
    if terms is None:
        return None
    blocks: list[Block] = [Paragraph(tuple(words(sentence) for sentence in terms.sentences))]
    summary = say("covariates.summary", covariates=", ".join(map(name_of, terms.names)))
    if controlled is not None:
        named = " and ".join(name_of(name) for name in terms.control or terms.estimated)
        written = ranking.as_written
        which = "controlled" if terms.control else "as_written"
        said = say(f"covariates.{which}", covariates=named)
        if controlled.items == written.items:
            blocks.append(Paragraph((say("covariates.unchanged", covariates=named), said)))
        else:
            blocks.append(Paragraph((say("covariates.both", covariates=named), said)))
            blocks.append(_both_orders(written, controlled))
    return Section("covariates", say("covariates.title"), summary, tuple(blocks))


def _both_orders(written: Ranking, controlled: Ranking) -> Table:
    """Rank and score of each item, as written and at equal covariates."""
    names = (
        "item", "rank_as_written", "rank_if_equal", "change", "score_as_written", "score_if_equal",
    )  # fmt: skip
    header = [say(f"covariates.{name}") for name in names]
    rows, text = [], written.scale.text
    for row in list(written)[:MOST_RANKS]:
        other = controlled[row.item]
        move = row.rank - other.rank
        rows.append(
            (
                name_of(row.item),
                f"{row.rank}",
                f"{other.rank}",
                f"{move:+d}" if move else "",
                text(row.score),
                text(other.score),
            )
        )
    shown = None
    if len(written) > MOST_RANKS:
        shown = say("page.shown_of", shown=MOST_RANKS, total=len(written))
    return Table(header, rows, frozenset({1, 2, 3, 4, 5}), shown)


MOST_TERMS = 30


def _terms(terms: PositionBiasTerms) -> Table:
    """The position biases in the model, the largest first."""
    names = ("grouping", "group", "bias", "interval", "left_rate", "votes")
    header = [say(f"position_bias.{name}") for name in names]
    rates, rows = terms.left_rates, []
    for k in terms.largest_first[:MOST_TERMS].tolist():
        group, (low, high) = terms.groups[k], terms.intervals[k]
        rows.append(
            (
                name_of(terms.grouping[k]),
                "" if group is None else name_of(group),
                f"{round(terms.values[k], 2) + 0.0:+.2f}",
                f"{low:+.2f} to {high:+.2f}",
                "" if np.isnan(rates[k]) else f"{rates[k]:.0%}",
                f"{terms.votes[k]:,}",
            )
        )
    shown = None
    if len(terms) > MOST_TERMS:
        shown = say("page.shown_of", shown=MOST_TERMS, total=len(terms))
    csv = terms.to_frame("polars").write_csv()
    return Table(header, rows, frozenset({2, 3, 4, 5}), shown, ("position-bias.csv", csv))


MOST_ITEMS = 60  # that a drawn graph shows


def graph_section(parts: HodgeDecomposition) -> Section:
    """Components, unfilled loops, and the graph."""
    components, loops = parts.betti
    is_connected = components == 1
    summary = say("graph.connected" if is_connected else "graph.disconnected", n=components)
    n = parts.graph.n_items
    blocks: list[Block] = [
        Paragraph((say("graph.loops", n=loops) if loops else say("graph.no_loops"),))
    ]
    if n <= MOST_ITEMS:
        blocks.append(Figure(partial(graph_chart, parts)))
    else:
        blocks.append(Paragraph((say("graph.too_many", n=n),), "note"))
    return Section("graph", say("graph.title"), summary, tuple(blocks))


MOST_WORKERS = 30


def workers_section(line: VerdictLine, workers: WorkerAssessment, title: Text) -> Section:
    """The map of the workers, those with a warning or a note, and what these mean."""
    blocks: list[Block] = [Figure(partial(workers_chart, workers))]
    if line.detail:
        blocks.insert(0, Paragraph(line.detail))
    rows = [_row(workers, k) for k in workers.worst_first if workers.level[k] != "none"]
    if rows:
        names = ("worker", "flag", "votes", "agreement", "bias")
        header = [say(f"workers.{name}") for name in names]
        shown = None
        if len(rows) > MOST_WORKERS:
            shown = say("page.shown_of", shown=MOST_WORKERS, total=len(rows))
        csv = workers.to_frame("polars").write_csv()
        right = frozenset({2, 3, 4})
        blocks.append(Table(header, rows[:MOST_WORKERS], right, shown, ("workers.csv", csv)))
        flags = dict.fromkeys(row[1] for row in rows)
        means = (say("workers.means", flag=flag, words=WORDS[flag]) for flag in flags)
        blocks.append(Bullets(tuple(means)))
        note = say("workers.rate", rate=workers.false_discovery_rate)
        blocks.append(Paragraph((note,), "note"))
    # what close pairs hide is in the detail already
    notes = tuple(words(note) for note in workers.notes if note != workers.random_hidden)
    if notes:
        blocks.append(Bullets(notes))
    return Section("workers", title, line.text, tuple(blocks))


def _row(workers: WorkerAssessment, k: int) -> tuple[str, ...]:
    agreement, bias = workers.agreement[k], workers.position_bias[k]
    return (
        name_of(workers.workers[k]),
        workers.flag[k],
        f"{workers.votes[k]:,}",
        "" if np.isnan(agreement) else f"{agreement:.0%}",
        "" if np.isnan(bias) else f"{bias:+.2f}",
    )


MOST_REVERSED = 10


def preference_groups_section(groups: PreferenceGroups) -> Section:
    """Groups of workers with different tastes, and what they disagree on."""
    summary = words(groups.statement)
    blocks: list[Block] = [Paragraph((say("preference_groups.method"),))]
    if (groups.count or 1) > 1:
        sizes = [
            (f"{g}", f"{size:,}", f"{int((groups.is_reliable & (groups.group == g)).sum()):,}")
            for g, size in enumerate(groups.sizes.tolist(), start=1)
        ]
        size_header = [say(f"preference_groups.{name}") for name in ("group", "size", "reliable")]
        pairs = [
            (
                name_of(pair.item),
                name_of(pair.other),
                ", ".join(map(str, pair.prefer)),
                ", ".join(map(str, pair.oppose)),
            )
            for pair in groups.reversed_pairs[:MOST_REVERSED]
        ]
        names = ("item", "other", "prefer", "oppose")
        header = [say(f"preference_groups.{name}") for name in names]
        shown = None
        if groups.n_reversed > len(pairs):
            shown = say("page.shown_of", shown=len(pairs), total=groups.n_reversed)
        blocks += [
            Paragraph((say("preference_groups.together"),)),
            Table(size_header, sizes, frozenset({0, 1, 2})),
            Figure(partial(preference_groups_chart, groups)),
            Paragraph((say("preference_groups.reversed"),)),
            Table(header, pairs, frozenset({2, 3}), shown),
            Paragraph((say("preference_groups.members"),), "note"),
        ]
    notes = tuple(words(note) for note in groups.notes) if groups.count else ()
    if notes:
        blocks.append(Bullets(notes))
    return Section("preference_groups", say("preference_groups.title"), summary, tuple(blocks))
