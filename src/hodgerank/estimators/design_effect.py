"""Design effect: correlated votes count for less than independent ones."""

from __future__ import annotations

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.estimators.covariance import ClusteredCovariance, CovarianceKind
from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.repetitions import repeat_themselves

FEWEST_BALLOTS = 4  # with fewer clusters their variance cannot be estimated
FEWEST_WORKERS = 10
WORTH_A_NOTE = 1.05


def cluster_kind(answered: AnsweredGraph) -> CovarianceKind:
    """What the votes are clustered by: ballots or units, repeated votes of a worker, or nothing."""
    votes = answered.votes
    if votes.ballot is not None and votes.n_ballots > 1:
        return "ballot"
    all_known = bool((votes.worker != NO_WORKER).all())
    if all_known and votes.n_workers >= FEWEST_WORKERS and repeat_themselves(answered):
        return "worker"
    return "model"


def design_effect(
    votes: Comparisons, by: CovarianceKind, position_bias: Position | None = None
) -> float:
    """Return the variance of the scores clustered by worker or ballot, over that of the model.

    1 where it is no larger, and where clusters are too few to tell.
    """
    clusters = votes.worker if by == "worker" else votes.ballot
    fewest = FEWEST_WORKERS if by == "worker" else FEWEST_BALLOTS
    if by == "model" or clusters is None or len(np.unique(clusters)) < fewest:
        return 1.0
    clustered, model = (
        bradley_terry(
            votes, covariance=kind, components="separate", position_bias=position_bias
        )._covariance
        for kind in (by, "model")
    )
    if isinstance(clustered, ClusteredCovariance) and not clustered.is_positive:
        return 1.0
    return max(1.0, float(clustered.variances.sum() / model.variances.sum()))


def design_effect_note(effect: float, by: CovarianceKind, units: bool) -> tuple[str, ...]:
    """That votes count for less, where that is worth saying."""
    if effect < WORTH_A_NOTE:
        return ()
    cluster = "unit" if by == "ballot" and units else by
    return (
        f"votes of the same {cluster} are correlated: each counts as {1 / effect:.0%} of an "
        "independent vote",
    )
