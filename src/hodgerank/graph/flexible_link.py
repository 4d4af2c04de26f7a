"""A ranking with a flexible monotone link, fitted to signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import (
    START,
    STRENGTHS,
    Information,
    information,
    log_likelihood,
    shares,
    slope,
)
from hodgerank.types import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOLERANCE = 1e-6


class GradientProjection:
    """Least-squares scores of flows on the edges of a graph, and energies; one per column."""

    def __init__(self, graph: ComparisonGraph) -> None:
        from scipy import sparse  # which takes longer to import than most rankings

        m, n = graph.n_edges, graph.n_items
        ends, signs = np.r_[graph.i, graph.j], np.r_[np.ones(m), -np.ones(m)]
        self._graph = graph
        self.divergence = sparse.csr_array((signs, (ends, np.tile(np.arange(m), 2))), shape=(n, m))

    def scores(self, flows: FloatArray) -> FloatArray:
        """Return the scores that explain most of each flow."""
        return self._solve(flows)[1]

    def gradient_energies(self, flows: FloatArray) -> FloatArray:
        """Return the energies that scores explain."""
        rhs, x = self._solve(flows)
        return np.asarray((rhs * x).sum(axis=0))

    def energies(self, flows: FloatArray) -> FloatArray:
        """Return the energies of the flows."""
        return np.asarray(np.einsum("e,ec,ec->c", self._graph.weights, flows, flows))

    def _solve(self, flows: FloatArray) -> tuple[FloatArray, FloatArray]:
        rhs = np.asarray(self.divergence @ (self._graph.weights[:, None] * flows))
        return rhs, self._graph.equations.solve(rhs, tolerance=TOLERANCE)


PRIOR = 0.05  # precision of the scores, which keeps those of undefeated items finite
FEWEST_ROUNDS, MOST_ROUNDS = 8, 60
EDGE_ROUNDS = 6_000_000  # edges times rounds: many edges with few votes converge slowly
ENOUGH = 1e-3  # gain in log-likelihood of a round at which the fit stops
LONGEST_STEP, SHORTEST = 2.0, 1e-4
NEGLIGIBLE = 1e-12  # curvature of a nearly certain vote
SATURATED = 10.0  # slope above which votes hardly ever err
STEEPNESS = 1.5  # approximate ratio of probit scores to least-squares scores


@dataclass(frozen=True, eq=False)
class FlexibleLink:
    """P(i beats j) = sum_k w_k Phi(a_k (x_i - x_j)).

    Attributes
    ----------
    scores, weights
        x and w.
    iterations, converged
        Number of rounds, and whether the fit converged.
    """

    scores: FloatArray
    weights: FloatArray
    iterations: int
    converged: bool

    @property
    def lapses(self) -> float:
        """Share of random votes."""
        return float(self.weights[STRENGTHS == 0].sum())

    @property
    def saturation(self) -> float:
        """Share of votes that err on the closest pairs only."""
        return float(self.weights[STRENGTHS >= SATURATED].sum())

    def means(self, d: FloatArray) -> FloatArray:
        """Return the mean sign of a vote at differences d."""
        return np.asarray(2 * (shares(d) @ self.weights) - 1)

    def slopes(self, d: FloatArray) -> FloatArray:
        """Return the derivative of the means."""
        return 2 * slope(d, self.weights)


def fit_link(signs: ComparisonGraph) -> FlexibleLink:
    """Fit scores and weights jointly by Fisher scoring; alternating would converge slowly."""
    if not signs.n_edges:
        return FlexibleLink(np.zeros(signs.n_items), START, 0, True)
    i, j, n = signs.i, signs.j, signs.weights
    wins = n * (1 + signs.flows) / 2

    def value(x: FloatArray, q: FloatArray, w: FloatArray) -> float:
        return log_likelihood(q, w, n, wins) - PRIOR / 2 * float(x @ x)

    x = STEEPNESS * signs.equations.solve(signs.surplus, tolerance=1e-6)
    q, w = shares(x[i] - x[j]), START
    current = value(x, q, w)
    divergence = GradientProjection(signs).divergence
    rounds = int(np.clip(EDGE_ROUNDS // signs.n_edges, FEWEST_ROUNDS, MOST_ROUNDS))
    for round_ in range(1, rounds + 1):
        at = information(x[i] - x[j], q, w, n, wins)
        step_x, step_w = _step(signs, divergence, at, x, w)
        length, gain = _longest(step_x, step_w, w), 0.0
        while not gain and length > SHORTEST:
            trial_x, trial_w = x + length * step_x, w + length * step_w
            trial_q = shares(trial_x[i] - trial_x[j])
            after = value(trial_x, trial_q, trial_w)
            if after > current:
                gain = after - current
                x, q, w, current = trial_x, trial_q, trial_w, after
            length /= 2
        if gain < ENOUGH:
            return FlexibleLink(x, w, round_, True)
    return FlexibleLink(x, w, rounds, False)


def _step(
    signs: ComparisonGraph,
    divergence: csr_array,
    at: Information,
    x: FloatArray,
    w: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the joint step: scores are eliminated first, and the weights keep summing to 1."""
    curvature = np.maximum(at.curvature, NEGLIGIBLE * signs.weights)
    equations = NormalEquations(signs.i, signs.j, curvature, signs.components, PRIOR)
    mixed = np.asarray(divergence @ at.mixed)
    push = np.asarray(divergence @ at.difference_slope) - PRIOR * x
    solved = equations.solve(np.column_stack((push, mixed)), tolerance=1e-4)
    own = at.weight_information - mixed.T @ solved[:, 1:]
    gradient = at.weight_slope - mixed.T @ solved[:, 0]
    k, unit = len(w), float(np.diag(own).max())
    system = np.zeros((k + 1, k + 1))  # scaled by the weights, which differ by magnitudes
    system[:k, :k] = own * np.outer(w, w) / unit
    system[k, :k] = system[:k, k] = w
    step_w = w * np.linalg.solve(system, np.r_[gradient * w / unit, 0.0])[:k]
    return solved[:, 0] - solved[:, 1:] @ step_w, step_w


def _longest(step_x: FloatArray, step_w: FloatArray, w: FloatArray) -> float:
    """Return the largest step length that keeps weights positive and score changes small."""
    falls = step_w < 0
    to_zero = float(np.min(w[falls] / -step_w[falls], initial=np.inf))
    largest = float(np.abs(step_x).max(initial=0.0))
    return min(1.0, 0.95 * to_zero, LONGEST_STEP / max(largest, 1e-300))
