"""A ranking with its intervals."""

from __future__ import annotations

from typing import Any

from hodgerank.estimators.ranking import Ranking
from hodgerank.plotting.charts import COLOURS, altair

MOST_ITEMS = 100  # more do not fit a page


def ranking_chart(ranking: Ranking) -> Any:
    """Scores from best to worst, each with its confidence interval and the ranks it may have."""
    alt = altair()
    rows = []
    for k in range(min(len(ranking), MOST_ITEMS)):
        (low, high), (best, worst) = ranking.intervals[k].tolist(), ranking.rank_intervals[k]
        ranks = f"{best}" if best == worst else f"{best} to {worst}"
        rows.append(
            {
                "item": str(ranking.items[k]),
                "score": float(ranking.scores[k]),
                "lower": low,
                "upper": high,
                "rank": int(ranking.ranks[k]),
                "ranks": ranks,
                "comparisons": int(ranking.comparisons[k]),
            }
        )
    level = f"{100 * ranking.confidence:g} % interval"
    subtitle = [f"{ranking.model}, {ranking.link} link; bars: {level}; right: ranks it may have"]
    if len(rows) < len(ranking):
        subtitle.append(f"the best {len(rows)} of {len(ranking):,} items")
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("item:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        tooltip=["rank:Q", "item:N", "score:Q", "lower:Q", "upper:Q", "ranks:N", "comparisons:Q"],
    )
    bar = base.mark_rule(strokeWidth=2, color=COLOURS[0], opacity=0.5).encode(
        x=alt.X("lower:Q", title="score", scale=alt.Scale(zero=False)), x2="upper:Q"
    )
    dot = base.mark_circle(size=70, color=COLOURS[0], opacity=1).encode(x="score:Q")
    text = base.mark_text(align="left", dx=6, color="#666666").encode(
        x=alt.value(526), text="ranks:N"
    )
    title = alt.TitleParams("Ranking", subtitle=subtitle, anchor="start")
    return (bar + dot + text).properties(width=520, height=alt.Step(22), title=title)
