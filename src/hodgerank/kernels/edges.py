"""From votes to edges: grouping rows, sums for each pair, tables of wins, rewired graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

# Up to this many cells per vote a table of all pairs is faster than sorting.
CELLS_PER_VOTE = 4
# Votes processed together, so that intermediate results stay in the cache.
BLOCK = 1 << 16


class EdgeSums(NamedTuple):
    """Sums by edge, i < j, in lexicographic order, with outcomes from the view of item i.

    Sums that are equal by definition, such as those of unweighted votes, share one array.
    """

    i: CodeArray
    j: CodeArray
    counts: IntArray
    weights: FloatArray
    weight_squares: FloatArray
    sums: FloatArray
    squares: FloatArray


def sum_by_edge(
    left: CodeArray,
    right: CodeArray,
    outcome: FloatArray,
    weight: FloatArray | None,
    multiplicity: IntArray | None,
    n_items: int,
) -> EdgeSums:
    """Return the number of votes, and the sums of w, w^2, w y and w y^2, of every compared pair.

    `multiplicity` is the number of votes per row; the weight is that of each of them.
    """
    tabulate = n_items**2 <= max(CELLS_PER_VOTE * len(left), 1 << 16)
    is_plain = bool((outcome * outcome == 1).all())  # no ties and no grades: squares are 1
    if tabulate and is_plain and weight is None and multiplicity is None:
        return _tabulate_choices(left, right, outcome > 0, n_items)

    low, high = np.minimum(left, right), np.maximum(left, right)
    turned = np.where(left > right, -outcome, outcome)
    weight_squared = None if weight is None else weight**2
    if multiplicity is not None:
        if weight_squared is not None:
            weight_squared = weight_squared * multiplicity
        weight = multiplicity.astype(float) if weight is None else weight * multiplicity
    weighted = turned if weight is None else weight * turned
    if tabulate:
        cell = _row_offsets(n_items)[low] + high

        def total(values: FloatArray | IntArray) -> FloatArray:
            return np.asarray(np.bincount(cell, values)[edges], dtype=float)

        table = np.bincount(cell)
        edges = np.flatnonzero(table)
        i, j = _ends(edges, n_items)
        rows = table[edges]
    else:
        order, starts = _runs(low, high, n_items)

        def total(values: FloatArray | IntArray) -> FloatArray:
            return np.add.reduceat(values[order], starts, dtype=float)

        i, j = low[order[starts]], high[order[starts]]
        rows = np.diff(starts, append=len(low))
    counts = rows if multiplicity is None else total(multiplicity).astype(np.int64)
    weights = rows.astype(float) if weight is None else total(weight)
    weight_squares = weights if weight_squared is None else total(weight_squared)
    squares = weights if is_plain else total(weighted * turned)
    return EdgeSums(i, j, counts, weights, weight_squares, total(weighted), squares)


def add_up(i: CodeArray, j: CodeArray, sums: EdgeSums, n_items: int) -> EdgeSums:
    """Combine edges that may occur several times and in either direction.

    `sums` belong to the pairs (i, j), which replace its own.
    """
    order, starts = _runs(np.minimum(i, j), np.maximum(i, j), n_items)
    first = order[starts]

    def total(values: FloatArray | IntArray) -> FloatArray:
        return np.add.reduceat(values[order], starts, dtype=float)

    return EdgeSums(
        np.minimum(i[first], j[first]),
        np.maximum(i[first], j[first]),
        total(sums.counts).astype(np.int64),
        total(sums.weights),
        total(sums.weight_squares),
        total(np.where(i > j, -sums.sums, sums.sums)),
        total(sums.squares),
    )


def _row_offsets(n_items: int) -> IntArray:
    """Return offsets: pair (i, j), i < j, is cell offset[i] + j of the upper triangle by rows."""
    i = np.arange(n_items, dtype=np.int64)
    return i * (2 * n_items - i - 1) // 2 - i - 1


def _ends(cells: IntArray, n_items: int) -> tuple[CodeArray, CodeArray]:
    """Return the pairs of these cells, which must be ascending."""
    offset = _row_offsets(n_items)
    first_cell = offset + np.arange(n_items) + 1
    edges_per_row = np.diff(np.searchsorted(cells, first_cell), append=len(cells))
    i = np.repeat(np.arange(n_items, dtype=np.int32), edges_per_row)
    return i, (cells - offset[i]).astype(np.int32)


def _tabulate_choices(
    left: CodeArray, right: CodeArray, left_won: BoolArray, n_items: int
) -> EdgeSums:
    """Sum plain choices by one table of losses and wins per pair."""
    offset = _row_offsets(n_items)
    table = np.zeros(n_items * (n_items - 1), np.int64)
    for start in range(0, len(left), BLOCK):
        a, b = left[start : start + BLOCK], right[start : start + BLOCK]
        cell = offset[np.minimum(a, b)]
        cell += np.maximum(a, b)
        cell *= 2
        cell += left_won[start : start + BLOCK] ^ (a > b)
        np.add.at(table, cell, 1)
    losses, wins = table.reshape(-1, 2).T
    counts = losses + wins
    edges = np.flatnonzero(counts)
    counts, wins = counts[edges], wins[edges]
    weights = counts.astype(float)
    sums = (2 * wins - counts).astype(float)
    ends = _ends(edges, n_items)
    return EdgeSums(*ends, counts, weights, weights, sums, weights)


def _runs(low: CodeArray, high: CodeArray, n_items: int) -> tuple[CodeArray, IntArray]:
    """Return an order that groups equal pairs, and the start of each group."""
    order = _lexicographic_order(low, high, n_items)
    low, high = low[order], high[order]
    is_new = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return order, np.flatnonzero(np.r_[np.full(min(1, len(low)), True), is_new])


def _lexicographic_order(low: CodeArray, high: CodeArray, n_items: int) -> CodeArray:
    """Return the row order by (low, high), with two stable counting sorts."""
    by_high = _counting_sort(high, n_items)
    return by_high[_counting_sort(low[by_high], n_items)]


def _counting_sort(keys: CodeArray, n_keys: int) -> CodeArray:
    """Return the stable sorting permutation in linear time, by transposing a sparse matrix."""
    from scipy import sparse

    m = len(keys)
    rows = np.arange(m, dtype=np.int32)
    matrix = sparse.csr_array((rows, keys, np.arange(m + 1, dtype=np.int32)), shape=(m, n_keys))
    return np.asarray(matrix.tocsc().data)


CELLS_PER_ROW = 8
SMALL_TABLE = 1 << 16


def group_rows(keys: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, 0 <= key < n_keys, ascending, and the position of each row's key.

    Like `np.unique` with its inverse, in linear time unless the table of all keys is too long.
    """
    if n_keys > max(CELLS_PER_ROW * len(keys), SMALL_TABLE):
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place
    is_used = np.zeros(n_keys, np.bool_)
    is_used[keys] = True
    distinct = np.flatnonzero(is_used)
    place_of = np.empty(n_keys, np.int64)
    place_of[distinct] = np.arange(len(distinct))
    return distinct, place_of[keys]


def sums_at_ends(
    i: CodeArray, j: CodeArray, values: FloatArray, group: IntArray, shape: tuple[int, int]
) -> Any:
    """Return a sparse matrix of items by groups, adding values at item i and subtracting at j."""
    from scipy import sparse

    n_items, n_groups = shape
    if n_items * n_groups <= CELLS_PER_VOTE * len(values):
        wide = np.int64(n_groups)
        table = np.bincount(i * wide + group, values, n_items * n_groups).astype(float)
        table -= np.bincount(j * wide + group, values, n_items * n_groups)
        return sparse.csc_array(table.reshape(shape))
    places = (np.concatenate((i, j)), np.concatenate((group, group)))
    return sparse.coo_array((np.concatenate((values, -values)), places), shape).tocsc()


NEAR = 1 << 18  # cells of the table that are counted together, to fit into the cache


def table_of_wins(n: int) -> CodeArray:
    """Return an empty table for `count_wins`: the wins of the lower and higher place of each pair.

    Pair a < b is at b (b - 1) / 2 + a, so that pairs of later items come after it.
    """
    return np.zeros(n * (n - 1), np.int32)


@compiled
def count_wins(
    wins: CodeArray, left: CodeArray, right: CodeArray, outcome: FloatArray, place: IntArray
) -> None:
    """Add plain choices to a table of wins; `place` maps items to places.

    The table is often larger than the cache: votes are first sorted by section of the table.
    """
    cells, near = np.empty(len(left), np.int32), np.empty(len(left), np.int32)
    start = np.zeros(len(wins) // NEAR + 2, np.int64)
    for row in range(len(left)):
        a, b = place[left[row]], place[right[row]]
        low, high = min(a, b), max(a, b)
        cells[row] = high * (high - 1) + 2 * low + ((a < b) != (outcome[row] > 0))
        start[cells[row] // NEAR + 1] += 1
    start = np.cumsum(start)
    for cell in cells:
        near[start[cell // NEAR]] = cell
        start[cell // NEAR] += 1
    for cell in near:
        wins[cell] += 1


def edges_of(wins: CodeArray, place: IntArray) -> tuple[CodeArray, CodeArray, IntArray, FloatArray]:
    """Return the compared pairs i < j in lexicographic order: i, j, number of votes, mean for i.

    Fast if `place` decreases from item to item: the pairs of an item are then contiguous.
    """
    n_edges = int(np.count_nonzero(wins.view(np.int64)))  # both numbers of a pair at once
    return _edges_of(wins, place, n_edges)


@compiled
def _edges_of(
    wins: CodeArray, place: IntArray, n_edges: int
) -> tuple[CodeArray, CodeArray, IntArray, FloatArray]:
    n, k = len(place), 0
    i_of, j_of = np.empty(n_edges, np.int32), np.empty(n_edges, np.int32)
    answers, means = np.empty(n_edges, np.int64), np.empty(n_edges)
    for i in range(n):
        for j in range(i + 1, n):
            low, high = min(place[i], place[j]), max(place[i], place[j])
            cell = high * (high - 1) + 2 * low
            total = wins[cell] + wins[cell + 1]
            if total > 0:
                i_of[k], j_of[k], answers[k] = i, j, total
                balance = wins[cell] - wins[cell + 1]
                means[k] = (balance if place[i] < place[j] else -balance) / total
                k += 1
    return i_of, j_of, answers, means


ROUNDS = 8  # each proposes one exchange per edge


def rewired(
    i: CodeArray, j: CodeArray, n: int, rng: np.random.Generator
) -> tuple[CodeArray, CodeArray]:
    """Randomise the edges i < j while keeping all degrees; sorted, without duplicates.

    Random pairs of edges exchange an endpoint, (a, b), (c, d) -> (a, d), (c, b), unless that makes
    a loop or a duplicate: the Markov chain of [Rao96], many steps at a time.
    """
    left, right = i.astype(np.int64), j.astype(np.int64)
    half = len(left) // 2
    for _ in range(ROUNDS if half else 0):
        order = rng.permutation(len(left))
        one, other = order[:half], order[half : 2 * half]
        turned = rng.random(half) < 0.5  # which endpoint of the other edge is exchanged
        c = np.where(turned, right[other], left[other])
        d = np.where(turned, left[other], right[other])
        a, b = left[one], right[one]
        first, second = _codes(a, d, n), _codes(c, b, n)
        proposed = np.concatenate((first, second))
        new = _is_single(proposed) & ~_is_among(proposed, _codes(left, right, n))
        fits = new[:half] & new[half:] & (a != d) & (c != b)
        left[one[fits]], right[one[fits]] = a[fits], d[fits]
        left[other[fits]], right[other[fits]] = c[fits], b[fits]
    codes = np.sort(_codes(left, right, n))
    return (codes // n).astype(np.int32), (codes % n).astype(np.int32)


def _is_single(codes: IntArray) -> BoolArray:
    """Which codes occur once."""
    order = np.argsort(codes, kind="stable")
    is_new = np.r_[True, np.diff(codes[order]) > 0, True]
    single = np.empty(len(codes), np.bool_)
    single[order] = is_new[:-1] & is_new[1:]
    return single


def _is_among(codes: IntArray, others: IntArray) -> BoolArray:
    """Which codes occur among others; np.isin takes ten times as long for a million."""
    others = np.sort(others)
    place = np.minimum(np.searchsorted(others, codes), len(others) - 1)
    return np.asarray(others[place] == codes)


def _codes(left: IntArray, right: IntArray, n: int) -> IntArray:
    return np.asarray(np.minimum(left, right) * n + np.maximum(left, right))
