"""Few items on a circle: mean votes as arrows, and the ranking, curl and harmonic flow in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.graph.decomposition import HodgeDecomposition
from hodgerank.plotting.text_width import FONT_SIZE, fitted_apart, text_width
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
HEIGHT, SPACING = 164, 8
NARROW, WIDE = 176, 356  # width of a panel: four in a row, or two if names are long
RADIUS = 56.0
NAME = 14.0  # pixels from an item to its name
SHORT = 14.0  # pixels of a name, for which four panels in a row have room
LONGEST = 104.0  # pixels of a name with its score
GAP = 9.0  # between an item and its arrows
ASIDE = np.array([18.0, 11.0])  # between an arrow and its number, across and down
# Items up to which there is room for numbers: outside of the circle, or inside of a ring.
MOST_OUTSIDE, MOST_INSIDE = 4, 8
SHADE, MOST_SHADE = 0.13, 0.6  # opacity of a face, and of all together
THINNEST, WIDEST = 1.2, 4.5
LEAST = 0.005  # flow, relative to the largest, below which no arrow is drawn
PARTS = {"gradient": "the ranking", "curl": "within faces (curl)", "harmonic": "harmonic"}
GREY = "#808080"  # visible on both grounds
COLOURS = {"votes": GREY, "gradient": BLUE, "curl": ORANGE, "harmonic": PINK}


@charted
def flows_chart(found: HodgeDecomposition) -> Any:
    """Mean votes of up to 12 items, beside the ranking, curl and harmonic flow they are the sum of.

    Arrows go from the preferred item to the other, with the mean vote where there is room. Faces,
    around which inconsistency counts as curl, are shaded. The ranking shows the scores.
    """
    graph = found.graph
    if graph.n_items > MOST_ITEMS:
        words = f"{graph.n_items:,} items: flows are drawn for up to {MOST_ITEMS}"
        return words_alone(words, "plotting.graph_chart draws more.")
    energy = [found.energy[part] for part in PARTS]
    if not sum(energy):
        return words_alone("No pair has a preference: all mean votes are 0")
    alt = altair()
    flows = {"votes": graph.flows, **{part: found.flows[part] for part in PARTS}}
    largest = float(max(np.abs(flow).max() for flow in flows.values()))
    is_short = max(text_width(str(item), bold=True) for item in graph.items) <= SHORT
    panel = _Panel(found, NARROW if is_short else WIDE)
    panels = [panel.drawn(part, flow, largest) for part, flow in flows.items()]
    shares = ", ".join(
        f"{words} {share / sum(energy):.0%}"
        for words, share in zip(PARTS.values(), energy, strict=True)
        if share >= LEAST * sum(energy)
    )
    n = found.betti.beta_1
    loops = f"{n or 'no'} unfilled loop{'' if n == 1 else 's'}"
    title = heading(
        f"{shares[:1].upper()}{shares[1:]}; {loops}",
        "Mean votes are the sum of a ranking, flows around faces (shaded) and flows around "
        "unfilled loops. Shares are of the squared mean votes, weighted by numbers of votes. "
        "Arrows go from the preferred item to the other.",
        width=4 * NARROW + 3 * SPACING,
    )
    columns = 4 if is_short else 2
    return alt.concat(*panels, columns=columns, spacing=SPACING).properties(title=title)


@dataclass(frozen=True)
class _Panel:
    """Items on a circle, in panels of one width."""

    found: HodgeDecomposition
    width: int

    def drawn(self, part: str, flow: FloatArray, largest: float) -> Any:
        """Return the panel of a flow."""
        alt, x, y = altair(), *self._at("x", "y")
        arrows = alt.Chart(data_of(self._arrows(flow, largest))).encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("preferred:N"),
                alt.Tooltip("other:N", title="over"),
                alt.Tooltip("flow:Q", format=".3f"),
                alt.Tooltip("votes:Q", format=","),
            ],
        )
        seen = arrows.transform_filter(alt.datum.width > 0)
        quiet = arrows.transform_filter(alt.datum.width == 0)
        colour = COLOURS[part]
        layers = [
            *self._shades(),
            quiet.mark_rule(strokeDash=[1, 3], color=GREY).encode(x2="x2:Q", y2="y2:Q"),
            seen.mark_rule(color=colour).encode(
                x2="x2:Q", y2="y2:Q", strokeWidth=alt.StrokeWidth("width:Q", scale=None)
            ),
            seen.mark_point(shape="triangle", filled=True, size=90, opacity=1, color=colour).encode(
                *self._at("x2", "y2"), angle=alt.Angle("turn:Q", scale=None)
            ),
            *self._numbers(seen),
            *self._names(with_scores=part == "gradient"),
        ]
        sign = {"votes": "", "gradient": "= "}.get(part, "+ ")
        title = alt.TitleParams(
            sign + PARTS.get(part, "mean votes"),
            fontSize=FONT_SIZE,
            fontWeight=600,
            anchor="middle",
            frame="group",
            offset=4,
        )
        return alt.layer(*layers).properties(width=self.width, height=HEIGHT, title=title)

    def _at(self, across: str, down: str) -> tuple[Any, Any]:
        """Return the encoding of a place in pixels from the upper left, by two columns."""
        alt = altair()
        x = alt.Scale(domain=[0, self.width], nice=False)
        y = alt.Scale(domain=[0, HEIGHT], nice=False, reverse=True)
        return alt.X(f"{across}:Q", scale=x, axis=None), alt.Y(f"{down}:Q", scale=y, axis=None)

    @property
    def _centre(self) -> FloatArray:
        return np.array([self.width / 2, HEIGHT / 2])

    @property
    def _places(self) -> FloatArray:
        """Points on the circle, clockwise; four at the corners of a square."""
        n = self.found.graph.n_items
        angle = -np.pi / 2 + 2 * np.pi * np.arange(n) / n - (np.pi / 4 if n == 4 else 0.0)
        return np.asarray(self._centre + RADIUS * np.column_stack((np.cos(angle), np.sin(angle))))

    @property
    def _is_ring(self) -> bool:
        """Whether only neighbours on the circle were compared."""
        graph = self.found.graph
        return bool(((graph.j - graph.i) % max(graph.n_items - 1, 1) <= 1).all())

    def _shades(self) -> list[Any]:
        """The faces."""
        items = self.found.graph.items
        shades, faces = [], self.found.curl_potential()[0]
        for face in faces:
            corners = self._places[[items.index(item) for item in face]].round(1).tolist()
            points = [{"x": x, "y": y, "k": k} for k, (x, y) in enumerate(corners)]
            shade = altair().Chart(data_of(points))
            shade = shade.mark_line(
                interpolate="linear-closed",
                fill=GREY,
                fillOpacity=min(SHADE, MOST_SHADE / len(faces)),
                strokeOpacity=0,
            )
            x, y = self._at("x", "y")
            shades.append(shade.encode(x=x, y=y, order="k:O"))
        return shades

    def _numbers(self, arrows: Any) -> list[Any]:
        """The mean vote beside each arrow, if there is room."""
        n = self.found.graph.n_items
        if n > MOST_OUTSIDE and not (self._is_ring and n <= MOST_INSIDE):
            return []
        text = arrows.mark_text(style="note", fontSize=FONT_SIZE - 1)
        return [text.encode(*self._at("labelx", "labely"), text="words:N")]

    def _arrows(self, flow: FloatArray, largest: float) -> list[dict[str, Any]]:
        """Each pair from the preferred item to the other."""
        graph, places, rows = self.found.graph, self._places, []
        side = -1 if self._is_ring and graph.n_items > MOST_OUTSIDE else 1
        for k, strength in enumerate(np.abs(flow).tolist()):
            ends = (int(graph.i[k]), int(graph.j[k]))
            first, last = ends if flow[k] >= 0 else ends[::-1]
            way = places[last] - places[first]
            way = way / np.hypot(*way)
            start, tip = places[first] + GAP * way, places[last] - GAP * way
            middle, outwards = (start + tip) / 2, np.array([way[1], -way[0]])
            aside = float((middle - self._centre) @ outwards)
            if abs(aside) < 1e-6:  # through the centre, where others may cross
                middle = middle - 0.25 * (tip - start)
            elif aside * side < 0:
                outwards = -outwards
            label = middle + ASIDE * outwards
            size = strength / largest
            rows.append(
                {
                    "preferred": str(graph.items[first]),
                    "other": str(graph.items[last]),
                    "flow": round(strength, 4),
                    "votes": int(graph.counts[k]),
                    "words": f"{strength:.2f}",
                    "width": round(THINNEST + (WIDEST - THINNEST) * size, 2) * (size >= LEAST),
                    **_named("x", "y", start),
                    **_named("x2", "y2", tip),
                    **_named("labelx", "labely", label),
                    "turn": round(float(np.degrees(np.arctan2(way[0], -way[1]))) % 360, 1),
                }
            )
        return rows

    def _names(self, with_scores: bool) -> list[Any]:
        """Each item as a point, with its name outside of the circle."""
        alt, items, scores = altair(), self.found.graph.items, self.found.scores
        room = LONGEST - text_width(" +0.00", bold=True)
        rows = []
        for k, label in enumerate(fitted_apart([str(item) for item in items], room)):
            place = self._places[k]
            out = (place - self._centre) / RADIUS
            align = "center" if abs(out[0]) < 0.3 else ("left" if out[0] > 0 else "right")
            rows.append(
                {
                    "item": str(items[k]),
                    "label": f"{label} {signed(scores[k])}" if with_scores else label,
                    "align": align,
                    **_named("x", "y", place),
                    **_named("namex", "namey", place + NAME * out),
                }
            )
        x, y = self._at("x", "y")
        dots = alt.Chart(data_of(rows)).encode(x=x, y=y, tooltip="item:N")
        layers = [dots.mark_point(filled=True, size=40, opacity=1, style="label")]
        for align in ("left", "center", "right"):
            there = dots.transform_filter(alt.datum.align == align)
            text = there.mark_text(style="label", align=align, baseline="middle", fontWeight=600)
            layers.append(text.encode(*self._at("namex", "namey"), text="label:N"))
        return layers


def _named(across: str, down: str, place: FloatArray) -> dict[str, float]:
    x, y = place.round(1).tolist()
    return {across: x, down: y}
