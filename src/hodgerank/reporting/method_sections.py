"""Sections on data and methods: what was read, how it was ranked, how to reproduce it."""

from __future__ import annotations

import platform
import re
from dataclasses import asdict
from hashlib import sha256

from hodgerank import __version__
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.description import Description, Spread
from hodgerank.reporting.blocks import Block, Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.margin_findings import MarginFindings
from hodgerank.reporting.messages import level, say, words
from hodgerank.reporting.options import Provenance

REFERENCES = {
    "Benjamini95": "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. Journal of "
    "the Royal Statistical Society B 57, 1995",
    "Jiang11": "X. Jiang, L.-H. Lim, Y. Yao, Y. Ye. Statistical ranking and combinatorial Hodge "
    "theory. Mathematical Programming 127, 2011",
    "MacKay92": "D. MacKay. The evidence framework applied to classification networks. Neural "
    "Computation 4, 1992",
    "Minka01": "T. Minka. Expectation propagation for approximate Bayesian inference. UAI 2001",
    "Xu13": "Q. Xu, J. Xiong, Q. Huang, Y. Yao. Robust evaluation for quality of experience in "
    "crowdsourcing. ACM Multimedia 2013",
    "Xu18": "Q. Xu, J. Xiong, X. Chen, Q. Huang, Y. Yao. HodgeRank with Information Maximization "
    "for Crowdsourced Pairwise Ranking Aggregation. AAAI 2018",
}


def methods_section(
    votes: Comparisons, ranking: Ranking | None, rate: float, made: Provenance
) -> Section:
    """Estimators, references, version, seed and command line."""
    texts = [say("methods.decomposition"), say("methods.outliers"), say("methods.next")]
    if votes.n_workers:
        texts.insert(1, say("methods.workers", rate=rate))
    if ranking is not None:
        texts.insert(
            0,
            say(
                "methods.ranking",
                model=ranking.model,
                link=ranking.link,
                level=level(ranking.confidence),
                uncertainty=ranking.uncertainty,
            ),
        )
        if ranking.worker_weights:
            texts.insert(1, say("methods.worker_weights"))
    return repeatable(texts, votes, made)


def repeatable(texts: list[Text], votes: Comparisons, made: Provenance) -> Section:
    """The section of these methods, with versions, references and the command to repeat it."""
    texts = [*texts, say("methods.error_rates")]
    facts = {
        "version": __version__,
        "python": platform.python_version(),
        "seed": str(made.seed),
        "command": made.command,
        "fingerprint": fingerprint(votes),
        "date": made.date,
    }
    rows = [(str(say(f"methods.{name}")), value) for name, value in facts.items()]
    return Section(
        "methods",
        say("methods.title"),
        say("methods.summary"),
        (
            Paragraph(tuple(texts)),
            Table((say("methods.repeat"), Text("")), rows),
            Paragraph((say("methods.references"),)),
            Bullets(tuple(_cited(texts))),
        ),
    )


def fingerprint(votes: Comparisons) -> str:
    """Digest of the votes as they were read: the same votes give the same in any file."""
    digest = sha256(repr((votes.items, votes.workers)).encode())
    for part in (votes.left, votes.right, votes.outcome, votes.worker, votes.total_weight):
        digest.update(part.tobytes())
    return digest.hexdigest()


def _cited(texts: list[Text]) -> list[Text]:
    found = {
        key
        for text in texts
        for keys in re.findall(r"\[([^\]]+)\]", text.template)
        for key in keys.split(", ")
    }
    return [Text("[{key}] {paper}", {"key": k, "paper": REFERENCES[k]}) for k in sorted(found)]


def data_section(found: Findings | MarginFindings) -> Section:
    """How the votes were read, what they cover, and what was not recorded."""
    description = found.description
    rows = [(str(fact), str(value)) for fact, value in _facts(description)]
    blocks: list[Block] = list(about_reading(found.votes.report))
    unrecorded = _unrecorded(found.votes, description)
    if unrecorded is not None:
        blocks.append(Paragraph((unrecorded,)))
    blocks.append(Table((say("data.fact"), say("data.value")), rows))
    return Section("data", say("data.title"), data_summary(found.votes), tuple(blocks))


def data_summary(votes: Comparisons) -> Text:
    """How many votes, items and workers there are, and what was left out."""
    n_left_out = sum(votes.report.left_out.values())
    left_out = (
        say("data.some_left_out", n=n_left_out) if n_left_out else say("data.nothing_left_out")
    )
    workers = say("data.by_workers", n=votes.n_workers) if votes.n_workers else ""
    return say(
        "data.summary", n=votes.n_votes, items=votes.n_items, workers=workers, left_out=left_out
    )


def about_reading(report: ReadReport) -> tuple[Paragraph | Bullets, ...]:
    """The layout that was taken, rows that were left out, and what else there is to know."""
    n = sum(report.left_out.values())
    if n:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report.left_out.items())
        left_out = say("data.left_out", rows=report.rows + report.filtered, n=n, reasons=reasons)
    else:
        left_out = say("data.all_used")
    first = Paragraph((say("data.rows", words=str(report)), left_out))
    notes = tuple(words(note) for note in (*report.rejections, *report.notes))
    return (first, Bullets(notes)) if notes else (first,)


def _unrecorded(votes: Comparisons, description: Description) -> Text | None:
    """Name what was not recorded, for which other reports have a section."""
    if not votes.n_workers and description.display_order is None:
        return say("data.neither")
    if not votes.n_workers:
        return say("data.no_workers")
    return say("data.no_display_order") if description.display_order is None else None


def _facts(d: Description) -> list[tuple[Text, Text]]:
    connected = say("data.connected", n=d.items)
    disconnected = say("data.disconnected", n=d.items, k=d.components)
    votes = say("data.votes_of", n=d.votes, ties=d.ties, graded=d.graded)
    if d.margins is not None:
        votes = say("data.margins_of", n=d.votes, ties=d.ties, **asdict(d.margins))
    facts = [
        (say("data.items"), connected if d.components == 1 else disconnected),
        (say("data.votes"), votes),
    ]
    if d.workers:
        facts.append((say("data.workers"), _workers(d)))
    facts += [
        (
            say("data.pairs"),
            say("data.pairs_of", n=d.pairs_asked, possible=d.pairs_possible, share=d.coverage),
        ),
        (say("data.per_pair"), _spread(d.votes_per_pair)),
        (say("data.per_item"), _spread(d.votes_per_item)),
    ]
    if d.votes_per_worker is not None:
        facts.append((say("data.per_worker"), _spread(d.votes_per_worker)))
    if d.display_order is not None and d.display_order.left_preferred is not None:
        facts.append((say("data.left"), say("data.left_of", share=d.display_order.left_preferred)))
    return facts


def _workers(d: Description) -> Text:
    if d.anonymous_votes:
        return say("data.anonymous", n=d.workers, k=d.anonymous_votes)
    return say("data.workers_of", n=d.workers)


def _spread(spread: Spread) -> Text:
    return say("data.spread", least=spread.least, most=spread.most, median=spread.median)
