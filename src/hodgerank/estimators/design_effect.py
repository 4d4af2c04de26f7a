"""Design effect: votes of the same worker, ballot or unit count for less than independent ones."""

from __future__ import annotations

from typing import NamedTuple

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


class Clustering(NamedTuple):
    """The clusters of the votes, and their effect on the variance of the scores."""

    cluster: str
    n_clusters: int
    effect: float

    def __str__(self) -> str:
        return f"clustered by {self.cluster} ({self.n_clusters:,} {self.cluster}s)"

    @property
    def notes(self) -> tuple[str, ...]:
        """A note that votes count less, if the effect is large enough."""
        if self.effect < WORTH_A_NOTE:
            return ()
        return (
            f"votes of the same {self.cluster} are correlated: each counts as "
            f"{1 / self.effect:.0%} of an independent vote",
        )


def find_clustering(
    answered: AnsweredGraph, by: CovarianceKind | None, position_bias: Position | None
) -> Clustering | None:
    """Return the requested clusters, or those of the votes; None if there are too few.

    Votes are clustered if they come from ballots or units, or if workers repeat their votes.
    """
    votes = answered.votes
    by = _kind_of(answered) if by is None else by
    if by == "model":
        return None
    clusters = votes.worker if by == "worker" else votes.ballot
    n_clusters = 0 if clusters is None else len(np.unique(clusters))
    if n_clusters < (FEWEST_WORKERS if by == "worker" else FEWEST_BALLOTS):
        return None
    cluster = "unit" if by == "ballot" and votes.units else by
    return Clustering(cluster, n_clusters, design_effect(votes, by, position_bias))


def _kind_of(answered: AnsweredGraph) -> CovarianceKind:
    votes = answered.votes
    if votes.ballot is not None and votes.n_ballots > 1:
        return "ballot"
    are_known = votes.n_workers >= FEWEST_WORKERS and bool((votes.worker != NO_WORKER).all())
    return "worker" if are_known and repeat_themselves(answered) else "model"


def design_effect(
    votes: Comparisons, by: CovarianceKind, position_bias: Position | None = None
) -> float:
    """Return the variance of the scores clustered by worker or ballot, relative to the model's.

    At least 1, since smaller estimates are due to chance.
    """
    clustered, model = (
        bradley_terry(
            votes, covariance=kind, components="separate", position_bias=position_bias
        )._covariance
        for kind in (by, "model")
    )
    if isinstance(clustered, ClusteredCovariance) and not clustered.is_positive:
        return 1.0
    return max(1.0, float(clustered.variances.sum() / model.variances.sum()))
