"""Position bias by worker or any other group: joint least squares with intercepts.

min over x, b of sum w (y - b_a - (x_left - x_right))^2. With D the weight of each group and C its
divergence, the scores satisfy (L - C D^-1 C^T) x = D0^T y - C D^-1 s once b is eliminated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse
from scipy.special import ndtr

from hodgerank.errors import InvalidArgument
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray, IntArray

NEARLY_SINGULAR = 1e-10
CELLS_PER_ANSWER = 4  # up to which a table is faster than a sparse matrix
MEANINGLESS = 2.0  # a bias lies between -1 and 1: with such an error nothing is known of it


@dataclass(frozen=True)
class PositionBias:
    """Bias of each group: by how much its mean answer leans to the left, all else equal.

    Groups of whose bias the answers say nothing have NaN.
    """

    bias: FloatArray
    stderr: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """Two-sided p-value of each bias being 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(2 * ndtr(-np.abs(self.bias / self.stderr)))


def position_bias(answered: AnsweredGraph) -> PositionBias:
    """Joint fit of scores and one intercept per worker (answers without one have their own).

    The smaller of the two blocks of unknowns is inverted, the other eliminated exactly.
    """
    votes, graph, n_groups = answered.votes, answered.graph, answered.votes.n_workers
    shown = votes.display_known
    empty = np.full(n_groups, np.nan)
    if not shown.any():
        return PositionBias(empty, empty)
    if votes.weight is not None:  # their unit does not matter
        mean = float(votes.total_weight.sum()) / votes.n_answers
        votes = replace(votes, weight=votes.weight / mean)
        graph = ComparisonGraph.from_comparisons(votes)
    weight = votes.total_weight
    squared = weight if votes.weight is None else weight * votes.weight
    code = np.where(votes.worker < 0, n_groups, votes.worker)[shown].astype(np.int64)
    w, left, right = weight[shown], votes.left[shown], votes.right[shown]
    c = _by_item_and_group(w, left, right, code, (votes.n_items, n_groups + 1))
    d = np.bincount(code, w, n_groups + 1).astype(float)
    s = np.bincount(code, w * votes.outcome[shown], n_groups + 1).astype(float)
    used = np.flatnonzero(d)
    c, d, s = c[:, used], d[used], s[used]

    rhs = graph.surplus
    if votes.n_items <= DENSE_ITEMS:
        with few_threads(votes.n_items):
            x, b, spread = _eliminate_groups(graph, c, d, s, rhs)
    elif len(used) <= DENSE_ITEMS:
        x, b, spread = _eliminate_items(graph, c, d, s, rhs)
    else:
        raise InvalidArgument(
            f"position bias of {len(used):,} groups over {votes.n_items:,} items is too much to "
            f"solve exactly: use groups or items of at most {DENSE_ITEMS:,}"
        )
    residual = votes.outcome - (x[votes.left] - x[votes.right])
    of_code = np.zeros(n_groups + 1)
    of_code[used] = b
    residual[shown] -= of_code[code]
    freedom = max(votes.n_answers - graph.n_items + graph.n_components - len(used), 1)
    noise = max(float(weight @ residual**2), 1.0) / freedom  # never quite without noise
    # An answer of weight 2 is not less noisy than another: squares of weights count.
    own = np.bincount(code, squared[shown], n_groups + 1)[used] / d**2
    error = np.sqrt(noise * (own + spread * squared.sum() / votes.n_answers))
    said = (used < n_groups) & (error < MEANINGLESS)
    bias, stderr = empty.copy(), empty.copy()
    bias[used[said]], stderr[used[said]] = b[said], error[said]
    return PositionBias(bias, stderr)


def _by_item_and_group(
    w: FloatArray, left: CodeArray, right: CodeArray, code: IntArray, shape: tuple[int, int]
) -> sparse.csc_array:
    """Weight that each item has on the left minus on the right, in each group."""
    n_cells = shape[0] * shape[1]
    if n_cells <= CELLS_PER_ANSWER * len(w):
        total = np.bincount(left * np.int64(shape[1]) + code, w, n_cells)
        total -= np.bincount(right * np.int64(shape[1]) + code, w, n_cells)
        return sparse.csc_array(total.reshape(shape))
    places = (np.r_[left, right], np.r_[code, code])
    return sparse.coo_array((np.r_[w, -w], places), shape).tocsc()


def _eliminate_groups(
    graph: ComparisonGraph, c: sparse.csc_array, d: FloatArray, s: FloatArray, rhs: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Scores first, from a dense system over items; last, what they add to each variance."""
    n = graph.n_items
    matrix = np.zeros((n, n))
    matrix[graph.i, graph.j] = -graph.weights
    matrix += matrix.T
    matrix -= np.diag(matrix.sum(axis=1))
    typical = max(float(np.diag(matrix).mean()), 1e-300)
    scaled = c @ sparse.diags_array(1 / d)
    matrix -= (scaled @ c.T).toarray()
    # what cannot be told from the answers (a component's level) is held at 0 by a trace of prior
    matrix += NEARLY_SINGULAR * typical * np.eye(n)
    same = graph.components[:, None] == graph.components
    matrix += typical * same / same.sum(axis=0)
    factor = linalg.cho_factor(matrix, lower=True)
    x = linalg.cho_solve(factor, rhs - scaled @ s)
    solved = linalg.cho_solve(factor, scaled.toarray())
    return x, (s - c.T @ x) / d, np.asarray(scaled.multiply(solved).sum(axis=0)).ravel()


def _eliminate_items(
    graph: ComparisonGraph, c: sparse.csc_array, d: FloatArray, s: FloatArray, rhs: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Intercepts first, from a dense system over groups."""
    equations = graph.equations
    blocks = [equations.solve(c[:, k : k + 64].toarray()) for k in range(0, len(d), 64)]
    solved = np.hstack(blocks)
    schur = np.diag(d * (1 + NEARLY_SINGULAR)) - c.T @ solved
    factor = linalg.cho_factor(schur, lower=True)
    plain = equations.solve(rhs)
    b = linalg.cho_solve(factor, s - c.T @ plain)
    unit = np.diag(linalg.cho_solve(factor, np.eye(len(d))))
    return plain - solved @ b, b, np.maximum(unit - 1 / d, 0.0)
