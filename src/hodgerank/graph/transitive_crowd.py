"""Crowds with one ranking that resemble the observed one: simulated to obtain p-values.

A crowd follows the flexible link. Its scores are shrunk until the expected gradient energy equals
the observed one: fitted scores spread more than true ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.flexible_link import FlexibleLink, GradientProjection, fit_link
from hodgerank.graph.null_model import matched_at
from hodgerank.graph.sign_votes import Signs
from hodgerank.kernels.linalg.normal_equations import effective_resistances
from hodgerank.types import FloatArray

WIDEST = 4.0  # largest factor applied to fitted scores
# Crowds simulated together: as many as `circles` takes, or as fit into memory; fewer would make
# `circles` traverse the graph too often.
MOST_CROWDS, FEWEST_CROWDS, CELLS = 64, 8, 1 << 22


@dataclass(frozen=True, eq=False)
class TransitiveCrowd:
    """A crowd with one ranking, fitted to the signs of the votes.

    Attributes
    ----------
    signs
        The signs it was fitted to.
    link
        The fitted link.
    scale
        Shrinkage factor of its scores.
    means
        Mean sign of a vote, on the edges of `signs.graph`.
    levers
        Leverage of each edge: 1 if the scores depend on it alone.
    """

    signs: Signs
    link: FlexibleLink
    scale: float
    means: FloatArray
    levers: FloatArray

    @property
    def graph(self) -> ComparisonGraph:
        """The signs, summed over each pair."""
        return self.signs.graph


def score_differences(graph: ComparisonGraph, link: FlexibleLink) -> FloatArray:
    """Return differences of the fitted scores on the edges of a graph."""
    return np.asarray(link.scores[graph.i] - link.scores[graph.j])


def fit_crowd(signs: Signs) -> TransitiveCrowd:
    """Fit a crowd with one ranking to the votes."""
    link = fit_link(signs.graph)
    levers = signs.graph.weights * effective_resistances(signs.graph.equations)
    d = score_differences(signs.graph, link)
    scale = matched_scale(signs.graph, link, np.ones(len(d)), np.ones(len(d)), levers)
    return TransitiveCrowd(signs, link, scale, link.means(scale * d), levers)


def matched_scale(
    graph: ComparisonGraph,
    link: FlexibleLink,
    amplitudes: FloatArray,
    noises: FloatArray,
    levers: FloatArray,
) -> float:
    """Return the shrinkage factor for which the expected gradient energy equals the observed.

    Flows are `amplitudes` times the means of the link; weight times variance of a flow is `noises`
    times that of a sign, 1 - mean^2.
    """
    d = score_differences(graph, link)
    projection = GradientProjection(graph)

    def energy(flows: FloatArray) -> float:
        return float(projection.gradient_energies(flows[:, None])[0])

    observed = energy(graph.flows)

    def surplus(scale: float) -> float:
        means = link.means(scale * d)
        noise = float(np.sum(levers * noises * (1 - means**2)))
        return energy(amplitudes * means) + noise - observed

    return matched_at(surplus, WIDEST)


def batches(n: int, n_edges: int) -> list[int]:
    """Return the sizes of the batches in which n crowds are simulated."""
    size = int(np.clip(CELLS // max(n_edges, 1), FEWEST_CROWDS, MOST_CROWDS))
    return [min(size, n - start) for start in range(0, n, size)]


def redrawn_signs(
    means: FloatArray, counts: FloatArray, n: int, rng: np.random.Generator
) -> FloatArray:
    """Return mean signs of n simulated crowds, one column each; `means` has one column or n.

    Fractional numbers of votes are rounded up, with the noise of the fraction.
    """
    from hodgerank.kernels.hypothesis_tests import redrawn_wins

    draws = np.maximum(np.ceil(counts - 1e-9), 1).astype(np.int64)
    y = redrawn_wins(draws, (1 + means) / 2, n, rng)
    y *= 2
    y -= draws[:, None]
    y /= draws[:, None]
    excess = np.sqrt(draws / counts)[:, None]
    if not np.all(excess == 1):
        y -= means
        y *= excess
        y += means
    return y
