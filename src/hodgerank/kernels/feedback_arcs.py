"""Orders of items that few arcs contradict: a search, and a test of whether any arc has to.

An arc is a pair of items with a cost: positive if its tail should come first, negative if its head
should. The order contradicted at the least cost is the minimum feedback arc set, which is NP-hard.
`best_order` finds a good one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

# Limits of the search, which bound its time on large graphs.
MOST_STEPS = 1_000_000  # ends of arcs visited by ranked pairs
MOST_VISITS, FEWEST_SWEEPS, MOST_SWEEPS = 1_000_000, 2, 50  # and by insertion
GAIN = 1e-9  # of the cost of an item; less is rounding


class Arcs(NamedTuple):
    """A graph: ends[starts[v]:starts[v + 1]] are the arcs at v, which lead to others[...]."""

    tails: IntArray
    heads: IntArray
    starts: IntArray
    others: IntArray
    ends: IntArray

    @classmethod
    def of(cls, i: CodeArray, j: CodeArray, n_items: int) -> Arcs:
        """List the arcs i -> j, i < j, at each item."""
        tails, heads = i.astype(np.int64), j.astype(np.int64)
        items = np.concatenate((tails, heads))
        by_item = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[by_item], np.arange(n_items + 1))
        others = np.concatenate((heads, tails))[by_item]
        return cls(tails, heads, starts, others, by_item % max(len(tails), 1))


@compiled
def is_acyclic(arcs: Arcs, costs: FloatArray) -> bool:
    """Whether some order agrees with every arc that has a cost, by topological sorting."""
    n = len(arcs.starts) - 1
    n_before = np.zeros(n, np.int64)
    for arc in range(len(costs)):
        if costs[arc] > 0:
            n_before[arcs.heads[arc]] += 1
        elif costs[arc] < 0:
            n_before[arcs.tails[arc]] += 1
    sorted_items = np.empty(n, np.int64)
    n_found = n_done = 0
    for v in range(n):
        if n_before[v] == 0:
            sorted_items[n_found] = v
            n_found += 1
    while n_done < n_found:
        v = sorted_items[n_done]
        n_done += 1
        for end in range(arcs.starts[v], arcs.starts[v + 1]):
            w = arcs.others[end]
            if _lead(v, w, costs[arcs.ends[end]]) > 0:
                n_before[w] -= 1
                if n_before[w] == 0:
                    sorted_items[n_found] = w
                    n_found += 1
    return n_found == n


@compiled(inline="always")
def _lead(v: int, w: int, cost: float) -> float:
    """Return the cost of placing v after w; if negative, of placing it before."""
    return cost if v < w else -cost


@compiled
def best_order(arcs: Arcs, costs: FloatArray) -> IntArray:
    """Return the place of each item in an order that is contradicted at little cost.

    Ranked pairs [Tideman87], started from the net cost of each item, then insertion of single items
    where they cost least, until none gains. Ranked pairs finds the weakest arc of a long cycle;
    insertion alone would have to turn the whole cycle.
    """
    n = len(arcs.starts) - 1
    net = np.zeros(n)
    for arc in range(len(costs)):
        net[arcs.tails[arc]] -= costs[arc]
        net[arcs.heads[arc]] += costs[arc]
    places = np.empty(n, np.int64)
    places[np.argsort(net, kind="mergesort")] = np.arange(n)
    _rank_pairs(arcs, costs, places)
    return _insert_items(arcs, costs, places)


@compiled
def contradicted(arcs: Arcs, costs: FloatArray, places: IntArray) -> float:
    """Return the total cost of arcs against an order."""
    total = 0.0
    for arc in range(len(costs)):
        if (places[arcs.heads[arc]] - places[arcs.tails[arc]]) * costs[arc] < 0:
            total += abs(costs[arc])
    return total


@compiled
def least_contradicted(arcs: Arcs, costs: FloatArray) -> FloatArray:
    """Return the cost against the best order found for each column; 0 if one is acyclic."""
    found = np.zeros(costs.shape[1])
    for column in range(costs.shape[1]):
        own = costs[:, column].copy()
        if not is_acyclic(arcs, own):
            found[column] = contradicted(arcs, own, best_order(arcs, own))
    return found


@compiled
def _rank_pairs(arcs: Arcs, costs: FloatArray, places: IntArray) -> None:
    """Keep arcs, the costliest first, unless they close a cycle; reorder items accordingly.

    The order is kept up to date as in [Pearce07]: an arc that contradicts it moves only what lies
    between its ends. `places` is changed in place.
    """
    n = len(places)
    kept = np.zeros(len(costs), np.bool_)
    seen = np.zeros(n, np.bool_)
    later, earlier = np.empty(n, np.int64), np.empty(n, np.int64)
    steps = 0
    for arc in np.argsort(-np.abs(costs), kind="mergesort"):
        if costs[arc] == 0:
            break
        u, v = arcs.tails[arc], arcs.heads[arc]
        if costs[arc] < 0:
            u, v = v, u
        if places[u] < places[v]:
            kept[arc] = True
            continue
        if steps > MOST_STEPS:
            continue
        n_later, visited = _between(arcs, kept, places, v, u, 1, later, seen)
        steps += visited
        n_earlier = 0
        if not seen[u]:  # otherwise the arc closes a cycle
            n_earlier, visited = _between(arcs, kept, places, u, v, -1, earlier, seen)
            steps += visited
            _move(places, earlier[:n_earlier], later[:n_later])
            kept[arc] = True
        seen[later[:n_later]] = False
        seen[earlier[:n_earlier]] = False


@compiled
def _between(
    arcs: Arcs,
    kept: BoolArray,
    places: IntArray,
    start: int,
    limit: int,
    direction: int,
    found: IntArray,
    seen: BoolArray,
) -> tuple[int, int]:
    """List what kept arcs reach from `start`, not beyond `limit`, or until they reach it.

    The direction is 1 along the order and -1 against it. Marks items in `seen`; returns the number
    of items found, and of steps.
    """
    found[0], n_found, n_done, steps = start, 1, 0, 0
    seen[start] = True
    while n_done < n_found:
        w = found[n_done]
        n_done += 1
        for end in range(arcs.starts[w], arcs.starts[w + 1]):
            x = arcs.others[end]
            steps += 1
            ahead = direction * (places[x] - places[w])
            room = direction * (places[limit] - places[x])
            if kept[arcs.ends[end]] and ahead > 0 and room >= 0 and not seen[x]:
                seen[x] = True
                found[n_found] = x
                n_found += 1
                if x == limit:
                    return n_found, steps
    return n_found, steps


@compiled
def _move(places: IntArray, earlier: IntArray, later: IntArray) -> None:
    """Place all `earlier` items before all `later` ones, on the places that both have."""
    own_earlier, own_later = places[earlier], places[later]
    free = np.sort(np.concatenate((own_earlier, own_later)))
    places[earlier[np.argsort(own_earlier)]] = free[: len(earlier)]
    places[later[np.argsort(own_later)]] = free[len(earlier) :]


@compiled
def _insert_items(arcs: Arcs, costs: FloatArray, places: IntArray) -> IntArray:
    """Move single items to where they cost least, until none gains; return their places.

    Only the places of neighbours matter to an item, so it is put halfway between two of them.
    """
    n = len(places)
    order = np.argsort(places)
    n_sweeps = min(max(MOST_VISITS // max(len(arcs.ends), 1), FEWEST_SWEEPS), MOST_SWEEPS)
    at = places.astype(np.float64)
    for _ in range(n_sweeps):
        moved = False
        for v in order:
            place = _cheapest_place(arcs, costs, at, v)
            if place != at[v]:
                at[v] = place
                moved = True
        if not moved:
            break
        order = np.argsort(at, kind="mergesort")
        at[order] = np.arange(n)
    ranks = np.empty(n, np.int64)
    ranks[order] = np.arange(n)
    return ranks


@compiled
def _cheapest_place(arcs: Arcs, costs: FloatArray, at: FloatArray, v: int) -> float:
    """Return the place where v costs least; its own if no other costs less."""
    start, end, own = arcs.starts[v], arcs.starts[v + 1], float(at[v])
    near, leads = np.empty(end - start), np.empty(end - start)
    n_near, in_front, now = 0, 0.0, 0.0
    for k in range(start, end):
        w = arcs.others[k]
        lead = _lead(v, w, costs[arcs.ends[k]])
        if lead != 0:
            near[n_near], leads[n_near] = at[w], lead
            n_near += 1
            in_front += max(-lead, 0.0)
            now += max(-lead, 0.0) if own < at[w] else max(lead, 0.0)
    if now == 0.0:
        return own
    sequence = np.argsort(near[:n_near])
    cost = least = in_front
    behind = 0  # number of neighbours placed before v
    for k in range(n_near):
        cost += leads[sequence[k]]
        if cost < least:
            least, behind = cost, k + 1
    if least >= now - GAIN * now:
        return own
    if behind == 0:
        return float(near[sequence[0]]) - 1.0
    low = float(near[sequence[behind - 1]])
    if behind == n_near:
        return low + 1.0
    high = float(near[sequence[behind]])
    middle = (low + high) / 2
    return middle if low < middle < high else own  # no room until places are counted again
