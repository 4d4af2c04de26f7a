"""A ranking with its intervals, and the rankings of several groups under each other."""

from __future__ import annotations

from typing import Any

from hodgerank.estimators.group_rankings import GroupRankings
from hodgerank.estimators.ranking import Ranking
from hodgerank.plotting.charts import COLOURS, altair

MOST_ITEMS = 100  # more do not fit a page
MOST_GROUPS = 20
WIDTH = 520


def ranking_chart(ranking: Ranking) -> Any:
    """Scores from best to worst, each with its confidence interval and the ranks it may have."""
    subtitle = [_legend(ranking)]
    if len(ranking) > MOST_ITEMS:
        subtitle.append(f"the best {MOST_ITEMS} of {len(ranking):,} items")
    title = altair().TitleParams("Ranking", subtitle=subtitle, anchor="start")
    return _intervals(ranking, "score").properties(title=title)


def group_rankings_chart(rankings: GroupRankings) -> Any:
    """The ranking of each group, all on one scale of scores."""
    alt = altair()
    shown = list(rankings.items())[:MOST_GROUPS]
    charts = []
    for k, (group, ranking) in enumerate(shown):
        heading = f"{rankings.column} {group}"
        if len(ranking) > MOST_ITEMS:
            heading += f" (the best {MOST_ITEMS} of {len(ranking):,} items)"
        axis = "score" if k == len(shown) - 1 else ""
        title = alt.TitleParams(heading, anchor="start")
        charts.append(_intervals(ranking, axis).properties(title=title))
    subtitle = [rankings.verdict, *([_legend(shown[0][1])] if shown else [])]
    if len(rankings) > len(shown):
        subtitle.append(f"the first {len(shown)} of {len(rankings):,} groups")
    title = alt.TitleParams(f"Ranking by {rankings.column}", subtitle=subtitle, anchor="start")
    return alt.vconcat(*charts, spacing=24).resolve_scale(x="shared").properties(title=title)


def _legend(ranking: Ranking) -> str:
    level = f"{100 * ranking.confidence:g} % interval"
    return f"{ranking.model}, {ranking.link} link; bars: {level}; right: ranks it may have"


def _intervals(ranking: Ranking, axis: str) -> Any:
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
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("item:N", sort=None, title=None, axis=alt.Axis(labelLimit=240)),
        tooltip=["rank:Q", "item:N", "score:Q", "lower:Q", "upper:Q", "ranks:N", "comparisons:Q"],
    )
    bar = base.mark_rule(strokeWidth=2, color=COLOURS[0], opacity=0.5).encode(
        x=alt.X("lower:Q", title=axis or None, scale=alt.Scale(zero=False)), x2="upper:Q"
    )
    dot = base.mark_circle(size=70, color=COLOURS[0], opacity=1).encode(x="score:Q")
    text = base.mark_text(align="left", dx=6, color="#666666").encode(
        x=alt.value(WIDTH + 6), text="ranks:N"
    )
    return (bar + dot + text).properties(width=WIDTH, height=alt.Step(22))
