"""The topology of the comparison graph as pairs are compared: Betti curves and persistence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hodgerank.graph.topology import TopologyTracker
from hodgerank.plotting.theme import (
    COLOURS,
    altair,
    charted,
    data_of,
    heading,
    legend_of,
    sentence,
)
from hodgerank.types import FloatArray, IntArray

MOST_BARS = 40
MOST_STEPS = 600  # places on a curve
WIDTH, HEIGHT = 560, 220
AXIS = 50  # pixels of an axis with its title
BAR = 9  # pixels from bar to bar
FEW_TICKS = 8
SERIES = ("components", "unfilled loops")


class Bars(NamedTuple):
    """How the bars of one dimension are drawn and described."""

    name: str
    colour: str
    begun: str
    closed: str
    open: str
    note: str


COMPONENTS = Bars(
    "components",
    COLOURS[0],
    "entered after pair",
    "connected to an older one by",
    "still not connected to an older one",
    "Blue bars: each component, from its first item to the pair that connected it to an older one.",
)
LOOPS = Bars(
    "loops",
    COLOURS[1],
    "created by pair",
    "filled by",
    "still unfilled",
    "Orange bars: each loop, from the pair that created it to the pair that filled it. Triangle: "
    "still unfilled.",
)


@charted
def topology_chart(tracker: TopologyTracker) -> Any:
    """Components and unfilled loops against the distinct pairs compared; below, each loop as a bar.

    A loop is filled by triangles, or other faces of the tracker. Of more than 40 loops those that
    lasted longest are shown; loops that are filled by the pair that closes them do not count. If
    items entered over time, each component is a bar too.
    """
    alt = altair()
    components, loops = (_intervals(tracker, dimension) for dimension in (0, 1))
    beta_0, beta_1 = (_curve(each, tracker.n_edges) for each in (components, loops))
    notes = [
        _milestones(tracker, beta_0, beta_1),
        "A cycle along an unfilled loop shows in no triangle.",
    ]
    bars = [(loops, LOOPS)] if len(loops) else []
    if components[:, 0].any():
        bars.insert(0, (components, COMPONENTS))
    panels = [_betti(beta_0, beta_1, axis=not bars)]
    for place, (intervals, kind) in enumerate(bars, start=1):
        notes.append(kind.note)
        if len(intervals) > MOST_BARS:
            notes.append(f"The {MOST_BARS} longest-lived of {len(intervals):,} {kind.name}.")
        panels.append(_bars(intervals, kind, tracker.n_edges, axis=place == len(bars)))
    chart = alt.vconcat(*panels, spacing=14) if bars else panels[0]
    if bars:
        chart = chart.resolve_scale(x="shared", color="independent", shape="independent")
    return chart.properties(title=heading(_finding(tracker), *notes, width=WIDTH + AXIS))


def _intervals(tracker: TopologyTracker, dimension: int) -> FloatArray:
    """Birth and death of every component or loop, one row each."""
    found = [(i.birth, i.death) for i in tracker.intervals if i.dimension == dimension]
    return np.array(found, float).reshape(-1, 2)


def _curve(intervals: FloatArray, n_edges: int) -> IntArray:
    """Return how many are alive after 0, 1, ... pairs."""
    births, deaths = intervals.T
    begun = np.bincount(births.astype(np.int64), minlength=n_edges + 1)
    ended = np.bincount(deaths[np.isfinite(deaths)].astype(np.int64), minlength=n_edges + 1)
    return np.asarray(np.cumsum(begun - ended))


def _finding(tracker: TopologyTracker) -> str:
    n, pairs = tracker.n_items, tracker.n_edges
    parts, loops = tracker.beta_0, tracker.beta_1
    if not pairs:
        return f"No pair of the {n:,} items has been compared"
    after = f"After {_count(pairs, 'distinct pair')}"
    groups = (
        f"all {n:,} items are connected" if parts == 1 else f"{parts:,} groups are disconnected"
    )
    unfilled = _count(loops, "unfilled loop") if loops else "no unfilled loops"
    return f"{after} {groups}, with {unfilled}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _milestones(tracker: TopologyTracker, beta_0: IntArray, beta_1: IntArray) -> str:
    """When items became connected, and when most loops were unfilled."""
    found = []
    if tracker.n_edges and tracker.beta_0 == 1:
        found.append(f"connected from pair {int(np.flatnonzero(beta_0 != 1)[-1]) + 1:,} on")
    most = int(beta_1.max())
    if most:
        found.append(f"at most {_count(most, 'unfilled loop')}, at pair {int(beta_1.argmax()):,}")
    else:
        found.append("no loop was ever unfilled")
    return sentence("; ".join(found))


def _betti(beta_0: IntArray, beta_1: IntArray, *, axis: bool = True) -> Any:
    alt = altair()
    n_times = len(beta_0)
    changes = (np.diff(beta_0, prepend=-1) != 0) | (np.diff(beta_1, prepend=-1) != 0)
    changes[-1] = True
    shown = np.flatnonzero(changes)
    if len(shown) > MOST_STEPS:
        shown = np.unique(np.linspace(0, n_times - 1, MOST_STEPS).round().astype(np.int64))
    values = [
        {"at": at, "pairs": pairs, "kind": kind, "number": number}
        for kind, curve in zip(SERIES, (beta_0, beta_1), strict=True)
        for at, pairs, number in zip(
            [*shown.tolist(), _end(n_times - 1)],
            [*shown.tolist(), n_times - 1],
            [*curve[shown].tolist(), int(curve[-1])],
            strict=True,
        )
    ]
    highest = int(max(beta_0.max(), beta_1.max()))
    return (
        alt.Chart(data_of(values))
        .mark_line(interpolate="step-after", strokeWidth=2, point={"opacity": 0, "size": 60})
        .encode(
            x=_pairs_axis("at:Q", n_times - 1, shown=axis),
            y=alt.Y("number:Q", title="number", axis=alt.Axis(tickCount=5, **_whole(highest))),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=list(SERIES), range=list(COLOURS[:2])),
                legend=legend_of(
                    SERIES, WIDTH, orient="top", symbolType="stroke", symbolStrokeWidth=3
                ),
            ),
            tooltip=[
                alt.Tooltip("pairs:Q", title="distinct pairs compared", format=","),
                alt.Tooltip("kind:N", title="number of"),
                alt.Tooltip("number:Q", format=","),
            ],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _bars(intervals: FloatArray, kind: Bars, n_edges: int, *, axis: bool) -> Any:
    """The longest intervals, from birth to death or to the last pair."""
    alt = altair()
    is_open = ~np.isfinite(intervals[:, 1])
    ends = np.where(is_open, _end(n_edges), intervals[:, 1])
    order = np.lexsort((intervals[:, 0], intervals[:, 0] - ends))[:MOST_BARS]
    values = [
        {
            "place": place,
            "opened": int(intervals[k, 0]),
            "end": float(ends[k]),
            "fate": kind.open if is_open[k] else f"{kind.closed} pair {int(ends[k]):,}",
            "open": bool(is_open[k]),
        }
        for place, k in enumerate(order.tolist())
    ]
    base = alt.Chart(data_of(values)).encode(
        y=alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25)),
        x=_pairs_axis("opened:Q", n_edges, shown=axis),
        tooltip=[
            alt.Tooltip("opened:Q", title=kind.begun, format=","),
            alt.Tooltip("fate:N", title="then"),
        ],
    )
    bars = base.mark_bar(color=kind.colour, opacity=0.75).encode(x2="end:Q")
    ends_open = (
        base.transform_filter(alt.datum.open)
        .mark_point(
            shape="triangle-right", filled=True, size=45, opacity=1, color=kind.colour, xOffset=5
        )
        .encode(x="end:Q")
    )
    return (bars + ends_open).properties(width=WIDTH, height=alt.Step(BAR))


def _pairs_axis(field: str, n_edges: int, *, shown: bool) -> Any:
    alt = altair()
    return alt.X(
        field,
        title="distinct pairs compared" if shown else None,
        scale=alt.Scale(domain=[0, _end(n_edges)], nice=False),
        axis=alt.Axis(labels=shown, ticks=shown, domain=shown, tickCount=8, **_whole(n_edges)),
    )


def _end(n_edges: int) -> float:
    """Where curves end: a little after the last pair, so that its effect is seen."""
    return n_edges + max(0.5, n_edges / 100)


def _whole(highest: int) -> dict[str, Any]:
    """Ticks of an axis that counts."""
    ticks = {"values": list(range(highest + 1))} if highest <= FEW_TICKS else {}
    return {"format": ",d", **ticks}
