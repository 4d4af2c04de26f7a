"""Curves of several series with bands of two standard errors, in one or several panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from hodgerank.plotting.look import COLOURS, altair, charted, heading

SOLID, DASHED = [1, 0], [5, 3]


@charted
def curve_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    series: Sequence[str] | Mapping[str, str],
    title: str = "",
    subtitle: str = "",
    y_domain: tuple[float | None, float | None] = (None, None),
    columns: int = 1,
    width: int = 520,
    height: int = 320,
    x_scale: str = "linear",
    y_scale: str = "linear",
    points: bool = False,
    share_y: bool = True,
) -> Any:
    """A line per series.

    Rows have x, series, mean, stderr and, for several panels, panel. `x` and `y` are the titles of
    the axes; the ends of the y axis are those of the data where `y_domain` is None. `series` may
    map names to colours.
    """
    alt = altair()
    data = [_with_band(row) for row in rows]
    colours = (
        series if isinstance(series, Mapping) else dict(zip(series, cycle(COLOURS), strict=False))
    )
    ticks = {"tickCount": 6} if x_scale == "linear" else {"values": sorted({r["x"] for r in data})}
    lowest = min(row["lower"] for row in data) if y_domain[0] is None else y_domain[0]
    highest = max(row["upper"] for row in data) if y_domain[1] is None else y_domain[1]
    domain = {"domain": [lowest, highest]} if share_y else {"domainMin": lowest}
    scale = alt.Scale(type=y_scale, nice=y_domain[1] is None, zero=False, **domain)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        columns=3,
        labelLimit=320,
        symbolOpacity=1,
        symbolType="stroke",
        symbolStrokeWidth=3,
    )
    base = alt.Chart().encode(
        x=alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type=x_scale, nice=False, zero=x_scale == "linear"),
            axis=alt.Axis(**ticks),
        ),
        color=alt.Color(
            "series:N",
            sort=list(series),
            scale=alt.Scale(domain=list(colours), range=list(colours.values())),
            legend=legend,
        ),
        tooltip=[
            alt.Tooltip("series:N", title="curve"),
            alt.Tooltip("x:Q", title=x),
            alt.Tooltip("mean:Q", title=y, format=".4~g"),
            alt.Tooltip("stderr:Q", title="standard error", format=".2~g"),
        ],
    )
    band = base.mark_area(opacity=0.15, clip=True).encode(
        y=alt.Y("lower:Q", title=y, scale=scale, axis=alt.Axis(tickCount=6)),
        y2="upper:Q",
    )
    # Points that are not seen still have a tooltip.
    is_line = len({row["x"] for row in data}) > 1
    dots = {"opacity": 0, "size": 60} if is_line and not points else {"opacity": 1}
    line = base.mark_line(strokeWidth=2, point=dots).encode(y=alt.Y("mean:Q", scale=scale))
    if len(colours) > len(COLOURS):  # colours come again, dashed
        dashes = [DASHED if k >= len(COLOURS) else SOLID for k in range(len(colours))]
        dashed = alt.Scale(domain=list(colours), range=dashes)
        line = line.encode(strokeDash=alt.StrokeDash("series:N", scale=dashed, legend=legend))
    layers = alt.layer(band, line, data=alt.Data(values=data)).properties(
        width=width, height=height
    )
    titled = {"title": heading(title, subtitle)} if title else {}
    panels = list(dict.fromkeys(row["panel"] for row in data))
    if len(panels) == 1:
        return layers.properties(**titled)
    faceted = layers.facet(
        facet=alt.Facet("panel:N", sort=panels, title=None),
        columns=columns,
        **titled,
    )
    return faceted if share_y else faceted.resolve_scale(y="independent")


def _with_band(row: Mapping[str, Any]) -> dict[str, Any]:
    stderr = row["stderr"]
    half = 2 * stderr if stderr is not None and stderr == stderr else 0.0
    mean = row["mean"]
    return {
        **row,
        "panel": str(row.get("panel", "")),
        "stderr": half / 2,
        "lower": mean - half,
        "upper": mean + half,
    }
