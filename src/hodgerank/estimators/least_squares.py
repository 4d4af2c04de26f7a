"""hodge_rank: scores whose differences fit the mean answers best, in any of the four links."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.covariance import (
    ClusteredCovariance,
    Covariance,
    CovarianceKind,
    ModelCovariance,
    cluster_unless_vain,
    covariance_kind,
)
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.building import Components, graph_to_rank, single_answers
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.models.links import LINKS
from hodgerank.types import FloatArray, VotesLike

Weighting = Literal["counts", "variance"]
PERFECT_FIT = 1e-10  # a residual sum of squares below this share of the squares is rounding
MIN_DENSITY = 1e-3  # keeps the delta method finite where a link is flat
LinkName = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]


def hodge_rank(
    votes: VotesLike,
    *,
    link: LinkName = "uniform",
    ridge: float | None = None,
    smoothing: float | None = None,
    weighting: Weighting = "counts",
    components: Components = "joined",
    covariance: CovarianceKind | None = None,
    confidence: float = 0.95,
) -> Ranking:
    r"""HodgeRank: least squares on the comparison graph.

    Solves :math:`(L + g I) x = D_0^T W f` with edge weights W, and f the flow of each edge in the
    scale of the link, :math:`f = \Phi^{-1}(p)`, :math:`p = (wins + ties/2 + a) / (m + 2a)`.
    For the uniform link f is simply the mean answer. [Xu18] section 2.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` takes. Lazy frames are
        reduced to edges where they live.
    link
        The scale of the scores.
    ridge
        g, the precision of a Gaussian prior around 0. Default: no prior.
    smoothing
        a. Default: 1/2 for the links that need it (an edge won 5:0 would have an infinite
        flow), 0 for uniform and angular.
    weighting
        'counts' weighs an edge by its answers; 'variance' by the inverse variance of its flow.
    components
        'joined' raises `DisconnectedGraph` if some items cannot be compared; 'separate' ranks
        every component by itself.
    covariance
        'model', or a sandwich clustered by 'worker' or by 'ballot'. Default: 'ballot' where the
        answers were taken from rankings of several items, else 'model'.
    confidence
        Level of the intervals.

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
    flows, weights, unit_variance = _observations(graph, link, smoothing, weighting)

    equations = NormalEquations(graph.i, graph.j, weights, graph.components, ridge)
    rhs = divergence(graph.i, graph.j, weights * flows, graph.n_items)
    scores, iterations, residual, solver = equations.solution(rhs)
    # At the solution the residual sum of squares needs no pass over the edges.
    squares = graph.squares.sum() if link == "uniform" else weights @ flows**2
    rss = float(squares - scores @ rhs - ridge * scores @ scores)
    n_observations = graph.n_answers if link == "uniform" else graph.n_edges
    scale, notes = _noise_variance(
        rss if rss > PERFECT_FIT * squares else 0.0,
        n_observations - graph.n_items + graph.n_components,
        unit_variance,
        least=0.0 if link == "uniform" else unit_variance,
    )
    if not (np.isfinite(scores).all() and np.isfinite(scale)):
        raise InvalidArgument("the weights are too large or too small to compute with")
    model = ModelCovariance(equations, scale)
    uncertainty: Covariance = model
    if kind != "model":
        answers = single_answers(votes, kind)
        slopes = _slopes(answers, link, weighting, scores)
        by_cluster = ClusteredCovariance(equations, answers, slopes, kind)
        uncertainty = cluster_unless_vain(model, by_cluster, covariance)
    return Ranking.from_scores(
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
        notes=notes,
    )


def _observations(
    graph: ComparisonGraph, link: LinkName, smoothing: float, weighting: Weighting
) -> tuple[FloatArray, FloatArray, float]:
    """Flow and weight of each edge in the scale of the link, and the variance of one answer.

    For the uniform link the observations are the answers themselves, of variance at most 1; for
    the others the edges, with the variance p(1-p) / phi(f)^2 that the delta method gives.
    """
    if link == "uniform" and not smoothing:
        return graph.flows, graph.weights, 1.0
    phi = LINKS[link]
    flows = phi.quantile(_win_rates(graph, smoothing))
    if not np.isfinite(flows).all():
        raise InvalidArgument(
            f"some pairs are unanimous, which has no finite value under the {link} link: "
            "use smoothing above 0 (the default is 0.5)"
        )
    p = _win_rates(graph, max(smoothing, 0.5))  # a unanimous edge is not without variance
    variance = p * (1 - p) / np.maximum(phi.density(flows), MIN_DENSITY) ** 2
    if weighting == "variance" and link != "uniform":
        return flows, graph.weights / variance, 1.0
    return flows, graph.weights, float(variance.mean())


def _win_rates(graph: ComparisonGraph, smoothing: float) -> FloatArray:
    wins = graph.weights * (1 + graph.flows) / 2
    return np.asarray((wins + smoothing) / (graph.weights + 2 * smoothing))


def _noise_variance(
    rss: float, freedom: int, unit: float, least: float
) -> tuple[float, tuple[str, ...]]:
    """Residual variance s^2 = RSS / (m - n + components), which must not vanish by chance.

    Answers that fit perfectly, or leave nothing over to check the fit with, do not show that
    there is no noise: one pseudo-answer of variance `unit` then keeps the intervals open. Few
    edges may fit better than the answers behind them allow: `least` is what these allow.
    """
    if freedom > 0 and rss > 0:
        return max(rss / freedom, least), ()
    note = (
        "the scores fit every answer, so the noise cannot be estimated: standard errors assume "
        "one more answer with the largest noise"
    )
    return (rss + unit) / (max(freedom, 0) + 1), (note,)


def _slopes(
    votes: Comparisons, link: LinkName, weighting: Weighting, scores: FloatArray
) -> FloatArray:
    """Influence of each answer on the right-hand side: its residual in the scale of the link."""
    weight = 1.0 if votes.weight is None else votes.weight
    difference = scores[votes.left] - scores[votes.right]
    if link == "uniform":
        return np.asarray(weight * (votes.outcome - difference))
    p = LINKS[link].cdf(difference)
    density = np.maximum(LINKS[link].density(difference), MIN_DENSITY)
    slope = weight * (votes.outcome - (2 * p - 1)) / (2 * density)
    if weighting == "variance":
        slope = slope * density**2 / np.maximum(p * (1 - p), MIN_DENSITY**2)
    return np.asarray(slope)
