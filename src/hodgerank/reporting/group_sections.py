"""The report of groups: its answer, first page and sections."""

from __future__ import annotations

from functools import partial

from hodgerank.plotting.ranking import group_rankings_chart
from hodgerank.reporting.blocks import (
    Block,
    Bullets,
    Figure,
    FirstPage,
    KeyFigure,
    Paragraph,
    Section,
    Table,
    Text,
    VerdictLine,
)
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.first_page import (
    MOST_PLACES,
    line_of_unflagged,
    n_places,
    notes_on,
)
from hodgerank.reporting.group_findings import GroupFindings
from hodgerank.reporting.messages import listed, name_of, probability, quoted, say
from hodgerank.reporting.method_sections import about_reading, data_summary
from hodgerank.reporting.quality_sections import workers_section
from hodgerank.types import Item

MOST_GROUPS = 200
MOST_LINES = 30  # of a chart that fits a page
COLUMNS = ("group", "items", "votes", "best", "pairs", "check")
RIGHT = frozenset({1, 2, 4})


def group_answer(found: GroupFindings) -> tuple[Text, ...]:
    """Where the best item is settled, how far orders can be relied on, and what to do."""
    n, n_open = len(found.rankings.sizes), len(found.open_groups)
    if not found.each:
        return (say("groups.unranked", n=n),)
    first = say("groups.settled", n=n, k=len(found.each) - n_open)
    pairs = found.pairs_in_order
    order = (
        say("answer.no_order") if pairs is None else say("groups.order", pairs=probability(pairs))
    )
    if found.doubtful:
        return first, order, say("groups.look", n=len(found.doubtful))
    advice = say("groups.collect", n=n_open) if n_open else say("groups.enough")
    return first, order, advice


def group_first_page(found: GroupFindings) -> FirstPage:
    """Key figures, the first groups, and three lines on whether to rely on them."""
    votes, n = found.votes, len(found.rankings.sizes)
    figures = {"votes": f"{votes.n_votes:,}"}
    if votes.n_workers:
        figures["workers"] = f"{votes.n_workers:,}"
    figures |= {"items": f"{votes.n_items:,}", "groups": f"{n:,}"}
    if found.pairs_in_order is not None:
        figures["pairs"] = probability(found.pairs_in_order)
    rows = _rows(found, MOST_PLACES)
    k = n_places([max(row[0], row[3], key=len) for row in rows])
    title = say("groups.all") if k == n else say("groups.first", k=k, n=n)
    lines = [_order_line(found)]
    if found.workers is not None:
        lines.append(group_workers_line(found))
    lines.append(_consistency_line(found))
    return FirstPage(
        tuple(KeyFigure(say(f"figures.{name}"), value) for name, value in figures.items()),
        Table(_header(found), rows[:k], RIGHT, title),
        tuple(lines),
    )


def _header(found: GroupFindings) -> list[Text]:
    return [say(f"groups.{name}", column=found.rankings.column) for name in COLUMNS]


def _rows(found: GroupFindings, most: int) -> list[list[str]]:
    rows = []
    for line in found.rankings.summary[:most]:
        row = [name_of(line.group), f"{line.items:,}", f"{line.votes:,}"]
        each = found.each.get(line.group)
        if each is None:
            row += [str(say("groups.not_ranked")), "", ""]
        else:
            concerns = dict.fromkeys(said.about.replace("_", " ") for said in each.concerns)
            known = each.verdict.has_order
            row += [
                str(_best(each)),
                probability(each.verdict.pairs_in_order) if known else "",
                ", ".join(concerns) or str(say("groups.nothing")),
            ]
        rows.append(row)
    return rows


def _best(found: Findings) -> Text:
    """The best item of a group, or why it is not known."""
    verdict = found.verdict
    match verdict.state:
        case "settled":
            return Text("{item}", {"item": name_of(verdict.leaders[0])})
        case "tied":
            return say("groups.tied", items=listed(verdict.leaders))
        case "correlated":
            return say("groups.state_correlated", item=quoted(verdict.leaders[0]))
        case "chance":
            return say("groups.state_chance")
        case "cyclic":
            return say("groups.state_cyclic")
        case "level":
            return say("groups.state_level")
        case "disconnected":
            return say("groups.state_disconnected")


def _order_line(found: GroupFindings) -> VerdictLine:
    title, n_open = say("order.title"), len(found.open_groups)
    n_without = sum(not each.verdict.has_order for each in found.each.values())
    detail = (say("groups.no_ranking", n=n_without),) if n_without else ()
    if not found.each:
        return VerdictLine(title, "warning", say("groups.unranked", n=len(found.rankings.sizes)))
    if n_open:
        action = say("groups.collect", n=n_open)
        return VerdictLine(title, "open", say("groups.some_open", n=n_open), detail, action, "next")
    return VerdictLine(title, "good", say("groups.all_settled"), (), None, "ranking")


def group_workers_line(found: GroupFindings) -> VerdictLine:
    """Name the workers with a warning, over all groups."""
    assert found.workers is not None  # there is no line without workers
    n = len(found.warned)
    if not n:
        return line_of_unflagged(found.workers, found.settings.position_bias)
    text = say("workers.warnings", n=n, total=len(found.workers), names=listed(found.warned))
    detail, action = notes_on(found.workers, n), say("workers.look", n=n)
    return VerdictLine(say("workers.title"), "warning", text, detail, action, "workers")


def _consistency_line(found: GroupFindings) -> VerdictLine:
    title, n = say("consistency.title"), len(found.doubtful)
    if not n:
        return VerdictLine(title, "good", say("groups.clean"), (), None, "consistency")
    text, action = say("groups.concerns", n=n), say("groups.look", n=n)
    return VerdictLine(title, "warning", text, (), action, "consistency")


def group_sections(found: GroupFindings) -> tuple[Section, ...]:
    """Data, rankings, consistency, workers and next votes of all groups."""
    workers = found.workers
    return (
        Section(
            "data", say("data.title"), data_summary(found.votes), about_reading(found.votes.report)
        ),
        _rankings_section(found),
        _consistency_section(found),
        *(
            [workers_section(group_workers_line(found), workers, say("workers.title_of_groups"))]
            if workers is not None
            else []
        ),
        *_next_sections(found),
    )


def _rankings_section(found: GroupFindings) -> Section:
    """A chart of the first groups, and a row for each."""
    rankings, n = found.rankings, len(found.rankings.sizes)
    blocks: list[Block] = []
    if len(rankings):
        blocks.append(Figure(partial(group_rankings_chart, rankings, most_lines=MOST_LINES)))
    shown = say("page.shown_of", shown=MOST_GROUPS, total=n) if n > MOST_GROUPS else None
    csv = rankings.to_frame("polars").write_csv() if len(rankings) else ""
    download = ("rankings.csv", csv) if csv else None
    blocks.append(Table(_header(found), _rows(found, MOST_GROUPS), RIGHT, shown, download))
    if rankings.problems:
        blocks += [
            Paragraph((say("groups.problems", n=len(rankings.problems)),)),
            Bullets(tuple(_problem(group, str(why)) for group, why in rankings.problems.items())),
        ]
    title = say("groups.title_by", column=rankings.column)
    return Section("ranking", title, say("groups.summary", n=n), tuple(blocks))


def _problem(group: Item, words: str) -> Text:
    return say("groups.problem", group=quoted(group), words=words)


def _consistency_section(found: GroupFindings) -> Section:
    """Concerns of each group."""
    said = tuple(
        _problem(group, "; ".join(map(str, found.each[group].concerns))) for group in found.doubtful
    )
    summary = say("groups.concerns", n=len(said)) if said else say("groups.clean")
    blocks = (Bullets(said),) if said else ()
    return Section("consistency", say("consistency.title"), summary, blocks)


def _next_sections(found: GroupFindings) -> list[Section]:
    """The pair to ask next in each group whose best item is open; none where all are settled."""
    rows = [
        (name_of(group), *map(name_of, found.each[group].next_pairs[0]))
        for group in found.open_groups
        if found.each[group].next_pairs
    ]
    if not rows:
        return []
    group = say("groups.group", column=found.rankings.column)
    header = (group, say("next.left"), say("next.right"))
    shown = None
    if len(rows) > MOST_GROUPS:
        shown = say("page.shown_of", shown=MOST_GROUPS, total=len(rows))
    table = Table(header, rows[:MOST_GROUPS], caption=shown)
    return [Section("next", say("next.title"), say("next.of_groups", n=len(rows)), (table,))]
