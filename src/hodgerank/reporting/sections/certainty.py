"""How certain the whole is, and what more answers would buy."""

from __future__ import annotations

import numpy as np

from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import ExpectedTau
from hodgerank.reporting.blocks import Block, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import say
from hodgerank.reporting.findings import FORESEEN, Findings
from hodgerank.reporting.numbers import level, percent


def certainty_section(found: Findings) -> Section:
    """Of the order, of the best, and what it takes to have more of both."""
    ranking = found.ranking
    order = say(
        "certainty.order",
        pairs=percent((1 + found.tau) / 2),
        tau=found.tau,
        settled=percent(ranking.settled),
        level=level(ranking.confidence),
    )
    tops = {**found.tops, 1: found.leading.certainty}
    rows = [(str(say("certainty.top", n=k)), percent(sure)) for k, sure in tops.items()]
    header = (say("certainty.question"), say("certainty.certainty"))
    table = Table(header, rows, frozenset({1}))
    return Section(
        "certainty", say("certainty.title"), (Paragraph((order,)), table, *_forecasts(found))
    )


def _forecasts(found: Findings) -> list[Block]:
    if not found.settings.with_forecast:
        return [Paragraph((say("certainty.unwanted"),))]
    if len(found.ranking) > FORESEEN:
        return [Paragraph((say("certainty.many", n=FORESEEN),))]
    if not found.forecasts:
        return []
    header = (say("certainty.more"), say("certainty.takes"), say("certainty.between"))
    rows = [(str(_wanted(outlook)), *_takes(outlook)) for outlook in found.forecasts]
    return [
        Table(header, rows, frozenset({1, 2})),
        Paragraph((say("certainty.futures"),), "note"),
    ]


def _wanted(outlook: Forecast) -> Text:
    if isinstance(outlook.rule, ExpectedTau):
        return say("certainty.order_reached", pairs=percent((1 + outlook.target) / 2))
    return say("certainty.best_settled", level=level(outlook.target))


def _takes(outlook: Forecast) -> tuple[str, str]:
    """More answers, and nine in ten futures."""
    if not outlook.answers:
        return str(say("certainty.reached")), ""
    if not np.isfinite(outlook.answers):
        return str(say("certainty.out_of_reach")), ""
    far = str(say("certainty.far_more"))
    upper = f"{outlook.upper:,.0f}" if np.isfinite(outlook.upper) else far
    return f"{outlook.answers:,.0f}", f"{outlook.lower:,.0f} to {upper}"
