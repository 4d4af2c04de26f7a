"""The answer in three sentences: what is best, how sure that is, and what to do about it."""

from __future__ import annotations

from hodgerank.collecting.stopping import TopKCertain
from hodgerank.reporting.blocks import Text
from hodgerank.reporting.findings import Findings, WithoutFlagged
from hodgerank.reporting.messages import name_of, percent, say

FEW = 3  # leaders that are named
MOST_PRESSING_FIRST = ("items", "cycles", "workers", "position_bias", "outliers")


def answer(found: Findings) -> tuple[Text, Text, Text]:
    """Three sentences."""
    return what_is_best(found), how_sure(found), what_to_do(found)


def what_is_best(found: Findings) -> Text:
    """Who leads, and who may be as good."""
    leaders, ranking = found.leading.items, found.ranking
    names = [name_of(item) for item in leaders[:FEW]]
    n = len(found.compared)
    if ranking.n_components > 1:
        return say("answer.apart", k=ranking.n_components, n=n, leader=names[0])
    if found.is_unjoined:
        return say("answer.unjoined", k=found.trust.decomposition.betti.beta_0, n=n)
    if found.has_cycles and not found.shows_a_ranking:
        return say("answer.only_cycles", n=n)
    if ranking.is_level:
        return say("answer.all_tied", n=n)
    if not found.shows_a_ranking:
        return say("answer.none", n=n, p=percent(found.chance))
    n_first = int((ranking.ranks == 1).sum())
    if n_first > 1:
        return say("answer.tied", k=n_first, n=n, leader=names[0])
    if found.leader_is_certain:
        return say("answer.sole", leader=names[0], n=n)
    if len(leaders) == 1:
        return say("answer.narrow", leader=names[0], n=n)
    if len(leaders) <= FEW:
        return say("answer.few", leader=names[0], n=n, others=" and ".join(names[1:]))
    return say("answer.many", leader=names[0], n=n, k=len(leaders) - 1)


def how_sure(found: Findings) -> Text:
    """Of the leader, and of the order."""
    pairs, best = percent((1 + found.tau) / 2), percent(found.leading.certainty)
    if found.ranking.n_components > 1:
        leader = name_of(found.ranking.items[0])
        return say("answer.sure_apart", pairs=pairs, best=best, leader=leader)
    if not found.shows_a_ranking or found.is_unjoined:
        return say("answer.unsure")
    if found.has_cycles:
        return say("answer.sure_if", best=best, pairs=pairs)
    return say("answer.sure", n=found.votes.n_votes, best=best, pairs=pairs)


def what_to_do(found: Findings) -> Text:
    """The first thing that stands between the ranking and its use; else what to ask."""
    if found.is_unjoined:
        return _joining(found)
    if not found.shows_a_ranking and not found.has_cycles:
        nothing_left = found.settings.max_votes == 0
        return say("answer.no_ranking_left" if nothing_left else "answer.no_ranking")
    pressing = [about for about in MOST_PRESSING_FIRST if found.is_of_concern(about)]
    if not pressing:
        return _what_to_ask(found)
    if "position_bias" in pressing and found.without is not None and found.without.ranking is None:
        return _remedy(found, "position_bias")  # nearly everybody leans: no worker is to blame
    return _remedy(found, pressing[0])


def _joining(found: Findings) -> Text:
    """Ask the leader against an item that it was never compared with, not even through others."""
    graph, items = found.trust.decomposition.graph, found.ranking.items
    component = dict(zip(graph.items, graph.components.tolist(), strict=True))
    other = next(item for item in items if component[item] != component[items[0]])
    return say("answer.join", left=name_of(items[0]), right=name_of(other))


def _remedy(found: Findings, about: str) -> Text:
    """What to do about a concern."""
    if about == "items":
        return _joining(found)
    if about == "cycles":
        checkable = found.trust.consistency.checkable
        return say("answer.cycles" if checkable else "answer.uncheckable")
    if about == "workers":
        return say("answer.repeats") if found.without is None else _look_at(found, found.without)
    if about == "outliers":
        return say("answer.outliers")
    moves = found.trust.position_bias.moves
    if moves is None:
        return say("answer.position_bias_plain")
    return say("answer.position_bias", position_bias=moves.position_bias)


def _look_at(found: Findings, without: WithoutFlagged) -> Text:
    """At the answers of the flagged, and what hangs on them."""
    n, leader = without.n_workers, found.ranking.items[0]
    if without.ranking is None:
        return say("answer.workers_lost", n=n)
    other = without.ranking.items[0]
    if other == leader:
        return say("answer.workers_same", n=n, leader=name_of(leader))
    return say("answer.workers_other", n=n, other=name_of(other))


def _what_to_ask(found: Findings) -> Text:
    if found.leader_is_certain:
        return say("answer.enough")
    outlooks = (outlook for outlook in found.forecasts if isinstance(outlook.rule, TopKCertain))
    outlook, most = next(outlooks, None), found.settings.max_votes
    if most == 0:
        return say("answer.none_left")
    if outlook is None:
        return say("answer.more_unforeseen")
    if most is not None and outlook.votes > most:
        return say("answer.too_few_left", n=most)
    if not outlook.votes:
        return say("answer.few_more")
    if outlook.votes == float("inf"):
        return say("answer.far")
    far = outlook.upper == float("inf")
    upper = say("certainty.far_more") if far else f"{outlook.upper:,.0f}"
    return say("answer.more", answers=outlook.votes, lower=outlook.lower, upper=upper)
