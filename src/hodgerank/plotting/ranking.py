"""A ranking with its intervals, and the rankings of several groups under each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.display import shortened
from hodgerank.estimators.certainty import leader_is_certain, possible_leaders
from hodgerank.estimators.group_rankings import GroupRankings
from hodgerank.estimators.ranking import Ranking
from hodgerank.plotting.theme import altair, charted, data_of, heading, name
from hodgerank.types import IntArray

MOST_ITEMS = 60  # that have a line each
TOP, BOTTOM = 30, 10  # of more
MOST_GROUPS = 20
WIDTH = 520
ROOMY, TIGHT = (30, 24), (MOST_ITEMS, 16)  # items up to which a line is so high, in pixels
LABEL_WIDTH, LONGEST_LABEL = 220, 34
RANKS_WIDTH = 70
REST_HEIGHT = 70
BINS = 48
UNSEEN = "\u200b"


@charted
def ranking_chart(ranking: Ranking, *, finding: str | None = None) -> Any:
    """Scores from best to worst, each with its confidence interval and the ranks it may have.

    Of more than 60 items the top 30 and the bottom 10 are shown, and between them how the scores
    of the rest are spread. `finding` is another title than who leads by this ranking alone.
    """
    notes = [_legend(ranking)]
    if len(ranking) > MOST_ITEMS:
        notes.append(
            f"{len(ranking):,} items: the best {TOP}, the last {BOTTOM}, and between them how many "
            "of the others have which score"
        )
    if ranking.n_components > 1:
        notes.append(
            f"{ranking.n_components:,} groups of items were never compared with each other: ranks "
            "hold within a group"
        )
    title = heading(finding or who_leads(ranking), *notes)
    return _panels(ranking, "score").properties(title=title)


@charted
def group_rankings_chart(rankings: GroupRankings, *, most_lines: int | None = None) -> Any:
    """The ranking of each group, all on one scale of scores.

    Of the first 20 groups; of fewer where they have more than `most_lines` items together.
    """
    alt = altair()
    shown = list(rankings.items())[:MOST_GROUPS]
    if most_lines is not None:
        lines = np.cumsum([min(len(ranking), TOP + BOTTOM) for _, ranking in shown])
        shown = shown[: max(1, int(np.searchsorted(lines, most_lines, side="right")))]
    charts = []
    for k, (group, ranking) in enumerate(shown):
        text = f"{rankings.column} {name(group)}: {who_leads(ranking)}"
        if len(ranking) > MOST_ITEMS:
            text += f" ({len(ranking):,} items: top, bottom, and the spread of the rest)"
        axis = "score" if k == len(shown) - 1 else ""
        title = alt.TitleParams(text, anchor="start", fontSize=12, offset=6)
        charts.append(_panels(ranking, axis).properties(title=title))
    notes = [_legend(shown[0][1])] if shown else []
    if len(rankings) > len(shown):
        notes.append(f"the first {len(shown)} of {len(rankings):,} groups")
    drawn = alt.vconcat(*charts, spacing=24).resolve_scale(x="shared")
    verdict = rankings.verdict[:1].upper() + rankings.verdict[1:]
    return drawn.properties(title=heading(verdict, *notes))


def who_leads(ranking: Ranking, n_groups: int = 1) -> str:
    """Who leads, and whether that is certain, in words.

    Nobody does where answers leave so many groups of items apart that a prior alone ranks together.
    """
    if n_groups > 1:
        return (
            f"Answers leave {n_groups:,} groups of items apart: which item is the best cannot be "
            "said yet"
        )
    if ranking.is_level:
        return "All items have the same score"
    first_ranked = int(np.sum((ranking.ranks == 1) & (ranking.components == 0)))
    if first_ranked > 1:
        return f"{first_ranked:,} items share the first place"
    leaders = possible_leaders(ranking)
    first = name(leaders[0]) if leaders else "nobody"
    level = f"{100 * ranking.confidence:g} % confidence"
    if len(leaders) == 1:
        ahead = f"{first} is ahead, but not certain to be the best"
        return f"{first} leads at {level}" if leader_is_certain(ranking) else ahead
    if len(leaders) <= 3:
        others = " and ".join(name(item) for item in leaders[1:])
        return f"{first} is ahead, but {others} may be as good"
    return f"{first} is ahead, but {len(leaders) - 1:,} others may be as good"


def _legend(ranking: Ranking) -> str:
    level = f"{100 * ranking.confidence:g} % interval"
    return f"{ranking.model}, {ranking.link} link; bar: {level}; right: ranks it may have"


def _panels(ranking: Ranking, axis: str) -> Any:
    """All items; or top, rest and bottom on one scale."""
    n = len(ranking)
    if n <= MOST_ITEMS:
        return _intervals(ranking, np.arange(n), axis)
    alt = altair()
    return (
        alt.vconcat(
            _intervals(ranking, np.arange(TOP), ""),
            _spread(ranking, np.arange(TOP, n - BOTTOM)),
            _intervals(ranking, np.arange(n - BOTTOM, n), axis),
            spacing=8,
        )
        .resolve_scale(x="shared")
        .resolve_axis(x="independent")
    )


def _intervals(ranking: Ranking, rows: IntArray, axis: str) -> Any:
    """A line for each of some items."""
    alt = altair()
    values: list[dict[str, Any]] = []
    for k in rows.tolist():
        row = ranking._row(k)
        best, worst = row.rank_lower, row.rank_upper
        values.append(
            {
                **row._asdict(),
                "item": str(row.item),
                "label": _apart(shortened(str(row.item), LONGEST_LABEL), values),
                "ranks": f"{best}" if best == worst else f"{best} to {worst}",
            }
        )
    step = next((high for most, high in (ROOMY, TIGHT) if len(ranking) <= most), TIGHT[1])
    base = alt.Chart(data_of(values)).encode(
        y=alt.Y(
            "label:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelLimit=LABEL_WIDTH, domain=False, ticks=False, labelPadding=8),
        ),
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("rank:Q"),
            alt.Tooltip("ranks:N", title="ranks it may have"),
            alt.Tooltip("score:Q", format="+.3f"),
            alt.Tooltip("lower:Q", format="+.3f"),
            alt.Tooltip("upper:Q", format="+.3f"),
            alt.Tooltip("votes:Q", format=","),
        ],
    )
    x = alt.X(
        "lower:Q",
        title=axis or None,
        scale=alt.Scale(zero=False),
        axis=_x_axis(axis),
    )
    bar = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.45, style="mark")
    dot = base.mark_point(size=55, filled=True, opacity=1, style="mark")
    ranks = base.mark_text(align="left", style="note").encode(
        x=alt.value(WIDTH + 12), text="ranks:N"
    )
    layers = bar.encode(x=x, x2="upper:Q") + dot.encode(x="score:Q") + ranks
    return layers.properties(width=WIDTH, height=alt.Step(step))


def _apart(label: str, values: list[dict[str, Any]]) -> str:
    """The label, marked unseen where others look the same: each item has a line of its own."""
    taken = {value["label"] for value in values}
    while label in taken:
        label += UNSEEN
    return label


def _x_axis(title: str) -> Any:
    """The lines of the grid alone, but for a title."""
    shown = bool(title)
    return altair().Axis(labels=shown, ticks=shown, domain=shown, tickCount=7, grid=True)


def _spread(ranking: Ranking, rows: IntArray) -> Any:
    """How many of some items have which score."""
    alt = altair()
    counts, edges = np.histogram(ranking.scores[rows], BINS)
    values = [
        {"from": low, "to": high, "items": count}
        for low, high, count in zip(
            edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True
        )
    ]
    bars = (
        alt.Chart(data_of(values))
        .mark_bar(style="unremarkable", binSpacing=1)
        .encode(
            x=alt.X("from:Q", bin="binned", title=None, axis=_x_axis("")),
            x2="to:Q",
            y=alt.Y("items:Q", title="items", axis=alt.Axis(tickCount=2, grid=False)),
            tooltip=[
                alt.Tooltip("items:Q", format=","),
                alt.Tooltip("from:Q", format="+.3f"),
                alt.Tooltip("to:Q", format="+.3f"),
            ],
        )
    )
    words = f"{len(rows):,} others"
    note = (
        alt.Chart(data_of([{"words": words}]))
        .mark_text(align="left", style="note")
        .encode(x=alt.value(WIDTH + 12), y=alt.value(REST_HEIGHT / 2), text="words:N")
    )
    return (bars + note).properties(width=WIDTH, height=REST_HEIGHT)
