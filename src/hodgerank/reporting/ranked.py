"""How votes are ranked for a report: order, intervals and certainty by one model."""

from __future__ import annotations

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import DisconnectedGraph
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.position.cells import tells_sides
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.repetitions import repeat_themselves
from hodgerank.reporting.settings import Settings

BY_POSTERIOR = "--model bayes"
FEWEST_CLUSTERS = 10  # workers from which errors can be clustered by them


def rank_cautiously(answered: AnsweredGraph, settings: Settings) -> tuple[Ranking, str]:
    """The ranking, and the options of `hodgerank rank` that give the same.

    Unless an estimator was asked for it is the posterior, so that order, intervals and certainty
    come from one model. Where answers hang together, by ballots, units, or those of a worker to the
    same pair, and where items are not all joined, it is Bradley-Terry with clustered errors and
    each component by itself; but only a prior tells items from sides where all chose one side.
    """
    votes, options = answered.votes, dict(settings.options)
    if settings.fit is not None:
        try:
            return settings.fit(votes, **options), ""
        except DisconnectedGraph:
            return settings.fit(votes, **options, components="separate"), ""
    if _can_be_clustered(votes) and repeat_themselves(answered):
        options.setdefault("covariance", "worker")
    is_joined = answered.graph.n_components == 1
    needs_prior = "position" in options and not tells_sides(votes)
    is_plain = votes.ballot is None and options.keys() <= {"confidence", "position"}
    if is_plain and (is_joined or needs_prior):
        ranking = bayes_rank(votes, **options)
        if ranking.converged:
            return ranking, BY_POSTERIOR
    words = ["--model bradley-terry"]
    if needs_prior:
        del options["position"]
    if not is_joined:
        options["components"] = "separate"
        words.append("--components separate")
    if "covariance" in options:
        words.append(f"--covariance {options['covariance']}")
    return bradley_terry(votes, **options), " ".join(words)


def rank_again(votes: Comparisons, ranking: Ranking, same_as: str, settings: Settings) -> Ranking:
    """Some of the votes in the same way; by the posterior with the prior that all of them chose."""
    if same_as == BY_POSTERIOR:
        ComparisonGraph.from_comparisons(votes).require_connected()
        return bayes_rank(votes, ridge=ranking.ridge, **settings.options)
    return rank_cautiously(AnsweredGraph.of(votes), settings)[0]


def _can_be_clustered(votes: Comparisons) -> bool:
    return votes.n_workers >= FEWEST_CLUSTERS and bool((votes.worker != NO_WORKER).all())
