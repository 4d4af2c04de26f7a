"""Labels beside dots that overlap neither each other nor the dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from unicodedata import combining, east_asian_width

import numpy as np

from hodgerank.plotting.look import altair
from hodgerank.types import FloatArray

FONT = 11  # pixels, as in the style "label"
LETTER, WIDE_LETTER = 0.62, 1.05  # widths, of the font's size
GAP = 5  # between a dot's middle and its label, beside the dot's radius


class Side(NamedTuple):
    """Where a label stands, seen from its dot."""

    align: str
    across: int
    down: int


SIDES = {
    "right": Side("left", 1, 0),
    "left": Side("right", -1, 0),
    "above": Side("center", 0, -1),
    "below": Side("center", 0, 1),
}


def text_width(text: str) -> float:
    """About how many pixels a label takes; rather too many."""
    letters = (
        0.0 if combining(sign) else WIDE_LETTER if east_asian_width(sign) in "WF" else LETTER
        for sign in text
    )
    return FONT * sum(letters)


def place_labels(
    dots: FloatArray,
    radii: FloatArray,
    labels: Sequence[str],
    size: tuple[float, float],
    taken: Sequence[tuple[float, float, float, float]] = (),
) -> list[str]:
    """For each label in turn the first free side of its dot, '' if there is none.

    Parameters
    ----------
    dots, radii
        In pixels from the upper left, a row each; the first are those of the labels, the others
        are to be kept free.
    labels
        In the order of their importance.
    size
        Of the picture, which no label leaves.
    taken
        Boxes that are not free: left, top, right, bottom.
    """
    boxes = [
        *taken,
        *np.c_[dots - radii[:, None], dots + radii[:, None]].tolist(),
    ]
    used = np.empty((len(boxes) + len(labels), 4))
    used[: len(boxes)] = np.reshape(boxes, (-1, 4))
    n_used, sides = len(boxes), []
    for (x, y), radius, label in zip(dots.tolist(), radii.tolist(), labels, strict=False):
        chosen = ""
        for name, side in SIDES.items():
            box = _box(x, y, radius, text_width(label), side)
            is_inside = box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]
            if is_inside and not _meets_any(box, used[:n_used]):
                used[n_used] = box
                n_used += 1
                chosen = name
                break
        sides.append(chosen)
    return sides


def _box(
    x: float, y: float, radius: float, width: float, side: Side
) -> tuple[float, float, float, float]:
    middle = x + side.across * (radius + GAP + width / 2)
    height = y + side.down * (radius + GAP + FONT / 2)
    return middle - width / 2, height - FONT / 2, middle + width / 2, height + FONT / 2


def _meets_any(box: tuple[float, float, float, float], used: FloatArray) -> bool:
    left, top, right, bottom = box
    return bool(
        (
            (used[:, 0] < right) & (used[:, 2] > left) & (used[:, 1] < bottom) & (used[:, 3] > top)
        ).any()
    )


def label_layers(base: Any) -> list[Any]:
    """Text beside the dots of a chart whose rows have label, side and radius."""
    alt = altair()
    layers = []
    for name, side in SIDES.items():
        away = f"datum.radius + {GAP}"
        across = {"dx": alt.expr(f"{side.across} * ({away})")} if side.across else {}
        down = {"dy": alt.expr(f"{side.down} * ({away} + {FONT / 2})")} if side.down else {}
        text = base.transform_filter(alt.datum.side == name).encode(text="label:N")
        layers += [
            text.mark_text(style=style, align=side.align, baseline="middle", **across, **down)
            for style in ("halo", "label")
        ]
    return layers
