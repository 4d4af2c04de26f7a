"""Groups of votes that were told apart."""

from __future__ import annotations

from functools import partial

from hodgerank.plotting.ranking import group_rankings_chart
from hodgerank.reporting.blocks import Block, Bullets, Figure, Paragraph, Section, Table
from hodgerank.reporting.catalogue import name_of, say
from hodgerank.reporting.group_findings import GroupFindings
from hodgerank.reporting.numbers import percent

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
        row = [name_of(line.group), f"{line.items:,}", f"{line.answers:,}"]
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
