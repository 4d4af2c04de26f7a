"""Rankings of several populations side by side, a line for each item."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from hodgerank.estimators.comparing.result import RankingComparison
from hodgerank.plotting.look import COLOURS, altair
from hodgerank.types import Item

MOST_LABELS = 40  # items up to which all are labelled
TALLEST = 1_200  # pixels
LABEL_HEIGHT = 12
COLUMN = 260
LONGEST_LABEL = 24
LINE = 72  # letters of the title
UNMOVED = "#b8bec8"
GAP = "\u2003"  # wide, since plain spaces would be one in a chart


def slope_chart(found: RankingComparison) -> Any:
    """The place of each item in every population; those that moved are coloured."""
    alt = altair()
    n = len(found.items)
    step = 20.0 if n <= MOST_LABELS else min(float(LABEL_HEIGHT), TALLEST / n)
    names = [str(name) for name in found.populations]
    rows = _rows(found)
    _choose_labels(rows, names, step, label_all=n <= MOST_LABELS)
    kinds = [kind for kind in _kinds(found) if any(row["kind"] == kind for row in rows)]
    colours = dict(zip(_kinds(found), (*COLOURS[:2], UNMOVED), strict=True))
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "population:N",
            sort=names,
            title=None,
            axis=alt.Axis(
                orient="top", labelAngle=0, labelFontWeight="bold", domain=False, ticks=False
            ),
        ),
        y=alt.Y(
            "place:Q", axis=None, scale=alt.Scale(domain=[0.5, n + 0.5], reverse=True, nice=False)
        ),
        color=alt.Color(
            "kind:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=[colours[kind] for kind in kinds]),
            legend=alt.Legend(title=None, orient="bottom", labelLimit=320, symbolType="stroke"),
        ),
        detail="item:N",
        tooltip=["item:N", "population:N", "rank:Q", "score:Q", "difference:Q", "p_value:Q"],
    )
    layers = [
        layer
        for is_moved in (False, True)  # those that moved lie on top
        for layer in (
            base.transform_filter(alt.datum.moved == is_moved).mark_line(
                strokeWidth=2.5 if is_moved else 1.2
            ),
            base.transform_filter(alt.datum.moved == is_moved).mark_circle(
                size=45 if is_moved else 25, opacity=1
            ),
        )
    ]
    for name, align, dx in ((names[0], "right", -8), (names[-1], "left", 8)):
        chosen = base.transform_filter((alt.datum.population == name) & (alt.datum.label != ""))
        layers.append(
            chosen.mark_text(align=align, dx=dx, fontSize=11).encode(
                text="label:N",
                color=alt.condition(alt.datum.moved, "kind:N", alt.value("#555555")),
            )
        )
    title = alt.TitleParams(
        wrap(found.verdict[:1].upper() + found.verdict[1:], LINE),
        subtitle=_subtitle(found, rows),
        anchor="start",
    )
    chart = alt.layer(*layers).properties(width=COLUMN * len(names), height=step * n, title=title)
    return chart.configure_view(stroke=None)


def _kinds(found: RankingComparison) -> tuple[str, str, str]:
    first, last = found.populations[0], found.populations[-1]
    if len(found.populations) == 2:
        return f"better for {first}", f"better for {last}", "not shown to move"
    return "moved", "moved otherwise", "not shown to move"


def _rows(found: RankingComparison) -> list[dict[str, Any]]:
    """One per item and population, with its place there: unlike ranks, places are never tied."""
    places = {
        name: {item: place for place, item in enumerate(ranking.items, start=1)}
        for name, ranking in found.rankings.items()
    }
    better, worse, unmoved = _kinds(found)
    kind: dict[Item, str] = dict.fromkeys(found.items, unmoved)
    for item in found.moved:
        is_better = found.differences[0, found.common.index(item)] > 0
        kind[item] = better if is_better or len(found.populations) > 2 else worse
    return [
        {
            "item": str(row.item),
            "population": str(row.population),
            "place": places[row.population][row.item],
            "rank": row.rank,
            "score": row.score,
            "difference": row.difference,
            "p_value": row.p_value,
            "kind": kind[row.item],
            "moved": kind[row.item] != unmoved,
            "label": "",
        }
        for row in found
    ]


def _choose_labels(
    rows: list[dict[str, Any]], names: list[str], step: float, *, label_all: bool
) -> None:
    """Label the first and the last column where there is room, what moved most surely first."""
    for name in {names[0], names[-1]}:
        taken: list[float] = []
        column = [row for row in rows if row["population"] == name]
        for row in sorted(column, key=lambda row: row["p_value"]):
            height = row["place"] * step
            is_free = all(abs(height - other) >= LABEL_HEIGHT for other in taken)
            if is_free and (label_all or row["moved"]):
                taken.append(height)
                item = row["item"]
                if len(item) > LONGEST_LABEL:
                    item = f"{item[: LONGEST_LABEL - 3]}..."
                parts = (item, str(row["rank"]))
                row["label"] = GAP.join(parts if name == names[0] else parts[::-1])


def _subtitle(found: RankingComparison, rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        f"ranks, best on top; coloured: moved, p below {1 - found.confidence:.2g} "
        "allowing for all items"
    ]
    labelled = {row["item"] for row in rows if row["label"]}
    n = len(found.items)
    if len(labelled) < n:
        lines.append(f"{n:,} items; labelled: those that moved, where there is room")
    return lines
