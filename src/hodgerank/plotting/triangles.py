"""Cycles of three items, drawn as triangles with their votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.display import p_words
from hodgerank.estimators import trust_statements as say
from hodgerank.estimators.trust import TrustReport
from hodgerank.graph.consistency import Cycle
from hodgerank.graph.cycles import InconsistentTriangle
from hodgerank.plotting.text_width import FONT_SIZE, fitted, wrapped
from hodgerank.plotting.theme import (
    ORANGE,
    SHORTEST_LINE,
    altair,
    charted,
    data_of,
    heading,
    room_to,
    signed,
    words_alone,
)
from hodgerank.types import FloatArray

MOST = 6
COLUMNS = 3
WIDTH, HEIGHT, SPACING = 230, 174, 16
# Corners in pixels from the upper left: the first on top, the others clockwise.
CORNERS = np.array([(115.0, 24.0), (177.0, 140.0), (53.0, 140.0)])
NAMES = ((115, 8, 226), (173, 160, 110), (57, 160, 110))  # the middle, and the most pixels
# Where the words of the edges from each corner to the next stand.
VOTES = ((158, 78, "left"), (115, 126, "center"), (72, 78, "right"))
GAP = 12.0  # between a corner and its arrows
ARROWS = (
    "Arrows go from the preferred item to the other, with the mean vote (1: unanimous) and the "
    "number of votes"
)


@charted
def triangles_chart(report: TrustReport) -> Any:
    """The strongest cycles of three items; arrows go from the preferred item to the other.

    Where no cycle is significant, the triangles with the largest curl are drawn in grey.
    """
    alt = altair()
    found = report.consistency
    if found.triangles:
        n, shown = found.n_named, found.triangles[:MOST]
        words = "one significant cycle" if n == 1 else f"{n:,} significant cycles"
        finding = f"No single ranking explains the votes: {words} of three items"
        notes = [f"{ARROWS} without ties; p is adjusted for all triangles."]
        if n > len(shown):
            notes.append(f"The {len(shown)} strongest of {n:,}.")
        panels = [_panel(cycle, p_words(cycle.p_value)) for cycle in shown]
    else:
        loose = report.decomposition.triangles(MOST)
        finding = _without_cycles(report)
        if not loose:
            return words_alone(finding, "There is no triangular inconsistency.")
        notes = [
            "Grey: the triangles with the largest curl in standard errors; none is a significant "
            "cycle.",
            f"{ARROWS}.",
        ]
        panels = [_panel(triangle, _sum_words(triangle)) for triangle in loose]
    columns = min(COLUMNS, len(panels))
    if columns == 1:
        panels[0] = panels[0] + room_to(SHORTEST_LINE)
    drawn = alt.concat(*panels, columns=columns, spacing=SPACING)
    return drawn.properties(title=heading(finding, *notes, width=columns * (WIDTH + SPACING)))


def _without_cycles(report: TrustReport) -> str:
    """The verdict on cycles where no cycle of three items is significant."""
    found = report.consistency
    said = say.about_cycles(found, report.votes.n_items)[0].words
    if found.cycles is not None and found.cycles.p_value < say.LEVEL:
        said += ", but no single cycle of three items is"
    return said[:1].upper() + said[1:]


def _sum_words(triangle: InconsistentTriangle) -> str:
    return f"curl {signed(triangle.curl)}, expected {signed(triangle.expected)}"


def _panel(triangle: Cycle | InconsistentTriangle, words: str) -> Any:
    alt = altair()
    style: dict[str, Any] = {"style": "unremarkable"}
    if isinstance(triangle, Cycle):
        style = {"color": ORANGE}
    across = alt.Scale(domain=[0, WIDTH], nice=False)
    down = alt.Scale(domain=[0, HEIGHT], nice=False, reverse=True)
    x, y = alt.X("x:Q", scale=across, axis=None), alt.Y("y:Q", scale=down, axis=None)
    base = alt.Chart(data_of(_ways(triangle))).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("preferred:N"),
            alt.Tooltip("other:N", title="over"),
            alt.Tooltip("mean:Q", title="mean vote", format="+.2f"),
            alt.Tooltip("votes:Q", format=","),
        ],
    )
    layers = [base.mark_rule(strokeWidth=3, **style).encode(x2="x2:Q", y2="y2:Q")]
    layers.append(
        base.transform_filter(alt.datum.mean > 0)
        .mark_point(shape="triangle", filled=True, size=150, opacity=1, **style)
        .encode(x="x2:Q", y="y2:Q", angle=alt.Angle("turn:Q", scale=None))
    )
    layers += [
        base.transform_filter(alt.datum.way == k)
        .mark_text(style="note", align=align)
        .encode(x=alt.XValue(left), y=alt.YValue(top), text="words:N")
        for k, (left, top, align) in enumerate(VOTES)
    ]
    for item, (left, top, limit) in zip(triangle.items, NAMES, strict=True):
        label = fitted(str(item), limit, bold=True)
        name = alt.Chart(data_of([{"item": str(item), "label": label}])).encode(
            x=alt.XValue(left), y=alt.YValue(top), text="label:N", tooltip="item:N"
        )
        layers.append(name.mark_text(style="label", fontWeight=600))
    lines = wrapped(words, WIDTH)
    title = alt.TitleParams(
        lines, fontSize=FONT_SIZE, fontWeight="normal", anchor="middle", frame="group", offset=8
    )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _ways(triangle: Cycle | InconsistentTriangle) -> list[dict[str, Any]]:
    """The three pairs in turn, each from the preferred item to the other."""
    ways = []
    for k, (flow, votes) in enumerate(zip(triangle.flows, triangle.votes, strict=True)):
        first, last = (k, (k + 1) % 3)[:: 1 if flow >= 0 else -1]
        start, tip, turn = _arrow(CORNERS[first], CORNERS[last])
        ways.append(
            {
                "way": k,
                "preferred": str(triangle.items[first]),
                "other": str(triangle.items[last]),
                "mean": round(abs(flow), 4),
                "votes": votes,
                "words": f"{abs(flow):.2f} ({votes:,})",
                "x": round(float(start[0]), 1),
                "y": round(float(start[1]), 1),
                "x2": round(float(tip[0]), 1),
                "y2": round(float(tip[1]), 1),
                "turn": turn,
            }
        )
    return ways


def _arrow(start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return the ends of an arrow, and the clockwise rotation of its head in degrees."""
    way = (end - start) / np.hypot(*(end - start))
    turn = round(float(np.degrees(np.arctan2(way[0], -way[1]))) % 360, 1)
    return start + GAP * way, end - GAP * way, turn
