"""Outlying answers: what was answered against what the ranking believes, the strangest named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.display import cut
from hodgerank.estimators.outliers import Outliers
from hodgerank.kernels.edges import group_rows
from hodgerank.plotting.binned_counts import count_cells, drawn_cells
from hodgerank.plotting.theme import ORANGE, altair, charted, data_of, heading
from hodgerank.types import BoolArray, FloatArray, IntArray

WIDTH, HEIGHT = 400, 340
MOST_DOTS = 5_000
GRID = (50, 17)
MOST_NAMED = 14
LINE = 20  # pixels from name to name
SPREAD = 0.14  # by how much equal answers are spread up and down
ROOM = 1.15  # ends of the scale of answers
LARGEST, SMALLEST, INK = 260.0, 14.0, 30_000.0  # areas of a dot, and of all of them
GOLDEN = (5**0.5 - 1) / 2  # its multiples spread evenly
LONGEST_NAME = 20
# Of the list: where a column begins, how wide it is, and what it holds.
COLUMNS = {
    "answer": (0, 250, "most outlying answers"),
    "expected": (262, 60, "believed"),
    "worker": (330, 100, "worker"),
    "row": (440, 50, "row"),
}


Axes = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Equal answers to the same pair, seen from the item that the ranking prefers.

    Attributes
    ----------
    believed
        By how much the ranking prefers it.
    answered
        How far the answers do, from -1 to 1.
    counts
        How many answers there are.
    flagged
        Whether they are outliers.
    first
        The first of them.
    """

    believed: FloatArray
    answered: FloatArray
    counts: IntArray
    flagged: BoolArray
    first: IntArray


@charted
def outliers_chart(outliers: Outliers, *, n_named: int = MOST_NAMED) -> Any:
    """Every answer by what the ranking believes of its pair, and the most outlying by name.

    Both are for the item that the ranking prefers: an answer is explained where it lies in the
    shaded band around what is believed. Where there are more than 5,000 kinds of answers, they
    are counted on a grid. Beside it stand the `n_named` most outlying, at most 14.
    """
    kinds = _kinds(outliers)
    finding, _, numbers = outliers.verdict.partition(": ")
    notes = [
        numbers,
        "each answer against what the ranking believes, for the item that it ranks higher; "
        "orange: too far",
        f"dashed: as believed; shaded: within {outliers.penalty:.2f} of it",
    ]
    is_many = len(kinds.counts) > MOST_DOTS
    if is_many:
        notes[-1] += "; the darker, the more answers"
    elif kinds.counts.max(initial=0) > 1:
        notes[-1] += "; size: number of equal answers to a pair"
    ends = (0.0, 1.05 * max(float(kinds.believed.max(initial=0.0)), 0.1))
    axes = _axes(ends[1])
    answers = _cells(kinds, ends, axes) if is_many else _dots(outliers, kinds, axes)
    picture = altair().layer(*_band(outliers.penalty, ends[1], axes), *answers)
    chart = picture.properties(width=WIDTH, height=HEIGHT)
    if outliers.n_flagged and n_named > 0:
        chart = altair().hconcat(chart, _list(outliers, min(n_named, MOST_NAMED)), spacing=36)
    return chart.properties(title=heading(finding[:1].upper() + finding[1:], *notes))


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
        believed=np.abs(difference[edge]),
        answered=better * answered.turned[first],
        counts=np.bincount(kind, votes.votes_per_row, len(keys)).astype(np.int64),
        flagged=outliers.flagged[first],
        first=first,
    )


def _axes(end: float) -> Axes:
    alt = altair()
    x = alt.X(
        "x:Q",
        title="what the ranking believes: difference of the scores",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    y = alt.Y(
        "y:Q",
        title="answer (1: the item ranked higher, -1: the lower)",
        scale=alt.Scale(domain=[-ROOM, ROOM], nice=False),
        axis=alt.Axis(values=[-1, -0.5, 0, 0.5, 1]),
    )
    return x, y


def _band(penalty: float, end: float, axes: Axes) -> list[Any]:
    """Answers as believed, and those near enough."""
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
    """A dot for each kind of answers, those of equal height spread a little."""
    alt = altair()
    x, y = axes
    largest = max(SMALLEST, min(LARGEST, INK / len(kinds.counts)))
    areas = np.maximum(SMALLEST, largest * kinds.counts / kinds.counts.max())
    spread = SPREAD * (GOLDEN * np.arange(len(areas)) % 1 - 0.5)
    values = [
        {
            "x": round(float(kinds.believed[k]), 4),
            "y": round(float(kinds.answered[k] + spread[k]), 4),
            "answered": round(float(kinds.answered[k]), 4),
            "area": round(float(areas[k]), 1),
            "answer": _words(outliers, int(kinds.first[k])),
            "answers": int(kinds.counts[k]),
            "flagged": bool(kinds.flagged[k]),
        }
        for k in range(len(areas))
    ]
    base = alt.Chart().encode(
        x=x,
        y=y,
        size=alt.Size("area:Q", scale=None),
        tooltip=[
            alt.Tooltip("answer:N"),
            alt.Tooltip("answers:Q", format=","),
            alt.Tooltip("x:Q", title="believed difference", format="+.2f"),
            alt.Tooltip("answered:Q", title="answered, for the higher item", format="+.2f"),
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
    """How many answers lie where; those that are outliers on top."""
    alt = altair()
    layers = []
    for is_flagged, look in ((False, {"style": "mark"}), (True, {"color": ORANGE})):
        chosen = kinds.flagged == is_flagged
        values = count_cells(
            kinds.believed[chosen],
            kinds.answered[chosen],
            kinds.counts[chosen],
            (ends, (-ROOM, ROOM)),
            GRID,
        )
        title = "outlying answers" if is_flagged else "answers"
        tooltip = [
            alt.Tooltip("count:Q", title=title, format=","),
            alt.Tooltip("x:Q", title="believed from", format=".2f"),
            alt.Tooltip("x_end:Q", title="to", format=".2f"),
        ]
        layers.append(drawn_cells(values, axes, tooltip, **look))
    return layers


def _list(outliers: Outliers, n_named: int) -> Any:
    """The most outlying answers, a line each."""
    alt = altair()
    votes = outliers.votes
    flagged = np.flatnonzero(outliers.flagged)
    order = flagged[np.argsort(-outliers.entry[flagged], kind="stable")]
    has_workers = bool((votes.worker != NO_WORKER).any())
    values = [
        {
            "place": place,
            "answer": _words(outliers, k),
            "expected": f"{_believed(outliers, k):+.2f}",
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
        values.append({**rest, "place": len(values) + 1, "answer": f"and {more:,} more"})
    base = alt.Chart(data_of([{"place": 0, **titles}, *values])).encode(
        y=alt.Y(
            "place:Q",
            axis=None,
            scale=alt.Scale(domain=[0, HEIGHT / LINE - 1], reverse=True, nice=False),
        )
    )
    layers = [
        base.transform_filter(shown)
        .mark_text(align="left", style=style, limit=width, tooltip=None)
        .encode(x=alt.value(start), text=f"{name}:N")
        for name, (start, width, _) in COLUMNS.items()
        for shown, style in ((alt.datum.place == 0, "note"), (alt.datum.place > 0, "label"))
    ]
    width = sum(COLUMNS["row"][:2])
    return alt.layer(*layers).properties(width=width, height=HEIGHT - LINE)


def _words(outliers: Outliers, k: int) -> str:
    """An answer in words."""
    votes = outliers.votes
    left, right = (
        cut(str(votes.items[code]), LONGEST_NAME) for code in (votes.left[k], votes.right[k])
    )
    if votes.outcome[k] == 0:
        return f"{left} and {right} tied"
    return f"{left} over {right}" if votes.outcome[k] > 0 else f"{right} over {left}"


def _believed(outliers: Outliers, k: int) -> float:
    """The difference that the ranking sees in favour of the item named first."""
    votes = outliers.votes
    difference = outliers.scores[votes.left[k]] - outliers.scores[votes.right[k]]
    return float(difference if votes.outcome[k] >= 0 else -difference)


def _worker(outliers: Outliers, k: int) -> str:
    code = int(outliers.votes.worker[k])
    return "" if code == NO_WORKER else cut(str(outliers.votes.workers[code]), LONGEST_NAME)
