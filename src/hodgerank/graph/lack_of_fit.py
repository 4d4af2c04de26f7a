"""Tests of margins: whether they show a ranking, and whether one ranking explains them.

The F tests are exact for normal noise of equal variance. With heavy tails the test of lack of fit
would reject too often where pairs have unequal numbers of votes: single votes enter only its
numerator. It is therefore compared with permutations of the residuals too, and the larger p-value
counts.
"""

from __future__ import annotations

import numpy as np
from scipy.special import fdtrc, stdtr

from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.types import FloatArray

ROUNDING = 1e-12  # of the sum of squares, below which a part of it is 0
PERMUTED = 4_000_000  # residuals in all permutations
FEWEST, MOST = 39, 199


def ranking_p_value(answered: AnsweredGraph) -> float | None:
    """F test of the ranking against all other parts; None without degrees of freedom."""
    graph, x = answered.graph, answered.scores
    total, n_scores = float(graph.squares.sum()), graph.n_items - graph.n_components
    explained = float(x @ graph.surplus)
    return _f_test(explained, n_scores, total - explained, graph.n_votes - n_scores, total)


def lack_of_fit_p_value(answered: AnsweredGraph) -> float | None:
    """Test of inconsistency between pairs against differences within pairs.

    None without pairs that were compared repeatedly, or without cycles of pairs.
    """
    graph, x, votes = answered.graph, answered.scores, answered.votes
    total = float(graph.squares.sum())
    mean_squares = float(graph.weights @ graph.flows**2)
    between, within = mean_squares - float(x @ graph.surplus), total - mean_squares
    freedom = graph.n_edges - graph.n_items + graph.n_components
    p_value = _f_test(between, freedom, within, graph.n_votes - graph.n_edges, total)
    if p_value is None or within <= ROUNDING * total or between <= ROUNDING * total:
        return p_value
    spread = np.repeat(np.arange(len(votes)), votes.votes_per_row)
    root = np.sqrt(np.ones(len(votes)) if votes.weight is None else votes.weight)[spread]
    residual = root * (answered.turned - (x[graph.i] - x[graph.j])[answered.edge])[spread]
    edge, rng = answered.edge[spread], np.random.default_rng(0)
    n = int(np.clip(PERMUTED // len(edge), FEWEST, MOST))
    ratios = [
        _log_ratio(
            answered, np.bincount(edge, root * rng.permutation(residual)).astype(float), residual
        )
        for _ in range(n)
    ]
    error = float(np.std(ratios, ddof=1)) * np.sqrt(1 + 1 / n)
    observed = np.log(between / within)
    return max(p_value, float(stdtr(n - 1, (np.mean(ratios) - observed) / error)))


def _log_ratio(answered: AnsweredGraph, sums: FloatArray, residual: FloatArray) -> float:
    """Log ratio of the squares between and within pairs, from weighted sums of residuals."""
    graph = answered.graph
    means = float(sums @ (sums / graph.weights))
    surplus = divergence(graph.i, graph.j, sums, graph.n_items)
    explained = float(surplus @ graph.equations.solve(surplus))
    least = ROUNDING * float(residual @ residual)
    between, within = means - explained, float(residual @ residual) - means
    return float(np.log(max(between, least)) - np.log(max(within, least)))


def _f_test(tested: float, freedom: int, others: float, rest: int, total: float) -> float | None:
    if not (freedom > 0 and rest > 0):
        return None
    if others <= ROUNDING * total:
        return 0.0 if tested > ROUNDING * total else 1.0
    return float(fdtrc(freedom, rest, max(tested, 0.0) / freedom / (others / rest)))
