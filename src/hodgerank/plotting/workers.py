"""The map of workers: position bias against agreement with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hodgerank.estimators.trust_statements import about_workers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.plotting.binned_counts import count_cells, drawn_cells
from hodgerank.plotting.text_width import FONT_SIZE, fitted, text_width
from hodgerank.plotting.theme import (
    BLUE,
    ORANGE,
    altair,
    charted,
    data_of,
    heading,
    legend_of,
    sentence,
    signed,
    words_alone,
)
from hodgerank.types import FloatArray, IntArray

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
    height = y + side.down * (radius + GAP + FONT_SIZE / 2)
    return middle - width / 2, height - FONT_SIZE / 2, middle + width / 2, height + FONT_SIZE / 2


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
        down = {"dy": alt.expr(f"{side.down} * ({away} + {FONT_SIZE / 2})")} if side.down else {}
        text = base.transform_filter(alt.datum.side == name).encode(text="label:N")
        layers += [
            text.mark_text(style=style, align=side.align, baseline="middle", **across, **down)
            for style in ("halo", "label")
        ]
    return layers


HEIGHT = 380
MAP, STRIP, STRIP_ALONE = 520, 130, 480  # widths in pixels
MOST_DOTS = 2_000  # of workers without a flag
GRID = (56, 38)
LABEL_WIDTH = 150  # pixels
AXIS, SPACING = 60, 24  # pixels of an axis with its title, and between two panels
LARGEST, SMALLEST, INK = 240.0, 14.0, 40_000.0  # areas of a dot, and of all of them
NARROWEST, LOWEST = 0.25, 0.4  # bias and agreement that are always on the map
MARGIN = 0.02  # of agreement, below the lowest dot
CHANCE = 0.5  # agreement of random votes
LEVELS = {"warning": (ORANGE, "triangle-up"), "note": (BLUE, "diamond")}
GOLDEN = (5**0.5 - 1) / 2  # its multiples spread evenly


class _Panel(NamedTuple):
    """Workers on axes of their own: `x` is the bias, or only spreads them."""

    rows: IntArray
    x: FloatArray
    ends: tuple[float, float]
    width: int
    is_map: bool


@charted
def workers_chart(assessment: WorkerAssessment) -> Any:
    """Position bias against agreement with the others, a dot for each worker.

    Those with a warning or note are coloured, and named where there is room. Workers whose position
    bias is unknown, because the display order is, stand in a strip by their agreement alone.
    """
    said = [statement.words for statement in about_workers(assessment, len(assessment))]
    finding = said[0][:1].upper() + said[0][1:]
    more = [sentence(words) for words in said[1:]]
    is_placed = np.isfinite(assessment.agreement)
    if not is_placed.any():
        return words_alone(finding, *more, "No agreement between workers can be computed.")
    notes = [
        *more,
        "Grey: not flagged. Size: number of votes. Dashed: expected of random votes.",
    ]
    n_left_out = len(assessment) - int(is_placed.sum())
    if n_left_out:
        notes.append(f"Not shown: {n_left_out:,} whose agreement is unknown.")
    panels = _panels(assessment, np.flatnonzero(is_placed))
    lowest = np.floor(10 * min(LOWEST, float(assessment.agreement[is_placed].min()) - MARGIN)) / 10
    lowest = max(lowest, -MARGIN)
    drawn, n_nameless = [], 0
    for k, panel in enumerate(panels):
        chart, missing = _drawn(assessment, panel, float(lowest), is_first=k == 0)
        drawn.append(chart)
        n_nameless += missing
    if n_nameless:
        workers = (
            "1 flagged worker is" if n_nameless == 1 else f"{n_nameless:,} flagged workers are"
        )
        notes.append(f"{workers} not named for lack of room.")
    whole = drawn[0] if len(drawn) == 1 else altair().hconcat(*drawn, spacing=SPACING)
    width = AXIS + sum(panel.width for panel in panels) + SPACING * (len(panels) - 1)
    return whole.properties(title=heading(finding, *notes, width=width))


def _panels(assessment: WorkerAssessment, rows: IntArray) -> list[_Panel]:
    """A map of those whose bias is known, a strip of the others."""
    bias = assessment.position_bias
    known, unknown = rows[np.isfinite(bias[rows])], rows[~np.isfinite(bias[rows])]
    panels = []
    if len(known):
        widest = max(NARROWEST, 1.1 * float(np.abs(bias[known]).max()))
        widest = min(1.0, np.ceil(20 * widest) / 20)
        panels.append(_Panel(known, bias[known], (-widest, widest), MAP, True))
    if len(unknown):
        spread = np.asarray(0.2 + 0.6 * (GOLDEN * np.arange(1, len(unknown) + 1) % 1), np.float64)
        width = STRIP if len(known) else STRIP_ALONE
        panels.append(_Panel(unknown, spread, (0.0, 1.0), width, False))
    return panels


def _drawn(
    assessment: WorkerAssessment, panel: _Panel, lowest: float, *, is_first: bool
) -> tuple[Any, int]:
    """A panel, and how many flagged workers are not named in it."""
    alt = altair()
    level = np.array(assessment.level)[panel.rows]
    quiet = np.flatnonzero(level == "none")
    loud = [k for wanted in LEVELS for k in np.flatnonzero(level == wanted).tolist()]
    shown = [*loud, *(quiet.tolist() if len(quiet) <= MOST_DOTS else [])]
    areas = _areas(assessment, len(panel.rows))[panel.rows]
    values = [_row(assessment, panel, k, str(level[k]), float(areas[k])) for k in shown]
    n_nameless = _name(values[: len(loud)], values, panel, lowest)
    x = alt.X(
        "x:Q",
        title=_x_title(panel),
        scale=alt.Scale(domain=list(panel.ends), nice=False),
        axis=alt.Axis(format=".1~f", tickCount=7)
        if panel.is_map
        else alt.Axis(labels=False, ticks=False, grid=False, domain=False),
    )
    y = alt.Y(
        "y:Q",
        title="agreement with the others" if is_first else None,
        scale=alt.Scale(domain=[lowest, 1], nice=False),
        axis=alt.Axis(format=".0%", tickCount=6, labels=is_first, ticks=is_first, domain=is_first),
    )
    base = alt.Chart().encode(x=x, y=y, tooltip=_tooltip(panel))
    sized = base.encode(size=alt.Size("area:Q", scale=None))
    layers = [
        *_references(panel, x, y),
        sized.transform_filter(alt.datum.level == "none").mark_point(
            filled=True, opacity=0.8, style="unremarkable"
        ),
    ]
    if len(quiet) > MOST_DOTS:
        layers.insert(0, _crowd(assessment, panel, quiet, lowest, x, y))
    if loud:
        present = [each for each in LEVELS if each in level]
        coloured = sized.transform_filter(alt.datum.level != "none").encode(
            color=_legend(alt.Color, 0, present, panel.width),
            shape=_legend(alt.Shape, 1, present, panel.width),
        )
        layers += [coloured.mark_point(filled=True, opacity=0.95), *label_layers(base)]
    drawn = alt.layer(*layers, data=data_of(values))
    return drawn.properties(width=panel.width, height=HEIGHT), n_nameless


def _legend(channel: Any, part: int, levels: list[str], width: int) -> Any:
    alt = altair()
    scale = alt.Scale(domain=levels, range=[LEVELS[each][part] for each in levels])
    return channel("level:N", scale=scale, legend=legend_of(levels, width, orient="top"))


def _x_title(panel: _Panel) -> str:
    if panel.is_map:
        return "position bias (−1: always right, +1: always left)"
    return "unknown bias" if panel.width == STRIP else "position bias unknown"


def _areas(assessment: WorkerAssessment, n: int) -> FloatArray:
    """Size of marks by number of votes; smaller for more workers."""
    largest = max(SMALLEST, min(LARGEST, INK / n))
    shares = assessment.votes / max(1, int(assessment.votes.max()))
    return np.asarray(np.maximum(SMALLEST, largest * shares))


def _row(
    assessment: WorkerAssessment, panel: _Panel, k: int, level: str, area: float
) -> dict[str, Any]:
    worker = int(panel.rows[k])
    row = {
        "worker": str(assessment.workers[worker]),
        "flag": assessment.flag[worker],
        "level": level,
        "votes": int(assessment.votes[worker]),
        "x": round(float(panel.x[k]), 4),
        "y": round(float(assessment.agreement[worker]), 4),
        "area": round(area, 1),
        "radius": round((area / np.pi) ** 0.5, 1),
        "label": "",
        "side": "",
    }
    if panel.is_map:
        ends = assessment.position_bias_lower[worker], assessment.position_bias_upper[worker]
        row["interval"] = f"{signed(ends[0])} to {signed(ends[1])}"
    return row


def _name(
    loud: list[dict[str, Any]], shown: list[dict[str, Any]], panel: _Panel, lowest: float
) -> int:
    """Write labels where there is room; how many there was none for."""
    for row in loud:
        row["label"] = fitted(row["worker"], LABEL_WIDTH)
    left, right = panel.ends
    across = panel.width * (np.array([row["x"] for row in shown]) - left) / (right - left)
    down = HEIGHT * (1 - np.array([row["y"] for row in shown])) / (1 - lowest)
    sides = place_labels(
        np.c_[across, down],
        np.array([row["radius"] for row in shown]),
        [row["label"] for row in loud],
        (panel.width, HEIGHT),
    )
    for row, side in zip(loud, sides, strict=True):
        row["side"] = side
    return sides.count("")


def _references(panel: _Panel, x: Any, y: Any) -> list[Any]:
    """Lines through what random votes would give."""
    alt = altair()
    lines = alt.Chart(data_of([{"x": 0, "y": CHANCE}])).mark_rule(style="reference")
    return [lines.encode(y=y), *([lines.encode(x=x)] if panel.is_map else [])]


def _crowd(
    assessment: WorkerAssessment, panel: _Panel, quiet: IntArray, lowest: float, x: Any, y: Any
) -> Any:
    """How many workers without a flag are where."""
    alt = altair()
    agreement = assessment.agreement[panel.rows[quiet]]
    ones = np.ones(len(quiet), np.int64)
    columns = max(1, round(GRID[0] * panel.width / MAP))
    values = count_cells(
        panel.x[quiet], agreement, ones, (panel.ends, (lowest, 1.0)), (columns, GRID[1])
    )
    tooltip = [alt.Tooltip("count:Q", title="workers not flagged", format=",")]
    return drawn_cells(values, (x, y), tooltip, style="unremarkable")


def _tooltip(panel: _Panel) -> list[Any]:
    alt = altair()
    lines = [
        alt.Tooltip("worker:N"),
        alt.Tooltip("flag:N"),
        alt.Tooltip("votes:Q", format=","),
        alt.Tooltip("y:Q", title="agreement", format=".1%"),
    ]
    if panel.is_map:
        lines.append(alt.Tooltip("x:Q", title="position bias", format="+.2f"))
        lines.append(alt.Tooltip("interval:N", title="95% CI"))
    return lines
