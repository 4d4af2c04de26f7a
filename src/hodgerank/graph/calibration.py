"""What a consistent crowd would show: cyclic energy that noise alone leaks.

Answers of +-1 are noisy, so even votes drawn from a perfect ranking run in circles a little; and
preferences saturate (9 of 10 prefer a to b and b to c, but not 18 of 10 a to c), which differences
of scores cannot follow. The null model is a crowd of the same size that answers by Bradley-Terry
probabilities, the simplest consistent one, fitted to the same votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.topology import BettiNumbers
from hodgerank.kernels.curl import curl_operator, curl_part
from hodgerank.kernels.laplacian import divergence
from hodgerank.kernels.links import likelihood_of, logistic_likelihood
from hodgerank.kernels.newton import maximise
from hodgerank.kernels.normal_equations import NormalEquations
from hodgerank.types import FloatArray, IntArray

# Simulated edges in all; more edges need fewer repetitions for the same accuracy.
EDGE_DRAWS = 1_000_000
FEWEST, MOST = 16, 200
ENOUGH_REPEATS = 30
PRIOR = 0.05  # precision of the scores, which keeps those of undefeated items finite


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
    """Noise of the cyclic parts; mean and variance of an answer on each edge."""

    curl: Noise
    harmonic: Noise
    means: FloatArray
    variances: FloatArray
    n_simulations: int


def expectation(graph: ComparisonGraph, betti: BettiNumbers, basis: IntArray) -> Expectation:
    """Redraw the answers from the fitted crowd and measure their cyclic parts."""
    total = float(graph.squares.sum()) or 1.0
    means, size = null_means(graph)
    variances = _noise_variances(graph, means, size)
    n = int(np.clip(EDGE_DRAWS // max(graph.n_edges, 1), FEWEST, MOST))
    flows = _redrawn(graph, means, size, variances, n)

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
        curl=noise(energy - harmonic, n_circles(graph) - betti.beta_1),
        harmonic=noise(harmonic, betti.beta_1),
        means=means,
        variances=variances,
        n_simulations=n,
    )


def n_circles(graph: ComparisonGraph) -> int:
    """Number of independent circles in the graph; without any, nothing can be inconsistent."""
    return graph.n_edges - graph.n_items + graph.n_components


def _noise_variances(graph: ComparisonGraph, means: FloatArray, size: float) -> FloatArray:
    """Variance of an answer on each edge.

    That of a choice between +-size. Grades may vary much less than that from answer to answer;
    where pairs were answered often enough, the variance within pairs says by how much.
    """
    variances = size**2 - means**2
    is_plain = np.allclose(graph.squares, graph.weights)
    repeats = graph.effective_counts - 1
    if is_plain or repeats.sum() < ENOUGH_REPEATS:
        return variances
    within = graph.squares / graph.weights - graph.flows**2
    expected = repeats / graph.effective_counts * variances
    share = float(graph.counts @ within) / max(float(graph.counts @ expected), 1e-300)
    return variances * min(share, 1.0)


def _redrawn(
    graph: ComparisonGraph, means: FloatArray, size: float, variances: FloatArray, n: int
) -> FloatArray:
    """Mean answers of n redrawn crowds, one column each."""
    effective = graph.effective_counts[:, None]
    draws = np.ceil(effective - 1e-9).astype(np.int64)
    chances = ((1 + means / size) / 2)[:, None]
    wins = np.random.default_rng(0).binomial(draws, chances, (len(means), n))
    deviation = size * (2 * wins / draws - 1) - means[:, None]
    choice = np.maximum(size**2 - means**2, 1e-300)
    return means[:, None] + deviation * np.sqrt(draws / effective * (variances / choice)[:, None])


def null_means(graph: ComparisonGraph) -> tuple[FloatArray, float]:
    """Mean answer of each edge under the null model, and the size of an answer.

    Answers are +-size with size^2 the mean squared outcome: 1 for plain choices, less where there
    are ties and grades. Fitted scores spread more than true ones by what noise adds to them; they
    are shrunk by that much.
    """
    size = float(np.sqrt(graph.squares.sum() / graph.weights.sum())) or 1.0
    win_rates = (1 + np.clip(graph.flows / size, -1, 1)) / 2

    def equations(curvature: FloatArray) -> NormalEquations:
        return NormalEquations(graph.i, graph.j, curvature, graph.components, PRIOR)

    fit = maximise(
        graph.i,
        graph.j,
        likelihood_of(logistic_likelihood, graph.effective_counts, win_rates),
        lambda curvature, gradient, accuracy: equations(curvature).solution(
            gradient, tolerance=accuracy
        ),
        start=np.zeros(graph.n_items),
        ridge=PRIOR,
        tolerance=1e-4,
    )
    noise = float(equations(fit.curvature).inverse_diagonal.values.sum())
    spread = float(fit.x @ fit.x)
    x = fit.x * np.sqrt(max(0.0, 1 - noise / spread)) if spread else fit.x
    return size * np.tanh((x[graph.i] - x[graph.j]) / 2), size
