"""assess_reliability: the statistics that studies by comparative judgement report."""

from __future__ import annotations

from hodgerank.data.groups import VoteGroups
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.estimators.reliability.agreement import Metric, agreement
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.estimators.reliability.reliability import Reliability
from hodgerank.estimators.reliability.residuals import Residuals
from hodgerank.estimators.reliability.separation import separation
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.building import source_of
from hodgerank.graph.repetitions import counted_once, repeat_themselves
from hodgerank.types import VotesLike


def assess_reliability(
    votes: VotesLike,
    *,
    metric: Metric | None = None,
    n_splits: int = 100,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
) -> Reliability:
    """Separation, split halves, misfit of items and workers, and agreement of workers.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes; all groups of `VoteGroups` together.
    metric
        What Krippendorff's alpha takes for disagreement. Default: 'nominal' for choices,
        'interval' where there are ties or grades.
    n_splits, seed
        Of the split halves, which are computed when they are first looked at.
    false_discovery_rate
        Of the items (and of the workers) called misfitting, at most this share is expected to be
        innocent.

    Examples
    --------
    >>> import hodgerank as hr
    >>> votes = hr.simulate_comparisons(12, 600, spread=2, workers={"honest": 20}, rng=1)
    >>> found = assess_reliability(votes)
    >>> round(found.separation.reliability, 2), found.items.misfitting
    (0.96, ())
    """
    if not 0 < false_discovery_rate < 1:
        raise InvalidArgument("false_discovery_rate must be between 0 and 1")
    if isinstance(votes, VoteGroups):
        votes = votes.together()
    answered = AnsweredGraph.of(source_of(votes).distinct_answers())
    return reliability_of(
        answered,
        metric=metric,
        n_splits=n_splits,
        seed=seed,
        false_discovery_rate=false_discovery_rate,
    )


def reliability_of(
    answered: AnsweredGraph,
    *,
    metric: Metric | None = None,
    n_splits: int = 100,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
) -> Reliability:
    """The same of answers whose graph is known; those that workers only repeat count once."""
    if not len(answered.votes):
        raise InvalidComparisons("there are no answers to assess")
    if repeat_themselves(answered):
        answered = counted_once(answered)
    fit = BradleyTerryFit.of(answered.graph)
    return Reliability(
        scores=fit.scores,
        separation=separation(answered.votes, fit),
        agreement=agreement(answered, metric),
        n_splits=n_splits,
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        _residuals=Residuals(answered, fit),
    )
