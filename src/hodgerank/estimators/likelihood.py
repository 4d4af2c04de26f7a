"""bradley_terry and thurstone_mosteller: maximum likelihood with either link."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.belief import FoundBelief, GivenBelief
from hodgerank.estimators.covariance import (
    ClusteredCovariance,
    Covariance,
    CovarianceKind,
    ModelCovariance,
    clustered_or_model,
    covariance_kind,
)
from hodgerank.estimators.covariates.columns import Covariates, controlled_names
from hodgerank.estimators.dispersion import are_choices, dispersion_around, fitted_means
from hodgerank.estimators.posterior_mode import TOLERANCE, most_probable, not_converged
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.build import Components, graph_to_rank, single_votes
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import FEW_ITEMS, centre, degrees, reached_from_first
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.position_bias.groupings import Groupings
    from hodgerank.estimators.position_bias.shrinkage import Shrinkage

# Used only if no maximum exists: a prior of standard deviation 10 on each score.
FALLBACK_RIDGE = 0.01
# Mean weights beyond these are probably not numbers of votes.
LIGHT, HEAVY = 0.5, 2.0
UNEQUAL = 0.7  # effective votes per unit of weight, below which errors are much too small


def bradley_terry(
    votes: VotesLike,
    *,
    ridge: float | None = None,
    components: Components = "connected",
    covariance: CovarianceKind | None = None,
    position_bias: Groupings | None = None,
    shrink_position_bias: Shrinkage = None,
    covariates: Covariates | None = None,
    control: Covariates | None = None,
    confidence: float = 0.95,
) -> Ranking:
    """Fit Bradley-Terry scores by maximum likelihood, P(i beats j) = 1 / (1 + exp(x_j - x_i)).

    A vote y counts as (1 + y)/2 of a win for left and (1 - y)/2 for right, so a tie is half a win
    each. Ties and grades vary less than choices: standard errors are multiplied by the root of the
    estimated `dispersion`.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` accepts.
    ridge
        Precision of a Gaussian prior on the scores. Default: 0 if the maximum exists; otherwise
        0.01, and the ranking lists the undefeated and winless items.
    components, covariance, confidence
        As in `hodge_rank`.
    position_bias
        Model position bias on the scale of the scores, by groups as in `hodge_rank`.
    shrink_position_bias
        How far the terms are shrunk towards 0: by the variance between groups that the votes show
        (True), or by a prior of this precision. Default: a weak prior, of standard deviation 3 on
        the logistic scale.
    covariates, control
        As in `hodge_rank`. An effect has a weak prior, of standard deviation 2 per unit on the
        logistic scale.

    Examples
    --------
    >>> ranking = bradley_terry([("a", "b", 1), ("a", "b", 1), ("a", "b", -1)])
    >>> round(ranking.probability("a", "b"), 6)
    0.666667
    """
    return _maximum_likelihood(
        "bradley-terry", votes, ridge, components, covariance, position_bias,
        shrink_position_bias, confidence, covariates, control,
    )  # fmt: skip


def thurstone_mosteller(
    votes: VotesLike,
    *,
    ridge: float | None = None,
    components: Components = "connected",
    covariance: CovarianceKind | None = None,
    position_bias: Groupings | None = None,
    shrink_position_bias: Shrinkage = None,
    covariates: Covariates | None = None,
    control: Covariates | None = None,
    confidence: float = 0.95,
) -> Ranking:
    """Fit Thurstone-Mosteller scores by maximum likelihood.

    P(i beats j) is the standard normal distribution function of x_i - x_j. Parameters as in
    `bradley_terry`.
    """
    return _maximum_likelihood(
        "thurstone-mosteller", votes, ridge, components, covariance, position_bias,
        shrink_position_bias, confidence, covariates, control,
    )  # fmt: skip


def _maximum_likelihood(
    link: str,
    votes: VotesLike,
    ridge: float | None,
    components: Components,
    covariance: CovarianceKind | None,
    position_bias: Groupings | None,
    shrink: Shrinkage,
    confidence: float,
    covariates: Covariates | None,
    control: Covariates | None,
) -> Ranking:
    if ridge is not None and not (np.isfinite(ridge) and ridge >= 0):
        raise InvalidArgument(f"ridge must be 0 or more, not {ridge}")
    kind, votes = covariance_kind(votes, covariance)
    graph = graph_to_rank(votes, components)
    require_choices(graph.report, f"the {link} model")
    undefeated, winless, exists = extreme_groups(graph)
    strength = ridge if ridge is not None else (0.0 if exists else FALLBACK_RIDGE)
    if not (exists or strength):
        raise InvalidArgument(
            "the likelihood has no finite maximum, because some items never lost or never "
            "won: omit ridge, or give one above 0"
        )

    notes = [*weight_notes(graph)]
    if not exists and ridge is None:
        notes.insert(
            0,
            "the likelihood has no finite maximum (see undefeated and winless items): "
            f"a weak prior keeps the scores finite (ridge {FALLBACK_RIDGE})",
        )
    controlled_names(covariates, control)
    wanted = None
    if covariates is not None:
        from hodgerank.estimators.covariate_ranking import Wanted, described, fitted_by_mode
        from hodgerank.estimators.position_bias.shrinkage import BIAS_PRECISION, require_prior
        from hodgerank.graph.answered_graph import AnsweredGraph

        answered = AnsweredGraph.of(single_votes(votes, "covariates (--covariate)"))
        wanted = Wanted.of(answered, covariates, control)
        if wanted.estimated:
            weak = BIAS_PRECISION[link] if shrink is None else require_prior(shrink, link)
            ranking = fitted_by_mode(
                answered, wanted, link, ridge=strength, position_bias=position_bias, shrink=weak,
                covariance=kind, confidence=confidence, notes=tuple(notes),
            )  # fmt: skip
            return replace(
                ranking,
                undefeated=tuple(graph.items[k] for k in np.flatnonzero(undefeated)),
                winless=tuple(graph.items[k] for k in np.flatnonzero(winless)),
            )
    adjusted = None
    if position_bias is not None:
        from hodgerank.estimators.position_bias.adjustment import adjust_for_position
        from hodgerank.estimators.position_bias.shrinkage import require_prior

        shrink = require_prior(shrink, link)
        adjusted = adjust_for_position(votes, position_bias, link, ridge=strength, shrink=shrink)
        graph, fit = adjusted.graph, adjusted.as_newton
    else:
        start = _start(graph, link)
        fit, information = most_probable(graph, link, strength, graph.components, start)
    dispersion = 1.0
    if not are_choices(graph):
        means = fitted_means(graph, link, fit.x)
        dispersion = dispersion_around(graph, means, graph.n_items - graph.n_components)
    if adjusted is None:
        model = ModelCovariance(_with_dispersion(information, dispersion), 1.0)
    else:
        model = ModelCovariance(adjusted.with_dispersion(dispersion).equations, 1.0)
    uncertainty: Covariance = model
    if kind != "model":
        if adjusted is None:
            answers = single_votes(votes, f"covariance={kind!r}")
            slopes = slopes_of(answers, link, fit.x)
            by_cluster = ClusteredCovariance(information, answers, slopes, kind)
        else:
            by_cluster = adjusted.clusters(kind)
        uncertainty = clustered_or_model(model, by_cluster, covariance)
    converged = fit.residual <= TOLERANCE
    if not converged:
        notes.append(not_converged(fit))
    ranking = Ranking.from_scores(
        graph,
        fit.x,
        uncertainty,
        model="maximum likelihood" if not strength else "maximum a posteriori",
        link=link,
        confidence=confidence,
        ridge=strength,
        dispersion=dispersion,
        belief=(
            GivenBelief(fit.x, uncertainty)
            if ridge
            else FoundBelief(graph, link, clustered=uncertainty, model=model)
        ),
        iterations=fit.iterations,
        residual=fit.residual,
        solver=fit.solver,
        converged=converged,
        undefeated=tuple(graph.items[k] for k in np.flatnonzero(undefeated)),
        winless=tuple(graph.items[k] for k in np.flatnonzero(winless)),
        notes=tuple(notes),
        position_bias=(
            None
            if adjusted is None
            else adjusted.terms(uncertainty, confidence, fit=adjusted.with_dispersion(dispersion))
        ),
    )
    return ranking if wanted is None else described(ranking, wanted)


def _with_dispersion(information: NormalEquations, dispersion: float) -> NormalEquations:
    """Divide the information of the votes by the dispersion; that of the prior is unchanged."""
    if dispersion == 1:
        return information
    return NormalEquations(
        information.i,
        information.j,
        information.weights / dispersion,
        information.components,
        information.ridge,
    )


def weight_notes(graph: ComparisonGraph) -> tuple[str, ...]:
    """Return notes on weights that are probably not meant as numbers of votes."""
    if not graph.n_votes:
        return ()
    total = float(graph.weights.sum())
    mean, worth = total / graph.n_votes, total**2 / float(graph.weight_squares.sum())
    if LIGHT <= mean <= HEAVY:
        if worth >= UNEQUAL * total:
            return ()
        return (
            "weights count as votes, but are unequal: the effective number of votes is "
            f"{worth:,.3g} of {graph.n_votes:,}, so standard errors are too small by a factor of "
            f"about {np.sqrt(total / worth):.2g}",
        )
    return (
        f"weights count as votes: their mean is {mean:.3g}, so standard errors are those of "
        f"{graph.weights.sum():,.3g} votes, not of {graph.n_votes:,}; scale them to mean 1 if "
        "they are only relative",
    )


# The mean of Phi(x - y) over y of variance v is about Phi(x / sqrt(1 + k v)), with this k.
BLUR = {"bradley-terry": np.pi / 8, "thurstone-mosteller": 1.0}
MOST_BLUR = 0.75  # k times the variance of the blurred scores, which is below 1 for any v


def _start(graph: ComparisonGraph, link: str) -> FloatArray:
    """Return scores from each item's own share of wins, as if all had been compared with all.

    An item has won (m + D0^T M flow) / 2 of its m votes. Different opponents bring shares of wins
    closer to a half: with normal scores of variance v, scores from the shares are too small by
    sqrt(1 + k v), and have variance v / (1 + k v).
    """
    answers = degrees(graph.i, graph.j, graph.weights, graph.n_items)
    rate = ((answers + graph.surplus) / 2 + 0.5) / (answers + 1)
    blurred = centre(LINKS[link].quantile(rate), graph.components)
    return np.asarray(blurred / np.sqrt(1 - min(BLUR[link] * float(np.var(blurred)), MOST_BLUR)))


ENOUGH_EDGES = 64  # of an item, which nearly always include a win and a loss


def extreme_groups(graph: ComparisonGraph) -> tuple[BoolArray, BoolArray, bool]:
    """Return which items never lost, which never won, and whether the likelihood has a maximum.

    It has one if and only if the graph of wins is strongly connected in each component [Ford57].
    Otherwise a first strongly connected part never lost to an item outside it, and a last one never
    won against one; the largest part of a component is the reference and not reported. A tie is
    half a win for each side.
    """
    n = graph.n_items
    nobody = np.zeros(n, bool)
    if n <= FEW_ITEMS and _all_reach_each_other(graph):
        return nobody, nobody, True
    from scipy import sparse

    # If a subset of the edges suffices, so do all; it is tried first.
    for stride in sorted({1, max(1, len(graph.i) // (ENOUGH_EDGES * n))}, reverse=True):
        winner, loser = _wins(graph, stride)
        wins = sparse.coo_array((np.ones(len(winner), np.int8), (winner, loser)), shape=(n, n))
        n_parts, part = sparse.csgraph.connected_components(wins, connection="strong")
        if n_parts == graph.n_components:
            return nobody, nobody, True
    across = part[winner] != part[loser]
    has_lost, has_won = np.zeros(n_parts, bool), np.zeros(n_parts, bool)
    has_won[part[winner[across]]] = True
    has_lost[part[loser[across]]] = True
    is_field = _is_field(part, graph.components)
    undefeated, winless = has_won & ~has_lost & ~is_field, has_lost & ~has_won & ~is_field
    return undefeated[part], winless[part], False


def _wins(graph: ComparisonGraph, stride: int = 1) -> tuple[CodeArray, CodeArray]:
    """Return winners and losers, on every `stride`-th edge."""
    i, j, flows = graph.i[::stride], graph.j[::stride], graph.flows[::stride]
    won, lost = flows > -1, flows < 1
    return np.concatenate((i[won], j[lost])), np.concatenate((j[won], i[lost]))


def _all_reach_each_other(graph: ComparisonGraph) -> bool:
    """Whether wins lead from an item to all others of a connected graph, and back."""
    if not graph.is_connected:
        return False
    beats = np.zeros((graph.n_items, graph.n_items), bool)
    beats[_wins(graph)] = True
    return bool(reached_from_first(beats).all() and reached_from_first(beats.T).all())


def _is_field(part: IntArray, components: IntArray) -> BoolArray:
    """Return which parts are the largest of their component, with no other as large."""
    sizes = np.bincount(part)
    component = np.empty(len(sizes), np.int64)
    component[part] = components
    largest = np.zeros(component.max() + 1, np.int64)
    np.maximum.at(largest, component, sizes)
    is_largest = sizes == largest[component]
    alone = np.bincount(component, is_largest) == 1
    return np.asarray(is_largest & alone[component])


def slopes_of(votes: Comparisons, link: str, scores: FloatArray) -> FloatArray:
    """Return the derivative of each vote's log-likelihood in the difference of its two scores."""
    difference = scores[votes.left] - scores[votes.right]
    slope = LIKELIHOODS[link](difference, (1 + votes.outcome) / 2)[1]
    return np.asarray(votes.total_weight * slope)
