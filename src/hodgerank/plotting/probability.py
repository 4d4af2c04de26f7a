"""The probability that each item is preferred to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.certainty import certainties
from hodgerank.estimators.ranking import Ranking
from hodgerank.plotting.text_width import FONT_SIZE, fitted_apart, text_width
from hodgerank.plotting.theme import altair, charted, data_of, heading
from hodgerank.types import BoolArray, FloatArray

MOST_ITEMS = 40  # that have a row and a column each
MOST_NUMBERED = 12  # items up to which there is room for numbers
STEPS = ((MOST_NUMBERED, 42), (25, 24), (MOST_ITEMS, 18))  # pixels of a cell, by items up to
LABEL_WIDTH = 160
STRONG = 0.1  # from 0 or 1: the colour of the cell asks for white numbers
EDGE = "#808080"  # of cells, which are as pale as the ground near 1/2
TIED_SIZE = 0.7  # side of a cell of two items that are statistically tied
LEGEND = 110  # pixels of its width


@charted
def probability_chart(ranking: Ranking) -> Any:
    """The model's probability that the item of the row is preferred to that of the column.

    Full cells are significant at the confidence of the ranking; small ones are statistical ties. Of
    more than 40 items the best 40 are shown.
    """
    if len(ranking) < 2:
        raise InvalidArgument("probabilities need at least two items in the ranking")
    alt = altair()
    items = ranking.items[:MOST_ITEMS]
    step = next(pixels for most, pixels in STEPS if len(items) <= most)
    probable, sure = ranking.probabilities(items), _certainties(ranking, len(items))
    certain = np.maximum(sure, 1 - sure) >= (1 + ranking.confidence) / 2
    names = [str(item) for item in items]
    labels = fitted_apart(names, LABEL_WIDTH)
    places = alt.Chart(data_of(_cells(names, labels, probable, sure, certain))).encode(
        x=_axis(labels, "column"), y=_axis(labels, "row")
    )
    cells = places.encode(
        color=alt.Color(
            "probability:Q",
            scale=alt.Scale(domain=[0, 0.25, 0.5, 0.75, 1], range="diverging", interpolate="rgb"),
            legend=alt.Legend(
                title=["row preferred", "to column"],
                format=".0%",
                values=[0, 0.25, 0.5, 0.75, 1],
                gradientLength=160,
            ),
        ),
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("other:N", title="against"),
            alt.Tooltip("probability:Q", title="preferred with probability", format=".1%"),
            alt.Tooltip("certainty:Q", title="certainty that it is better", format=".1%"),
            alt.Tooltip("order:N", title="difference"),
        ],
    )
    layers = [
        cells.transform_filter(alt.datum.certain == is_certain).mark_square(
            size=side**2, opacity=1, stroke=EDGE, strokeWidth=0.5, strokeOpacity=0.4
        )
        for is_certain, side in ((True, step - 1), (False, round(TIED_SIZE * step)))
    ]
    if len(items) <= MOST_NUMBERED:
        numbers = places.encode(text=alt.Text("probability:Q", format=".0%"))
        layers += [
            numbers.transform_filter(alt.datum.strong).mark_text(color="white", fontSize=FONT_SIZE),
            numbers.transform_filter(~alt.datum.strong).mark_text(style="label"),
        ]
    return alt.layer(*layers).properties(
        width=alt.Step(step),
        height=alt.Step(step),
        title=heading(
            _finding(ranking, certain, probable),
            *_notes(ranking),
            width=max(map(text_width, labels)) + step * len(labels) + LEGEND,
        ),
    )


def _axis(names: list[str], side: str) -> Any:
    alt = altair()
    labels = alt.Axis(
        minExtent=max(map(text_width, names)) + 6,  # the title stands above
        domain=False,
        ticks=False,
        labelPadding=6,
        grid=False,
        **({"orient": "top", "labelAngle": -90} if side == "column" else {}),
    )
    channel = alt.X if side == "column" else alt.Y
    scale = alt.Scale(type="band", domain=names, padding=0)
    return channel(f"{side}:N", sort=None, title=None, scale=scale, axis=labels)


def _certainties(ranking: Ranking, n: int) -> FloatArray:
    """Certainty that each of the first n items beats each other; NaN across components."""
    sure = np.full((n, n), np.nan)
    a, b = np.nonzero(np.equal.outer(ranking.components[:n], ranking.components[:n]))
    sure[a, b] = certainties(ranking, a, b)
    return sure


def _cells(
    names: list[str],
    labels: list[str],
    probable: FloatArray,
    sure: FloatArray,
    certain: BoolArray,
) -> list[dict[str, Any]]:
    """One for every two items that can be compared."""
    return [
        {
            "row": labels[a],
            "column": labels[b],
            "item": names[a],
            "other": names[b],
            "probability": round(float(probable[a, b]), 4),
            "certainty": round(float(sure[a, b]), 4),
            "certain": bool(certain[a, b]),
            "strong": bool(min(probable[a, b], probable[b, a]) < STRONG),
            "order": "significant" if certain[a, b] else "not significant",
        }
        for a, b in zip(*np.nonzero(np.isfinite(probable)), strict=True)
        if a != b
    ]


def _finding(ranking: Ranking, certain: BoolArray, probable: FloatArray) -> str:
    n_certain = int(np.triu(certain, 1).sum())
    n_pairs = int(np.triu(np.isfinite(probable), 1).sum())
    level = f"({100 * ranking.confidence:g}% confidence)"
    among = f" among the {MOST_ITEMS} best" if len(ranking) > MOST_ITEMS else ""
    if n_pairs == 1:
        found = "significantly different" if n_certain else "statistically tied"
        return f"The two items are {found} {level}"
    if n_certain == n_pairs:
        return f"All {n_pairs:,} pairs{among} are significantly different {level}"
    return f"{n_certain:,} of {n_pairs:,} pairs{among} are significantly different {level}"


def _notes(ranking: Ranking) -> list[str]:
    notes = [
        "Probability that the item of the row is preferred to that of the column, best first. Full "
        "cells: significantly different; small cells: statistically tied."
    ]
    if len(ranking) > MOST_ITEMS:
        notes.append(f"The {MOST_ITEMS} best of {len(ranking):,} items.")
    if ranking.n_components > 1:
        notes.append("Empty cells: the two items are not connected.")
    return notes
