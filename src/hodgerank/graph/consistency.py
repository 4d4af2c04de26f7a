"""Consistency: do the votes follow one ranking, and if not, do they contain cycles?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.flexible_link import PRIOR, FlexibleLink, GradientProjection
from hodgerank.graph.majority_order import MajorityOrder, cyclic_loops, cyclic_triangles
from hodgerank.graph.transitive_crowd import TransitiveCrowd, batches, redrawn_signs
from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.linalg.newton import maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, LINKS, likelihood_of
from hodgerank.types import CodeArray, FloatArray, IntArray, Item


@dataclass(frozen=True)
class Evidence:
    """A test statistic compared with simulated crowds.

    Attributes
    ----------
    statistic
        The observed value.
    mean, std
        Mean and standard deviation in simulated crowds.
    p_value
        Share of crowds, including the observed one, with at least this value.
    n_redraws
        Number of simulated crowds.
    """

    statistic: float
    mean: float
    std: float
    p_value: float
    n_redraws: int


@dataclass(frozen=True)
class LinkShape:
    """Probability of a vote against the ranking, as a function of how clear the pair is.

    Attributes
    ----------
    lapses
        Estimated share of votes that are random even on clear pairs.
    saturation
        Estimated share of votes that err on the closest pairs only.
    departure
        'mistakes even on clear pairs' or 'more unanimous on clear pairs than close pairs suggest',
        if significant and the number of errors differs by more than a fifth; otherwise None.
    promised, happened
        Share of votes on clear pairs that agree with the ranking, expected and observed. The
        expectation is from the closest plain link, Bradley-Terry or Thurstone. None without clear
        pairs.
    p_value
        p-value of that difference.
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
        Mean sign and number of votes of the three pairs, without ties, in the direction of the
        cycle: all flows are positive.
    strength
        The smallest of the three flows in standard errors.
    p_value
        Share of consistent crowds with a cycle at least as strong anywhere.
    """

    items: tuple[Item, Item, Item]
    flows: tuple[float, float, float]
    votes: tuple[int, int, int]
    strength: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Consistency:
    """Tests of whether one ranking with one link explains the votes, and of cycles.

    Attributes
    ----------
    misfit
        Test of one ranking with any single monotone link and any share of lapses. Items or workers
        that are noisier than others cause misfit too, without any cycle.
    cycles
        Test of cyclic preferences, which no ranking explains under any noise.
    shape
        Shape of the fitted link.
    triangles
        The strongest cycles that are significant after correction for the number of triangles; none
        if the test of cycles is not significant.
    n_named
        Number of significant triangles.
    repeat_correlation
        Correlation of a worker's repeated votes on a pair that was allowed for, from 0 to 1; None
        without repeated votes, or with only one worker.
    reason
        Why the tests are not possible, in words; None if they are. The tests are then None.
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
        """Whether the votes could show a cycle."""
        return self.reason is None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"checkable": self.checkable, **asdict(self)}


CLEAR = 0.9  # probability of the favourite on a clear pair
SURE = 0.01  # significance level
NOTEWORTHY = 1.2  # ratio of observed and expected errors, either way
SLIPS = "mistakes even on clear pairs"
UNANIMOUS = "more unanimous on clear pairs than close pairs suggest"


def shape_of(signs: ComparisonGraph, link: FlexibleLink) -> LinkShape:
    """Compare the fitted link with the plain ones."""
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
    """Return expected and observed agreement with the ranking on clear pairs, and z."""
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


# Total number of simulated edges; more edges need fewer repetitions for the same accuracy.
EDGE_DRAWS, MOST_EDGE_DRAWS = 2_000_000, 25_000_000
FEWEST, ENOUGH, MOST = 39, 99, 499
SIGNIFICANT = 0.05
MOST_NAMED = 100
EQUAL = 1e-9  # tolerance for rounding
# Without triangles: standard errors up to which a pair may have no preference, and by which clearer
# pairs are made clearer. The weakest of many pairs were weakened by chance.
FAINT, GAIN = (0.0, 1.0, 2.0), 0.5


def assess_consistency(answered: AnsweredGraph) -> Consistency:
    """Test whether one ranking explains the votes, and find significant cycles.

    Both tests simulate votes of a crowd with one ranking. For *misfit* it is the best-fitting crowd
    with any single monotone link and any share of lapses. For *cycles* every pair has a strength of
    its own, so that unequal noise does not count as a cycle: the order is the one that majorities
    contradict least, and a pair whose majority contradicts it is even.

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
    cycles, largest = _cycles(crowd.graph, n)
    triangles: tuple[Cycle, ...] = ()
    n_named = 0
    if cycles.p_value < SIGNIFICANT:  # otherwise a second test would add false positives
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
    """Return the number of crowds to simulate, limited by running time."""
    n = np.clip(EDGE_DRAWS // n_edges, ENOUGH, MOST)
    return int(max(min(n, MOST_EDGE_DRAWS // n_edges), FEWEST))


def _why_not(answered: AnsweredGraph) -> str | None:
    """Return why no cycle could be found, or None."""
    graph = answered.graph
    if not _has_cycles(graph.i, graph.j, graph.n_items):
        return "the compared pairs form no cycle"
    if not graph.squares.any():
        return "all votes are ties"
    signs = answered.signs.graph
    if not _has_cycles(signs.i, signs.j, signs.n_items):
        return "the compared pairs form no cycle without the ties"
    often = signs.weights > 1 + 1e-9
    if not _has_cycles(signs.i[often], signs.j[often], signs.n_items):
        return "no cycle consists of pairs with more than one independent vote"
    return None


def _has_cycles(i: CodeArray, j: CodeArray, n: int) -> bool:
    return bool(len(i) > n - (laplacian.components(i, j, n).max(initial=-1) + 1))


def _misfit(crowd: TransitiveCrowd, n: int) -> Evidence:
    """Test the energy that scores do not explain."""
    graph = crowd.graph
    projection = GradientProjection(graph)

    def unexplained(y: FloatArray) -> FloatArray:
        return projection.energies(y) - projection.gradient_energies(y)

    rng, means = np.random.default_rng(1), crowd.means[:, None]
    draws = (redrawn_signs(means, graph.weights, size, rng) for size in batches(n, graph.n_edges))
    found = [unexplained(draw) for draw in draws]
    return _test(float(unexplained(graph.flows[:, None])[0]), np.concatenate(found))


def _cycles(graph: ComparisonGraph, n: int) -> tuple[Evidence, FloatArray]:
    """Return the test of cycles, and the strongest triangle of each simulated crowd.

    Many weak triangles show in their sum, a single strong one in the strongest: the statistic is
    the more surprising of the two.
    """
    if not graph.n_triangles:
        return _loops(graph, n), np.zeros(n)
    crowds = _simulated(graph, MajorityOrder.of(graph).transitive_means(), n, cyclic_triangles)
    surprises = _surprise(crowds)
    return _test(float(surprises[0]), surprises[1:]), crowds[-1, 1:]


def _loops(graph: ComparisonGraph, n: int) -> Evidence:
    """Test loops of a graph without triangles.

    The votes cannot tell whether a faint pair has a preference. A significant result is therefore
    tested again with crowds in which faint pairs have none; the largest p-value counts.
    """
    tests: list[Evidence] = []
    for faint in FAINT:
        means = MajorityOrder.of(graph, faint).transitive_means(GAIN)
        loops = _simulated(graph, means, n, cyclic_loops)[0]
        tests.append(_test(float(loops[0]), loops[1:]))
        if tests[-1].p_value >= SIGNIFICANT:
            break
    return max(tests, key=lambda test: test.p_value)


def _simulated(
    graph: ComparisonGraph,
    means: FloatArray,
    n: int,
    statistics: Callable[[ComparisonGraph, FloatArray], FloatArray],
) -> FloatArray:
    """Return the statistics (rows) of the votes, in the first column, and of n crowds."""
    rng, sizes = np.random.default_rng(2), batches(n, graph.n_edges)
    draws = (redrawn_signs(means[:, None], graph.weights, size, rng) for size in sizes)
    found = [statistics(graph, y) for y in (graph.flows[:, None], *draws)]
    return np.concatenate(found, axis=1)


def _surprise(crowds: FloatArray) -> FloatArray:
    """Return -log of the smaller p-value of each crowd among all, over two statistics."""
    n = crowds.shape[1]
    slack = EQUAL * np.maximum(np.abs(crowds), 1.0)
    p_values = [
        (n - np.searchsorted(np.sort(row), row - less, side="left")) / n
        for row, less in zip(crowds, slack, strict=True)
    ]
    return np.asarray(-np.log(np.min(p_values, axis=0)))


def _test(observed: float, redrawn: FloatArray) -> Evidence:
    slack = EQUAL * max(abs(observed), 1.0)
    hits = int(np.sum(redrawn >= observed - slack))
    n = len(redrawn)
    std = float(redrawn.std(ddof=1))
    return Evidence(observed, float(redrawn.mean()), std, (1 + hits) / (1 + n), n)


def _named(graph: ComparisonGraph, largest: FloatArray) -> tuple[tuple[Cycle, ...], int]:
    """Return the cycles of three that are significant at 5%, and their number."""
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
