"""Kendall's tau against the number of answers."""

from __future__ import annotations

from typing import Any

from hodgerank.plotting.charts import COLOURS, altair
from hodgerank.sampling.replay import Replay


def learning_curve(replay: Replay) -> Any:
    """One line per strategy, with a band of two standard errors."""
    alt = altair()
    rows = replay.to_frame("polars").to_dicts()
    for row in rows:
        half = 0.0 if row["stderr"] != row["stderr"] else 2 * row["stderr"]
        row |= {"lower": row["tau"] - half, "upper": row["tau"] + half}
    colour = alt.Color(
        "strategy:N",
        sort=list(replay.strategies),
        scale=alt.Scale(
            domain=list(replay.strategies), range=list(COLOURS)[: len(replay.strategies)]
        ),
        legend=alt.Legend(
            title=None, orient="bottom-right", fillColor="white", padding=6, symbolOpacity=1
        ),
    )
    lowest = min(row["lower"] for row in rows)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("answers:Q", title="answers", scale=alt.Scale(nice=False, zero=True)),
        color=colour,
    )
    y = alt.Scale(domain=[min(0.0, lowest), 1.0], nice=False)
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("lower:Q", title="Kendall's tau", scale=y), y2="upper:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(y=alt.Y("tau:Q", scale=y))
    n_runs = replay.taus.shape[1]
    subtitle = f"against {replay.truth}; mean of {n_runs} runs, band: two standard errors"
    title = alt.TitleParams("How fast the ranking is found", subtitle=subtitle, anchor="start")
    return (band + line).properties(width=520, height=320, title=title)
