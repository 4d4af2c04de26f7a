"""How much mean answers vary around what scores make of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.estimators.dispersion import dispersion_around
from hodgerank.estimators.flows import CHOICE, LinkName
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray

PERFECT_NOTE = (
    "the scores fit every answer, so the noise cannot be estimated: standard errors assume one "
    "more answer with the largest noise"
)
FEW_ANSWERS = 10  # to a pair, below which the arcsine of their mean is far from straight
# Share of unanimous pairs times root mean square of the scores in standard errors. Beyond it 95 %
# intervals of smoothed flows covered 77 % on average in simulations, below it 97 %.
SHRUNK = 0.5


class Noise(NamedTuple):
    """Variance of a unit of weight, and how well it is known."""

    variance: float
    freedom: float | None
    largest: float
    notes: tuple[str, ...]


def noise_of_answers(graph: ComparisonGraph, rss: float, unit: float, n_others: int = 0) -> Noise:
    """Residual variance s^2 = RSS / (m - n + components - others), which must not vanish by chance.

    Answers that fit perfectly, or leave nothing over to check the fit with, do not show that
    there is no noise: one pseudo-answer of variance `unit` then keeps the intervals open. No
    answer has more, which bounds what Student's t makes of few degrees of freedom.
    """
    freedom = max(graph.n_answers - graph.n_items + graph.n_components - n_others, 0)
    notes: tuple[str, ...] = ()
    if not (freedom and rss > 0):
        freedom, rss, notes = freedom + 1, rss + unit, (PERFECT_NOTE,)
    return Noise(rss / freedom, freedom, unit, notes)


def noise_of_edges(
    graph: ComparisonGraph, link: LinkName, rss: float, unit: float, means: FloatArray
) -> Noise:
    """The same of mean answers to edges, whose variance is known from the number of answers.

    Few edges may fit better than the answers behind them allow; more noise than that is seen
    where the link does not fit, or where the answers to a pair are too few for the delta method.
    """
    parameters = graph.n_items - graph.n_components
    least = unit * dispersion_around(graph, means, parameters)
    freedom = graph.n_edges - parameters
    if freedom <= 0 or rss / freedom <= least:
        return Noise(least, None, np.inf, ())
    if link in CHOICE:  # no answer varies more than between its two flows
        return Noise(rss / freedom, freedom, unit * CHOICE[link] ** 2, ())
    return Noise(rss / freedom, None, np.inf, ())


def few_answers_notes(
    graph: ComparisonGraph, link: LinkName, smoothing: float, size: float
) -> tuple[str, ...]:
    """What too few answers to a pair do to flows in the scale of a link.

    `size` is the root mean square of the scores in standard errors.
    """
    answers = float(np.median(graph.effective_counts))
    if link == "angular" and not smoothing and answers < FEW_ANSWERS:
        return (
            f"pairs have {answers:.3g} answers (median), whose arcsine stretches the scores: below "
            f"{FEW_ANSWERS} by up to 54 % in simulations, where 95 % intervals covered 90 to 99 %; "
            "use thurstone_mosteller or bayes_rank",
        )
    unanimous = float(np.mean(np.abs(graph.flows) == 1))
    if not smoothing or unanimous * size <= SHRUNK:
        return ()
    better = "thurstone_mosteller" if link == "thurstone-mosteller" else "bradley_terry"
    return (
        f"{unanimous:.0%} of the pairs are unanimous ({answers:.3g} answers per pair): smoothing "
        f"by {smoothing:g} answers pulls the scores together and intervals are too short (95 % "
        f"intervals of such votes covered 77 % in simulations); use {better} or bayes_rank",
    )
