"""Shares of the decomposition expected by chance.

*Bias*: the same votes with randomised display order. *Gradient*: random votes. *Disagreement, curl
and harmonic*: a crowd with one ranking (`transitive_crowd`). Votes of +-1 are noisy, so even its
votes contain some cycles, and preferences saturate, which score differences cannot follow. Ties
stay in place and votes keep their sizes: only signs are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import chdtrc

from hodgerank.data.comparisons import Comparisons
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.flexible_link import GradientProjection
from hodgerank.graph.topology import BettiNumbers
from hodgerank.graph.transitive_crowd import (
    batches,
    matched_scale,
    redrawn_signs,
    score_differences,
)
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.linalg.normal_equations import effective_resistances
from hodgerank.kernels.triangles import curl_part
from hodgerank.types import FloatArray, IntArray

# Total number of shuffled votes; more votes need fewer repetitions for the same accuracy.
SHUFFLED = 10_000_000
FEWEST_SHUFFLES, MOST_SHUFFLES = 39, 999
UNANIMOUS = 1e-12  # variance that counts as rounding
ROUNDING = 1e-9  # share that counts as rounding: loops modulo 2 may carry no flow


class _Groups(NamedTuple):
    """Votes whose display order is known, by worker and pair."""

    row: IntArray
    group: IntArray
    is_first: IntArray  # 1 if item i of the edge is shown left
    weight: FloatArray
    n: int


class ShuffledOrders(NamedTuple):
    """Energies of the bias component with randomised display order.

    `n_both_ways` is the number of combinations of worker and pair with votes in both orders;
    without any, position bias is not visible here.
    """

    energies: FloatArray
    n_both_ways: int


def position_bias_part(votes: Comparisons, edge: IntArray) -> FloatArray:
    """Return b: the part explained by the display order alone, within a worker's votes on a pair.

    If a worker saw a pair in both orders, with total weights r and s and mean outcomes p and q of
    the left item: (p+q) s/(r+s) on the r votes and (p+q) r/(r+s) on the s votes. Otherwise 0. Votes
    without a worker count as those of one worker.
    """
    bias = np.zeros(len(votes))
    groups = _by_worker_and_pair(votes, edge)
    if not groups.n:
        return bias
    side, n_sides = 2 * groups.group + groups.is_first, 2 * groups.n
    total = np.bincount(side, groups.weight, n_sides)
    outcome = np.bincount(side, groups.weight * votes.outcome[groups.row], n_sides)
    mean = outcome / np.maximum(total, 1e-300)
    sums, means = total.reshape(-1, 2), mean.reshape(-1, 2)
    both = (sums > 0).all(axis=1)
    common = np.where(both, means.sum(axis=1) / sums.sum(axis=1), 0.0)
    bias[groups.row] = (common[:, None] * sums[:, ::-1]).ravel()[side]
    return bias


def shuffle_display_order(answered: AnsweredGraph) -> ShuffledOrders:
    """Permute the display order among each worker's votes on a pair.

    Each order keeps its frequency, which the design determines. Preferences and repetitions of the
    workers are unchanged.
    """
    from hodgerank.kernels.hypothesis_tests import shuffled_energy

    groups = _by_worker_and_pair(answered.votes, answered.edge)
    size = np.bincount(groups.group, minlength=groups.n)
    first = np.bincount(groups.group, groups.is_first, groups.n).astype(np.int64)
    both = (first > 0) & (first < size)
    turned = answered.turned[groups.row]
    total = np.bincount(groups.group, turned, groups.n)
    spread = np.bincount(groups.group, turned**2, groups.n) - total**2 / np.maximum(size, 1)
    contested = both & (spread > UNANIMOUS)  # unanimous votes do not depend on the order
    rows = np.flatnonzero(contested[groups.group])
    rows = rows[np.argsort(groups.group[rows], kind="stable")]
    starts = np.r_[0, np.cumsum(size[contested])]
    turned, weight = turned[rows], groups.weight[rows]
    n = int(np.clip(SHUFFLED // max(len(rows), 1), FEWEST_SHUFFLES, MOST_SHUFFLES))
    rng = np.random.default_rng(3)
    energies = [
        shuffled_energy(starts, first[contested], turned, weight, rng.random(len(rows)))
        for _ in range(n)
    ]
    return ShuffledOrders(np.array(energies), int(both.sum()))


def _by_worker_and_pair(votes: Comparisons, edge: IntArray) -> _Groups:
    shown = np.flatnonzero(votes.display_known)
    weight = np.ones(len(shown)) if votes.weight is None else votes.weight[shown]
    n_workers = votes.n_workers + 1  # NO_WORKER is -1
    key = edge[shown] * np.int64(n_workers) + votes.worker[shown] + 1
    groups, group = group_rows(key, (int(edge.max(initial=-1)) + 1) * n_workers)
    is_first = (votes.left[shown] < votes.right[shown]).astype(np.int64)
    return _Groups(shown, group, is_first, weight, len(groups))


# Total number of simulated edges; more edges need fewer repetitions for the same accuracy.
EDGE_DRAWS = 500_000
FEWEST_CROWDS, MOST_CROWDS = 16, 200
SAME = 0.01  # share of votes that may be dependent
ENOUGH_TO_COUNT = 199  # simulations from which a p-value is a count of them


@dataclass(frozen=True)
class Noise:
    """Share of the energy of a component expected by chance.

    Attributes
    ----------
    mean, std
        Mean and standard deviation of the share.
    draws
        Simulated shares, if their distribution may have any shape.
    """

    mean: float
    std: float
    draws: tuple[float, ...] = ()

    def z(self, share: float) -> float:
        """Return an observed share in standard deviations from the mean."""
        return (share - self.mean) / self.std if self.std > 0 else 0.0

    def p_value(self, share: float) -> float:
        """Return the probability of at least this share by chance.

        A count of simulations if there are enough; otherwise the null distribution, that of a sum
        of squares, is approximated by a scaled chi-square.
        """
        if len(self.draws) >= ENOUGH_TO_COUNT:
            hits = sum(draw >= share - 1e-9 for draw in self.draws)
            return (1 + hits) / (1 + len(self.draws))
        if self.std <= 0 or self.mean <= 0:
            return 1.0
        ratio = 2 * self.mean / self.std**2
        return float(chdtrc(ratio * self.mean, ratio * share))


NOTHING = Noise(0.0, 0.0)


@dataclass(frozen=True)
class Expectation:
    """Shares of all components expected by chance.

    Attributes
    ----------
    bias
        With randomised display order.
    ties, curl, harmonic
        In a crowd with one ranking, and as much gradient as observed.
    gradient
        For random votes.
    n_simulations
        Number of simulated crowds.
    n_both_ways
        Combinations of worker and pair with votes in both orders; without any, position bias is not
        visible and its component is 0.
    """

    bias: Noise
    ties: Noise
    gradient: Noise
    curl: Noise
    harmonic: Noise
    n_simulations: int
    n_both_ways: int


class _FlowNoise(NamedTuple):
    """Mean votes are amplitudes * s + spreads * (y - s), y the mean sign, s its expectation."""

    counts: FloatArray
    amplitudes: FloatArray
    spreads: FloatArray


def expectation(
    answered: AnsweredGraph, betti: BettiNumbers, curl: sparse.csr_array
) -> Expectation:
    """Simulate the votes under the null model of each component, and measure its share.

    `curl` sums flows around faces that span all; without unfilled loops it is not used.
    """
    graph = answered.graph
    total = float(graph.squares.sum())
    orders = shuffle_display_order(answered)
    if not total:
        return Expectation(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, 0, orders.n_both_ways)
    n = int(np.clip(EDGE_DRAWS // graph.n_edges, FEWEST_CROWDS, MOST_CROWDS))
    noise = _flow_noise(answered)
    projection = GradientProjection(graph)

    coins = _redrawn(np.zeros(graph.n_edges), noise, n, 4)
    gradient = np.concatenate([projection.gradient_energies(flows) for flows in coins])

    energies = []
    for flows in _redrawn(_matched_means(answered, noise), noise, n, 5):
        x = projection.scores(flows)
        cyclic = flows - (x[graph.i] - x[graph.j])
        whole, unexplained = projection.energies(flows), projection.energies(cyclic)
        energies.append((whole, unexplained, _harmonic_energies(graph, cyclic, betti, curl)))
    whole, unexplained, harmonic = (np.concatenate(part) for part in zip(*energies, strict=True))
    ties = np.maximum(total - np.resize(orders.energies, n) - whole, 0.0)

    def share(values: FloatArray, dimensions: int) -> Noise:
        if not dimensions or values.mean() <= ROUNDING * total:
            return NOTHING
        return Noise(float(values.mean()) / total, float(values.std(ddof=1)) / total)

    bias = share(orders.energies, orders.n_both_ways)
    return Expectation(
        bias=Noise(bias.mean, bias.std, tuple((orders.energies / total).tolist())),
        ties=share(ties, int(graph.n_votes > graph.n_edges)),
        gradient=share(gradient, graph.n_items - graph.n_components),
        curl=share(unexplained - harmonic, n_cycles(graph) - betti.beta_1),
        harmonic=share(harmonic, betti.beta_1),
        n_simulations=n,
        n_both_ways=orders.n_both_ways,
    )


def n_cycles(graph: ComparisonGraph) -> int:
    """Return the number of independent cycles of the graph; without any, curl is impossible."""
    return graph.n_edges - graph.n_items + graph.n_components


def _flow_noise(answered: AnsweredGraph) -> _FlowNoise:
    """Return how mean votes depend on mean signs, given ties and sizes of votes."""
    graph, signs = answered.graph, answered.signs
    counts = np.zeros(graph.n_edges)
    counts[signs.edge] = signs.graph.weights
    weight, size = answered.votes.total_weight, np.abs(answered.votes.outcome)
    sizes = np.bincount(answered.edge, weight * size, graph.n_edges)
    signed = np.bincount(answered.edge, weight * (size > 0), graph.n_edges)
    has_signs = counts > 0
    amplitudes = np.where(has_signs, sizes / graph.weights, 0.0)
    spreads = np.where(has_signs, np.sqrt(signed * graph.squares) / graph.weights, 0.0)
    return _FlowNoise(np.where(has_signs, counts, 1.0), amplitudes, spreads)


def _matched_means(answered: AnsweredGraph, noise: _FlowNoise) -> FloatArray:
    """Return mean signs of a crowd with one ranking and as much gradient energy as observed."""
    crowd, graph = answered.crowd, answered.graph
    if _is_as_signs(answered, noise):
        return crowd.means
    levers = graph.weights * effective_resistances(graph.equations)
    noises = graph.weights * noise.spreads**2 / noise.counts
    scale = matched_scale(graph, crowd.link, noise.amplitudes, noises, levers)
    return crowd.link.means(scale * score_differences(graph, crowd.link))


def _is_as_signs(answered: AnsweredGraph, noise: _FlowNoise) -> bool:
    """Whether votes are signs, and nearly all independent, so that one fit serves both."""
    weights = answered.graph.weights
    return (
        len(answered.signs.edge) == len(weights)
        and np.array_equal(answered.graph.squares, weights)
        and np.abs(noise.counts - weights).sum() <= SAME * weights.sum()
    )


def _redrawn(means: FloatArray, noise: _FlowNoise, n: int, seed: int) -> Iterator[FloatArray]:
    """Yield mean votes of n simulated crowds, one column each, in batches."""
    expected, rng = means[:, None], np.random.default_rng(seed)
    for size in batches(n, len(means)):
        flows = redrawn_signs(expected, noise.counts, size, rng)
        flows -= expected
        flows *= noise.spreads[:, None]
        flows += noise.amplitudes[:, None] * expected
        yield flows


def _harmonic_energies(
    graph: ComparisonGraph, cyclic: FloatArray, betti: BettiNumbers, curl: sparse.csr_array
) -> FloatArray:
    """Return the energies of the part of cyclic flows that faces do not explain."""
    if not betti.beta_1:
        return np.zeros(cyclic.shape[1])
    rest = cyclic
    if curl.shape[0]:
        rest = cyclic - curl_part(curl, graph.weights, cyclic, tolerance=1e-6)[0]
    return np.asarray((graph.weights[:, None] * rest**2).sum(axis=0))
