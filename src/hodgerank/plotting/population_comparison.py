"""Rankings of several populations side by side, a line for each item."""

from __future__ import annotations

from typing import Any

from hodgerank.estimators.population_comparison.result import RankingComparison
from hodgerank.plotting.text_width import BOLD, fitted, fitted_apart, text_width
from hodgerank.plotting.theme import (
    BLUE,
    ORANGE,
    altair,
    charted,
    data_of,
    heading,
    legend_of,
    room_to,
)
from hodgerank.types import Item

MOST_LABELS = 40  # items up to which all are labelled
TALLEST = 1_200  # pixels
LABEL_HEIGHT = 14
COLUMN, WIDEST = 240, 1_000  # pixels of a population, and of all
LABEL_WIDTH = 180  # pixels of an item's name
GAP = 8  # pixels around a rank
MOST_LINES = 1_000


@charted
def slope_chart(found: RankingComparison) -> Any:
    """The rank of each item in every population; those that moved significantly are coloured.

    Of more than 1,000 items those are shown that moved, and some of the others.
    """
    alt = altair()
    n = len(found.items)
    step = 20.0 if n <= MOST_LABELS else min(float(LABEL_HEIGHT), TALLEST / n)
    column = min(COLUMN, WIDEST / len(found.populations))
    names = _names(found, column)
    rows = _rows(found, names)
    _choose_labels(rows, names, step, label_all=n <= MOST_LABELS)
    base = alt.Chart().encode(
        x=alt.X(
            "population:N",
            sort=names,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=0,
                labelFontWeight="bold",
                domain=False,
                ticks=False,
            ),
        ),
        y=alt.Y(
            "place:Q", axis=None, scale=alt.Scale(domain=[0.5, n + 0.5], reverse=True, nice=False)
        ),
        detail="line:O",
        tooltip=[
            alt.Tooltip("item:N"),
            alt.Tooltip("population:N"),
            alt.Tooltip("rank:Q", format=","),
            alt.Tooltip("score:Q", format="+.3f"),
            alt.Tooltip("difference:Q", title="difference from the others", format="+.3f"),
            alt.Tooltip("p_value:Q", title="p (adjusted)", format=".3f"),
        ],
    )
    unmoved = base.transform_filter(~alt.datum.moved)
    moved = base.transform_filter(alt.datum.moved)
    is_roomy = n <= MOST_LABELS
    layers = [unmoved.mark_line(strokeWidth=1.2 if is_roomy else 0.6, style="unremarkable")]
    if is_roomy:
        dots = unmoved.mark_point(size=25, filled=True, opacity=1, style="unremarkable")
        layers += [dots, *_labels(unmoved, names, n, style="note")]
    if found.moved:  # they lie on top
        coloured = moved.encode(color=_colour(rows, names, column * len(names)))
        layers += [
            coloured.mark_line(strokeWidth=2.5 if is_roomy else 1.5),
            coloured.mark_point(size=45 if is_roomy else 25, filled=True, opacity=1),
            *_labels(moved, names, n, style="label"),
        ]
    labels = 2 * GAP + text_width(str(n)) + max(text_width(row["label"]) for row in rows)
    layers += [room_to(column / 2 - labels), room_to(column * (len(names) - 0.5) + labels)]
    chart = alt.layer(*layers, data=data_of(rows))
    return chart.properties(
        width=column * len(names),
        height=step * n,
        title=heading(
            _finding(found), *_notes(found, rows), width=column * (len(names) - 1) + 2 * LABEL_WIDTH
        ),
    )


def _finding(found: RankingComparison) -> str:
    """The verdict; where it begins with the name of a population, that is left as it is."""
    verdict = found.verdict
    return verdict if found.differ else verdict[:1].upper() + verdict[1:]


def _labels(base: Any, names: list[str], n: int, **look: Any) -> list[Any]:
    """Ranks and names of items beside the first and the last column."""
    alt = altair()
    beyond = 2 * GAP + text_width(str(n))
    return [
        base.transform_filter((alt.datum.population == population) & (alt.datum.label != ""))
        .mark_text(align=align, dx=sign * away, **look)
        .encode(text=text)
        for population, align, sign in ((names[0], "right", -1), (names[-1], "left", 1))
        for text, away in (("rank:N", GAP), ("label:N", beyond))
    ]


def _colour(rows: list[dict[str, Any]], names: list[str], width: float) -> Any:
    alt = altair()
    colours = dict(zip(_kinds(names), (BLUE, ORANGE), strict=False))
    shown = {
        kind: colour for kind, colour in colours.items() if any(r["kind"] == kind for r in rows)
    }
    return alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(shown), range=list(shown.values())),
        legend=legend_of(list(shown), width, symbolType="stroke", symbolStrokeWidth=3),
    )


def _names(found: RankingComparison, column: float) -> list[str]:
    """Names of the populations, short enough for their columns."""
    return fitted_apart([str(population) for population in found.populations], column / BOLD - GAP)


def _kinds(names: list[str]) -> tuple[str, ...]:
    """Directions in which items moved: higher in the first of two populations, or in the other."""
    if len(names) == 2:
        return tuple(f"higher for {population}" for population in names)
    return ("moved",)


def _rows(found: RankingComparison, names: list[str]) -> list[dict[str, Any]]:
    """One per item and population, with its place there: unlike ranks, places are never tied."""
    places = {
        population: {item: place for place, item in enumerate(ranking.items, start=1)}
        for population, ranking in found.rankings.items()
    }
    columns = dict(zip(found.populations, names, strict=True))
    shown = _shown(found)
    kinds = _kinds(names)
    kind: dict[Item, str] = {}
    for item in found.moved:
        is_better = found.differences[0, found.common.index(item)] > 0
        kind[item] = kinds[0 if is_better else -1]
    return [
        {
            "line": found.common.index(row.item),
            "item": str(row.item),
            "population": columns[row.population],
            "place": places[row.population][row.item],
            "rank": row.rank,
            "score": row.score,
            "difference": row.difference,
            "p_value": row.p_value,
            "kind": kind.get(row.item, ""),
            "moved": row.item in kind,
            "label": "",
        }
        for row in found
        if row.item in shown
    ]


def _shown(found: RankingComparison) -> set[Item]:
    """Return the items to draw: the most significantly moved ones, and a sample of the others."""
    p_values = found.item_p_values.min(axis=0)
    moved = sorted(found.moved, key=lambda item: p_values[found.common.index(item)])
    moved = moved[:MOST_LINES]
    others = [item for item in found.items if item not in set(found.moved)]
    every = -(-len(others) // max(1, MOST_LINES - len(moved)))
    return {*moved, *others[:: max(1, every)]}


def _choose_labels(
    rows: list[dict[str, Any]], names: list[str], step: float, *, label_all: bool
) -> None:
    """Label the first and the last column where there is room, by significance."""
    for population in {names[0], names[-1]}:
        taken: list[float] = []
        column = [row for row in rows if row["population"] == population]
        for row in sorted(column, key=lambda row: row["p_value"]):
            height = row["place"] * step
            is_free = all(abs(height - other) >= LABEL_HEIGHT for other in taken)
            if is_free and (label_all or row["moved"]):
                taken.append(height)
                row["label"] = fitted(row["item"], LABEL_WIDTH)


def _notes(found: RankingComparison, rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "Ranks, best on top. Coloured: moved significantly (p < "
        f"{f'{1 - found.confidence:.2g}'.removeprefix('0')}, adjusted for all items)."
    ]
    labelled = {row["line"] for row in rows if row["label"]}
    n = len(found.items)
    if len(labelled) < n:
        lines.append(f"{n:,} items. Labelled: those that moved, where there is room.")
    n_shown = len({row["line"] for row in rows})
    if n_shown < n:
        lines.append(f"Lines of {n_shown:,} of them.")
    return lines
