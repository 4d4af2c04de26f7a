"""The topology of the comparison graph as pairs are compared: Betti curves and persistence."""

from __future__ import annotations

from typing import Any

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


@charted
def topology_chart(tracker: TopologyTracker) -> Any:
    """Components and unfilled loops against the distinct pairs compared; below, each loop as a bar.

    A loop is filled by triangles. Of more than 40 loops those that lasted longest are shown; loops
    that are filled by the pair that closes them do not count.
    """
    alt = altair()
    loops = np.array(
        [(i.birth, i.death) for i in tracker.intervals if i.dimension == 1], float
    ).reshape(-1, 2)
    beta_0, beta_1 = _curves(tracker, loops)
    notes = [
        _milestones(tracker, beta_0, beta_1),
        "A cycle along an unfilled loop shows in no triangle.",
    ]
    if not len(loops):
        panels = _betti(beta_0, beta_1)
    else:
        notes.append(
            "Bars: each loop, from the pair that created it to the pair that filled it. Triangle: "
            "still unfilled."
        )
        if len(loops) > MOST_BARS:
            notes.append(f"The {MOST_BARS} longest-lived of {len(loops):,} loops.")
        panels = alt.vconcat(
            _betti(beta_0, beta_1, axis=False), _bars(loops, tracker.n_edges), spacing=14
        ).resolve_scale(x="shared", color="independent", shape="independent")
    return panels.properties(title=heading(_finding(tracker), *notes, width=WIDTH + AXIS))


def _curves(tracker: TopologyTracker, loops: FloatArray) -> tuple[IntArray, IntArray]:
    """Both Betti numbers after 0, 1, ... pairs."""
    n_times = tracker.n_edges + 1
    merges = [i.death for i in tracker.intervals if i.dimension == 0 and np.isfinite(i.death)]
    filled = loops[np.isfinite(loops[:, 1]), 1]
    joined = np.bincount(np.array(merges, np.int64), minlength=n_times)
    opened = np.bincount(loops[:, 0].astype(np.int64), minlength=n_times)
    closed = np.bincount(filled.astype(np.int64), minlength=n_times)
    return tracker.n_items - np.cumsum(joined), np.cumsum(opened - closed)


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
        found.append(f"connected from pair {int(np.argmax(beta_0 == 1)):,} on")
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


def _bars(loops: FloatArray, n_edges: int) -> Any:
    """The longest loops, from birth to death or to the last pair."""
    alt = altair()
    is_open = ~np.isfinite(loops[:, 1])
    ends = np.where(is_open, _end(n_edges), loops[:, 1])
    order = np.lexsort((loops[:, 0], loops[:, 0] - ends))[:MOST_BARS]
    values = [
        {
            "place": place,
            "opened": int(loops[k, 0]),
            "end": float(ends[k]),
            "fate": "still unfilled" if is_open[k] else f"filled by pair {int(ends[k]):,}",
            "open": bool(is_open[k]),
        }
        for place, k in enumerate(order.tolist())
    ]
    base = alt.Chart(data_of(values)).encode(
        y=alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25)),
        x=_pairs_axis("opened:Q", n_edges, shown=True),
        tooltip=[
            alt.Tooltip("opened:Q", title="created by pair", format=","),
            alt.Tooltip("fate:N", title="then"),
        ],
    )
    bars = base.mark_bar(color=COLOURS[1], opacity=0.75).encode(x2="end:Q")
    ends_open = (
        base.transform_filter(alt.datum.open)
        .mark_point(
            shape="triangle-right", filled=True, size=45, opacity=1, color=COLOURS[1], xOffset=5
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
