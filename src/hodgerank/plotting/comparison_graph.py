"""The comparison graph: which pairs were compared how often, and who was preferred."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.decomposition import HodgeDecomposition
from hodgerank.plotting.text_width import fitted
from hodgerank.plotting.theme import (
    BLUE,
    ORANGE,
    altair,
    charted,
    data_of,
    heading,
    legend_of,
    words_alone,
)
from hodgerank.types import FloatArray, IntArray

MOST_ITEMS = 60  # that are drawn one by one
GROUPS = 20  # of neighbours in the ranking, where there are more items
MOST_EDGES = 435  # all that 30 items can have
WIDTH = 640
HEIGHT = 480  # to aim at
ROW = (15, 64)  # pixels, at least and at most
WIDEST, NARROW = 9.0, 0.12  # a line's wide end in pixels, its narrow one relative to that
NARROWEST = 0.3  # pixels
LABEL_WIDTH = 220  # pixels
TIE = 1e-9  # scores closer than this are equal
MARGIN = 14  # pixels
BEND = 0.1  # of a line, relative to its length, so that lines in a row do not cover each other
BENT = np.linspace(0.0, 1.0, 9)  # where its points lie
WITH, AGAINST, EVEN = "agrees with the ranking", "contradicts the ranking", "neither"
OPACITY = {WITH: 0.42, AGAINST: 0.9, EVEN: 0.35}
COLOUR = {WITH: BLUE, AGAINST: ORANGE, EVEN: "#808080"}
UPWARDS = (EVEN, WITH, AGAINST)  # what is drawn on top of what


@dataclass(frozen=True)
class _Picture:
    """The nodes and edges to draw: items, or groups of neighbours in the ranking.

    `flows` are mean votes for i against j.
    """

    names: list[str]
    scores: FloatArray
    components: IntArray
    votes: IntArray
    i: IntArray
    j: IntArray
    counts: IntArray
    flows: FloatArray

    @property
    def kinds(self) -> list[str]:
        """Whether each line goes with the ranking."""
        return _kinds(self.scores[self.i] - self.scores[self.j], self.flows)


@charted
def graph_chart(votes: ComparisonGraph | HodgeDecomposition) -> Any:
    """Items by score, and a line for each pair: its width is the number of votes.

    A line is wide at the item that is preferred. More than 60 items are drawn as groups of
    neighbouring ranks.
    """
    graph = votes.graph if isinstance(votes, HodgeDecomposition) else votes
    if not graph.n_edges:
        return words_alone("No votes yet")
    if isinstance(votes, HodgeDecomposition):
        scores = votes.scores
    else:
        scores = graph.equations.solve(graph.surplus)
    rows = np.arange(graph.n_items)
    if len(rows) > MOST_ITEMS:
        rows = np.flatnonzero(graph.components == 0)
    picture = (_items if len(rows) <= MOST_ITEMS else _groups)(graph, scores, rows)
    shown = np.sort(np.argsort(-picture.counts, kind="stable")[:MOST_EDGES])
    notes = _notes(graph, picture, len(rows), len(shown))
    title = heading(_finding(graph, scores), *notes, width=WIDTH)
    return _drawn(picture, shown).properties(title=title)


def _finding(graph: ComparisonGraph, scores: FloatArray) -> str:
    kinds = _kinds(scores[graph.i] - scores[graph.j], graph.flows)
    against, n = kinds.count(AGAINST), graph.n_edges
    if kinds.count(EVEN) == n:
        return "All scores are equal: no pair agrees with a ranking or contradicts it"
    if not against:
        return f"No pair of {n:,} contradicts the ranking"
    verb = "contradicts" if against == 1 else "contradict"
    return f"{against:,} of {n:,} pairs {verb} the ranking"


def _kinds(differences: FloatArray, flows: FloatArray) -> list[str]:
    agreement = np.where(np.abs(differences) <= TIE, 0.0, np.sign(differences)) * np.sign(flows)
    return [WITH if sign > 0 else AGAINST if sign < 0 else EVEN for sign in agreement.tolist()]


def _notes(graph: ComparisonGraph, picture: _Picture, n_items: int, n_shown: int) -> list[str]:
    notes = [
        "A line for each pair, wide at the preferred item. Width: number of votes, at most "
        f"{int(picture.counts.max(initial=0)):,}."
    ]
    if len(picture.names) < n_items:
        inside = 1 - picture.counts.sum() / graph.counts[graph.components[graph.i] == 0].sum()
        notes.append(
            f"{n_items:,} items as {len(picture.names)} groups of neighbouring ranks, with one "
            f"line between two groups; {inside:.0%} of votes are within a group."
        )
    if n_shown < len(picture.counts):
        notes.append(f"The {n_shown:,} lines with most votes, of {len(picture.counts):,}.")
    if graph.n_components > 1:
        words = (
            "their scores cannot be compared."
            if n_items == graph.n_items
            else f"the largest is shown, {n_items:,} of {graph.n_items:,} items."
        )
        notes.append(f"The items form {graph.n_components:,} disconnected groups: {words}")
    return notes


def _items(graph: ComparisonGraph, scores: FloatArray, rows: IntArray) -> _Picture:
    place = np.full(graph.n_items, -1)
    place[rows] = np.arange(len(rows))
    among = place[graph.i] >= 0
    return _Picture(
        names=[str(graph.items[row]) for row in rows.tolist()],
        scores=scores[rows],
        components=graph.components[rows],
        votes=graph.votes_per_item[rows],
        i=place[graph.i[among]],
        j=place[graph.j[among]],
        counts=graph.counts[among],
        flows=graph.flows[among],
    )


def _groups(graph: ComparisonGraph, scores: FloatArray, rows: IntArray) -> _Picture:
    """One component in groups of equal size along the ranking."""
    order = rows[np.argsort(-scores[rows], kind="stable")]
    n, size = len(order), GROUPS
    group = np.full(graph.n_items, -1)
    group[order] = np.arange(n) * size // n
    ends = np.searchsorted(group[order], np.arange(size + 1))
    a, b = group[graph.i], group[graph.j]
    between = (a != b) & (a >= 0)
    low, high = np.minimum(a, b)[between], np.maximum(a, b)[between]
    signed = np.where(a < b, graph.flows, -graph.flows)[between]
    pairs, edge = np.unique(low * size + high, return_inverse=True)
    weights = np.bincount(edge, graph.weights[between])
    sums = np.bincount(edge, graph.weights[between] * signed)
    return _Picture(
        names=[f"ranks {first + 1:,}–{last:,}" for first, last in pairwise(ends.tolist())],
        scores=np.bincount(group[order], scores[order]) / np.diff(ends),
        components=np.zeros(size, np.int64),
        votes=np.bincount(group[order], graph.votes_per_item[order]).astype(np.int64),
        i=pairs // size,
        j=pairs % size,
        counts=np.bincount(edge, graph.counts[between]).astype(np.int64),
        flows=sums / weights,
    )


def _rows_of(picture: _Picture) -> IntArray:
    """A row of its own for each name, so that no two overlap; components below each other.

    Connected items lie near each other: in order of the smoothest function on the graph that has
    nothing in common with the scores, which give the other direction.
    """
    n = len(picture.names)
    rows, next_row = np.empty(n, np.int64), 0
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (picture.i, picture.j), -picture.counts.astype(float))
    laplacian += laplacian.T
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    for component in range(int(picture.components.max()) + 1):
        members = np.flatnonzero(picture.components == component)
        known = np.column_stack((np.ones(len(members)), picture.scores[members]))
        free = np.linalg.svd(known)[0][:, np.linalg.matrix_rank(known) :]
        height = np.zeros(len(members))
        if free.shape[1]:
            inner = laplacian[np.ix_(members, members)]
            height = free @ np.linalg.eigh(free.T @ inner @ free)[1][:, 0]
            best = int(np.argmax(picture.scores[members]))
            height = height.round(9) * (1 if height[best] <= 0 else -1)
        order = np.lexsort((-picture.scores[members], height))
        rows[members[order]] = next_row + np.arange(len(members))
        next_row += len(members) + 1
    return rows


def _drawn(picture: _Picture, shown: IntArray) -> Any:
    alt = altair()
    rows = _rows_of(picture)
    n_rows = int(rows.max()) + 1
    height = float(np.clip(HEIGHT / n_rows, *ROW)) * n_rows
    lowest, highest = float(picture.scores.min()), float(picture.scores.max())
    pixel = (highest - lowest) / (WIDTH - 2 * MARGIN) or 2 / WIDTH
    left = (lowest + highest - WIDTH * pixel) / 2  # score at the left end
    kinds = picture.kinds
    present = [kind for kind in COLOUR if any(kinds[k] == kind for k in shown.tolist())]
    x = alt.X(
        "score:Q",
        title="score",
        scale=alt.Scale(domain=[left, left + WIDTH * pixel], nice=False),
        axis=alt.Axis(grid=False, tickCount=8, format="~g"),
    )
    values = _lines(picture, rows, kinds, shown, np.array([pixel, n_rows / height]))
    bent = [row for line in values for row in line["row"]]  # beyond the first and the last row
    top, bottom = min(-0.5, *bent), max(n_rows - 0.5, *bent)
    y = alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[top, bottom], reverse=True, nice=False))
    lines = (
        alt.Chart()
        .transform_flatten(["score", "row", "width", "point"])
        .encode(
            x=x,
            y=y,
            detail=["preferred:N", "other:N"],
            order="point:Q",
            size=alt.Size("width:Q", scale=None, legend=None),
            color=alt.Color(
                "kind:N",
                sort=present,
                scale=alt.Scale(domain=present, range=[COLOUR[kind] for kind in present]),
                legend=legend_of(present, WIDTH, symbolType="stroke", symbolStrokeWidth=4),
            ),
            tooltip=[
                alt.Tooltip("preferred:N"),
                alt.Tooltip("other:N", title="over"),
                alt.Tooltip("mean:Q", title="mean vote", format="+.2f"),
                alt.Tooltip("votes:Q", format=","),
                alt.Tooltip("kind:N", title="this pair"),
            ],
        )
    )
    nodes = alt.Chart(data_of(_nodes(picture, rows))).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("name:N", title="item"),
            alt.Tooltip("score:Q", format="+.3f"),
            alt.Tooltip("votes:Q", format=","),
        ],
    )
    layers = [
        lines.mark_trail(opacity=OPACITY[kind]).properties(
            data=data_of([line for line in values if line["kind"] == kind])
        )
        for kind in UPWARDS
        if kind in present
    ]
    layers.append(nodes.mark_circle(style="mark", size=80, opacity=1))
    for is_left, align, dx in ((True, "left", 9), (False, "right", -9)):
        labels = nodes.transform_filter(alt.datum.left == is_left).encode(text="label:N")
        layers += [labels.mark_text(style=style, align=align, dx=dx) for style in ("halo", "label")]
    return alt.layer(*layers).properties(width=WIDTH, height=height * (bottom - top) / n_rows)


def _lines(
    picture: _Picture, rows: IntArray, kinds: list[str], shown: IntArray, scale: FloatArray
) -> list[dict[str, Any]]:
    """Each line with its points, from what is preferred to the other.

    `scale` is score and rows per pixel, in which lines are bent.
    """
    values = []
    places = np.column_stack((picture.scores, rows))
    widths = WIDEST * picture.counts / picture.counts.max(initial=1)
    for k in shown.tolist():
        flow = float(picture.flows[k])
        start, end = (int(picture.i[k]), int(picture.j[k]))[:: 1 if flow >= 0 else -1]
        points = _bent(places[start] / scale, places[end] / scale) * scale
        narrowing = 1 - (1 - NARROW) * BENT if flow else np.full(len(BENT), 0.5)
        values.append(
            {
                "preferred": picture.names[start],
                "other": picture.names[end],
                "mean": round(abs(flow), 4),
                "votes": int(picture.counts[k]),
                "kind": kinds[k],
                "score": points[:, 0].round(5).tolist(),
                "row": points[:, 1].round(3).tolist(),
                "width": np.maximum(widths[k] * narrowing, NARROWEST).round(2).tolist(),
                "point": list(range(len(BENT))),
            }
        )
    return values


def _bent(start: FloatArray, end: FloatArray) -> FloatArray:
    """Points of a parabola between two points, to the left of the way."""
    way = end - start
    aside = np.array([way[1], -way[0]])
    return start + np.outer(BENT, way) + np.outer(4 * BEND * BENT * (1 - BENT), aside)


def _nodes(picture: _Picture, rows: IntArray) -> list[dict[str, Any]]:
    middle = (picture.scores.min() + picture.scores.max()) / 2
    return [
        {
            "name": name,
            "label": fitted(name, LABEL_WIDTH),
            "score": round(float(score), 5),
            "row": int(row),
            "votes": int(votes),
            "left": bool(score <= middle),
        }
        for name, score, row, votes in zip(
            picture.names, picture.scores, rows, picture.votes, strict=True
        )
    ]
