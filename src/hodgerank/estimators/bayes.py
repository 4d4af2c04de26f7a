"""bayes_rank: posterior means under a prior whose variance is estimated from the votes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hodgerank.data.comparisons import require_choices
from hodgerank.errors import (
    InvalidArgument,
    InvalidComparisons,
    UnknownItem,
    require_one_of,
    require_positive,
)
from hodgerank.estimators.belief import FoundBelief, GivenBelief
from hodgerank.estimators.covariance import CovarianceKind, ModelCovariance
from hodgerank.estimators.covariates.columns import Covariates, controlled_names
from hodgerank.estimators.design_effect import Clustering, find_clustering
from hodgerank.estimators.dispersion import USUAL_VARIANCE
from hodgerank.estimators.empirical_bayes import MarginalLikelihood, PosteriorFit
from hodgerank.estimators.likelihood import weight_notes
from hodgerank.estimators.position_bias.groupings import option_of, require_display_order
from hodgerank.estimators.position_bias.shrinkage import require_prior
from hodgerank.estimators.priors import IndependentScores, Scope
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.worker_weights import trust_in_workers, trusted_votes, weighed
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import build_graph, single_votes, source_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, Item, VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.position_bias.groupings import Groupings
    from hodgerank.estimators.position_bias.shrinkage import Shrinkage

LINK = "thurstone-mosteller"
NEEDED_FOR = "the Bayesian probit model (--model bayes)"
LEAST_RIDGE = 1e-4  # scores of standard deviation 100: beyond, probit probabilities are 0 or 1


def bayes_rank(
    votes: VotesLike,
    *,
    ridge: float | None = None,
    position_bias: Groupings | None = None,
    shrink_position_bias: Shrinkage = None,
    covariates: Covariates | None = None,
    control: Covariates | None = None,
    candidates: Iterable[tuple[Item, Item]] | Literal["all"] | None = None,
    worker_weights: bool = True,
    covariance: CovarianceKind | None = None,
    components: Literal["together", "separate"] = "together",
    confidence: float = 0.95,
) -> Ranking:
    """Rank by posterior means under the probit model, for few votes or many: the default model.

    P(i beats j) is the standard normal distribution function of x_i - x_j, and the scores have
    prior N(0, v). Mean and covariance of the posterior are found by expectation propagation
    [Minka01]. v maximises the marginal likelihood, so small differences are shrunk much and large
    ones little; where the votes leave v open, results are averaged over it. Ties and grades vary
    less than choices, and count for more by their `dispersion`.

    Votes of workers who choose at random are left out, and votes of workers who choose the worse
    item are reversed, by the EM algorithm of `robust_rank`. Where votes are correlated (ballots,
    units, repeated votes of a worker on the same pair), each counts for less, by the design effect.

    Where only some pairs can be compared, such as neighbours, items far apart are linked by long
    chains, and small differences of neighbours add up. There the prior may be a Gaussian Markov
    random field on the graph of these pairs, if its marginal likelihood is larger.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` accepts. Items without votes
        are ranked too. A graph, and files that are read in pieces, have no workers to weigh.
    ridge
        1/v, the precision of the scores, if it is known; scores are then independent a priori.
    position_bias, shrink_position_bias
        As in `bradley_terry`; scores are then independent a priori.
    covariates, control
        As in `hodge_rank`; scores are then independent a priori, around the mean that the
        covariates of the items predict. An effect has a prior of standard deviation 1.2 per unit.
    candidates
        Pairs that could be compared: a list, or 'all'. Default: those that were. It matters where
        pairs were chosen adaptively.
    worker_weights
        Whether votes are weighted by worker; votes without a worker count in full.
    covariance
        What votes are clustered by: 'worker', 'ballot' (also units), or 'model' for nothing.
        Default: ballots or units if there are any, workers if they repeat their votes.
    components
        'together' ranks all items, also those that are not connected, thanks to the prior;
        'separate' ranks each component.
    confidence
        Confidence level of the intervals.

    Examples
    --------
    >>> ranking = bayes_rank([("a", "b", 1), ("a", "b", 1), ("c", "d", 1)])
    >>> ranking.items, ranking.n_components
    (('a', 'c', 'd', 'b'), 1)
    """
    _check_ridge(ridge)
    require_one_of(components, ("together", "separate"), "components")
    if position_bias is not None and candidates is not None:
        raise InvalidArgument("candidates= and position_bias= cannot be combined: leave out one")
    controlled_names(covariates, control)
    if covariates is not None:
        if candidates is not None:
            raise InvalidArgument("candidates= and covariates= cannot be combined: leave out one")
        votes = single_votes(votes, "covariates (--covariate)")
    if covariance in ("worker", "ballot"):
        votes = single_votes(votes, f"covariance={covariance!r} (--covariance {covariance})")
    elif position_bias is not None:
        votes = single_votes(votes, option_of(position_bias))
    if isinstance(votes, ComparisonGraph) or source_of(votes).is_lazy:
        graph = build_graph(votes)
        require_choices(graph.report, NEEDED_FOR)
        ranking = posterior_ranking(
            graph,
            _read_scope(candidates, graph),
            ridge=ridge,
            confidence=confidence,
            notes=weight_notes(graph),
        )
    else:
        answered = AnsweredGraph.of(source_of(votes).distinct_answers())
        require_choices(answered.votes.report, NEEDED_FOR)
        if position_bias is not None:
            require_display_order(answered.votes, position_bias)
        shrink = require_prior(shrink_position_bias, "bayes_rank")
        ranking = _rank_by_worker(
            answered, ridge, position_bias, shrink, candidates, worker_weights, covariance,
            confidence, covariates, control,
        )  # fmt: skip
        graph = answered.graph
    return ranking if components == "together" else ranking.by_component(graph)


def _check_ridge(ridge: float | None) -> None:
    if ridge is None:
        return
    require_positive(ridge, "ridge")
    if not LEAST_RIDGE <= ridge <= 1 / LEAST_RIDGE:
        raise InvalidArgument(
            f"ridge is the precision of the scores, from {LEAST_RIDGE:g} to "
            f"{1 / LEAST_RIDGE:g}, not {ridge:g}"
        )


def _rank_by_worker(
    answered: AnsweredGraph,
    ridge: float | None,
    position_bias: Groupings | None,
    shrink: Shrinkage,
    candidates: Iterable[tuple[Item, Item]] | Literal["all"] | None,
    worker_weights: bool,
    covariance: CovarianceKind | None,
    confidence: float,
    covariates: Covariates | None,
    control: Covariates | None,
) -> Ranking:
    """Rank single votes, weighted by worker, and by the design effect of clusters."""
    votes, notes, weights = answered.votes, weight_notes(answered.graph), {}
    trusted = answered
    if worker_weights and votes.n_workers:
        trust = trust_in_workers(votes)
        weights = dict(zip(votes.workers, trust.tolist(), strict=True))
        if (trust != 1).any():
            trusted = AnsweredGraph.of(trusted_votes(votes, trust))
    if votes.display_known.any() and not trusted.votes.display_known.any():
        position_bias = None  # no trusted vote has a known display order
    clustering = find_clustering(trusted, covariance, position_bias)
    if clustering is not None:
        notes = (*notes, *clustering.notes)
    how: dict[str, Any] = {
        "ridge": ridge,
        "clustering": clustering,
        "confidence": confidence,
        "notes": notes,
    }
    wanted = None
    if covariates is not None:
        from hodgerank.estimators.covariate_ranking import Wanted, described
        from hodgerank.estimators.covariate_ranking import posterior_with_covariates as fitted

        wanted = Wanted.of(trusted, covariates, control)
    if wanted is not None and wanted.estimated:
        effect = 1.0 if clustering is None else clustering.effect
        ranking = fitted(
            trusted, wanted, ridge=ridge, position_bias=position_bias, shrink=shrink,
            design_effect=effect, clusters=None if clustering is None else str(clustering) or None,
            confidence=confidence, notes=notes,
        )  # fmt: skip
    elif position_bias is None:
        ranking = posterior_ranking(trusted.graph, _read_scope(candidates, answered.graph), **how)
    else:
        ranking = position_adjusted_ranking(trusted, position_bias, shrink=shrink, **how)
    if wanted is not None and not wanted.estimated:
        ranking = described(ranking, wanted)
    if trusted is not answered:
        ranking = ranking.counting(answered.graph)
    terms = ranking.position_bias
    if terms is not None:
        terms = terms.with_reversed({worker for worker, weight in weights.items() if weight < 0})
    return replace(ranking, worker_weights=weights, position_bias=terms)


def posterior_ranking(
    graph: ComparisonGraph,
    scope: Scope | None = None,
    *,
    ridge: float | None = None,
    clustering: Clustering | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Ranking:
    """Rank the items of a graph; see `bayes_rank`."""
    if not graph.n_items:
        raise InvalidComparisons("there are no items to rank")
    effect = 1.0 if clustering is None else clustering.effect
    found = FoundBelief(graph, LINK, scope=scope, design_effect=effect)
    fit = found.evidence.best if ridge is None else _given(found, ridge)
    return _ranking(found, fit, ridge, clustering, confidence, notes)


def position_adjusted_ranking(
    answered: AnsweredGraph,
    position_bias: Groupings,
    *,
    ridge: float | None = None,
    clustering: Clustering | None = None,
    confidence: float = 0.95,
    notes: tuple[str, ...] = (),
    held: FloatArray | None = None,
    shrink: Shrinkage = None,
) -> Ranking:
    """Rank votes with position bias; see `bayes_rank`.

    `held` are known position biases.
    """
    from hodgerank.estimators.position_bias.posterior import position_bias_posterior

    if clustering is not None and clustering.effect > 1:
        share = np.full(len(answered.votes), 1 / clustering.effect)
        answered = AnsweredGraph.of(weighed(answered.votes, share))
    found = position_bias_posterior(answered, position_bias, LINK, held, shrink)
    place = found.evidence.best_place if ridge is None else _place(ridge)
    fit = found.evidence.fit(place)
    ranking = _ranking(found, fit, ridge, clustering, confidence, notes)
    terms = found.terms(place, ModelCovariance(fit.equations, 1.0), confidence)
    return replace(ranking, position_bias=terms)


def _given(found: FoundBelief, ridge: float) -> PosteriorFit:
    """Return the posterior under a known prior."""
    prior = IndependentScores(found.graph.n_items)
    return MarginalLikelihood(found.tempered, LINK, prior).fit(_place(ridge))


def _place(ridge: float) -> float:
    """Return the grid coordinate of a precision in `MarginalLikelihood`."""
    return -float(np.log2(ridge * USUAL_VARIANCE[LINK]))


def _ranking(
    found: FoundBelief,
    fit: PosteriorFit,
    ridge: float | None,
    clustering: Clustering | None,
    confidence: float,
    notes: tuple[str, ...],
) -> Ranking:
    graph, sites = found.graph, fit.sites
    clusters = None if clustering is None else str(clustering) or None
    covariance = ModelCovariance(fit.equations, 1.0, clusters=clusters)
    if ridge is None and found.evidence.prior.note is not None:
        notes = (*notes, found.evidence.prior.note)
    if not fit.converged:
        notes = (
            *notes,
            f"not converged after {sites.sweeps} sweeps (last change {sites.change:.1e})",
        )
    return Ranking.from_scores(
        graph,
        fit.scores,
        covariance,
        belief=found if ridge is None else GivenBelief(fit.scores, covariance),
        dispersion=found.dispersion,
        design_effect=1.0 if clustering is None else clustering.effect,
        has_prior=True,
        components=np.zeros(graph.n_items, np.int64),
        model="posterior mean",
        link=LINK,
        confidence=confidence,
        ridge=fit.equations.ridge,
        iterations=sites.sweeps,
        residual=sites.change,
        solver=fit.solver,
        converged=fit.converged,
        notes=notes,
    )


def _read_scope(
    candidates: Iterable[tuple[Item, Item]] | Literal["all"] | None, graph: ComparisonGraph
) -> Scope | None:
    """Return the pairs that could be compared; all, if pairs were chosen adaptively."""
    items = graph.items
    if candidates is None:
        return Scope(len(items)) if graph.report.adaptive else None
    if isinstance(candidates, str):
        if candidates != "all":
            raise InvalidArgument(f"candidates are a list of pairs or 'all', not {candidates!r}")
        return Scope(len(items))
    places = {item: place for place, item in enumerate(items)}
    try:
        pairs = {(places[left], places[right]) for left, right in candidates}
    except KeyError as error:
        raise UnknownItem(error.args[0], items) from None
    except (TypeError, ValueError):
        raise InvalidArgument("candidates are a list of pairs of items, or 'all'") from None
    for a, b in pairs:
        if a == b:
            raise InvalidArgument(f"{items[a]!r} cannot be compared with itself")
    ends = sorted({(min(pair), max(pair)) for pair in pairs})
    i, j = np.array(ends, np.int32).reshape(-1, 2).T
    return Scope(len(items), (i, j))
