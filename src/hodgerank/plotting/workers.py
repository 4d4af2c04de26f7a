"""The map of workers: which side they lean to, and how far they agree with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from unicodedata import combining, east_asian_width

import numpy as np

from hodgerank.display import cut
from hodgerank.estimators.trust_statements import about_workers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.plotting.binned_counts import count_cells, drawn_cells
from hodgerank.plotting.theme import BLUE, ORANGE, altair, charted, data_of, heading, words_alone
from hodgerank.types import FloatArray, IntArray

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


HEIGHT = 380
MAP, STRIP, STRIP_ALONE = 560, 130, 480  # widths in pixels
MOST_DOTS = 2_000  # of workers of whom there is nothing to say
GRID = (56, 38)
LONGEST_LABEL = 24
LARGEST, SMALLEST, INK = 240.0, 14.0, 40_000.0  # areas of a dot, and of all of them
NARROWEST, LOWEST = 0.25, 0.4  # bias and agreement that are always on the map
COIN = 0.5  # the agreement of one that has no bias
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

    Those with a warning or note are coloured and named where there is room. Workers whose bias is
    not known (the display order is not) stand in a strip by their agreement alone.
    """
    said = [statement.words for statement in about_workers(assessment, len(assessment))]
    finding = said[0][:1].upper() + said[0][1:]
    is_placed = np.isfinite(assessment.agreement)
    if not is_placed.any():
        return words_alone(finding, *said[1:], "how far anybody agrees with others cannot be said")
    notes = [
        *said[1:],
        "grey: nothing unusual, or nothing that can be said; size: answers; dashed: where a coin "
        "would be",
    ]
    n_left_out = len(assessment) - int(is_placed.sum())
    if n_left_out:
        notes.append(f"not shown: {n_left_out:,} whose agreement cannot be said")
    panels = _panels(assessment, np.flatnonzero(is_placed))
    lowest = np.floor(10 * min(LOWEST, float(assessment.agreement[is_placed].min()))) / 10
    drawn, n_nameless = [], 0
    for k, panel in enumerate(panels):
        chart, missing = _drawn(assessment, panel, float(lowest), is_first=k == 0)
        drawn.append(chart)
        n_nameless += missing
    if n_nameless:
        notes.append(f"no room for the names of {n_nameless:,} workers with a warning or note")
    whole = drawn[0] if len(drawn) == 1 else altair().hconcat(*drawn, spacing=24)
    return whole.properties(title=heading(finding, *notes))


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
    """A panel, and how many of note are not named in it."""
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
        axis=alt.Axis(format="%", tickCount=6, labels=is_first, ticks=is_first, domain=is_first),
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
        coloured = sized.transform_filter(alt.datum.level != "none").encode(
            color=_legend(alt.Color, 0), shape=_legend(alt.Shape, 1)
        )
        layers += [coloured.mark_point(filled=True, opacity=0.95), *label_layers(base)]
    drawn = alt.layer(*layers, data=data_of(values))
    return drawn.properties(width=panel.width, height=HEIGHT), n_nameless


def _legend(channel: Any, part: int) -> Any:
    alt = altair()
    scale = alt.Scale(domain=list(LEVELS), range=[look[part] for look in LEVELS.values()])
    return channel("level:N", scale=scale, legend=alt.Legend(title=None, orient="top"))


def _x_title(panel: _Panel) -> str:
    if panel.is_map:
        return "position bias (-1: always right, +1: always left)"
    return "bias unknown" if panel.width == STRIP else "position bias unknown: spread to be seen"


def _areas(assessment: WorkerAssessment, n: int) -> FloatArray:
    """By number of answers; the more workers, the smaller."""
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
        "answers": int(assessment.votes[worker]),
        "x": round(float(panel.x[k]), 4),
        "y": round(float(assessment.agreement[worker]), 4),
        "area": round(area, 1),
        "radius": round((area / np.pi) ** 0.5, 1),
        "label": "",
        "side": "",
    }
    if panel.is_map:
        ends = assessment.position_bias_lower[worker], assessment.position_bias_upper[worker]
        row["interval"] = f"{ends[0]:+.2f} to {ends[1]:+.2f}"
    return row


def _name(
    loud: list[dict[str, Any]], shown: list[dict[str, Any]], panel: _Panel, lowest: float
) -> int:
    """Write labels where there is room; how many there was none for."""
    for row in loud:
        row["label"] = cut(row["worker"], LONGEST_LABEL)
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
    """Lines through where a coin would be."""
    alt = altair()
    lines = alt.Chart(data_of([{"x": 0, "y": COIN}])).mark_rule(style="reference")
    return [lines.encode(y=y), *([lines.encode(x=x)] if panel.is_map else [])]


def _crowd(
    assessment: WorkerAssessment, panel: _Panel, quiet: IntArray, lowest: float, x: Any, y: Any
) -> Any:
    """How many of those of whom there is nothing to say are where."""
    alt = altair()
    agreement = assessment.agreement[panel.rows[quiet]]
    ones = np.ones(len(quiet), np.int64)
    columns = max(1, round(GRID[0] * panel.width / MAP))
    values = count_cells(
        panel.x[quiet], agreement, ones, (panel.ends, (lowest, 1.0)), (columns, GRID[1])
    )
    tooltip = [alt.Tooltip("count:Q", title="workers with nothing to say of", format=",")]
    return drawn_cells(values, (x, y), tooltip, style="unremarkable")


def _tooltip(panel: _Panel) -> list[Any]:
    alt = altair()
    lines = [
        alt.Tooltip("worker:N"),
        alt.Tooltip("flag:N"),
        alt.Tooltip("answers:Q", format=","),
        alt.Tooltip("y:Q", title="agreement", format=".1%"),
    ]
    if panel.is_map:
        lines.append(alt.Tooltip("x:Q", title="position bias", format="+.2f"))
        lines.append(alt.Tooltip("interval:N", title="95 % interval"))
    return lines
