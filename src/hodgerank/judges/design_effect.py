"""Design effect: votes about the same context are correlated, and count less than one each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.position_bias.position_cells import has_display_order

FEWEST_CONTEXTS = 4  # with fewer contexts it cannot be estimated


def effective_share(votes: Comparisons, contexts: Sequence[str]) -> float:
    """Return the effective share of a vote, relative to an independent one.

    The ratio of the model's variance of scores to the variance clustered by context; at most 1, and
    1 with too few contexts.
    """
    names, context = np.unique(np.array(contexts, dtype=object), return_inverse=True)
    if len(names) < FEWEST_CONTEXTS or not has_display_order(votes):
        return 1.0
    together = replace(votes, ballot=context.astype(np.int32), units=tuple(names.tolist()))
    variances = [
        np.sum(
            bradley_terry(
                together, position_bias="worker", covariance=covariance, components="separate"
            ).standard_errors
            ** 2
        )
        for covariance in ("model", "ballot")
    ]
    return float(min(1.0, variances[0] / variances[1]))
