"""Crowds with one ranking that resemble the observed one: simulated to obtain p-values.

*Matched*: the flexible link, with scores shrunk until the expected gradient energy equals the
observed one; fitted scores spread more than true ones.

*Cautious*: a crowd with one ranking that shows cycles easily. Every pair is moved towards its own
votes as far as votes depart from the link (t2, twice the variance of pairs around it plus a
standard error), and half a standard error towards zero. Its true value is drawn for each crowd, but
never across zero, so that no pair contradicts the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.flexible_link import PRIOR, FlexibleLink, GradientProjection, fit_link
from hodgerank.graph.null_model import matched_at
from hodgerank.graph.sign_votes import Signs
from hodgerank.kernels.linalg.normal_equations import NormalEquations, effective_resistances
from hodgerank.types import FloatArray

WIDEST = 4.0  # largest factor applied to fitted scores
# Crowds simulated together: as many as `circles` takes, or as fit into memory; fewer would make
# `circles` traverse the graph too often.
MOST_CROWDS, FEWEST_CROWDS, CELLS = 64, 8, 1 << 22
CAUTION = 2.0  # factor of the observed variance: a few pairs may depart much more than most


class CautiousMeans(NamedTuple):
    """Mean signs sides * max(0, centres + spreads * normal), drawn for each crowd."""

    sides: FloatArray
    centres: FloatArray
    spreads: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return one column for each of n crowds, or a single one if nothing is random."""
        towards = self.centres[:, None].copy()
        if self.spreads.any():
            normal = rng.standard_normal((len(self.sides), n))
            normal *= self.spreads[:, None]
            normal += towards
            towards = normal
        np.clip(towards, 0.0, 1.0, out=towards)
        towards *= self.sides[:, None]
        return towards


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

    @property
    def differences(self) -> FloatArray:
        """Differences of the shrunken scores."""
        return self.scale * score_differences(self.graph, self.link)

    def cautious(self) -> CautiousMeans:
        """Return mean signs of cautious crowds."""
        graph, m, y = self.graph, self.means, self.graph.flows
        n, v = graph.weights, 1 - m**2
        expected = (1 - self.levers) * v
        misfit = float(np.sum(n * (y - m) ** 2 - expected))
        error = float(np.sqrt(2 * np.sum(expected**2)))
        t2 = max(0.0, CAUTION * misfit + error) / float(n.sum())
        noise = v / n
        own = np.divide(t2, t2 + noise, out=np.zeros_like(m), where=t2 + noise > 0)
        side, doubt = np.sign(self.differences), own * noise
        towards_zero = np.sqrt(self._variances() + doubt) / 2
        return CautiousMeans(side, side * (m + (y - m) * own) - towards_zero, np.sqrt(doubt))

    def _variances(self) -> FloatArray:
        """Variances of the means, to first order in the errors of the scores."""
        graph, v = self.graph, np.maximum(1 - self.means**2, 1e-12)
        slopes = self.scale * self.link.slopes(self.differences)
        information = np.maximum(graph.weights * slopes**2 / v, 1e-12 * graph.weights)
        equations = NormalEquations(graph.i, graph.j, information, graph.components, PRIOR)
        return slopes**2 * effective_resistances(equations)


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
