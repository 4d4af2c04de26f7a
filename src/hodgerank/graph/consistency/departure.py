"""Which way the answers depart from the plain links: on the pairs that these call clear.

A plain link promises how often answers to clear pairs go with the ranking. Answers that slip more
often than even Bradley-Terry allows, whose tail is the longer one, have lapses; answers that
slip less often than even Thurstone allows saturate.
"""

from __future__ import annotations

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.consistency.link import PRIOR, FlexibleLink
from hodgerank.graph.consistency.result import LinkShape
from hodgerank.kernels.linalg.newton import maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.models.links import LIKELIHOODS, LINKS, likelihood_of
from hodgerank.types import FloatArray

CLEAR = 0.9  # chance of the favourite from which on a pair is clear
SURE = 0.01  # p-value
NOTEWORTHY = 1.2  # times as many slips as promised, or as few
SLIPS = "slips even on clear pairs"
UNANIMOUS = "more unanimous on clear pairs than close pairs promise"


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
