"""Three items preferred in a circle, drawn as triangles with the votes behind them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.display import p_words
from hodgerank.estimators import trust_statements as say
from hodgerank.estimators.trust import TrustReport
from hodgerank.graph.consistency import Cycle
from hodgerank.graph.cycles import InconsistentTriangle
from hodgerank.plotting.theme import ORANGE, altair, charted, data_of, heading, words_alone
from hodgerank.types import FloatArray

MOST = 6
COLUMNS = 3
WIDTH, HEIGHT = 250, 170
# Corners in pixels from the upper left: the first on top, the others clockwise.
CORNERS = np.array([(125.0, 22.0), (187.0, 138.0), (63.0, 138.0)])
NAMES = ((125, 8, 240), (187, 158, 118), (63, 158, 118))  # the middle, and the most pixels
# Where the words of the ways from each corner to the next stand.
VOTES = ((168, 76, "left"), (125, 126, "center"), (82, 76, "right"))
GAP = 12.0  # between a corner and its arrows


@charted
def triangles_chart(report: TrustReport) -> Any:
    """The strongest cycles of three; arrows go from the preferred item to the other.

    Where no cycle is sure, the triangles that add up least are drawn in grey.
    """
    alt = altair()
    found = report.consistency
    if found.triangles:
        n, shown = found.n_named, found.triangles[:MOST]
        words = "one cycle of three is" if n == 1 else f"{n:,} cycles of three are"
        finding = f"No single ranking explains the answers: {words} sure"
        notes = [
            "an arrow goes from the preferred item to the other, with the mean answer (1: "
            "unanimous) and the number of answers but ties; p allows for all triangles"
        ]
        if n > len(shown):
            notes.append(f"the {len(shown)} strongest of {n:,}")
        panels = [_panel(cycle, p_words(cycle.p_value)) for cycle in shown]
    else:
        loose = report.decomposition.triangles(MOST)
        finding = _without_cycles(report)
        if not loose:
            return words_alone(finding, "the mean answers of no three items fail to add up")
        notes = [
            "grey: the triangles furthest from adding up, in standard errors; none is sure to be a "
            "cycle",
            "an arrow goes from the preferred item to the other, with the mean answer (1: "
            "unanimous) and the number of answers",
        ]
        panels = [_panel(triangle, _sum_words(triangle)) for triangle in loose]
    drawn = alt.concat(*panels, columns=min(COLUMNS, len(panels)), spacing=28)
    return drawn.properties(title=heading(finding, *notes))


def _without_cycles(report: TrustReport) -> str:
    """What can be said of cycles where none of three can be named."""
    found = report.consistency
    said = say.about_cycles(found, report.votes.n_items)[0].words
    if found.cycles is not None and found.cycles.p_value < say.LEVEL:
        said += ", but no cycle of three is sure by itself"
    return said[:1].upper() + said[1:]


def _sum_words(triangle: InconsistentTriangle) -> str:
    return f"sum on the way round {triangle.curl:+.2f}, to expect {triangle.expected:+.2f}"


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
            alt.Tooltip("other:N", title="to"),
            alt.Tooltip("mean:Q", title="mean answer", format="+.2f"),
            alt.Tooltip("answers:Q", format=","),
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
        .encode(x=alt.value(left), y=alt.value(top), text="words:N")
        for k, (left, top, align) in enumerate(VOTES)
    ]
    for item, (left, top, limit) in zip(triangle.items, NAMES, strict=True):
        name = alt.Chart(data_of([{"item": str(item)}])).encode(
            x=alt.value(left), y=alt.value(top), text="item:N", tooltip="item:N"
        )
        layers.append(name.mark_text(style="label", limit=limit, fontWeight=600))
    title = alt.TitleParams(words, fontSize=11, fontWeight="normal", anchor="middle", offset=8)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _ways(triangle: Cycle | InconsistentTriangle) -> list[dict[str, Any]]:
    """The three pairs on the way round, each from the preferred item to the other."""
    ways = []
    for k, (flow, answers) in enumerate(zip(triangle.flows, triangle.votes, strict=True)):
        first, last = (k, (k + 1) % 3)[:: 1 if flow >= 0 else -1]
        start, tip, turn = _arrow(CORNERS[first], CORNERS[last])
        ways.append(
            {
                "way": k,
                "preferred": str(triangle.items[first]),
                "other": str(triangle.items[last]),
                "mean": round(abs(flow), 4),
                "answers": answers,
                "words": f"{abs(flow):.2f} ({answers:,})",
                "x": round(float(start[0]), 1),
                "y": round(float(start[1]), 1),
                "x2": round(float(tip[0]), 1),
                "y2": round(float(tip[1]), 1),
                "turn": turn,
            }
        )
    return ways


def _arrow(start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Its two ends, and how far a mark that points upwards is turned clockwise, in degrees."""
    way = (end - start) / np.hypot(*(end - start))
    turn = round(float(np.degrees(np.arctan2(way[0], -way[1]))) % 360, 1)
    return start + GAP * way, end - GAP * way, turn
