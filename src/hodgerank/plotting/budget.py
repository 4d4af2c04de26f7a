"""Where the votes went: how often each pair was compared, along the ranking."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hodgerank.collecting.collector import RunResult
from hodgerank.estimators.least_squares import hodge_rank
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.build import build_graph
from hodgerank.plotting.text_width import fitted_apart, text_width
from hodgerank.plotting.theme import altair, charted, data_of, heading, words_alone
from hodgerank.types import FloatArray, IntArray, VotesLike

MOST_ITEMS = 60  # that have a row each
BINS = 40  # of ranks, where there are more items
STEPS = ((15, 30), (30, 20), (MOST_ITEMS, 13))  # pixels of a row, by rows up to
LABEL_WIDTH = 200
BARS = 130  # pixels
WIDE_ENOUGH = 24  # pixels of a column that has a number of its own
HALF = 0.5


class _Places(NamedTuple):
    """The pairs by the places of their items in the ranking; components one after the other."""

    low: IntArray
    high: IntArray
    counts: IntArray
    sizes: IntArray  # of the components


@charted
def budget_chart(votes: VotesLike | RunResult) -> Any:
    """Votes on each pair, items in the order of the ranking, and beside them votes per item.

    A run has a ranking of its own; votes are ranked by least squares. More than 60 items are shown
    in groups of neighbouring ranks.
    """
    graph = build_graph(votes.votes if isinstance(votes, RunResult) else votes)
    if not graph.n_edges:
        return words_alone("No votes yet")
    if isinstance(votes, RunResult):
        ranking = votes.ranking
    else:
        ranking = hodge_rank(graph, components="separate")
    place = ranking.positions(graph.items)
    i, j = place[graph.i], place[graph.j]
    sizes = np.bincount(ranking.components)
    places = _Places(np.minimum(i, j), np.maximum(i, j), graph.counts, sizes)
    labels, row = _rows(ranking)
    votes_per_item = np.bincount(row[place], graph.votes_per_item) / np.bincount(row)
    drawn, width = _drawn(labels, _cells(places, labels, row), votes_per_item, len(ranking))
    notes = _notes(ranking, places, len(labels))
    return drawn.properties(title=heading(_finding(places), *notes, width=width))


def _rows(ranking: Ranking) -> tuple[list[str], IntArray]:
    """Names of the rows, and the row of each place."""
    n = len(ranking)
    if n <= MOST_ITEMS:
        return fitted_apart([str(item) for item in ranking.items], LABEL_WIDTH), np.arange(n)
    row = np.arange(n) * BINS // n
    ends = np.searchsorted(row, np.arange(BINS + 1)).tolist()
    return [_span(first + 1, last) for first, last in pairwise(ends)], row


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _finding(places: _Places) -> str:
    """How far apart the items of most votes are, beside those of all pairs."""
    sizes = places.sizes
    n_pairs = int((sizes * (sizes - 1) // 2).sum())
    if n_pairs == 1:
        return "All votes are on the only pair"
    apart = places.high - places.low
    shares = np.cumsum(np.bincount(apart, places.counts)) / places.counts.sum()
    most = int(np.searchsorted(shares, HALF - 1e-12))
    near = np.minimum(most, sizes - 1)
    pairs = int((near * (2 * sizes - near - 1) // 2).sum()) / n_pairs
    where = "neighbours in the ranking" if most == 1 else f"pairs at most {most:,} places apart"
    return f"{_percent(shares[most])} of votes are on {where} ({_percent(pairs)} of all pairs)"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%" if share < 0.1 else f"{100 * share:.0f}%"


def _notes(ranking: Ranking, places: _Places, n_rows: int) -> list[str]:
    n, asked = len(ranking), len(places.counts)
    pairs = n * (n - 1) // 2
    notes = [
        "Votes on each pair and on each item, from best to last. "
        f"{asked:,} of {pairs:,} pairs were compared."
    ]
    if n > n_rows:
        notes.append(f"{n:,} items in {n_rows} rows: means over neighbouring ranks.")
    if len(places.sizes) > 1:
        notes.append(
            f"The items form {len(places.sizes):,} disconnected groups, one below the other; the "
            "title counts pairs within groups."
        )
    return notes


def _cells(places: _Places, labels: list[str], row: IntArray) -> list[dict[str, Any]]:
    """Both halves of the square, so that each row has all pairs of its items."""
    n = len(labels)
    low, high = row[places.low], row[places.high]
    keys, cell = np.unique(low * n + high, return_inverse=True)
    size, (a, b) = np.bincount(row), np.divmod(keys, n)
    pairs = np.where(a == b, size[a] * (size[a] - 1) // 2, size[a] * size[b])
    means = np.bincount(cell, places.counts) / pairs
    return [
        {"item": labels[a], "place": b + 1, "other": labels[b], "votes": round(mean, 4)}
        for key, mean in zip(keys.tolist(), means.tolist(), strict=True)
        for a, b in {divmod(key, n), divmod(key, n)[::-1]}
    ]


def _drawn(
    labels: list[str], cells: list[dict[str, Any]], votes_per_item: FloatArray, n_items: int
) -> tuple[Any, float]:
    """The chart, and how many pixels it is wide."""
    alt = altair()
    n = len(labels)
    grouped = n < n_items
    step = next(pixels for most, pixels in STEPS if n <= most)
    extent = 6 + max(map(text_width, labels))
    y = alt.Y(
        "item:N",
        scale=alt.Scale(domain=labels, padding=0),
        title="ranks" if grouped else None,
        axis=alt.Axis(domain=False, ticks=False, labelPadding=6, minExtent=extent),
    )
    every = 1 if step >= WIDE_ENOUGH else max(n // 10, 2)
    squares = (
        alt.Chart(data_of(cells))
        .mark_rect()
        .encode(
            y=y,
            x=alt.X(
                "place:O",
                title="position of the other item",
                scale=alt.Scale(domain=list(range(1, n + 1)), padding=0),
                axis=alt.Axis(
                    values=[1, *range(every, n + 1, every)] if every > 1 else alt.Undefined,
                    labelAngle=0,
                    domain=False,
                    ticks=False,
                    grid=False,
                ),
            ),
            color=alt.Color(
                "votes:Q",
                scale=alt.Scale(domainMin=0, range="ramp", interpolate="rgb"),
                legend=alt.Legend(
                    title="votes per pair",
                    orient="bottom",
                    format="~g" if grouped else ",d",
                    tickMinStep=alt.Undefined if grouped else 1,
                ),
            ),
            tooltip=[
                alt.Tooltip("item:N", title="ranks" if grouped else "item"),
                alt.Tooltip("other:N", title="against"),
                alt.Tooltip("votes:Q", title="votes per pair", format=",.4~g"),
            ],
        )
        .properties(width=step * n, height=step * n)
    )
    rows = [
        {"item": label, "votes": round(float(mean), 1)}
        for label, mean in zip(labels, votes_per_item, strict=True)
    ]
    bars = (
        alt.Chart(data_of(rows))
        .mark_bar(style="mark", height={"band": 0.7})
        .encode(
            y=alt.Y("item:N", scale=alt.Scale(domain=labels, padding=0), axis=None),
            x=alt.X("votes:Q", title="votes per item", axis=alt.Axis(tickCount=3, format="~s")),
            tooltip=[
                alt.Tooltip("item:N", title="ranks" if grouped else "item"),
                alt.Tooltip("votes:Q", title="votes per item", format=",.4~g"),
            ],
        )
        .properties(width=BARS, height=step * n)
    )
    return alt.hconcat(squares, bars, spacing=14), extent + step * n + 14 + BARS
