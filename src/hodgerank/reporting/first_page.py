"""The first page: key figures, the first places, and three lines on whether to rely on them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any
from unicodedata import east_asian_width

from hodgerank.collecting.forecast import Forecast
from hodgerank.display import p_words
from hodgerank.estimators.design_effect import FEWEST_CLUSTERS
from hodgerank.estimators.position_bias.groupings import Groupings, has_term_per_worker
from hodgerank.estimators.rank import can_leave_out, leaders_with_few_votes
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.assessment import CLICKING, NOTES, WorkerAssessment
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.reporting.blocks import (
    FirstPage,
    KeyFigure,
    Standing,
    Standings,
    Status,
    Text,
    VerdictLine,
)
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.messages import (
    fraction,
    level,
    listed,
    name_of,
    probability,
    quoted,
    say,
    vote_range,
)
from hodgerank.reporting.verdict import State, Verdict

MOST_PLACES, FEWEST_PLACES = 12, 5
MOST_LINES = 18  # of names on the first page of A4 or Letter, in the widest usual font
LINE = 26  # letters of a name side by side
STATUS_OF_ORDER: dict[State, Status] = {"settled": "good", "tied": "open"}


def first_page(found: Findings) -> FirstPage:
    """The result on one sheet."""
    lines = [order_line(found)]
    if found.trust.workers is not None:
        lines.append(workers_line(found, found.trust.workers))
    lines.append(consistency_line(found))
    return FirstPage(_figures(found), _standings(found), tuple(lines))


def _figures(found: Findings) -> tuple[KeyFigure, ...]:
    description, separation = found.description, found.trust.reliability.separation
    figures = {"votes": f"{found.votes.n_votes:,}"}
    if description.workers:
        figures["workers"] = f"{description.workers:,}"
    figures["items"] = f"{len(found.ranking):,}"
    if found.verdict.has_order:
        figures["pairs"] = probability(found.verdict.pairs_in_order)
        if separation is not None:
            figures["reliability"] = fraction(max(separation.reliability, 0.0))
    return tuple(KeyFigure(say(f"figures.{name}"), value) for name, value in figures.items())


def _standings(found: Findings) -> Standings:
    """The first places with the probability to be chosen over an average item."""
    ranking, verdict = found.ranking, found.verdict
    known = verdict.has_order
    k = n_places([name_of(item) for item in ranking.items[:MOST_PLACES]])
    chosen = ranking.over_average()
    rows = [
        Standing(
            f"{ranking.ranks[row]:,}" if known else "",
            name_of(ranking.items[row]),
            float(chosen[row, 0]),
            float(chosen[row, 1]),
            float(chosen[row, 2]),
            could_be(found.verdict, row) if known else "",
            f"{100 * chosen[row, 0]:.0f}%",
            f"{100 * chosen[row, 1]:.0f}–{100 * chosen[row, 2]:.0f}",
        )
        for row in range(k)
    ]
    reading = say("standings.reading", level=level(ranking.confidence))
    return board_of(rows, ranking, verdict, reading)


def board_of(
    rows: Sequence[Standing], ranking: Ranking, verdict: Verdict, reading: Text, **more: Any
) -> Standings:
    """The first places in tiers; without an order, items in one."""
    k, n, level_ = len(rows), len(ranking), level(ranking.confidence)
    if verdict.has_order:
        tiers = [rows[first : last + 1] for first, last in verdict.tiers if first < k]
        title = say("standings.title") if k == n else say("standings.first", k=k, n=n)
        legend = say("standings.bracket")
    else:
        tiers = [rows]
        title = say("standings.no_order" if k == n else "standings.no_order_first", k=k, n=n)
        legend = say("standings.no_places")
    names = ("place", "item", "chosen", "could_be")
    header = {name: say(f"standings.{name}", level=level_) for name in names}
    header |= more.pop("header", {})
    return Standings(title, reading, legend, header, tiers, _not_ranked(ranking), **more)


def _not_ranked(ranking: Ranking) -> tuple[Text, ...]:
    """Items that the votes do not allow to rank."""
    notes = []
    if ranking.no_votes:
        notes.append(say("standings.no_votes", items=listed(ranking.no_votes)))
    if ranking.not_connected:
        notes.append(say("standings.not_connected", items=listed(ranking.not_connected)))
    return tuple(notes)


def n_places(names: list[str]) -> int:
    """How many rows leave the page its one sheet, since long names take several lines."""
    used = 0
    for k, name in enumerate(names):
        used += ceil(max(sum(map(_width, name)), 1) / LINE)
        if used > MOST_LINES and k >= FEWEST_PLACES:
            return k
    return len(names)


def _width(letter: str) -> float:
    """About how wide a letter is, in those of plain text."""
    if letter in "MW@%" or east_asian_width(letter) in "WF":
        return 2.0
    return 1.4 if letter.isupper() else 1.0


def could_be(verdict: Verdict, row: int) -> str:
    """The places that an item could have."""
    best, worst = verdict.places[row].tolist()
    return f"{best:,}" if best == worst else str(say("ranking.range", best=best, worst=worst))


def settled_neighbours(verdict: Verdict) -> dict[str, int]:
    """Number of neighbouring places, and of those in settled order."""
    return {"k": len(verdict.tiers) - 1, "n": len(verdict.places) - 1}


def order_line(found: Findings) -> VerdictLine:
    """Whether the best is settled, and which votes would settle it."""
    verdict = found.verdict
    status = STATUS_OF_ORDER.get(verdict.state, "warning")
    detail: list[Text] = []
    if verdict.state in ("settled", "tied"):
        leader = quoted(found.ranking.items[0])
        detail.append(say("order.certainty", leader=leader, sure=probability(verdict.certainty)))
        if len(found.ranking) > 2:
            detail.append(say("order.tiers", **settled_neighbours(verdict)))
        detail += _few_votes(found)
    if found.is_established and verdict.has_order:
        detail.append(say("order.established"))
    if verdict.state != "disconnected":
        detail.append(say("order.p", p=p_words(found.chance)))
    name = verdict.state
    text = say(f"order.{name}")
    link = "ranking" if verdict.is_settled else "next"
    return VerdictLine(say("order.title"), status, text, tuple(detail), _order_action(found), link)


def _few_votes(found: Findings) -> list[Text]:
    """Say that so few votes put the leader first that one more could change it, and what to do."""
    ranking = found.ranking
    leaders = leaders_with_few_votes(ranking)
    if not leaders:
        return []
    key = "order.few_votes"
    if found.settings.max_votes != 0:
        is_other = can_leave_out(ranking)
        key = "order.few_votes_leave_out" if is_other else "order.few_votes_collect"
    return [say(key, leader=quoted(leaders[0]), n=ranking[leaders[0]].votes)]


def _order_action(found: Findings) -> Text | None:
    state, none_left = found.verdict.state, found.settings.max_votes == 0
    match state:
        case "tied":
            return say("order.none_left") if none_left else _collect(found, found.forecast)
        case "correlated":
            return _allow_for_repeats(found)
        case "chance" | "level":
            return say("order.no_ranking_left" if none_left else "order.no_ranking")
        case "disconnected":
            return joining(found.trust.decomposition.graph, found.ranking)
        case _:
            return None


def _allow_for_repeats(found: Findings) -> Text:
    n = found.votes.n_workers
    return say("order.more_workers", n=n) if n < FEWEST_CLUSTERS else say("order.cluster")


def _collect(found: Findings, outlook: Forecast | None) -> Text:
    """Votes that decide which item is best."""
    most = found.settings.max_votes
    if outlook is None:
        return say("order.collect")
    if most is not None and outlook.lower > most:
        return say("order.too_few_left", n=most)
    if outlook.is_out_of_reach:
        return say("order.far")
    return say("order.forecast", votes=vote_range(outlook))


def joining(graph: ComparisonGraph, ranking: Ranking) -> Text:
    """Compare the first item with one that no chain of votes connects it with."""
    items = ranking.items
    component = dict(zip(graph.items, graph.components.tolist(), strict=True))
    other = next(item for item in items if component[item] != component[items[0]])
    return say("order.join", left=quoted(items[0]), right=quoted(other))


def workers_line(found: Findings, workers: WorkerAssessment) -> VerdictLine:
    """Name the workers with a warning, and the ranking without them."""
    warned = found.warned
    if not warned:
        return line_of_unflagged(workers, found.settings.position_bias)
    n = len(warned)
    text = say("workers.warnings", n=n, total=len(workers), names=listed(warned))
    detail = (without_flagged(found), *notes_on(workers, n))
    action = say("workers.look", n=n)
    return VerdictLine(say("workers.title"), "warning", text, detail, action, "workers")


def line_of_unflagged(workers: WorkerAssessment, position_bias: Groupings | None) -> VerdictLine:
    """Say that no worker has a warning, and how much that means."""
    n = workers.n_checked
    n_unchecked = len(workers) - n
    title = say("workers.title")
    if not n:
        text = say("workers.too_few", n=len(workers))
        return VerdictLine(title, "open", text, (), None, "workers")
    detail = list(notes_on(workers, 0))
    if n_unchecked:
        detail.append(say("workers.unchecked", n=n_unchecked))
    if has_term_per_worker(position_bias) and CLICKING in workers.flag:
        detail.append(say("workers.bias_in_model", n=workers.flag.count(CLICKING)))
    if workers.hides_random_workers:
        key = "workers.close_pairs" if workers.is_adaptive else "workers.few_votes"
        detail.insert(0, say(key, votes=workers.typical_votes))
    status: Status = "open" if workers.hides_random_workers else "good"
    text = say("workers.none_flagged", n=n)
    return VerdictLine(title, status, text, tuple(detail), None, "workers")


def notes_on(workers: WorkerAssessment, n_warned: int) -> tuple[Text, ...]:
    """How many have a note."""
    n = sum(flag in NOTES for flag in workers.flag)
    key = "workers.other_notes" if n_warned else "workers.notes"
    return (say(key, n=n),) if n else ()


def without_flagged(found: Findings) -> Text:
    """Compare with the ranking without the workers that have a warning."""
    without = found.without
    if without is None or without.ranking is None:
        return say("workers.without_lost")
    counts = {"turned": without.n_turned, "pairs": without.n_pairs}
    if not found.verdict.has_order:
        return say("workers.without_order", **counts)
    first, other = found.ranking.items[0], without.ranking.items[0]
    key = "workers.without_same" if other == first else "workers.without_other"
    return say(key, leader=quoted(other), **counts)


def consistency_line(found: Findings) -> VerdictLine:
    """Whether one ranking explains the votes; the most pressing concern, if any."""
    detail = _p_values(found)
    title = say("consistency.title")

    def line(status: Status, text: Text, action: Text | None, link: str) -> VerdictLine:
        return VerdictLine(title, status, text, detail, action, link)

    if found.has_cycles:
        action = say("consistency.look_at_cycles")
        return line("warning", say("consistency.cycles"), action, "consistency")
    if found.groups is not None and (found.groups.count or 1) > 1:
        n, of = found.groups.n_reversed, found.groups.n_pairs
        text = say("consistency.groups", n=n, of=of)
        return line("warning", text, say("consistency.look_at_groups"), "preference_groups")
    if found.is_concern("position_bias", "significant"):
        moves = found.trust.position_bias.moves
        action = (
            say("consistency.show_both_orders")
            if moves is None
            else say("consistency.model_position_bias", position_bias=moves.position_bias)
        )
        return line("warning", say("consistency.position_bias"), action, "position_bias")
    if found.is_concern("outliers", "too_many"):
        action = say("consistency.look_at_outliers")
        return line("warning", say("consistency.outliers"), action, "outliers")
    consistency = found.trust.consistency
    if len(found.ranking) == 2:
        return line("good", say("consistency.two_items"), None, "consistency")
    if consistency.cycles is None:
        action = say("consistency.close_loops")
        text = say("consistency.unchecked", reason=consistency.reason)
        return line("open", text, action, "consistency")
    if _has_misfit(found):
        return line("open", say("consistency.misfit"), None, "consistency")
    return line("good", say("consistency.fine"), None, "consistency")


def _has_misfit(found: Findings) -> bool:
    return any((said.about, said.code) == ("noise", "misfit") for said in found.statements)


def _p_values(found: Findings) -> tuple[Text, ...]:
    trust = found.trust
    p_values: dict[str, float] = {}
    consistency = trust.consistency
    if consistency.cycles is not None and len(found.ranking) > 2:
        p_values["p_cycles"] = consistency.cycles.p_value
        if consistency.misfit is not None and _has_misfit(found) and not found.has_cycles:
            p_values = {"p_misfit": consistency.misfit.p_value}
    if trust.position_bias.estimate is not None:
        p_values["p_position_bias"] = trust.position_bias.estimate.p_value
    if trust.outliers.are_too_many:
        p_values["p_outliers"] = trust.outliers.p_value
    texts = [str(say(f"consistency.{name}", p=p_words(p))) for name, p in p_values.items()]
    if not texts:
        return ()
    listed_ = "; ".join(texts)
    return (Text("{p_values}", {"p_values": f"{listed_[:1].upper()}{listed_[1:]}."}),)
