"""What a consistent crowd would show: cyclic energy that noise alone leaks.

Answers of +-1 are noisy, so even votes drawn from a perfect ranking run in cycles a little; and
preferences saturate (9 of 10 prefer a to b and b to c, but not 18 of 10 a to c), which differences
of scores cannot follow. So the votes are redrawn from a consistent crowd, see `null_model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.null_model import NullModel
from hodgerank.graph.topology import BettiNumbers
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.topology.curl import curl_operator, curl_part
from hodgerank.types import FloatArray, IntArray

# Simulated edges in all; more edges need fewer repetitions for the same accuracy.
EDGE_DRAWS = 1_000_000
FEWEST, MOST = 16, 200


@dataclass(frozen=True)
class Noise:
    """Share of the energy that noise alone gives a part: mean and standard deviation."""

    mean: float
    std: float

    def z(self, share: float) -> float:
        """An observed share in standard deviations from the mean."""
        return (share - self.mean) / self.std if self.std > 0 else 0.0

    def p_value(self, share: float) -> float:
        """Probability of at least this share from noise alone.

        The null distribution of such a sum of squares is close to a scaled chi-square.
        """
        if self.std <= 0 or self.mean <= 0:
            return 1.0
        ratio = 2 * self.mean / self.std**2
        return float(chdtrc(ratio * self.mean, ratio * share))


@dataclass(frozen=True)
class Expectation:
    """Noise of the cyclic parts, from so many redrawn crowds."""

    curl: Noise
    harmonic: Noise
    n_simulations: int


def expectation(
    graph: ComparisonGraph, null: NullModel, betti: BettiNumbers, basis: IntArray
) -> Expectation:
    """Redraw the answers from a consistent crowd and measure their cyclic parts."""
    total = float(graph.squares.sum()) or 1.0
    n = int(np.clip(EDGE_DRAWS // max(graph.n_edges, 1), FEWEST, MOST))
    flows = _redrawn(graph, null, n)

    rhs = np.column_stack(
        [divergence(graph.i, graph.j, graph.weights * f, graph.n_items) for f in flows.T]
    )
    x = graph.equations.solve(rhs, tolerance=1e-6)
    cyclic = flows - (x[graph.i] - x[graph.j])
    weights = graph.weights[:, None]
    energy = (weights * cyclic**2).sum(axis=0)
    harmonic = np.zeros(n)
    if betti.beta_1:
        rest = cyclic
        if len(basis):
            operator = curl_operator(basis, graph.n_edges)
            rest = cyclic - curl_part(operator, graph.weights, cyclic, tolerance=1e-6)[0]
        harmonic = (weights * rest**2).sum(axis=0)

    def noise(values: FloatArray, dimensions: int) -> Noise:
        if not dimensions:
            return Noise(0.0, 0.0)
        shares = values / total
        return Noise(float(shares.mean()), float(shares.std(ddof=1)))

    return Expectation(
        curl=noise(energy - harmonic, n_cycles(graph) - betti.beta_1),
        harmonic=noise(harmonic, betti.beta_1),
        n_simulations=n,
    )


def n_cycles(graph: ComparisonGraph) -> int:
    """Number of independent cycles in the graph; without any, nothing can be inconsistent."""
    return graph.n_edges - graph.n_items + graph.n_components


def _redrawn(graph: ComparisonGraph, null: NullModel, n: int) -> FloatArray:
    """Mean answers of n redrawn crowds, one column each."""
    means, variances, size = null.means, null.variances, null.size
    effective = graph.effective_counts[:, None]
    draws = np.ceil(effective - 1e-9).astype(np.int64)
    chances = ((1 + means / size) / 2)[:, None]
    wins = np.random.default_rng(0).binomial(draws, chances, (len(means), n))
    deviation = size * (2 * wins / draws - 1) - means[:, None]
    choice = np.maximum(size**2 - means**2, 1e-300)
    return means[:, None] + deviation * np.sqrt(draws / effective * (variances / choice)[:, None])
