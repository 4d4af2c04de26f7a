"""Design effect: votes about the same context are correlated, and count less than one each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.design_effect import FEWEST_CLUSTERS, find_clustering
from hodgerank.graph.answered_graph import AnsweredGraph

FEWEST_CONTEXTS = FEWEST_CLUSTERS


def effective_share(votes: Comparisons, contexts: Sequence[str]) -> float:
    """Return the effective share of a vote, relative to an independent one.

    At most 1, and 1 with too few contexts.
    """
    names, context = np.unique(np.array(contexts, dtype=object), return_inverse=True)
    together = replace(votes, ballot=context.astype(np.int32), units=tuple(names.tolist()))
    clustering = find_clustering(AnsweredGraph.of(together), "ballot", position_bias="worker")
    return 1.0 if clustering is None else 1 / clustering.effect
