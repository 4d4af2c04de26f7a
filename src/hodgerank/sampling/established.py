"""Whether votes establish an order, if answers are consistent."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.sampling.designs.adaptive import AdaptiveDesign
from hodgerank.sampling.designs.design import VoteBatch
from hodgerank.sampling.designs.sort import MOST_ITEMS, SortDesign
from hodgerank.types import Item


def is_established(votes: Comparisons, among: Collection[Item] | None = None) -> bool:
    """Return whether the order of the items is established, if answers are consistent.

    It is if the votes, which were given one after the other, imply the order of every two items
    (`among` these, if not all), none contradicts another, and enough of them only confirmed what
    earlier ones implied: `SortDesign` has the evidence that is required. Never for rankings that
    were cast as a whole, nor beyond 1,000 items.
    """
    n = votes.n_items
    if n > MOST_ITEMS or votes.report.ballots:
        return False
    left, right = votes.left.astype(np.int64), votes.right.astype(np.int64)
    batch = VoteBatch(
        np.minimum(left, right),
        np.maximum(left, right),
        np.where(left < right, votes.outcome, -votes.outcome),
        np.ones(len(votes)),
        [None] * len(votes),
        np.zeros(len(votes), np.int64),
    )
    others = frozenset[int]()
    if among is not None:
        among = set(among)
        others = frozenset(k for k, item in enumerate(votes.items) if item not in among)
    known = SortDesign(n)
    known.retire(others)
    known.learn_many(batch)
    if not known.is_known:
        return False
    design = AdaptiveDesign(n)
    design.sorting.retire(others)
    design.learn_many(batch)
    return design.sorting.is_established
