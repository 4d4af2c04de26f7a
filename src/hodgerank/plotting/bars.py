"""Grouped bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hodgerank.plotting.charts import COLOURS, altair


def bar_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    y: str,
    groups: Sequence[str],
    series: Sequence[str],
    y_scale: str = "linear",
) -> Any:
    """A bar with its value per group and series; rows have x, series and mean."""
    alt = altair()
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows])).encode(
        x=alt.X("x:N", title=None, sort=list(groups), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("series:N", sort=list(series)),
        y=alt.Y("mean:Q", title=y, scale=alt.Scale(type=y_scale)),
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "series:N",
            sort=list(series),
            scale=alt.Scale(domain=list(series), range=list(COLOURS)[: len(series)]),
            legend=alt.Legend(title=None, orient="bottom"),
        )
    )
    values = base.mark_text(dy=-6, fontSize=11).encode(text=alt.Text("mean:Q", format=".3~g"))
    return (bars + values).properties(width=460, height=300)
