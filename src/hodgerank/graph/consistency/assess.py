"""assess_consistency: misfit and cycles, each against a crowd that has one ranking."""

from __future__ import annotations

import numpy as np

from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.consistency.crowd import TransitiveCrowd, batches, redrawn_signs
from hodgerank.graph.consistency.departure import shape_of
from hodgerank.graph.consistency.projection import GradientProjection
from hodgerank.graph.consistency.result import Consistency, Cycle, Evidence
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import CodeArray, FloatArray, IntArray

# Redrawn edges in all; more edges need fewer repetitions for the same accuracy.
EDGE_DRAWS, MOST_EDGE_DRAWS = 2_000_000, 25_000_000
FEWEST, ENOUGH, MOST = 39, 99, 499
SIGNIFICANT = 0.05
MOST_NAMED = 100
EQUAL = 1e-9  # but for rounding


def assess_consistency(answered: AnsweredGraph) -> Consistency:
    """Ask whether one ranking explains the answers, and which cycles it cannot.

    Both tests redraw the answers from a crowd that has one ranking, any monotone link and any share
    of lapses. For *misfit* that crowd is the one that fits best; for *cycles* one that departs from
    every single link as far as the answers do, so that unequal noise is no cycle.

    >>> import hodgerank as hr
    >>> rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 30
    >>> found = assess_consistency(AnsweredGraph.of(hr.read_comparisons(rows)))
    >>> found.cycles.p_value < .05, found.triangles[0].items
    (True, ('a', 'b', 'c'))
    """
    reason = _why_not(answered)
    if reason is not None:
        return Consistency(None, None, None, (), 0, None, reason)
    crowd, repeats = answered.crowd, answered.signs.repeats
    n = n_redraws(crowd.graph.n_edges)
    misfit = _misfit(crowd, n)
    cycles, largest = _cycles(crowd, n)
    triangles: tuple[Cycle, ...] = ()
    n_named = 0
    if cycles.p_value < SIGNIFICANT:  # otherwise a second test would be a second false alarm
        triangles, n_named = _named(crowd.graph, largest)
    return Consistency(
        misfit=misfit,
        cycles=cycles,
        shape=shape_of(crowd.graph, crowd.link),
        triangles=triangles,
        n_named=n_named,
        repeat_correlation=None if repeats is None else repeats.correlation,
        reason=None,
    )


def n_redraws(n_edges: int) -> int:
    """How many crowds to redraw: enough, unless that would take minutes."""
    n = np.clip(EDGE_DRAWS // n_edges, ENOUGH, MOST)
    return int(max(min(n, MOST_EDGE_DRAWS // n_edges), FEWEST))


def _why_not(answered: AnsweredGraph) -> str | None:
    """Why no cycle could be seen, if none could."""
    graph = answered.graph
    if not _has_cycles(graph.i, graph.j, graph.n_items):
        return "no pairs close a cycle"
    if not graph.squares.any():
        return "all answers are ties"
    signs = answered.signs.graph
    if not _has_cycles(signs.i, signs.j, signs.n_items):
        return "without the ties no pairs close a cycle"
    often = signs.weights > 1 + 1e-9
    if not _has_cycles(signs.i[often], signs.j[often], signs.n_items):
        return "no cycle is closed by pairs that have more than one independent answer"
    return None


def _has_cycles(i: CodeArray, j: CodeArray, n: int) -> bool:
    return bool(len(i) > n - (laplacian.components(i, j, n).max(initial=-1) + 1))


def _misfit(crowd: TransitiveCrowd, n: int) -> Evidence:
    """What no scores explain, in units of the noise."""
    graph = crowd.graph
    projection = GradientProjection(graph)

    def unexplained(y: FloatArray) -> FloatArray:
        return projection.energies(y) - projection.gradient_energies(y)

    rng, means = np.random.default_rng(1), crowd.means[:, None]
    draws = (redrawn_signs(means, graph.weights, size, rng) for size in batches(n, graph.n_edges))
    found = [unexplained(draw) for draw in draws]
    return _test(float(unexplained(graph.flows[:, None])[0]), np.concatenate(found))


def _cycles(crowd: TransitiveCrowd, n: int) -> tuple[Evidence, FloatArray]:
    """The test of cycles, and the strongest triangle of each redrawn crowd."""
    from hodgerank.graph.cycles import count_triangles
    from hodgerank.kernels.topology.triangles import circles

    graph, rows = crowd.graph, crowd.graph.rows
    has_triangles = count_triangles(graph) > 0
    root = np.sqrt(graph.weights)[:, None]
    projection = GradientProjection(graph)

    def statistic(y: FloatArray) -> tuple[FloatArray, FloatArray]:
        if has_triangles:
            return circles(*rows, np.ascontiguousarray(root * y))
        return _upsets(graph, projection, y), np.ones(y.shape[1])

    observed = float(statistic(graph.flows[:, None])[0][0])
    rng, found, largest = np.random.default_rng(2), [], []
    cautious = crowd.cautious()
    for size in batches(n, graph.n_edges):
        means = cautious.draw(size, rng)
        sums, strongest = statistic(redrawn_signs(means, graph.weights, size, rng))
        found.append(sums)
        largest.append(strongest)
    return _test(observed, np.concatenate(found)), np.concatenate(largest)


def _upsets(graph: ComparisonGraph, projection: GradientProjection, y: FloatArray) -> FloatArray:
    """Energy of the flows that do not go with the scores: of a cycle, those that close it."""
    x = projection.scores(y)
    return projection.energies(y * (y * (x[graph.i] - x[graph.j]) <= EQUAL))


def _test(observed: float, redrawn: FloatArray) -> Evidence:
    slack = EQUAL * max(abs(observed), 1.0)
    hits = int(np.sum(redrawn >= observed - slack))
    n = len(redrawn)
    std = float(redrawn.std(ddof=1))
    return Evidence(observed, float(redrawn.mean()), std, (1 + hits) / (1 + n), n)


def _named(graph: ComparisonGraph, largest: FloatArray) -> tuple[tuple[Cycle, ...], int]:
    """Cycles of three that at most a twentieth of consistent crowds have the like of."""
    from hodgerank.kernels.topology.triangles import strongest_circles

    n = len(largest)
    most_hits = int(np.ceil(SIGNIFICANT * (1 + n))) - 2  # (1 + hits) / (1 + n) < SIGNIFICANT
    ordered = np.sort(largest)[::-1]
    tied = ordered[max(most_hits, 0)]
    least = max(tied * (1 + EQUAL), np.nextafter(tied, np.inf))
    ratios = np.sqrt(graph.weights) * graph.flows
    edges, strengths, n_named = strongest_circles(*graph.rows, ratios, least, MOST_NAMED)
    order = [t for t in np.argsort(-strengths) if strengths[t] > 0]
    return tuple(
        _cycle(
            graph,
            edges[t],
            float(strengths[t]),
            (1 + int(np.sum(largest >= strengths[t] * (1 - EQUAL)))) / (1 + n),
        )
        for t in order
    ), int(n_named)


def _cycle(graph: ComparisonGraph, edges: IntArray, strength: float, p_value: float) -> Cycle:
    ij, jk, ik = edges
    i, j, k = (graph.items[code] for code in (graph.i[ij], graph.j[ij], graph.j[jk]))
    flows = (float(graph.flows[ij]), float(graph.flows[jk]), -float(graph.flows[ik]))
    answers = (int(graph.counts[ij]), int(graph.counts[jk]), int(graph.counts[ik]))
    if flows[0] > 0:
        return Cycle((i, j, k), flows, answers, strength, p_value)
    return Cycle(
        (i, k, j),
        (-flows[2], -flows[1], -flows[0]),
        (answers[2], answers[1], answers[0]),
        strength,
        p_value,
    )
