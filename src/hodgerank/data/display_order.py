"""Whether left and right can be where the worker saw them: files often hold another order.

Files that write the winner first, or each pair in the order of a list, look like a crowd that
clicks left, or that is shown the better item on the left. What they say about sides is an artefact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.types import CodeArray

# Fewer answers than these are easily on one side by chance.
FEWEST = 20
ALMOST_ALWAYS = 0.98
SAMPLE = 4096  # answers that mostly show a pair both ways, if any do


def doubt_display(votes: Comparisons) -> Comparisons:
    """The same answers, their display order unknown where it cannot be the one recorded."""
    doubt = "" if not votes.display_known.any() else display_doubt(votes)
    if not doubt:
        return votes
    return replace(
        votes,
        display_known=np.asarray(False),
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
    for side, chosen in (("left", votes.outcome > 0), ("right", votes.outcome < 0)):
        n = int(count @ chosen)
        if decided >= FEWEST and n >= ALMOST_ALWAYS * decided:
            order = "first" if side == "left" else "last"
            return (
                f"{side} was chosen in {n / decided:.1%} of the answers, as if the winner had been "
                f"written {order}"
            )
    if _shown_in_one_order(votes.left, votes.right, votes.n_items):
        return "pairs stand in one fixed order of the items, as if they had been sorted"
    return ""


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
