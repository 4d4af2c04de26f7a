"""Outliers: each vote against the prediction of the ranking, the most outlying by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.outliers import Outliers
from hodgerank.kernels.edges import group_rows
from hodgerank.plotting.binned_counts import count_cells, drawn_cells
from hodgerank.plotting.text_width import fitted
from hodgerank.plotting.theme import ORANGE, altair, charted, data_of, heading, sentence, signed
from hodgerank.types import BoolArray, FloatArray, IntArray

WIDTH, HEIGHT = 400, 340
MOST_DOTS = 5_000
GRID = (50, 17)
MOST_NAMED = 14
LINE = 20  # pixels from name to name
SPREAD = 0.14  # by how much equal votes are spread up and down
AXIS, SPACING = 50, 36  # pixels of the axis with its title, and between chart and list
ROOM = 1.15  # ends of the scale of votes
TICKS = (-1, -0.5, 0, 0.5, 1)
LARGEST, SMALLEST, INK = 260.0, 14.0, 30_000.0  # areas of a dot, and of all of them
GOLDEN = (5**0.5 - 1) / 2  # its multiples spread evenly
NAME, WORKER = 110, 110  # pixels of an item's name in a vote, and of a worker's
# Of the list: where a column begins, how wide it is, and what it holds.
COLUMNS = {
    "vote": (0, 2 * NAME + 64, "most outlying votes"),
    "predicted": (2 * NAME + 72, 66, "predicted"),
    "worker": (2 * NAME + 148, WORKER, "worker"),
    "row": (2 * NAME + 266, 60, "row"),
}


Axes = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Equal votes on the same pair, seen from the item that is ranked higher.

    Attributes
    ----------
    predicted
        By how much its score is higher.
    voted
        The outcome for it, from -1 to 1, or its margin.
    counts
        How many votes there are.
    flagged
        Whether they are outliers.
    first
        The first of them.
    """

    predicted: FloatArray
    voted: FloatArray
    counts: IntArray
    flagged: BoolArray
    first: IntArray
    unit: str | None

    @property
    def reach(self) -> float:
        """End of the axis of votes."""
        largest = float(np.abs(self.voted).max(initial=0.0)) or 1.0
        return ROOM * (1.0 if self.unit is None else largest)


@charted
def outliers_chart(outliers: Outliers, *, n_named: int = MOST_NAMED) -> Any:
    """Every vote against the difference in scores that predicts it, and the most outlying by name.

    Both are for the item that is ranked higher. Votes outside the shaded band around the prediction
    are outliers. More than 5,000 kinds of votes are counted on a grid. Beside it stand the
    `n_named` most outlying, at most 14.
    """
    kinds = _kinds(outliers)
    finding, _, numbers = outliers.verdict.partition(": ")
    notes = [
        sentence(numbers) if numbers else "",
        "Each vote against its prediction, for the item that is ranked higher. Dashed: vote equals "
        f"prediction. Shaded: residual up to {outliers.penalty:.2f}. Orange: outliers.",
    ]
    is_many = len(kinds.counts) > MOST_DOTS
    if is_many:
        notes.append("Darker: more votes.")
    elif kinds.counts.max(initial=0) > 1:
        notes.append("Size: number of equal votes on a pair.")
    ends = (0.0, 1.05 * max(float(kinds.predicted.max(initial=0.0)), 0.1 * kinds.reach / ROOM))
    axes = _axes(ends[1], kinds)
    drawn = _cells(kinds, ends, axes) if is_many else _dots(outliers, kinds, axes)
    picture = altair().layer(*_band(outliers.penalty, ends[1], axes), *drawn)
    chart, width = picture.properties(width=WIDTH, height=HEIGHT), float(WIDTH + AXIS)
    if outliers.n_flagged and n_named > 0:
        chart = altair().hconcat(chart, _list(outliers, min(n_named, MOST_NAMED)), spacing=SPACING)
        width += SPACING + sum(COLUMNS["row"][:2])
    return chart.properties(title=heading(finding[:1].upper() + finding[1:], *notes, width=width))


def _kinds(outliers: Outliers) -> _Kinds:
    votes, answered = outliers.votes, outliers.answered
    graph = answered.graph
    difference = outliers.scores[graph.i] - outliers.scores[graph.j]
    outcomes, which = np.unique(answered.turned, return_inverse=True)
    keys, kind = group_rows(answered.edge * len(outcomes) + which, graph.n_edges * len(outcomes))[
        :2
    ]
    first = np.zeros(len(keys), np.int64)
    first[kind[::-1]] = np.arange(len(votes) - 1, -1, -1)
    edge = answered.edge[first]
    better = np.where(difference[edge] < 0, -1.0, 1.0)
    return _Kinds(
        predicted=np.abs(difference[edge]),
        voted=better * answered.turned[first],
        counts=np.bincount(kind, votes.votes_per_row, len(keys)).astype(np.int64),
        flagged=outliers.flagged[first],
        first=first,
        unit=votes.report.margin_unit,
    )


def _axes(end: float, kinds: _Kinds) -> Axes:
    alt = altair()
    x = alt.X(
        "x:Q",
        title="prediction: difference in scores",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    title, ticks = "vote (+1: higher-ranked item, −1: lower)", alt.Axis(values=TICKS)
    if kinds.unit is not None:
        title, ticks = f"margin of the higher-ranked item ({kinds.unit})", alt.Axis(tickCount=7)
    y = alt.Y(
        "y:Q",
        title=title,
        scale=alt.Scale(domain=[-kinds.reach, kinds.reach], nice=False),
        axis=ticks,
    )
    return x, y


def _band(penalty: float, end: float, axes: Axes) -> list[Any]:
    """Votes equal to their prediction, and those near enough."""
    alt = altair()
    x, y = axes
    band = [{"x": x, "y": x - penalty, "high": x + penalty} for x in (0.0, end)]
    line = [{"x": x, "y": x} for x in (0.0, end)]
    return [
        alt.Chart(data_of(band))
        .mark_area(style="unremarkable", opacity=0.25, clip=True, tooltip=None)
        .encode(x=x, y=y, y2="high:Q"),
        alt.Chart(data_of(line))
        .mark_line(style="reference", strokeWidth=1, clip=True, tooltip=None)
        .encode(x=x, y=y),
    ]


def _dots(outliers: Outliers, kinds: _Kinds, axes: Axes) -> list[Any]:
    """A dot for each kind of votes, those of equal height spread a little."""
    alt = altair()
    x, y = axes
    largest = max(SMALLEST, min(LARGEST, INK / len(kinds.counts)))
    areas = np.maximum(SMALLEST, largest * kinds.counts / kinds.counts.max())
    spread = (SPREAD if kinds.unit is None else 0.0) * (GOLDEN * np.arange(len(areas)) % 1 - 0.5)
    values = [
        {
            "x": round(float(kinds.predicted[k]), 4),
            "y": round(float(kinds.voted[k] + spread[k]), 4),
            "voted": round(float(kinds.voted[k]), 4),
            "area": round(float(areas[k]), 1),
            "vote": _words(outliers, int(kinds.first[k])),
            "votes": int(kinds.counts[k]),
            "flagged": bool(kinds.flagged[k]),
        }
        for k in range(len(areas))
    ]
    base = alt.Chart().encode(
        x=x,
        y=y,
        size=alt.Size("area:Q", scale=None),
        tooltip=[
            alt.Tooltip("vote:N"),
            alt.Tooltip("votes:Q", format=","),
            alt.Tooltip("x:Q", title="predicted", format="+.2f"),
            alt.Tooltip("voted:Q", title="voted", format="+.2f"),
        ],
    )
    data = data_of(values)
    return [
        alt.layer(
            base.transform_filter(~alt.datum.flagged).mark_point(
                filled=True, opacity=0.7, style="mark"
            ),
            base.transform_filter(alt.datum.flagged).mark_point(
                filled=True, opacity=0.9, color=ORANGE
            ),
            data=data,
        )
    ]


def _cells(kinds: _Kinds, ends: tuple[float, float], axes: Axes) -> list[Any]:
    """How many votes lie where; outliers on top."""
    alt = altair()
    layers = []
    for is_flagged, look in ((False, {"style": "mark"}), (True, {"color": ORANGE})):
        chosen = kinds.flagged == is_flagged
        values = count_cells(
            kinds.predicted[chosen],
            kinds.voted[chosen],
            kinds.counts[chosen],
            (ends, (-kinds.reach, kinds.reach)),
            GRID,
        )
        title = "outliers" if is_flagged else "votes"
        tooltip = [
            alt.Tooltip("count:Q", title=title, format=","),
            alt.Tooltip("x:Q", title="predicted from", format=".2f"),
            alt.Tooltip("x_end:Q", title="to", format=".2f"),
        ]
        layers.append(drawn_cells(values, axes, tooltip, **look))
    return layers


def _list(outliers: Outliers, n_named: int) -> Any:
    """The most outlying votes, a line each."""
    alt = altair()
    votes = outliers.votes
    flagged = np.flatnonzero(outliers.flagged)
    order = flagged[np.argsort(-outliers.entry[flagged], kind="stable")]
    has_workers = bool((votes.worker != NO_WORKER).any())
    values = [
        {
            "place": place,
            "vote": _words(outliers, k),
            "predicted": signed(_prediction(outliers, k)),
            "worker": _worker(outliers, k) if has_workers else "",
            "row": f"{int(votes.rows[k]):,}",
        }
        for place, k in enumerate(order[:n_named].tolist(), start=1)
    ]
    titles = {name: title for name, (_, _, title) in COLUMNS.items()}
    titles["worker"] = titles["worker"] if has_workers else ""
    more = len(order) - len(values)
    if more:
        rest = dict.fromkeys(COLUMNS, "")
        values.append({**rest, "place": len(values) + 1, "vote": f"and {more:,} more"})
    base = alt.Chart(data_of([{"place": 0, **titles}, *values])).encode(
        y=alt.Y(
            "place:Q",
            axis=None,
            scale=alt.Scale(domain=[0, HEIGHT / LINE - 1], reverse=True, nice=False),
        )
    )
    layers = [
        base.transform_filter(shown)
        .mark_text(align="left", style=style, tooltip=None)
        .encode(x=alt.XValue(start), text=f"{name}:N")
        for name, (start, _, _) in COLUMNS.items()
        for shown, style in ((alt.datum.place == 0, "note"), (alt.datum.place > 0, "label"))
    ]
    width = sum(COLUMNS["row"][:2])
    return alt.layer(*layers).properties(width=width, height=HEIGHT - LINE)


def _words(outliers: Outliers, k: int) -> str:
    """A vote in words."""
    votes = outliers.votes
    left, right = (fitted(str(votes.items[code]), NAME) for code in (votes.left[k], votes.right[k]))
    if votes.outcome[k] == 0:
        return f"{left} and {right} tied"
    words = f"{left} over {right}" if votes.outcome[k] > 0 else f"{right} over {left}"
    if votes.report.margin_unit is None:
        return words
    return f"{words} by {abs(float(votes.outcome[k])):.3g}"


def _prediction(outliers: Outliers, k: int) -> float:
    """The difference in scores in favour of the item named first."""
    votes = outliers.votes
    difference = outliers.scores[votes.left[k]] - outliers.scores[votes.right[k]]
    return float(difference if votes.outcome[k] >= 0 else -difference)


def _worker(outliers: Outliers, k: int) -> str:
    code = int(outliers.votes.worker[k])
    return "" if code == NO_WORKER else fitted(str(outliers.votes.workers[code]), WORKER)
