"""A ranking with its intervals, and the rankings of several groups under each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.estimators.certainty import leader_is_certain, possible_leaders
from hodgerank.estimators.group_rankings import GroupRankings
from hodgerank.estimators.ranking import RankedItem, Ranking
from hodgerank.plotting.text_width import fitted, fitted_apart, text_width, wrapped
from hodgerank.plotting.theme import altair, charted, data_of, heading, name, room_to, sentence
from hodgerank.types import IntArray

MOST_ITEMS = 60  # that have a line each
TOP, BOTTOM = 30, 10  # of more
MOST_GROUPS = 20
WIDTH = 310
ROOMY, TIGHT = (30, 24), (MOST_ITEMS, 18)  # items up to which a line is so high, in pixels
LABEL_WIDTH = 220
GAP, RANKS = 8, 12  # pixels from the plot to the names, and to the column of ranks
REST_HEIGHT = 70
GROUP_TITLE = 13  # pixels of letters
BINS = 48


@charted
def ranking_chart(ranking: Ranking, *, finding: str | None = None) -> Any:
    """Scores from best to worst, each with its confidence interval and its possible ranks.

    A line separates items that are significantly better than all below it. Of more than 60 items
    the top 30 and the bottom 10 are shown, and between them the distribution of the other scores.
    `finding` is another title than who leads by this ranking alone.
    """
    notes = [_reading(ranking)]
    if len(ranking) > MOST_ITEMS:
        notes.append(
            f"{len(ranking):,} items: the best {TOP}, the last {BOTTOM}, and the distribution of "
            "the scores between them."
        )
    if ranking.n_components > 1:
        notes.append(
            f"The items form {ranking.n_components:,} disconnected groups: ranks hold within a "
            "group."
        )
    labels = _labels(ranking, _shown(ranking))
    title = heading(finding or who_leads(ranking), *notes, width=_width(labels))
    return _panels(ranking, labels, _axis(ranking)).properties(title=title)


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
    labels = [_labels(ranking, _shown(ranking)) for _, ranking in shown]
    width = max(map(_width, labels), default=WIDTH)
    charts = []
    for k, (group, ranking) in enumerate(shown):
        text = f"{name(rankings.column)} {name(group)}: {who_leads(ranking)}"
        if len(ranking) > MOST_ITEMS:
            text += f" ({len(ranking):,} items: best, last, and distribution of the others)"
        axis = _axis(ranking) if k == len(shown) - 1 else ""
        lines_of_title = wrapped(text, width, GROUP_TITLE, bold=True)
        title = alt.TitleParams(lines_of_title, anchor="start", fontSize=GROUP_TITLE, offset=6)
        charts.append(_panels(ranking, labels[k], axis).properties(title=title))
    notes = [_reading(shown[0][1])] if shown else []
    if len(rankings) > len(shown):
        notes.append(f"The first {len(shown)} of {len(rankings):,} groups.")
    drawn = alt.vconcat(*charts, spacing=24).resolve_scale(x="shared")
    verdict = rankings.verdict[:1].upper() + rankings.verdict[1:]
    return drawn.properties(title=heading(verdict, *notes, width=width))


def who_leads(ranking: Ranking, n_groups: int = 1) -> str:
    """Say which item leads, and whether that is significant.

    None leads where only the prior connects several groups of items.
    """
    if n_groups > 1:
        return f"The items form {n_groups:,} disconnected groups: no item can be called the best"
    if ranking.is_level:
        return "All items have the same score"
    first_ranked = int(np.sum((ranking.ranks == 1) & (ranking.components == 0)))
    if first_ranked > 1:
        return f"{first_ranked:,} items share the first place"
    leaders = possible_leaders(ranking)
    first = name(leaders[0]) if leaders else "nobody"
    if len(leaders) == 1:
        if leader_is_certain(ranking):
            return f"{first} is the best item ({100 * ranking.confidence:g}% confidence)"
        return f"{first} ranks first, but is not significantly better than all others"
    if len(leaders) <= 3:
        others = " and ".join(name(item) for item in leaders[1:])
        return f"{first} ranks first, statistically tied with {others}"
    return f"{first} ranks first, statistically tied with {len(leaders) - 1:,} others"


def _reading(ranking: Ranking) -> str:
    return (
        f"{sentence(ranking.description)} Bars: {100 * ranking.confidence:g}% intervals; right: "
        "possible ranks. Lines separate groups of statistically tied items."
    )


def _axis(ranking: Ranking) -> str:
    """Title of the axis of scores."""
    return fitted(ranking.scale.label, WIDTH)


def _shown(ranking: Ranking) -> IntArray:
    """Positions of the items that have a line."""
    n = len(ranking)
    return np.arange(n) if n <= MOST_ITEMS else np.r_[:TOP, n - BOTTOM : n]


def _labels(ranking: Ranking, rows: IntArray) -> dict[int, str]:
    """Return the labels beside the lines, by position."""
    names = [str(ranking.items[k]) for k in rows.tolist()]
    return dict(zip(rows.tolist(), fitted_apart(names, LABEL_WIDTH), strict=True))


def _width(labels: dict[int, str]) -> float:
    """Pixels of the chart with its labels and ranks."""
    widest = max(map(text_width, labels.values()), default=0.0)
    return widest + WIDTH + RANKS + text_width("10–12")


def _panels(ranking: Ranking, labels: dict[int, str], axis: str) -> Any:
    """All items; or top, rest and bottom on one scale."""
    n, borders = len(ranking), _borders(ranking)
    if n <= MOST_ITEMS:
        return _intervals(ranking, labels, borders, axis)
    alt = altair()
    top = {k: label for k, label in labels.items() if k < TOP}
    bottom = {k: label for k, label in labels.items() if k >= TOP}
    return (
        alt.vconcat(
            _intervals(ranking, top, borders, ""),
            _spread(ranking, np.arange(TOP, n - BOTTOM)),
            _intervals(ranking, bottom, borders, axis),
            spacing=8,
        )
        .resolve_scale(x="shared")
        .resolve_axis(x="independent")
    )


def _borders(ranking: Ranking) -> set[int]:
    """Positions of items below which a component is cut: no possible rank is on the other side."""
    found: set[int] = set()
    for component in range(ranking.n_components):
        rows = np.flatnonzero(ranking.components == component)
        best, worst = ranking.rank_intervals[rows].T
        k = np.arange(1, len(rows))
        is_cut = (np.maximum.accumulate(worst)[:-1] <= k) & (
            np.minimum.accumulate(best[::-1])[::-1][1:] > k
        )
        found.update(rows[:-1][is_cut].tolist())
    return found


def _intervals(ranking: Ranking, labels: dict[int, str], borders: set[int], axis: str) -> Any:
    """A line for each of some items."""
    alt, form = altair(), ranking.scale.number_format
    last = max(labels, default=0)
    values = [
        {
            **_values(ranking._row(k)),
            "label": label,
            "is_border": k in borders and k < last,
        }
        for k, label in labels.items()
    ]
    extent = GAP + max(map(text_width, labels.values()), default=0.0)
    room = room_to(
        WIDTH + RANKS + max((text_width(value["ranks"]) for value in values), default=0.0)
    )
    step = next((high for most, high in (ROOMY, TIGHT) if len(ranking) <= most), TIGHT[1])
    base = alt.Chart(data_of(values)).encode(
        y=alt.Y(
            "label:N",
            sort=list(labels.values()),
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=GAP, minExtent=extent),
        ),
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("rank:Q", format=","),
            alt.Tooltip("ranks:N", title="possible ranks"),
            alt.Tooltip("score:Q", format=form),
            alt.Tooltip("lower:Q", format=form),
            alt.Tooltip("upper:Q", format=form),
            alt.Tooltip("votes:Q", format=","),
        ],
    )
    x = alt.X(
        "lower:Q",
        title=axis or None,
        scale=alt.Scale(zero=False),
        axis=_x_axis(ranking, axis),
    )
    lines = (
        base.transform_filter(alt.datum.is_border)
        .mark_rule(style="border", yOffset=step / 2, tooltip=None)
        .encode(x=alt.XValue(0), x2=alt.X2Value(WIDTH))
    )
    bar = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.45, style="mark")
    dot = base.mark_point(size=55, filled=True, opacity=1, style="mark")
    ranks = base.mark_text(align="left", style="note").encode(
        x=alt.XValue(WIDTH + RANKS), text="ranks:N"
    )
    layers = (lines, bar.encode(x=x, x2="upper:Q"), dot.encode(x="score:Q"), ranks, room)
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(step))


def _values(row: RankedItem) -> dict[str, Any]:
    """Return the values to draw for an item, and its tooltip."""
    best, worst = row.rank_lower, row.rank_upper
    return {
        "item": str(row.item),
        "rank": row.rank,
        "ranks": f"{best:,}" if best == worst else f"{best:,}–{worst:,}",
        "score": row.score,
        "lower": row.lower,
        "upper": row.upper,
        "votes": row.votes,
    }


def _x_axis(ranking: Ranking, title: str) -> Any:
    """The lines of the grid alone, but for a title."""
    shown = bool(title)
    form = {"elo": "~f"}.get(ranking.scale.name, "~%" if ranking.scale.is_probability else None)
    more = {} if form is None else {"format": form}
    return altair().Axis(labels=shown, ticks=shown, domain=shown, tickCount=6, grid=True, **more)


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
            x=alt.X("from:Q", bin="binned", title=None, axis=_x_axis(ranking, "")),
            x2="to:Q",
            y=alt.Y("items:Q", title="items", axis=alt.Axis(tickCount=2, grid=False)),
            tooltip=[
                alt.Tooltip("items:Q", format=","),
                alt.Tooltip("from:Q", format=ranking.scale.number_format),
                alt.Tooltip("to:Q", format=ranking.scale.number_format),
            ],
        )
    )
    words = f"{len(rows):,} others"
    note = (
        alt.Chart(data_of([{"words": words}]))
        .mark_text(align="left", style="note")
        .encode(x=alt.XValue(WIDTH + RANKS), y=alt.YValue(REST_HEIGHT / 2), text="words:N")
    )
    room = room_to(WIDTH + RANKS + text_width(words))
    return alt.layer(bars, note, room).properties(width=WIDTH, height=REST_HEIGHT)
