"""How it was done, in words, and what it takes to do it again."""

from __future__ import annotations

import platform
import re
from hashlib import sha256

from hodgerank import __version__
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.description import Description, Spread
from hodgerank.reporting.blocks import Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import Findings
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
    texts = [say("methods.decomposition"), say("methods.workers", rate=rate), say("methods.next")]
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
    texts.append(say("methods.error_rates"))
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
        (
            Paragraph(tuple(texts)),
            Table((say("methods.repeat"), Text("")), rows),
            Paragraph((say("methods.references"),)),
            Bullets(tuple(_cited(texts))),
        ),
    )


def fingerprint(votes: Comparisons) -> str:
    """Of the answers as they were read, whatever file they came in: the same votes, the same."""
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
        (say("read.answers"), say("read.answers_of", n=d.votes, ties=d.ties, graded=d.graded)),
        (say("read.workers"), _workers(d)),
        (
            say("read.pairs"),
            say("read.pairs_of", n=d.pairs_asked, possible=d.pairs_possible, share=d.coverage),
        ),
        (say("read.per_pair"), _spread(d.votes_per_pair)),
        (say("read.per_item"), _spread(d.votes_per_item)),
    ]
    if d.votes_per_worker is not None:
        facts.append((say("read.per_worker"), _spread(d.votes_per_worker)))
    if d.display_order is None:
        facts.append((say("read.display"), say("read.display_unknown")))
    elif d.display_order.left_preferred is not None:
        facts.append((say("read.left"), say("read.left_of", share=d.display_order.left_preferred)))
    return facts


def _workers(d: Description) -> Text:
    if not d.workers:
        return say("read.workers_unknown")
    if d.anonymous_votes:
        return say("read.anonymous", n=d.workers, k=d.anonymous_votes)
    return say("read.workers_of", n=d.workers)


def _spread(spread: Spread) -> Text:
    return say("read.spread", least=spread.least, most=spread.most, median=spread.median)
