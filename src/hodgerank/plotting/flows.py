"""Few items on a circle: mean votes as arrows, and the ranking, curl and harmonic flow in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.graph.decomposition import HodgeDecomposition
from hodgerank.plotting.text_width import FONT_SIZE, fitted_apart
from hodgerank.plotting.theme import (
    BLUE,
    ORANGE,
    PINK,
    altair,
    charted,
    data_of,
    heading,
    signed,
    words_alone,
)
from hodgerank.types import FloatArray

MOST_ITEMS = 12
WIDTH, HEIGHT, SPACING = 176, 164, 8
CENTRE, RADIUS = np.array([88.0, 84.0]), 56.0
NAME, LABEL_WIDTH = 14.0, 60  # pixels from an item to its name, and room for it
GAP = 9.0  # between an item and its arrows
ASIDE = np.array([18.0, 11.0])  # between an arrow and its number, across and down
MOST_OUTSIDE = 4  # items around which numbers stand outside, if only neighbours were compared
THINNEST, WIDEST = 1.2, 4.5
LEAST = 0.005  # flow, relative to the largest, below which no arrow is drawn
PARTS = {"gradient": "the ranking", "curl": "within faces (curl)", "harmonic": "harmonic"}
GREY = "#808080"  # visible on both grounds
COLOURS = {"gradient": BLUE, "curl": ORANGE, "harmonic": PINK}


@charted
def flows_chart(found: HodgeDecomposition) -> Any:
    """Mean votes of up to 12 items, beside the ranking, curl and harmonic flow they are the sum of.

    Arrows go from the preferred item to the other, with the mean vote. Faces, around which
    inconsistency counts as curl, are shaded. Below the ranking's items stand their scores.
    """
    graph = found.graph
    if not graph.n_edges:
        return words_alone("No votes yet")
    if graph.n_items > MOST_ITEMS:
        words = f"{graph.n_items:,} items: flows are drawn for up to {MOST_ITEMS}"
        return words_alone(words, "plotting.graph_chart draws more.")
    alt = altair()
    flows = {"votes": graph.flows, **{part: found.flows[part] for part in PARTS}}
    largest = float(max(np.abs(flow).max() for flow in flows.values())) or 1.0
    faces = [[graph.items.index(item) for item in face] for face in found.curl_potential()[0]]
    panels = []
    for part, flow in flows.items():
        title = "mean votes" if part == "votes" else f"{'=' if part == 'gradient' else '+'} "
        title += PARTS.get(part, "")
        panels.append(_panel(found, flow / largest, flow, faces, title, COLOURS.get(part, GREY)))
    energy = {part: found.energy[part] for part in PARTS}
    total = sum(energy.values()) or 1.0
    shares = ", ".join(
        f"{PARTS[part]} {energy[part] / total:.0%}" for part in PARTS if energy[part] > 0
    )
    n = found.betti.beta_1
    loops = "no unfilled loops" if not n else f"{n:,} unfilled loop{'' if n == 1 else 's'}"
    title = heading(
        f"{shares[:1].upper()}{shares[1:]}; {loops}",
        "Mean votes are the sum of a ranking, flows around faces (shaded) and flows around "
        "unfilled loops. Shares are of the squared mean votes, weighted by numbers of votes. "
        "Arrows go from the preferred item to the other.",
        width=4 * WIDTH + 3 * SPACING,
    )
    return alt.hconcat(*panels, spacing=SPACING).properties(title=title)


def _panel(
    found: HodgeDecomposition,
    strength: FloatArray,
    flow: FloatArray,
    faces: list[list[int]],
    title: str,
    colour: str,
) -> Any:
    alt = altair()
    places = _places(found.graph.n_items)
    x, y = _at("x", "y")
    layers = []
    for face in faces:
        corners = [
            {"x": round(float(a), 1), "y": round(float(b), 1), "k": k}
            for k, (a, b) in enumerate(places[face])
        ]
        shade = alt.Chart(data_of(corners)).mark_line(
            interpolate="linear-closed", fill=GREY, fillOpacity=0.13, strokeOpacity=0
        )
        layers.append(shade.encode(x=x, y=y, order="k:O"))
    arrows = _arrows(found, strength, flow, places)
    base = alt.Chart(data_of(arrows)).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("preferred:N"),
            alt.Tooltip("other:N", title="over"),
            alt.Tooltip("flow:Q", format=".3f"),
            alt.Tooltip("votes:Q", format=","),
        ],
    )
    seen = base.transform_filter(alt.datum.width > 0)
    quiet = base.transform_filter(alt.datum.width == 0)
    layers += [
        quiet.mark_rule(strokeDash=[1, 3], color=GREY).encode(x2="x2:Q", y2="y2:Q"),
        seen.mark_rule(color=colour).encode(
            x2="x2:Q", y2="y2:Q", strokeWidth=alt.StrokeWidth("width:Q", scale=None)
        ),
        seen.mark_point(shape="triangle", filled=True, size=90, opacity=1, color=colour).encode(
            *_at("x2", "y2"), angle=alt.Angle("turn:Q", scale=None)
        ),
        seen.mark_text(style="note", fontSize=FONT_SIZE - 1).encode(
            *_at("labelx", "labely"), text="words:N"
        ),
    ]
    names = _names(found, places, with_scores="ranking" in title)
    dots = alt.Chart(data_of(names)).encode(x=x, y=y, tooltip="item:N")
    layers.append(dots.mark_point(filled=True, size=40, opacity=1, style="label"))
    for align in ("left", "center", "right"):
        there = dots.transform_filter(alt.datum.align == align)
        layers.append(
            there.mark_text(style="label", align=align, baseline="middle", fontWeight=600).encode(
                *_at("namex", "namey"), text="label:N"
            )
        )
    head_line = alt.TitleParams(
        title, fontSize=FONT_SIZE, fontWeight=600, anchor="middle", frame="group", offset=4
    )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=head_line)


def _at(across: str, down: str) -> tuple[Any, Any]:
    """Return the encoding of a place in pixels from the upper left, by the names of two columns."""
    alt = altair()
    x = alt.Scale(domain=[0, WIDTH], nice=False)
    y = alt.Scale(domain=[0, HEIGHT], nice=False, reverse=True)
    return alt.X(f"{across}:Q", scale=x, axis=None), alt.Y(f"{down}:Q", scale=y, axis=None)


def _places(n: int) -> FloatArray:
    """Return points on the circle, clockwise; two or four at the corners of a square."""
    start = -np.pi / 2 - (np.pi / 4 if n == 4 else 0.0)
    angle = start + 2 * np.pi * np.arange(n) / n
    return np.asarray(CENTRE + RADIUS * np.column_stack((np.cos(angle), np.sin(angle))))


def _arrows(
    found: HodgeDecomposition, strength: FloatArray, flow: FloatArray, places: FloatArray
) -> list[dict[str, Any]]:
    """Each pair from the preferred item to the other."""
    graph, rows = found.graph, []
    apart = (graph.j - graph.i) % (graph.n_items - 1)
    is_ring = graph.n_items > MOST_OUTSIDE and bool((apart <= 1).all())
    for k in range(graph.n_edges):
        ends = (int(graph.i[k]), int(graph.j[k]))
        first, last = ends if flow[k] >= 0 else ends[::-1]
        way = places[last] - places[first]
        way = way / np.hypot(*way)
        start, tip = places[first] + GAP * way, places[last] - GAP * way
        middle = (places[first] + places[last]) / 2
        outwards = np.array([way[1], -way[0]])
        if (middle - CENTRE) @ outwards < -1e-6:
            outwards = -outwards
        is_side = np.hypot(*(middle - CENTRE)) > 1e-6
        if is_ring:
            outwards = -outwards
        label = (middle if is_side else middle + 0.25 * (tip - start)) + ASIDE * outwards
        size = abs(float(strength[k]))
        rows.append(
            {
                "preferred": str(graph.items[first]),
                "other": str(graph.items[last]),
                "flow": round(abs(float(flow[k])), 4),
                "votes": int(graph.counts[k]),
                "words": f"{abs(float(flow[k])):.2f}",
                "width": 0.0 if size < LEAST else round(THINNEST + (WIDEST - THINNEST) * size, 2),
                "x": round(float(start[0]), 1),
                "y": round(float(start[1]), 1),
                "x2": round(float(tip[0]), 1),
                "y2": round(float(tip[1]), 1),
                "labelx": round(float(label[0]), 1),
                "labely": round(float(label[1]), 1),
                "turn": round(float(np.degrees(np.arctan2(way[0], -way[1]))) % 360, 1),
            }
        )
    return rows


def _names(
    found: HodgeDecomposition, places: FloatArray, with_scores: bool
) -> list[dict[str, Any]]:
    """Each item with its name outside the circle."""
    items, rows = found.graph.items, []
    for k, label in enumerate(fitted_apart([str(item) for item in items], LABEL_WIDTH)):
        out = (places[k] - CENTRE) / RADIUS
        at = places[k] + NAME * out
        align = "center" if abs(out[0]) < 0.3 else ("left" if out[0] > 0 else "right")
        at -= np.array([np.sign(out[0]) * 4 if align != "center" else 0.0, 0.0])
        if with_scores:
            label = f"{label} {signed(found.scores[k])}"
        rows.append(
            {
                "item": str(items[k]),
                "label": label,
                "align": align,
                "x": round(float(places[k][0]), 1),
                "y": round(float(places[k][1]), 1),
                "namex": round(float(at[0]), 1),
                "namey": round(float(at[1]), 1),
            }
        )
    return rows
