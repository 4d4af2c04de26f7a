"""The answer in three sentences: what is best, how far the order can be relied on, what to do."""

from __future__ import annotations

from collections.abc import Sequence

from hodgerank.display import p_words
from hodgerank.reporting.blocks import Text, VerdictLine
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.margin_findings import MarginFindings
from hodgerank.reporting.messages import MOST_NAMED, listed, probability, quoted, say

PROBABLE = 0.8  # from which certainty on the leader is called probably the best


def answer(found: Findings, lines: Sequence[VerdictLine]) -> tuple[Text, Text, Text]:
    """Three sentences, from the verdict and the lines that are derived from it."""
    return headline(found), order_sentence(found), _advice(found, lines)


def headline(found: Findings | MarginFindings) -> Text:
    """The best item, the items tied for first place, or why there is none."""
    verdict, n = found.verdict, len(found.ranking)
    match verdict.state:
        case "settled":
            return say("answer.settled", leader=quoted(verdict.leaders[0]), n=n)
        case "tied":
            leaders = verdict.leaders
            if verdict.certainty >= PROBABLE and len(leaders) <= MOST_NAMED:
                return say(
                    "answer.probably",
                    leader=quoted(leaders[0]),
                    n=n,
                    sure=probability(verdict.certainty),
                    others=listed(leaders[1:]),
                )
            if len(leaders) <= MOST_NAMED:
                return say("answer.tied", leaders=listed(leaders), n=n)
            return say("answer.tied_many", k=len(leaders), n=n, leader=quoted(leaders[0]))
        case "correlated":
            return say("answer.correlated", leader=quoted(verdict.leaders[0]), n=n)
        case "chance":
            return say("answer.chance", n=n, p=p_words(found.chance))
        case "cyclic":
            return say("answer.cyclic", n=n)
        case "level":
            return say("answer.level", n=n)
        case "disconnected":
            return say("answer.disconnected", k=found.n_parts, n=n)


def order_sentence(found: Findings | MarginFindings) -> Text:
    """How much of the order is expected to be right."""
    verdict = found.verdict
    if not verdict.has_order:
        return say("answer.no_order")
    pairs = probability(verdict.pairs_in_order)
    if len(found.ranking) == 2:
        return say("answer.order_of_two", pairs=pairs)
    if found.has_cycles:
        return say("answer.order_if_acyclic", pairs=pairs)
    return say("answer.order", pairs=pairs[:1].upper() + pairs[1:])


def _advice(found: Findings, lines: Sequence[VerdictLine]) -> Text:
    """The action of the most pressing line."""
    by_title = {line.title.code: line for line in lines}
    order, consistency = by_title["order.title"], by_title["consistency.title"]
    workers = by_title.get("workers.title")
    pressing = [line for line in (workers, consistency) if line and line.status == "warning"]
    is_cyclic = consistency.text.code == "consistency.cycles"
    is_biased = consistency.text.code == "consistency.position_bias"
    everybody = found.without is not None and found.without.ranking is None
    if is_cyclic or (is_biased and everybody):  # no worker is to blame for what nearly all do
        pressing = [consistency]
    if not found.verdict.has_order and found.verdict.state != "cyclic":
        pressing = [order]
    for line in (*pressing, order):
        if line.action is not None:
            return line.action
    return say("answer.enough")
