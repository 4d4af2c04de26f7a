"""Consistency: do the votes follow one ranking, and if not, do they contain cycles?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.flexible_link import PRIOR, FlexibleLink, GradientProjection
from hodgerank.graph.transitive_crowd import TransitiveCrowd, batches, redrawn_signs
from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.linalg.newton import maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, LINKS, likelihood_of
from hodgerank.types import CodeArray, FloatArray, IntArray, Item


@dataclass(frozen=True)
class Evidence:
    """An observed statistic beside those of redrawn crowds.

    Attributes
    ----------
    statistic
        Of the answers.
    mean, std
        Of the redrawn crowds.
    p_value
        Share of crowds, the one at hand among them, that show at least as much.
    n_redraws
        How many were redrawn.
    """

    statistic: float
    mean: float
    std: float
    p_value: float
    n_redraws: int


@dataclass(frozen=True)
class LinkShape:
    """How likely an answer is to go against the ranking, as pairs get clearer.

    Attributes
    ----------
    lapses
        Estimated share of answers that are coins, however clear the pair.
    saturation
        Estimated share of answers that err on none but the closest pairs.
    departure
        'mistakes even on clear pairs' or 'more unanimous on clear pairs than close pairs suggest',
        where that is sure and a fifth more answers slip than would, or fewer; otherwise None.
    promised, happened
        Of the answers to clear pairs, the share that would and that did go with the ranking;
        promised by the plain link that comes closest, Bradley-Terry or Thurstone. None where there
        are no clear pairs.
    p_value
        Of that difference.
    """

    lapses: float
    saturation: float
    departure: str | None
    promised: float | None
    happened: float | None
    p_value: float | None


@dataclass(frozen=True)
class Cycle:
    """Three items preferred in a cycle: items[0] over items[1] over items[2] over items[0].

    Attributes
    ----------
    flows, votes
        Mean sign and number of votes of the three pairs that are no ties, in the direction of
        the cycle: all flows are positive.
    strength
        The least of the three flows in standard errors.
    p_value
        Share of consistent crowds with a cycle as strong as this anywhere.
    """

    items: tuple[Item, Item, Item]
    flows: tuple[float, float, float]
    votes: tuple[int, int, int]
    strength: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Consistency:
    """Do the answers follow one ranking with one link, and is there a cycle?

    Attributes
    ----------
    misfit
        Whether answers depart from one ranking with any single monotone link and any share of
        lapses. Items or workers that are noisier than others make a misfit too, without any cycle.
    cycles
        Whether preferences run in cycles, which no ranking explains, whatever the noise.
    shape
        Of the link that suits the answers best.
    triangles
        The strongest cycles that are sure after allowing for the number of triangles; none where
        it is not sure that there is any cycle.
    n_named
        How many such there are.
    repeat_correlation
        How far a worker's answers to the same pair repeat each other, from 0 to 1, as far as it
        was allowed for; None where nobody was asked the same twice, or only one worker answered.
    reason
        Why nothing can be checked, in words; None where it can. The tests are then None.
    """

    misfit: Evidence | None
    cycles: Evidence | None
    shape: LinkShape | None
    triangles: tuple[Cycle, ...]
    n_named: int
    repeat_correlation: float | None
    reason: str | None

    @property
    def checkable(self) -> bool:
        """Whether the answers could show a cycle at all."""
        return self.reason is None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"checkable": self.checkable, **asdict(self)}


CLEAR = 0.9  # chance of the favourite from which on a pair is clear
SURE = 0.01  # p-value
NOTEWORTHY = 1.2  # times as many slips as promised, or as few
SLIPS = "mistakes even on clear pairs"
UNANIMOUS = "more unanimous on clear pairs than close pairs suggest"


def shape_of(signs: ComparisonGraph, link: FlexibleLink) -> LinkShape:
    """Describe the fitted link beside the plain ones."""
    slips = _clear_pairs(signs, "bradley-terry")
    unanimous = _clear_pairs(signs, "thurstone-mosteller")
    found = None
    if slips is not None and slips[2] < 0:
        found, departure = slips, SLIPS
    elif unanimous is not None and unanimous[2] > 0:
        found, departure = unanimous, UNANIMOUS
    if found is None:
        between = slips or unanimous
        promised, happened = (None, None) if between is None else between[:2]
        p_value = None if between is None else 1.0
        return LinkShape(link.lapses, link.saturation, None, promised, happened, p_value)
    from scipy.special import ndtr

    promised, happened, z = found
    p_value = float(2 * ndtr(-abs(z)))
    fewer, more = sorted((1 - promised, 1 - happened))
    said = departure if p_value < SURE and more > NOTEWORTHY * fewer else None
    return LinkShape(link.lapses, link.saturation, said, promised, happened, p_value)


def _clear_pairs(signs: ComparisonGraph, model: str) -> tuple[float, float, float] | None:
    """Of answers to clear pairs: shares that should and do go with the ranking, and z."""
    d = _plain_differences(signs, model)
    chance = LINKS[model].cdf(np.abs(d))
    clear = chance > CLEAR
    if not clear.any():
        return None
    n, p = signs.weights[clear], chance[clear]
    won = (1 + np.sign(d[clear]) * signs.flows[clear]) / 2
    promised, happened = float(n @ p / n.sum()), float(n @ won / n.sum())
    error = float(np.sqrt(n @ (p * (1 - p)))) / float(n.sum())
    return promised, happened, (happened - promised) / max(error, 1e-300)


def _plain_differences(signs: ComparisonGraph, model: str) -> FloatArray:
    def equations(curvature: FloatArray) -> NormalEquations:
        return NormalEquations(signs.i, signs.j, curvature, signs.components, PRIOR)

    fit = maximise(
        signs.i,
        signs.j,
        likelihood_of(LIKELIHOODS[model], signs.weights, (1 + signs.flows) / 2),
        lambda curvature, gradient, accuracy: equations(curvature).solution(
            gradient, tolerance=accuracy
        ),
        start=np.zeros(signs.n_items),
        ridge=PRIOR,
        tolerance=1e-3,
    )
    return np.asarray(fit.x[signs.i] - fit.x[signs.j])


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
        return "no pairs close a cycle without the ties"
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
    from hodgerank.kernels.triangles import circles

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
    from hodgerank.kernels.triangles import strongest_circles

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
