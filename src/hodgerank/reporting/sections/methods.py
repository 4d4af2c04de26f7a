"""How it was done, in words, and what it takes to do it again."""

from __future__ import annotations

import platform
import re
from hashlib import sha256

from hodgerank import __version__
from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.ranking import Ranking
from hodgerank.reporting.blocks import Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import say
from hodgerank.reporting.numbers import level
from hodgerank.reporting.provenance import Provenance

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
