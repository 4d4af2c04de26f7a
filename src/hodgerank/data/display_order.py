"""Whether left and right can be where the worker saw them: files often hold another order.

Files that write the winner first, or each pair in the order of a list, look like a crowd that
clicks left, or that is shown the better item on the left. What they say about sides is an artefact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.types import BoolArray, CodeArray

# Fewer answers than these are easily on one side by chance.
FEWEST = 20
OFTEN, ALMOST_ALWAYS = 0.9, 0.98
SURELY = 2.0  # standard errors: whoever clicks seldom is that lucky
SAMPLE = 4096  # answers that mostly show a pair both ways, if any do


def doubt_display(votes: Comparisons) -> Comparisons:
    """The same answers, their display order unknown where it cannot be the one recorded."""
    if not votes.display_known.any():
        return votes
    doubt, doubted = display_doubt(votes), np.ones(len(votes), bool)
    if not doubt:
        doubt, doubted = _doubted_workers(votes)
    if not doubt:
        return votes
    return replace(
        votes,
        display_known=votes.display_known & ~doubted,
        report=replace(votes.report, display_doubt=doubt),
    )


def display_doubt(votes: Comparisons) -> str:
    """Why left and right are hardly the sides that were shown; empty if they may be.

    >>> import hodgerank as hr
    >>> rows = [("a", "b", 1), ("b", "a", 1), ("c", "a", 1), ("b", "c", 1)] * 10
    >>> display_doubt(hr.read_comparisons(rows, display_known=True))
    'left was chosen in 100.0% of the answers, as if the winner had been written first'
    """
    count = votes.answers_per_row
    decided = int(count @ (votes.outcome != 0))
    for side, sign in (("left", 1), ("right", -1)):
        share = int(count @ (sign * votes.outcome > 0)) / max(decided, 1)
        if decided < FEWEST or share < OFTEN:
            continue
        if share >= ALMOST_ALWAYS or _follows_the_items(votes, sign, np.ones(len(votes), bool)):
            order = "first" if sign > 0 else "last"
            return (
                f"{side} was chosen in {share:.1%} of the answers, as if the winner had been "
                f"written {order}"
            )
    if _shown_in_one_order(votes.left, votes.right, votes.n_items):
        return "pairs stand in one fixed order of the items, as if they had been sorted"
    return ""


def _doubted_workers(votes: Comparisons) -> tuple[str, BoolArray]:
    """Answers of workers whose winners were written first, though not everybody's were."""
    doubted = np.zeros(len(votes), bool)
    rows = np.flatnonzero(votes.worker >= 0)
    if not len(rows):
        return "", doubted
    worker, n = votes.worker[rows], votes.n_workers
    count, outcome = votes.answers_per_row[rows], votes.outcome[rows]
    decided = np.bincount(worker, count * (outcome != 0), n)
    chosen = np.bincount(worker, count * (outcome > 0), n)
    suspects = np.flatnonzero((decided >= FEWEST) & (chosen >= OFTEN * decided))
    found = [who for who in suspects if _follows_the_items(votes, 1, votes.worker == who)]
    if not found:
        return "", doubted
    doubted = np.isin(votes.worker, found)
    whose = f"{len(found):,} worker{'' if len(found) == 1 else 's'}"
    return f"for {whose} left was chosen, and rightly so, as if the winner stood first", doubted


def _follows_the_items(votes: Comparisons, sign: int, whose: BoolArray) -> bool:
    """Whether those on the chosen side are the better items, by the other half of the answers.

    Somebody who clicks a side without looking chooses the better item half of the time.
    """
    count, half = votes.answers_per_row, np.arange(len(votes)) % 2 == 0
    hits = total = 0.0
    for test, rest in ((half, ~half), (~half, half)):
        gain = count * votes.outcome * rest
        n = votes.n_items
        net = np.bincount(votes.left, gain, n) - np.bincount(votes.right, gain, n)
        shown = np.bincount(votes.left, count * rest, n) + np.bincount(votes.right, count * rest, n)
        rate = net / np.maximum(shown, 1)
        better = sign * (rate[votes.left] - rate[votes.right])[test & whose]
        hits += float(count[test & whose] @ (better > 0))
        total += float(count[test & whose] @ (better != 0))
    return bool(hits - total / 2 > SURELY * np.sqrt(max(total, 1.0)) / 2)


def _shown_in_one_order(left: CodeArray, right: CodeArray, n_items: int) -> bool:
    """Whether some order of the items has left before right always, though chance hardly would.

    Each answer that closes a cycle of pairs would do so with a probability of about a half.
    """
    few = len(left) < FEWEST
    if few or _any_both_ways(left[:SAMPLE], right[:SAMPLE]) or _any_both_ways(left, right):
        return False
    from scipy import sparse

    arrows = sparse.coo_array((np.ones(len(left), np.int8), (left, right)), (n_items, n_items))
    n_parts, _ = sparse.csgraph.connected_components(arrows, connection="weak")
    n_rings, _ = sparse.csgraph.connected_components(arrows, connection="strong")
    return bool(n_rings == n_items and len(left) - n_items + n_parts >= FEWEST)


def _any_both_ways(left: CodeArray, right: CodeArray) -> bool:
    """Whether a pair was shown both ways round."""
    wide = np.int64(1 << 32)
    return bool(np.isin(left * wide + right, right * wide + left).any())
