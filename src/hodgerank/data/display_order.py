"""Check whether left and right can be the display order; files often hold another order.

Files that write the winner first, or each pair in a fixed order, look like strong position bias,
which is an artefact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hodgerank.data.comparisons import Comparisons
from hodgerank.kernels.linalg.laplacian import components
from hodgerank.types import BoolArray, CodeArray, FloatArray

# With fewer votes, one side may win by chance.
FEWEST = 20
OFTEN, ALMOST_ALWAYS = 0.9, 0.98
SURELY = 2.0  # standard errors: random clicking seldom reaches this
SAMPLE = 4096  # votes in which most pairs are shown in both orders, if any are
GROWTH = 8  # growth of the sample, as long as it shows no cycle


def doubt_display(votes: Comparisons) -> Comparisons:
    """Return the same votes, with the display order marked unknown where it is implausible."""
    if not votes.display_known.any():
        return votes
    doubt, believed = display_doubt(votes), np.zeros(len(votes), bool)
    if not doubt and votes.workers:
        doubt, believed = _believed_workers(votes)
    if not doubt:
        return votes
    return replace(
        votes,
        display_known=votes.display_known & believed,
        report=replace(votes.report, display_doubt=doubt),
    )


def display_doubt(votes: Comparisons) -> str:
    """Return why left and right are hardly the display order; empty if they may be.

    >>> import hodgerank as hr
    >>> rows = [("a", "b", 1), ("b", "a", 1), ("c", "a", 1), ("b", "c", 1)] * 10
    >>> display_doubt(hr.read_comparisons(rows, display_known=True))
    'left was chosen in 100.0% of the votes, as if the winner were always listed first'
    """
    chose_left = _n_votes(votes, votes.outcome > 0)
    chose_right = _n_votes(votes, votes.outcome < 0)
    decided = chose_left + chose_right
    for side, sign, chosen in (("left", 1, chose_left), ("right", -1, chose_right)):
        share = chosen / max(decided, 1)
        if decided < FEWEST or share < OFTEN:
            continue
        if share >= ALMOST_ALWAYS or _follows_the_items(votes, sign):
            order = "first" if sign > 0 else "last"
            return (
                f"{side} was chosen in {share:.1%} of the votes, as if the winner were always "
                f"listed {order}"
            )
    if _shown_in_one_order(votes.left, votes.right, votes.n_items):
        return "all pairs follow one fixed order of the items, as if they had been sorted"
    return ""


def _n_votes(votes: Comparisons, rows: BoolArray) -> int:
    """Return the number of votes that these rows stand for."""
    count = votes.multiplicity
    return int(np.count_nonzero(rows) if count is None else count[rows].sum())


def _believed_workers(votes: Comparisons) -> tuple[str, BoolArray]:
    """Return the doubt about workers whose winners are listed first, and the other votes."""
    rows = np.flatnonzero(votes.worker >= 0)
    worker, n = votes.worker[rows], votes.n_workers
    count, outcome = votes.votes_per_row[rows], votes.outcome[rows]
    decided = np.bincount(worker, count * (outcome != 0), n)
    chosen = np.bincount(worker, count * (outcome > 0), n)
    doubted = (decided >= FEWEST) & (chosen >= OFTEN * decided)
    if doubted.any():
        better = _lead_of_left(votes)[rows]
        hits = np.bincount(worker, count * (better > 0), n)
        doubted &= _surely_more_than_half(hits, np.bincount(worker, count * (better != 0), n))
    if not doubted.any():
        return "", np.ones(len(votes), bool)
    n_doubted = int(doubted.sum())
    whose = f"{n_doubted:,} worker{'' if n_doubted == 1 else 's'}"
    doubt = (
        f"{whose} mostly chose left, and it was the better item, as if the winner were listed first"
    )
    return doubt, ~np.append(doubted, False)[votes.worker]  # NO_WORKER is the last


def _follows_the_items(votes: Comparisons, sign: int) -> bool:
    """Return whether items on the chosen side are better, by the other half of the votes.

    A worker who clicks one side without looking chooses the better item half of the time.
    """
    better = sign * _lead_of_left(votes)
    hits, total = _n_votes(votes, better > 0), _n_votes(votes, better != 0)
    return bool(_surely_more_than_half(hits, total))


def _lead_of_left(votes: Comparisons) -> FloatArray:
    """Return by how much left wins more often than right in the other half of the votes."""
    count, n = votes.votes_per_row, votes.n_items
    better = np.empty(len(votes))
    half, other = slice(0, None, 2), slice(1, None, 2)
    for test, rest in ((half, other), (other, half)):
        left, right = votes.left[rest], votes.right[rest]
        gain = count[rest] * votes.outcome[rest]
        net = np.bincount(left, gain, n) - np.bincount(right, gain, n)
        shown = np.bincount(left, count[rest], n) + np.bincount(right, count[rest], n)
        rate = net / np.maximum(shown, 1)
        better[test] = rate[votes.left[test]] - rate[votes.right[test]]
    return better


def _surely_more_than_half(hits: ArrayLike, total: ArrayLike) -> BoolArray:
    by_chance, spread = np.divide(total, 2), np.sqrt(np.maximum(total, 1)) / 2
    return np.asarray(np.subtract(hits, by_chance) > SURELY * spread)


def _shown_in_one_order(left: CodeArray, right: CodeArray, n_items: int) -> bool:
    """Return whether left always precedes right in some order of the items, hardly by chance.

    In random order, each vote that could close a cycle does so with probability 1/2.
    """
    m = len(left)
    if m < FEWEST:
        return False
    # A random order closes cycles as soon as there are a few votes per item, so small samples
    # usually decide; the first and smallest needs no SciPy. The last sample is all votes.
    step = 1
    while m // (GROWTH * step) >= SAMPLE:
        step *= GROWTH
    if _any_both_ways(left[::step], right[::step], n_items):
        return False
    while step:
        if _has_cycle(left[::step], right[::step], n_items):
            return False
        step //= GROWTH
    n_parts = int(components(left, right, n_items).max()) + 1
    return m - n_items + n_parts >= FEWEST


def _any_both_ways(left: CodeArray, right: CodeArray, n_items: int) -> bool:
    """Return whether a pair was shown in both orders: sorted, the two differ in the last bit."""
    pair = np.minimum(left, right) * np.int64(n_items) + np.maximum(left, right)
    ways = np.sort(2 * pair + (left > right))
    return bool(((ways[1:] ^ ways[:-1]) == 1).any())


def _has_cycle(left: CodeArray, right: CodeArray, n_items: int) -> bool:
    """Return whether arrows from left to right form a cycle."""
    from scipy import sparse

    arrows = sparse.coo_array((np.ones(len(left), np.int8), (left, right)), (n_items, n_items))
    n_rings, _ = sparse.csgraph.connected_components(arrows, connection="strong")
    return bool(n_rings < n_items)
