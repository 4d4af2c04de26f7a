"""Mean answers in the scale of a link, as least squares takes them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.models.links import LINKS
from hodgerank.types import FloatArray

LinkName = Literal["uniform", "bradley-terry", "thurstone-mosteller", "angular"]
Weighting = Literal["counts", "variance"]
# The flow of a single choice by the links that have one; their scores predict by a temperature.
CHOICE = {"uniform": 1.0, "angular": np.pi / 2}
MIN_DENSITY = 1e-3  # keeps the delta method finite where a link is flat


def observations(
    graph: ComparisonGraph, link: LinkName, smoothing: float, weighting: Weighting
) -> tuple[FloatArray, FloatArray, float]:
    """Flow and weight of each edge in the scale of the link, and the variance of a unit of weight.

    For the uniform link the observations are the answers themselves, of variance at most 1; for
    the others the edges, with the variance p(1-p) / phi(f)^2 that the delta method gives. The
    angular link is the one for which that is 1, whatever p.
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
    p = _win_rates(graph, max(smoothing, 0.5))  # a unanimous edge is not without variance
    variance = p * (1 - p) / np.maximum(phi.density(flows), MIN_DENSITY) ** 2
    if weighting == "variance":
        return flows, graph.weights / variance, float(of_one_answer.mean())
    return flows, graph.weights, float((variance * of_one_answer).mean())


def _win_rates(graph: ComparisonGraph, smoothing: float) -> FloatArray:
    counts = graph.effective_counts
    return np.asarray((counts * (1 + graph.flows) / 2 + smoothing) / (counts + 2 * smoothing))
