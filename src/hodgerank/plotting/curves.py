"""Curves of several series with bands of two standard errors, in one or several panels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from math import ceil, floor, log10
from typing import Any

import numpy as np
from scipy.special import stdtrit

from hodgerank.collecting.forecast import Forecast
from hodgerank.collecting.replay import LearningCurves
from hodgerank.collecting.stopping import ExpectedTau
from hodgerank.plotting.text_width import fitted
from hodgerank.plotting.theme import (
    COLOURS,
    altair,
    charted,
    data_of,
    heading,
    legend_labels,
    legend_of,
    name,
)

SOLID, DASHED = [1, 0], [5, 3]
AXIS = 50  # pixels of an axis with its title


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
    dashed: Collection[str] = (),
) -> Any:
    """A line with a band of two standard errors for each series.

    Rows have x, series, mean, stderr and, for several panels, panel. `x` and `y` are the titles of
    the axes; the ends of the y axis are those of the data where `y_domain` is None. `series` may
    map names to colours; lines of the series in `dashed` are dashed.
    """
    alt = altair()
    labels = dict(zip(series, legend_labels(list(series)), strict=True))
    data = [_with_band(row, labels[row["series"]], width) for row in rows]
    shades = series.values() if isinstance(series, Mapping) else cycle(COLOURS)
    colours = dict(zip(labels.values(), shades, strict=False))
    ticks = {"tickCount": 6} if x_scale == "linear" else {"values": sorted({r["x"] for r in data})}
    lowest = min(row["lower"] for row in data) if y_domain[0] is None else y_domain[0]
    highest = max(row["upper"] for row in data) if y_domain[1] is None else y_domain[1]
    domain = {"domain": [lowest, highest]} if share_y else {"domainMin": lowest}
    scale = alt.Scale(type=y_scale, nice=y_domain[1] is None, zero=False, **domain)
    panels = list(dict.fromkeys(row["panel"] for row in data))
    total = width * min(columns, len(panels)) + AXIS
    legend = legend_of(list(colours), total, symbolType="stroke", symbolStrokeWidth=3)
    base = alt.Chart().encode(
        x=alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type=x_scale, nice=False, zero=x_scale == "linear"),
            axis=alt.Axis(**ticks),
        ),
        color=alt.Color(
            "series:N",
            sort=list(colours),
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
    # Colours that come again are dashed.
    is_dashed = [k >= len(COLOURS) or key in dashed for k, key in enumerate(labels)]
    if any(is_dashed):
        dashes = [DASHED if dash else SOLID for dash in is_dashed]
        scale = alt.Scale(domain=list(colours), range=dashes)
        line = line.encode(strokeDash=alt.StrokeDash("series:N", scale=scale, legend=legend))
    layers = alt.layer(band, line, data=data_of(data)).properties(width=width, height=height)
    titled = {"title": heading(title, subtitle, width=total)} if title else {}
    if len(panels) == 1:
        return layers.properties(**titled)
    faceted = layers.facet(
        facet=alt.Facet("panel:N", sort=panels, title=None),
        columns=columns,
        **titled,
    )
    return faceted if share_y else faceted.resolve_scale(y="independent")


def _with_band(row: Mapping[str, Any], label: str, width: float) -> dict[str, Any]:
    stderr = row["stderr"]
    half = 2 * stderr if stderr is not None and stderr == stderr else 0.0
    mean = row["mean"]
    return {
        **row,
        "series": label,
        "panel": fitted(str(row.get("panel", "")), width, bold=True),
        "stderr": half / 2,
        "lower": mean - half,
        "upper": mean + half,
    }


LEVEL = 0.05


def learning_curves_chart(curves: LearningCurves) -> Any:
    """One line per strategy, with a band of two standard errors."""
    rows = [
        {
            "x": row["votes"],
            "series": row["strategy"],
            "mean": row["tau"],
            "stderr": row["stderr"],
        }
        for row in curves.to_frame("polars").to_dicts()
    ]
    n_runs = curves.taus.shape[1]
    runs = "one run" if n_runs == 1 else f"mean of {n_runs:,} runs ± 2 standard errors"
    return curve_chart(
        rows,
        x="votes",
        y="Kendall's tau",
        series=curves.strategies,
        title=_finding(curves),
        subtitle=f"Kendall's tau with {curves.truth}, {runs}.",
        y_domain=(min(0.0, float((curves.mean - 2 * np.nan_to_num(curves.stderr)).min())), 1.0),
    )


def _finding(curves: LearningCurves) -> str:
    """Which strategy ends ahead of the next, and whether significantly.

    By a t-test of the differences run by run, which allows for the number of rivals.
    """
    ends = curves.mean[:, -1]
    order = np.argsort(-ends, kind="stable").tolist()
    after = f"after {int(curves.votes[-1]):,} votes"
    first = name(curves.strategies[order[0]])
    if len(order) == 1:
        return f"{first} reaches tau = {_tau(ends[order[0]])} {after}"
    second = name(curves.strategies[order[1]])
    n_runs = curves.taus.shape[1]
    paired = curves.taus[order[0], :, -1] - curves.taus[order[1], :, -1]
    difference = float(paired.mean())
    taus = f"tau = {_tau(ends[order[0]])} and {_tau(ends[order[1]])} {after}"
    if n_runs == 1:
        return f"One run cannot separate {first} from {second}: {taus}"
    error = float(paired.std(ddof=1) / np.sqrt(n_runs))
    beyond = float(stdtrit(n_runs - 1, 1 - LEVEL / 2 / (len(order) - 1))) * error
    numbers = f"difference {_tau(difference)} ± {_tau(error)} (paired standard error)"
    if difference > beyond:
        return f"{first} ends significantly ahead of {second}: {taus}, {numbers}"
    return f"{first} and {second} do not differ significantly: {taus}, {numbers}"


def _tau(tau: float) -> str:
    """Without the zero before the point."""
    return f"{tau:.3f}".replace("0.", ".", 1).replace("-", "−")


WIDTH, HEIGHT = 270, 150
BEYOND = 1.15  # how far the axis goes past the lower end of a forecast, at least
FARTHEST = 4.0  # times as many votes as there are, if the lower end is nearer


@charted
def certainty_curve_chart(points: Sequence[tuple[int, float]], outlook: Forecast | None) -> Any:
    """A line of (votes, expected tau), to be read beside a sentence: it has no title.

    `outlook` counts from the last point: a band where nine simulated continuations in ten reach the
    rule; a line in it at their median, if the band is narrow; and the target, where that is an
    expected tau.
    """
    alt = altair()
    last, tau = points[-1]
    right = max(last, 1)
    layers = []
    if outlook is not None and not outlook.is_reached and not outlook.is_out_of_reach:
        right = round(min(outlook.upper, max(BEYOND * outlook.lower, FARTHEST * last)) + last)
        future = {"from": last + outlook.lower, "to": min(last + outlook.upper, right)}
        band = alt.Chart(data_of([future])).mark_rect(style="mark", opacity=0.16)
        layers.append(band.encode(x="from:Q", x2="to:Q"))
        if outlook.is_narrow:
            middle = alt.Chart(data_of([{"votes": last + outlook.votes}]))
            layers.append(middle.mark_rule(style="mark", strokeWidth=2).encode(x="votes:Q"))
    if outlook is not None and isinstance(outlook.rule, ExpectedTau):
        target = alt.Chart(data_of([{"tau": outlook.target}]))
        layers.append(target.mark_rule(style="reference").encode(y="tau:Q"))
    x = alt.X(
        "votes:Q",
        title="votes",
        scale=alt.Scale(domain=[0, right], nice=False),
        axis=alt.Axis(tickCount=5, grid=False, tickMinStep=1, format=",d"),
    )
    y = alt.Y(
        "tau:Q",
        title="expected tau",
        scale=alt.Scale(domain=[min(0.0, *(tau for _, tau in points), 0.0), 1.0], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    curve = [{"votes": n, "tau": round(value, 5)} for n, value in points]
    layers += [
        alt.Chart(data_of(curve)).mark_line(style="mark", strokeWidth=2).encode(x=x, y=y),
        alt.Chart(data_of([{"votes": last, "tau": round(tau, 5)}]))
        .mark_point(style="mark", filled=True, opacity=1, size=60)
        .encode(x=x, y=y),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


BARS = 460  # pixels


@charted
def bar_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    y: str,
    groups: Sequence[str],
    series: Sequence[str],
) -> Any:
    """A bar for each group and series, on a log axis; rows have x, series and mean."""
    alt = altair()
    labels = dict(zip(series, legend_labels(list(series)), strict=True))
    values = [row["mean"] for row in rows]
    powers = [10.0**k for k in range(floor(log10(min(values))), ceil(log10(max(values))) + 1)]
    lowest, highest = powers[0], 2 * max(values)
    base = alt.Chart(data_of([{**row, "series": labels[row["series"]]} for row in rows])).encode(
        x=alt.X("x:N", title=None, sort=list(groups), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("series:N", sort=list(labels.values())),
        y=alt.Y(
            "mean:Q",
            title=y,
            scale=alt.Scale(type="log", domain=[lowest, highest], nice=False),
            axis=alt.Axis(values=powers, format="~g"),
        ),
    )
    bars = base.mark_bar().encode(
        y2=alt.Y2Datum(lowest),
        color=alt.Color(
            "series:N",
            sort=list(labels.values()),
            scale=alt.Scale(domain=list(labels.values()), range=list(COLOURS)[: len(series)]),
            legend=legend_of(list(labels.values()), BARS, symbolType="square"),
        ),
    )
    labels = base.mark_text(dy=-8, style="label").encode(text=alt.Text("mean:Q", format=".3~g"))
    return (bars + labels).properties(width=BARS, height=300)
