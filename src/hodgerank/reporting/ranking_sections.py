"""The ranking with intervals, and which neighbours cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np

from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import ExpectedTau
from hodgerank.estimators.certainty import certainties
from hodgerank.plotting.ranking import group_rankings_chart, ranking_chart
from hodgerank.reporting.blocks import Block, Bullets, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import FORESEEN, Findings
from hodgerank.reporting.group_findings import GroupFindings
from hodgerank.reporting.messages import level, name_of, percent, say, words

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
                f"{row.votes:,}",
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


def certainty_section(found: Findings) -> Section:
    """Of the order, of the best, and what it takes to have more of both."""
    ranking = found.ranking
    order = say(
        "certainty.order",
        pairs=percent((1 + found.tau) / 2),
        tau=found.tau,
        settled=percent(ranking.settled),
        level=level(ranking.confidence),
    )
    tops = {**found.tops, 1: found.leading.certainty}
    rows = [(str(say("certainty.top", n=k)), percent(sure)) for k, sure in tops.items()]
    header = (say("certainty.question"), say("certainty.certainty"))
    table = Table(header, rows, frozenset({1}))
    return Section(
        "certainty", say("certainty.title"), (Paragraph((order,)), table, *_forecasts(found))
    )


def _forecasts(found: Findings) -> list[Block]:
    if not found.settings.with_forecast:
        return [Paragraph((say("certainty.unwanted"),))]
    if len(found.ranking) > FORESEEN:
        return [Paragraph((say("certainty.many", n=FORESEEN),))]
    if not found.forecasts:
        return []
    header = (say("certainty.more"), say("certainty.takes"), say("certainty.between"))
    rows = [(str(_wanted(outlook)), *_takes(outlook)) for outlook in found.forecasts]
    return [
        Table(header, rows, frozenset({1, 2})),
        Paragraph((say("certainty.futures"),), "note"),
    ]


def _wanted(outlook: Forecast) -> Text:
    if isinstance(outlook.rule, ExpectedTau):
        return say("certainty.order_reached", pairs=percent((1 + outlook.target) / 2))
    return say("certainty.best_settled", level=level(outlook.target))


def _takes(outlook: Forecast) -> tuple[str, str]:
    """More answers, and nine in ten futures."""
    if not outlook.votes:
        return str(say("certainty.reached")), ""
    if not np.isfinite(outlook.votes):
        return str(say("certainty.out_of_reach")), ""
    far = str(say("certainty.far_more"))
    upper = f"{outlook.upper:,.0f}" if np.isfinite(outlook.upper) else far
    return f"{outlook.votes:,.0f}", f"{outlook.lower:,.0f} to {upper}"


def next_section(found: Findings) -> Section:
    """The most informative pairs, and how to get a sheet of them."""
    blocks: list[Block]
    if found.next_pairs:
        header = (say("next.left"), say("next.right"))
        rows = [(name_of(pair.left), name_of(pair.right)) for pair in found.next_pairs]
        sheet = say("next.sheet")
        blocks = [Paragraph((say("next.pairs"),)), Table(header, rows), Paragraph((sheet,), "note")]
    else:
        blocks = [Paragraph((say("next.all_asked"),))]
    return Section("next", say("next.title"), tuple(blocks))


MOST_GROUPS = 200
MOST_LINES = 30  # of a chart that fits a page


def no_groups_section() -> Section:
    """That there are none."""
    return Section("groups", say("groups.title"), (Paragraph((say("groups.none"),)),))


def group_rankings_section(found: GroupFindings) -> Section:
    """A chart of the first groups, and a row for each."""
    rankings = found.rankings
    blocks: list[Block] = []
    if len(rankings):
        blocks.append(Figure(partial(group_rankings_chart, rankings, most_lines=MOST_LINES)))
    names = ("group", "items", "answers", "leader", "certain", "settled", "pairs", "concerns")
    header = [say(f"groups.{name}", column=rankings.column) for name in names]
    rows = []
    for line in rankings.summary[:MOST_GROUPS]:
        row = [name_of(line.group), f"{line.items:,}", f"{line.votes:,}"]
        if line.leader is not None:
            each = found.each[line.group]
            concerns = [said.about for said in each.concerns]
            row += [
                name_of(line.leader),
                str(say("groups.yes" if each.leader_is_certain else "groups.no")),
                percent(line.settled),
                percent((1 + each.tau) / 2),
                ", ".join(dict.fromkeys(concerns)) or str(say("groups.nothing")),
            ]
        rows.append(row + [""] * (len(names) - len(row)))
    shown = None
    if len(rankings.summary) > MOST_GROUPS:
        shown = say("page.shown_of", shown=MOST_GROUPS, total=len(rankings.summary))
    csv = rankings.to_frame("polars").write_csv() if len(rankings) else ""
    right = frozenset({1, 2, 5, 6})
    blocks.append(Table(header, rows, right, shown, ("rankings.csv", csv) if csv else None))
    if rankings.problems:
        blocks += [
            Paragraph((say("groups.problems", n=len(rankings.problems)),)),
            Bullets(
                tuple(
                    say("groups.problem", group=name_of(group), words=str(problem))
                    for group, problem in rankings.problems.items()
                )
            ),
        ]
    title = say("groups.title_by", column=rankings.column)
    return Section("ranking", title, tuple(blocks))


def group_consistency_section(found: GroupFindings) -> Section:
    """What deserves attention, group by group."""
    said = tuple(
        say("groups.problem", group=name_of(group), words="; ".join(map(str, each.concerns)))
        for group, each in found.each.items()
        if each.concerns
    )
    block: Block = Bullets(said) if said else Paragraph((say("groups.clean"),))
    return Section("consistency", say("consistency.title"), (block,))


def group_next_section(found: GroupFindings) -> Section:
    """The pair to ask next in each group whose leader is open."""
    rows = [
        (name_of(group), name_of(each.next_pairs[0].left), name_of(each.next_pairs[0].right))
        for group, each in found.each.items()
        if each.next_pairs and not each.leader_is_certain
    ]
    if not rows:
        return Section("next", say("next.title"), (Paragraph((say("answer.enough"),)),))
    header = (
        say("groups.group", column=found.rankings.column),
        say("next.left"),
        say("next.right"),
    )
    shown = None
    if len(rows) > MOST_GROUPS:
        shown = say("page.shown_of", shown=MOST_GROUPS, total=len(rows))
    table = Table(header, rows[:MOST_GROUPS], caption=shown)
    return Section("next", say("next.title"), (table,))
