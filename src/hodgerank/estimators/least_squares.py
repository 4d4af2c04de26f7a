"""hodge_rank: least squares on mean votes, in any of four links.

`observations` turns votes into flows and weights in the scale of a link. `hodge_rank` solves the
normal equations, `noise_of_votes` or `noise_of_edges` estimates the residual variance, and the
covariance of the scores comes from the model or from clusters of votes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.belief import Belief, FoundBelief, NormalBelief
from hodgerank.estimators.covariance import (
    ClusteredCovariance,
    Covariance,
    CovarianceKind,
    ModelCovariance,
    ResidualVariance,
    clustered_or_model,
    covariance_kind,
)
from hodgerank.estimators.covariates.columns import Covariates, controlled_names
from hodgerank.estimators.dispersion import dispersion_around, fitted_means, in_votes
from hodgerank.estimators.prediction import Prediction
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.build import Components, graph_to_rank, single_votes
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import FloatArray, VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.position_bias.groupings import Groupings
    from hodgerank.estimators.position_bias.shrinkage import Shrinkage


LinkName = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Weighting = Literal["counts", "variance"]
# Flow of a single choice in the links that are finite there; their scores need a temperature.
CHOICE = {"uniform": 1.0, "angular": np.pi / 2}
MIN_DENSITY = 1e-3  # keeps the delta method finite where a link is flat


def observations(
    graph: ComparisonGraph, link: LinkName, smoothing: float, weighting: Weighting
) -> tuple[FloatArray, FloatArray, float]:
    """Return flow and weight of each edge in the scale of the link, and the variance per weight.

    For the uniform link the observations are the votes themselves, of variance at most 1. For the
    other links they are the edges, with variance p(1-p) / phi(f)^2 by the delta method; for the
    angular link this is 1 for every p.
    """
    of_one_answer = graph.weights / graph.effective_counts
    if link == "uniform" and not smoothing:
        return graph.flows, graph.weights, float(of_one_answer.mean())
    phi = LINKS[link]
    flows = phi.quantile(_win_rates(graph, smoothing))
    if not np.isfinite(flows).all():
        raise InvalidArgument(
            f"some pairs are unanimous, which has no finite value under the {link} link: "
            "use smoothing above 0 (the default is 0.5)"
        )
    if link in CHOICE:
        return flows, graph.weights, float(of_one_answer.mean())
    p = _win_rates(graph, max(smoothing, 0.5))  # a unanimous edge still has variance
    variance = p * (1 - p) / np.maximum(phi.density(flows), MIN_DENSITY) ** 2
    if weighting == "variance":
        return flows, graph.weights / variance, float(of_one_answer.mean())
    return flows, graph.weights, float((variance * of_one_answer).mean())


def _win_rates(graph: ComparisonGraph, smoothing: float) -> FloatArray:
    counts = graph.effective_counts
    return np.asarray((counts * (1 + graph.flows) / 2 + smoothing) / (counts + 2 * smoothing))


PERFECT_NOTE = (
    "the scores fit every vote perfectly, so the noise cannot be estimated: standard errors assume "
    "one additional vote with the largest possible noise"
)
FEW_VOTES = 10  # votes per pair below which the arcsine of their mean is clearly nonlinear
# Share of unanimous pairs times root mean square of the scores in standard errors. In simulations
# 95% intervals of smoothed flows covered 77% on average above it, 97% below.
SHRUNK = 0.5


def noise_of_votes(
    graph: ComparisonGraph, rss: float, unit: float, n_others: float = 0
) -> ResidualVariance:
    """Residual variance s^2 = RSS / (m - n + components - others), kept away from zero.

    A perfect fit, or no degrees of freedom, does not prove that there is no noise: one pseudo-vote
    of variance `unit` is then added. `unit` is also the largest variance of a vote, which bounds
    the effect of Student's t with few degrees of freedom.
    """
    freedom = max(graph.n_votes - graph.n_items + graph.n_components - n_others, 0)
    notes: tuple[str, ...] = ()
    if not (freedom and rss > 0):
        freedom, rss, notes = freedom + 1, rss + unit, (PERFECT_NOTE,)
    return ResidualVariance(rss / freedom, freedom, unit, notes)


PERFECT_MARGINS = (
    "the scores fit every margin perfectly, so the noise cannot be estimated: standard errors "
    "assume one additional residual as large as a typical margin"
)


def noise_of_margins(graph: ComparisonGraph, rss: float, n_others: float = 0) -> ResidualVariance:
    """Residual variance s^2 = RSS / (m - n + components - others) of margins, without a bound."""
    freedom = max(graph.n_votes - graph.n_items + graph.n_components - n_others, 0)
    if freedom and rss > 0:
        return ResidualVariance(rss / freedom, freedom, np.inf, ())
    typical = float(graph.squares.sum()) / graph.n_votes or 1.0
    freedom += 1
    return ResidualVariance((rss + typical) / freedom, freedom, np.inf, (PERFECT_MARGINS,))


def noise_of_edges(
    graph: ComparisonGraph, link: LinkName, rss: float, unit: float, means: FloatArray
) -> ResidualVariance:
    """Residual variance of mean votes on edges, whose sampling variance is known.

    The sampling variance is a lower bound, since few edges may fit well by chance. A larger
    residual variance indicates that the link does not fit, or that pairs have too few votes for the
    delta method.
    """
    parameters = graph.n_items - graph.n_components
    least = unit * dispersion_around(graph, means, parameters)
    freedom = graph.n_edges - parameters
    if freedom <= 0 or rss / freedom <= least:
        return ResidualVariance(least, None, np.inf, ())
    if link in CHOICE:  # no vote varies more than between its two possible flows
        return ResidualVariance(rss / freedom, freedom, unit * CHOICE[link] ** 2, ())
    return ResidualVariance(rss / freedom, None, np.inf, ())


def few_votes_notes(
    graph: ComparisonGraph, link: LinkName, smoothing: float, size: float
) -> tuple[str, ...]:
    """Return notes on the bias of flows in the scale of a link when pairs have few votes.

    `size` is the root mean square of the scores in standard errors.
    """
    answers = float(np.median(graph.effective_counts))
    if link == "angular" and not smoothing and answers < FEW_VOTES:
        return (
            f"pairs have {answers:.3g} votes (median), too few for the angular link: below "
            f"{FEW_VOTES} the scores are stretched by up to 54% in simulations, and 95% "
            "intervals cover 90 to 99%; use thurstone_mosteller or bayes_rank",
        )
    unanimous = float(np.mean(np.abs(graph.flows) == 1))
    if not smoothing or unanimous * size <= SHRUNK:
        return ()
    better = "thurstone_mosteller" if link == "thurstone-mosteller" else "bradley_terry"
    return (
        f"{unanimous:.0%} of the pairs are unanimous ({answers:.3g} votes per pair): smoothing "
        f"by {smoothing:g} votes shrinks the scores, and intervals are too short (in simulations "
        f"95% intervals covered 77%); use {better} or bayes_rank",
    )


PERFECT_FIT = 1e-10  # residual sum of squares relative to the total that counts as rounding
PROBIT = "thurstone-mosteller"


def hodge_rank(
    votes: VotesLike,
    *,
    link: LinkName = "uniform",
    ridge: float | None = None,
    smoothing: float | None = None,
    weighting: Weighting = "counts",
    components: Components = "connected",
    covariance: CovarianceKind | None = None,
    position_bias: Groupings | None = None,
    shrink_position_bias: Shrinkage = None,
    covariates: Covariates | None = None,
    control: Covariates | None = None,
    confidence: float = 0.95,
) -> Ranking:
    r"""Rank items by HodgeRank: least squares on the comparison graph.

    Solves :math:`(L + g I) x = D_0^T W f` with edge weights W, and f the flow of each edge in the
    scale of the link, :math:`f = \Phi^{-1}(p)`, :math:`p = (wins + ties/2 + a) / (m + 2a)`.
    For the uniform link f is simply the mean vote. [Xu18] section 2.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` accepts. Lazy frames are
        aggregated to edges by their own engine.
    link
        The scale of the scores.
    ridge
        g, the precision of a Gaussian prior around 0. Default: no prior.
    smoothing
        a, in effective votes. Default: 1/2 for the links that need it (an edge won 5:0 would have
        an infinite flow), 0 for uniform and angular.
    weighting
        'counts' weights an edge by its votes; 'variance' by the inverse variance of its flow.
    components
        'connected' raises `DisconnectedGraph` if the graph is not connected; 'separate' ranks every
        component separately.
    covariance
        'model', or a sandwich estimator clustered by 'worker' or by 'ballot'. Default: 'ballot' if
        the votes come from rankings of several items or a `unit` was named; else 'model'.
    position_bias
        Model position bias: 'common' for one term shared by all votes, 'worker' for one term per
        worker, 'unit', or the name of a column carried with the votes (`Comparisons.extra`). The
        terms of several groupings add up. Default: none. Scores and standard errors account for it,
        and `Ranking.position_bias` holds the terms; uniform link only.
    shrink_position_bias
        How far the terms are shrunk towards 0: by the variance between groups that the votes show
        (True, the default), or as if each group had so many more votes without position bias (a
        number). False gives the intercepts of [Xu18], minimising :math:`|y - b - D_0 x|^2`.
    covariates
        Numeric columns whose effect on the votes is estimated: 'length' for columns `length_left`
        and `length_right` (or _a and _b), or a column of differences. `Ranking.covariates` holds
        the effects. The items are still ranked as written; uniform link only.
    control
        Those of the covariates to control for: items are ranked as if they were equal in them.
        `Ranking.as_written` and `Ranking.controlled` hold both orders.
    confidence
        Confidence level of the intervals.

    Examples
    --------
    >>> votes = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)]
    >>> ranking = hodge_rank(votes)
    >>> ranking.items, ranking.scores.round(3).tolist()
    (('a', 'b', 'c'), [0.667, 0.0, -0.667])
    """
    require_one_of(link, LINKS, "link")
    require_one_of(weighting, ("counts", "variance"), "weighting")
    kind, votes = covariance_kind(votes, covariance)
    ridge = ridge or 0.0
    if smoothing is None:
        smoothing = 0.0 if link in ("uniform", "angular") else 0.5
    for name, value in (("ridge", ridge), ("smoothing", smoothing)):
        if not (np.isfinite(value) and value >= 0):
            raise InvalidArgument(f"{name} must be 0 or more, not {value}")
    graph = graph_to_rank(votes, components)
    is_margin = graph.report.margin_unit is not None
    if link != "uniform" or smoothing:
        require_choices(graph.report, "a link (--link) or smoothing")
    controlled_names(covariates, control)
    wanted = None
    if covariates is not None:
        if link != "uniform" or smoothing:
            raise InvalidArgument(
                "covariates (--covariate) need the uniform link; bradley_terry and bayes_rank "
                "(--model bradley-terry ...) have their own scale"
            )
        from hodgerank.estimators.covariate_ranking import Wanted, described, fitted_by_mode
        from hodgerank.estimators.position_bias.shrinkage import require_shrinkage
        from hodgerank.graph.answered_graph import AnsweredGraph

        answered = AnsweredGraph.of(single_votes(votes, "covariates (--covariate)"))
        wanted = Wanted.of(answered, covariates, control)
        unit = float((graph.weights / graph.effective_counts).mean())

        def residual_variance(
            graph: ComparisonGraph, rss: float, n_others: float
        ) -> ResidualVariance:
            if is_margin:
                return noise_of_margins(graph, rss, n_others)
            return noise_of_votes(graph, rss, unit, n_others)

        if wanted.estimated:
            return fitted_by_mode(
                answered, wanted, link, ridge=ridge, position_bias=position_bias,
                shrink=True if shrink_position_bias is None
                else require_shrinkage(shrink_position_bias),
                covariance=kind, confidence=confidence, noise=residual_variance,
            )  # fmt: skip
    adjusted = None
    if position_bias is not None:
        if link != "uniform" or smoothing:
            raise InvalidArgument(
                "position_bias (--position-bias) needs the uniform link; bradley_terry and "
                "thurstone_mosteller (--model bradley-terry ...) have their own scale"
            )
        from hodgerank.estimators.position_bias.adjustment import adjust_for_position
        from hodgerank.estimators.position_bias.shrinkage import require_shrinkage

        shrink = require_shrinkage(shrink_position_bias)
        adjusted = adjust_for_position(votes, position_bias, link, ridge=ridge, shrink=shrink)
        graph = adjusted.graph
    flows, weights, unit_variance = observations(graph, link, smoothing, weighting)

    equations = NormalEquations(graph.i, graph.j, weights, graph.components, ridge)
    rhs = divergence(graph.i, graph.j, weights * flows, graph.n_items)
    scores, iterations, residual, solver = equations.solution(rhs)
    # At the solution the residual sum of squares needs no pass over the edges.
    squares = graph.squares.sum() if link == "uniform" else weights @ flows**2
    rss = float(squares - scores @ rhs - ridge * scores @ scores)
    rss = rss if rss > PERFECT_FIT * squares else 0.0
    if link == "uniform":
        n_biases = 0 if adjusted is None else adjusted.n_effective
        if is_margin:
            noise = noise_of_margins(graph, rss, n_biases)
        else:
            noise = noise_of_votes(graph, rss, unit_variance, n_biases)
    else:
        means = fitted_means(graph, link, scores)
        noise = noise_of_edges(graph, link, rss, unit_variance, means)
    if not (np.isfinite(scores).all() and np.isfinite(noise.variance)):
        raise InvalidArgument("the weights are too large or too small to compute with")
    notes = noise.notes
    if link != "uniform":
        energy = float(scores @ rhs - ridge * scores @ scores) / noise.variance
        size = float(np.sqrt(max(energy, 0.0) / graph.n_items))
        notes += few_votes_notes(graph, link, smoothing, size)
    system = equations if adjusted is None else adjusted.equations
    model = ModelCovariance(system, noise.variance, noise.freedom, noise.largest)
    uncertainty: Covariance = model
    if kind != "model":
        if adjusted is None:
            answers = single_votes(votes, f"covariance={kind!r}")
            slopes = _slopes(answers, link, weighting, scores)
            by_cluster = ClusteredCovariance(system, answers, slopes, kind)
        else:
            by_cluster = adjusted.clusters(kind)
        uncertainty = clustered_or_model(model, by_cluster, covariance)
    belief: Belief
    prediction = None
    if is_margin:
        belief = NormalBelief(scores, uncertainty, model)
    else:
        choices = graph if adjusted is None else adjusted.choices
        how = link if link in LIKELIHOODS else PROBIT
        belief = FoundBelief(in_votes(choices), how, clustered=uncertainty, model=model)
        if link in CHOICE:
            prediction = Prediction(choices, scores, system, link)
    ranking = Ranking.from_scores(
        graph,
        scores,
        uncertainty,
        model="least squares",
        link=link,
        confidence=confidence,
        ridge=ridge,
        iterations=iterations,
        residual=residual,
        solver=solver,
        converged=True,
        residual_sd=float(np.sqrt(noise.variance)) if is_margin else None,
        belief=belief,
        prediction=prediction,
        notes=notes,
        position_bias=(
            None
            if adjusted is None
            else adjusted.terms(uncertainty, confidence, scale=noise.variance)
        ),
    )
    return ranking if wanted is None else described(ranking, wanted)


def _slopes(
    votes: Comparisons, link: LinkName, weighting: Weighting, scores: FloatArray
) -> FloatArray:
    """Influence of each vote on the right-hand side: its residual in the scale of the link."""
    weight = votes.total_weight
    difference = scores[votes.left] - scores[votes.right]
    if link == "uniform":
        return np.asarray(weight * (votes.outcome - difference))
    p = LINKS[link].cdf(difference)
    density = np.maximum(LINKS[link].density(difference), MIN_DENSITY)
    slope = weight * (votes.outcome - (2 * p - 1)) / (2 * density)
    if weighting == "variance":
        slope = slope * density**2 / np.maximum(p * (1 - p), MIN_DENSITY**2)
    return np.asarray(slope)
