"""Expected tau against the number of answers, and where the stopping rule will be reached."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.stopping import ExpectedTau
from hodgerank.plotting.look import altair, charted

WIDTH, HEIGHT = 430, 190
BEYOND = 1.15  # how far the axis goes past the median future, at least
FARTHEST = 4.0  # times as many answers as there are, if the median future is nearer


@charted
def certainty_curve_chart(points: Sequence[tuple[int, float]], outlook: Forecast | None) -> Any:
    """A line of (answers, expected tau), to be read beside a sentence: it has no title.

    `outlook` counts from the last point: a band where nine futures in ten reach the rule, a line
    in it at their median; and the target, where that is an expected tau.
    """
    alt = altair()
    last, tau = points[-1]
    is_foreseen = outlook is not None and outlook.answers > 0 and isfinite(outlook.answers)
    right = max(last, 1)
    layers = []
    if outlook is not None and is_foreseen:
        right = round(min(outlook.upper, max(BEYOND * outlook.answers, FARTHEST * last)) + last)
        future = {
            "from": last + outlook.lower,
            "answers": last + outlook.answers,
            "to": min(last + outlook.upper, right),
        }
        base = alt.Chart(alt.Data(values=[future]))
        layers += [
            base.mark_rect(style="mark", opacity=0.16).encode(x="from:Q", x2="to:Q"),
            base.mark_rule(style="mark", strokeWidth=2).encode(x="answers:Q"),
        ]
    if outlook is not None and isinstance(outlook.rule, ExpectedTau):
        target = alt.Chart(alt.Data(values=[{"tau": outlook.target}]))
        layers.append(target.mark_rule(style="reference").encode(y="tau:Q"))
    x = alt.X(
        "answers:Q",
        title="answers",
        scale=alt.Scale(domain=[0, right], nice=False),
        axis=alt.Axis(tickCount=5, grid=False, tickMinStep=1, format=",d"),
    )
    y = alt.Y(
        "tau:Q",
        title="expected tau",
        scale=alt.Scale(domain=[min(0.0, *(tau for _, tau in points), 0.0), 1.0], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    curve = [{"answers": n, "tau": round(value, 5)} for n, value in points]
    layers += [
        alt.Chart(alt.Data(values=curve)).mark_line(style="mark", strokeWidth=2).encode(x=x, y=y),
        alt.Chart(alt.Data(values=[{"answers": last, "tau": round(tau, 5)}]))
        .mark_point(style="mark", filled=True, opacity=1, size=60)
        .encode(x=x, y=y),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
