"""Grouped bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from hodgerank.plotting.look import COLOURS, altair, charted


@charted
def bar_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    y: str,
    groups: Sequence[str],
    series: Sequence[str],
) -> Any:
    """A bar with its value per group and series, on a log axis; rows have x, series and mean."""
    alt = altair()
    values = [row["mean"] for row in rows]
    powers = [10.0**k for k in range(floor(log10(min(values))), ceil(log10(max(values))) + 1)]
    lowest, highest = powers[0], 2 * max(values)
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows])).encode(
        x=alt.X("x:N", title=None, sort=list(groups), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("series:N", sort=list(series)),
        y=alt.Y(
            "mean:Q",
            title=y,
            scale=alt.Scale(type="log", domain=[lowest, highest], nice=False),
            axis=alt.Axis(values=powers, format="~g"),
        ),
    )
    bars = base.mark_bar().encode(
        y2=alt.datum(lowest),
        color=alt.Color(
            "series:N",
            sort=list(series),
            scale=alt.Scale(domain=list(series), range=list(COLOURS)[: len(series)]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    labels = base.mark_text(dy=-6, style="label").encode(text=alt.Text("mean:Q", format=".3~g"))
    return (bars + labels).properties(width=460, height=300)
