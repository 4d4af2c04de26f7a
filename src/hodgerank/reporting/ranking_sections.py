"""Sections on the order: the full ranking, its certainty, and the next votes."""

from __future__ import annotations

import numpy as np

from hodgerank.collecting.forecast import Forecast
from hodgerank.data.sources.frames import build_frame
from hodgerank.estimators.certainty import expected_tau
from hodgerank.estimators.rank import on_few_votes
from hodgerank.estimators.score_scale import MODEL_SCALE
from hodgerank.estimators.votes_to_win import STATED_ITEMS, STATED_VOTES
from hodgerank.reporting.blocks import Block, Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import MOST_FORECAST, Findings
from hodgerank.reporting.first_page import could_be, settled_neighbours
from hodgerank.reporting.margin_findings import MarginFindings
from hodgerank.reporting.messages import (
    fraction,
    level,
    name_of,
    percent,
    probability,
    quoted,
    say,
    vote_range,
    words,
)

MOST_RANKED = 100
MOST_RUNS = 5


def ranking_section(found: Findings | MarginFindings) -> Section:
    """All items in a table, and which places are open."""
    ranking, n = found.ranking, len(found.ranking)
    known = found.verdict.has_order
    # the first page says it of a leader, and without an order there is none
    few_votes = {*on_few_votes(ranking, True), *on_few_votes(ranking, False)}
    notes = [words(note) for note in ranking.notes if note not in few_votes]
    if ranking.is_clustered and any(said.code == "correlated" for said in found.statements):
        notes.append(say("ranking.repeats"))
    meaning = ranking.scale.explanation
    reading = (
        words(meaning, "ranking.scale") if meaning else say("ranking.scores"),
        say("ranking.intervals", level=level(ranking.confidence)),
        *([say("ranking.places", level=level(ranking.confidence))] if known else []),
    )
    return Section(
        "ranking",
        say("ranking.title"),
        say("ranking.summary" if known else "ranking.summary_no_order", n=n),
        (
            *([Paragraph(_tiers(found))] if known and n > 2 else []),
            *([Bullets(tuple(notes))] if notes else []),
            _table(found),
            Paragraph(reading, "note"),
        ),
    )


def _tiers(found: Findings | MarginFindings) -> tuple[Text, ...]:
    runs = [(first, last) for first, last in found.verdict.tiers if last > first]
    said = say("ranking.tiers", **settled_neighbours(found.verdict))
    if not runs:
        return (said,)
    shown = "; ".join(str(_run(found, *run)) for run in runs[:MOST_RUNS])
    return said, say("ranking.tied", runs=f"{shown}; ..." if runs[MOST_RUNS:] else shown)


def _run(found: Findings | MarginFindings, first: int, last: int) -> Text:
    items = found.ranking.items
    key = "ranking.run_of_two" if last == first + 1 else "ranking.run"
    names = {"first": quoted(items[first]), "last": quoted(items[last])}
    return say(key, best=first + 1, worst=last + 1, **names)


def _table(found: Findings | MarginFindings) -> Table:
    """A row for each item, up to a hundred; all of them as CSV."""
    ranking, known = found.ranking, found.verdict.has_order
    names = ["item", "score", "interval", "votes"]
    if known:
        names = ["place", "item", "score", "interval", "could_be", "next", "votes"]
    header = [say(f"ranking.{name}", level=level(ranking.confidence)) for name in names]
    scale = ranking.scale
    if scale != MODEL_SCALE:
        header[names.index("score")] = Text("{score}", {"score": scale.label})
    over_next = found.verdict.over_next
    rows = []
    for k, row in zip(range(MOST_RANKED), ranking, strict=False):
        cells = {
            "place": f"{row.rank:,}",
            "item": name_of(row.item),
            "score": scale.text(row.score),
            "interval": f"{scale.text(row.lower)} to {scale.text(row.upper)}",
            "could_be": could_be(found.verdict, k),
            "next": "" if np.isnan(over_next[k]) else probability(float(over_next[k])),
            "votes": f"{row.votes:,}",
        }
        rows.append([cells[name] for name in names])
    shown = None
    if len(ranking) > MOST_RANKED:
        shown = say("page.shown_of", shown=MOST_RANKED, total=len(ranking))
    csv = build_frame(found.verdict.columns(ranking), "polars").write_csv()
    right = frozenset(k for k, name in enumerate(names) if name != "item")
    return Table(header, rows, right, shown, ("ranking.csv", csv))


def certainty_section(found: Findings | MarginFindings) -> Section:
    """How certain the order and the first places are, and what more votes would achieve."""
    ranking, verdict = found.ranking, found.verdict
    pairs, at = probability(verdict.pairs_in_order), level(verdict.level)
    order = say(
        "certainty.order",
        pairs=pairs[:1].upper() + pairs[1:],
        tau=fraction(expected_tau(ranking)),
        settled=percent(ranking.settled),
        level=level(ranking.confidence),
    )
    rows = [
        (str(say("certainty.top", n=k)), probability(sure), str(_reached(found, sure)))
        for k, sure in sorted(found.tops.items())
    ]
    header = [say(f"certainty.{name}", level=at) for name in ("question", "probability", "verdict")]
    return Section(
        "certainty",
        say("certainty.title"),
        say("certainty.summary", pairs=pairs[:1].upper() + pairs[1:]),
        (
            Paragraph((order,)),
            Table(header, rows, frozenset({1})),
            *_outlook(found),
            *(_votes_to_win(found) if isinstance(found, Findings) else []),
        ),
    )


def _votes_to_win(found: Findings) -> list[Block]:
    """How few votes put another item first, always with the gap in standard errors."""
    if not found.to_win:
        if max(found.votes.n_items - STATED_ITEMS, found.votes.n_votes - STATED_VOTES) <= 0:
            return []
        return [
            Paragraph(
                (say("certainty.many_votes", items=STATED_ITEMS, votes=STATED_VOTES),), "note"
            )
        ]
    votes, *workers = found.to_win
    key = "certainty.votes_to_win" if votes.n else "certainty.no_votes_to_win"
    most = min(votes.most, votes.of)
    how_few = say(key, n=votes.n or 0, of=votes.of, most=most, item=quoted(votes.item), z=votes.z)
    also = [say("certainty.workers_to_win", n=other.n, of=other.of) for other in workers]
    return [Paragraph((how_few, *also)), Paragraph((say("certainty.about_votes_to_win"),), "note")]


def _reached(found: Findings | MarginFindings, sure: float) -> Text:
    if found.verdict.state == "correlated":
        return say("certainty.not_assessed")
    is_reached = sure >= found.verdict.level
    return say("certainty.reached" if is_reached else "certainty.not_reached")


def _outlook(found: Findings | MarginFindings) -> list[Block]:
    if isinstance(found, MarginFindings):
        return []
    if found.settings.with_forecast and len(found.ranking) > MOST_FORECAST:
        return [Paragraph((say("certainty.many", n=MOST_FORECAST),))]
    if found.forecast is None:
        return []
    outlook = found.forecast
    how = [say("certainty.simulated")]
    if outlook.spread_is_unknown and not outlook.is_narrow and not outlook.is_out_of_reach:
        how.append(say("certainty.spread"))
    return [Paragraph((_forecast(found, outlook),)), Paragraph(tuple(how), "note")]


def _forecast(found: Findings, outlook: Forecast) -> Text:
    at, is_far = level(outlook.target), outlook.is_out_of_reach
    if found.verdict.goal == "best":
        if is_far:
            return say("certainty.out_of_reach", level=at)
        return say("certainty.to_best", votes=vote_range(outlook), level=at)
    pairs = percent((1 + outlook.target) / 2)
    if is_far:
        return say("certainty.order_out_of_reach", pairs=pairs)
    return say("certainty.to_order", votes=vote_range(outlook), pairs=pairs)


def next_section(found: Findings) -> Section:
    """The most informative pairs about what the headline leaves open, and how to get a sheet."""
    title, n = say("next.title"), len(found.next_pairs)
    if not n:
        return Section("next", title, say("next.none"), ())
    is_about_best = found.verdict.goal == "best"
    header = (say("next.left"), say("next.right"))
    rows = [(name_of(pair.left), name_of(pair.right)) for pair in found.next_pairs]
    blocks = (
        Paragraph((say("next.sequence"),)),
        Table(header, rows),
        Paragraph((say("next.sheet", goal="--top 1 " if is_about_best else ""),), "note"),
    )
    summary = say("next.best" if is_about_best else "next.order", n=n)
    return Section("next", title, summary, blocks)
