"""hodge_rank: scores whose differences fit the mean answers best, in any of the four links."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument, choose
from hodgerank.estimators.covariance import (
    Covariance,
    CovarianceKind,
    ModelCovariance,
    WorkerCovariance,
)
from hodgerank.estimators.normal_equations import NormalEquations
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.votes import Components, answers_of, graph_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.laplacian import divergence
from hodgerank.kernels.links import LINKS, Link
from hodgerank.types import FloatArray

Weighting = Literal["counts", "variance"]
MIN_DENSITY = 1e-3  # keeps the delta method finite where a link is flat
LinkName = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]


def hodge_rank(
    votes: Any,
    *,
    link: LinkName = "uniform",
    ridge: float = 0.0,
    smoothing: float | None = None,
    weighting: Weighting = "counts",
    components: Components = "joined",
    covariance: CovarianceKind = "model",
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
        g, the precision of a Gaussian prior around 0.
    smoothing
        a. Default: 1/2 for the links that need it (an edge won 5:0 would have an infinite
        flow), 0 for uniform and angular.
    weighting
        'counts' weighs an edge by its answers; 'variance' by the inverse variance of its flow.
    components
        'joined' raises `DisconnectedGraph` if some items cannot be compared; 'separate' ranks
        every component by itself.
    covariance
        'model', or 'worker' for a sandwich clustered by worker.
    confidence
        Level of the intervals.

    Examples
    --------
    >>> votes = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)]
    >>> ranking = hodge_rank(votes)
    >>> ranking.items, ranking.scores.round(3).tolist()
    (('a', 'b', 'c'), [0.667, 0.0, -0.667])
    """
    phi = LINKS[choose(link, LINKS, "link")]
    choose(weighting, ("counts", "variance"), "weighting")
    choose(covariance, ("model", "worker"), "covariance")
    if covariance == "worker":
        votes = answers_of(votes)
    if smoothing is None:
        smoothing = 0.0 if link in ("uniform", "angular") else 0.5
    for name, value in (("ridge", ridge), ("smoothing", smoothing)):
        if not (np.isfinite(value) and value >= 0):
            raise InvalidArgument(f"{name} must be 0 or more, not {value}")
    graph = graph_of(votes, components)
    flows = _flows(graph, phi, smoothing, link)
    density = phi.density(flows)
    weights = graph.weights
    if weighting == "variance" and link != "uniform":
        weights = graph.weights / _flow_variance(graph, density, smoothing)

    equations = NormalEquations(graph.i, graph.j, weights, graph.components, ridge)
    rhs = divergence(graph.i, graph.j, weights * flows, graph.n_items)
    scores = equations.solve(rhs)
    residual = _relative_residual(graph, weights, ridge, scores, rhs)

    differences = scores[graph.i] - scores[graph.j]
    if link == "uniform":
        rss = float(
            np.sum(graph.squares - graph.weights * flows**2 + weights * (flows - differences) ** 2)
        )
        n_observations, sampling_variance = graph.n_answers, 1.0
    else:
        rss = float(np.sum(weights * (flows - differences) ** 2))
        n_observations = graph.n_edges
        sampling_variance = float(
            np.mean(weights / graph.weights * _flow_variance(graph, density, smoothing))
        )
    scale, notes = _noise_variance(
        rss, n_observations - graph.n_items + graph.n_components, sampling_variance
    )
    uncertainty: Covariance = ModelCovariance(equations, scale)
    if covariance == "worker":
        slopes = _slopes(votes, link, weighting, scores)
        uncertainty = WorkerCovariance(equations, votes, slopes)
    return Ranking.from_scores(
        graph,
        scores,
        uncertainty,
        model="least squares",
        link=link,
        confidence=confidence,
        ridge=ridge,
        iterations=1,
        residual=residual,
        converged=True,
        undefeated=(),
        winless=(),
        notes=notes,
    )


def _flows(graph: ComparisonGraph, phi: Link, smoothing: float, link: str) -> FloatArray:
    """The mean answer of each edge in the scale of the link."""
    wins = graph.weights * (1 + graph.flows) / 2
    p = (wins + smoothing) / (graph.weights + 2 * smoothing)
    flows = phi.quantile(p)
    if not np.isfinite(flows).all():
        raise InvalidArgument(
            f"some pairs are unanimous, which has no finite value under the {link} link: "
            "use smoothing above 0 (the default is 0.5)"
        )
    return flows


def _flow_variance(graph: ComparisonGraph, density: FloatArray, smoothing: float) -> FloatArray:
    """Variance of the flow of an edge with one answer, by the delta method: p(1-p) / phi(f)^2."""
    a = max(smoothing, 0.5)  # a unanimous edge is not without variance
    p = (graph.weights * (1 + graph.flows) / 2 + a) / (graph.weights + 2 * a)
    return np.asarray(p * (1 - p) / np.maximum(density, MIN_DENSITY) ** 2)


def _noise_variance(rss: float, freedom: int, unit: float) -> tuple[float, tuple[str, ...]]:
    """Residual variance s^2 = RSS / (m - n + components), which must not vanish by chance.

    Answers that fit perfectly, or leave nothing over to check the fit with, do not show that
    there is no noise: one pseudo-answer of variance `unit` then keeps the intervals open.
    """
    if freedom > 0 and rss > 1e-9 * freedom * unit:
        return rss / freedom, ()
    note = (
        "the scores fit every answer, so the noise cannot be estimated: standard errors assume "
        "one more answer with the largest noise"
    )
    return (max(rss, 0.0) + unit) / (max(freedom, 0) + 1), (note,)


def _relative_residual(
    graph: ComparisonGraph, weights: FloatArray, ridge: float, x: FloatArray, rhs: FloatArray
) -> float:
    flow = weights * (x[graph.i] - x[graph.j])
    applied = divergence(graph.i, graph.j, flow, graph.n_items) + ridge * x
    size = float(np.linalg.norm(rhs))
    return float(np.linalg.norm(applied - rhs)) / size if size else 0.0


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
