"""What was read, and what was left out."""

from __future__ import annotations

from hodgerank.data.comparisons import ReadReport
from hodgerank.graph.description import Description, Spread
from hodgerank.reporting.blocks import Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import say, words
from hodgerank.reporting.findings import Findings


def reading_section(found: Findings) -> Section:
    """How the votes were understood, and what they cover."""
    rows = [(str(fact), str(value)) for fact, value in _facts(found.description)]
    header = (say("read.fact"), say("read.value"))
    return Section(
        "read", say("read.title"), (*about_reading(found.votes.report), Table(header, rows))
    )


def about_reading(report: ReadReport) -> tuple[Paragraph | Bullets, ...]:
    """The layout that was taken, rows that were left out, and what else there is to know."""
    n = sum(report.left_out.values())
    if n:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report.left_out.items())
        left_out = say("read.left_out", rows=report.rows + report.filtered, n=n, reasons=reasons)
    else:
        left_out = say("read.all_used")
    first = Paragraph((say("read.rows", words=str(report)), left_out))
    notes = tuple(words(note) for note in (*report.rejections, *report.notes))
    return (first, Bullets(notes)) if notes else (first,)


def _facts(d: Description) -> list[tuple[Text, Text]]:
    joined = say("read.joined", n=d.items)
    unjoined = say("read.unjoined", n=d.items, k=d.components)
    facts = [
        (say("read.items"), joined if d.components == 1 else unjoined),
        (say("read.answers"), say("read.answers_of", n=d.answers, ties=d.ties, graded=d.graded)),
        (say("read.workers"), _workers(d)),
        (
            say("read.pairs"),
            say("read.pairs_of", n=d.pairs_asked, possible=d.pairs_possible, share=d.coverage),
        ),
        (say("read.per_pair"), _spread(d.answers_per_pair)),
        (say("read.per_item"), _spread(d.answers_per_item)),
    ]
    if d.answers_per_worker is not None:
        facts.append((say("read.per_worker"), _spread(d.answers_per_worker)))
    if d.display_order is None:
        facts.append((say("read.display"), say("read.display_unknown")))
    elif d.display_order.left_preferred is not None:
        facts.append((say("read.left"), say("read.left_of", share=d.display_order.left_preferred)))
    return facts


def _workers(d: Description) -> Text:
    if not d.workers:
        return say("read.workers_unknown")
    if d.anonymous_answers:
        return say("read.anonymous", n=d.workers, k=d.anonymous_answers)
    return say("read.workers_of", n=d.workers)


def _spread(spread: Spread) -> Text:
    return say("read.spread", least=spread.least, most=spread.most, median=spread.median)
