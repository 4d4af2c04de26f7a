"""How often somebody would choose the first of two equal items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.models.links import LINKS
from hodgerank.types import Item

LINK = "thurstone-mosteller"
WIDE = 1.959963984540054  # standard errors in half a 95 % interval


class FirstOfEquals(NamedTuple):
    """A share, 1/2 for who does not lean, with its 95 % interval."""

    share: float
    low: float
    high: float


def first_of_equals(votes: Comparisons) -> dict[Item, FirstOfEquals]:
    """Of each worker, by the leans that are believed in along with the scores.

    `position_bias` is another thing: how much the answers that were given lean on average, less
    where items differ clearly.
    """
    from hodgerank.estimators.position.believing import believed_sides

    known = votes.select(votes.display_known & (votes.worker >= 0))
    if not len(known):
        return {}
    mean, variance = believed_sides(AnsweredGraph.of(known), "worker", LINK).leans
    half = WIDE * np.sqrt(variance)
    shares = LINKS[LINK].cdf(np.column_stack((mean, mean - half, mean + half)))
    workers = (known.workers[k] for k in np.unique(known.worker))
    rows = (FirstOfEquals(*row) for row in shares.tolist())
    return dict(zip(workers, rows, strict=True))
