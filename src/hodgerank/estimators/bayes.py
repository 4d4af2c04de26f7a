"""bayes_rank: scores with a prior that the answers choose, so that few answers are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hodgerank.errors import InvalidComparisons, require_positive
from hodgerank.estimators.belief import FoundBelief, GivenBelief
from hodgerank.estimators.covariance import Equations, ModelCovariance
from hodgerank.estimators.dispersion import tempered
from hodgerank.estimators.likelihood import weight_notes
from hodgerank.estimators.most_probable import TOLERANCE, not_converged, posterior_mode
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.building import build_graph
from hodgerank.types import VotesLike

if TYPE_CHECKING:
    from hodgerank.estimators.position.adjusting import Position

LINK = "thurstone-mosteller"


def bayes_rank(
    votes: VotesLike,
    *,
    ridge: float | None = None,
    position: Position | None = None,
    confidence: float = 0.95,
) -> Ranking:
    """Scores under the probit model with a Gaussian prior, for few answers or many.

    P(i beats j) is the standard normal distribution function of x_i - x_j, and the scores have
    prior N(0, v). Finds their most probable values and, around them, the Gaussian of the same
    curvature. v is the one the answers make most probable (Laplace's approximation of the
    evidence), so weak opinions are shrunk much and strong ones little. Thanks to the prior all
    items are ranked together, also those that no chain of comparisons joins yet: their uncertainty
    says so. Ties and grades vary less than choices; by their `dispersion` they count for more.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` takes. Items without any
        answer are ranked too.
    ridge
        1/v, the precision of the scores, if it is known.
    position
        As in `bradley_terry`.
    confidence
        Level of the intervals.

    Examples
    --------
    >>> ranking = bayes_rank([("a", "b", 1), ("a", "b", 1), ("c", "d", 1)])
    >>> ranking.items, ranking.n_components
    (('a', 'c', 'd', 'b'), 1)
    """
    if ridge is not None:
        require_positive(ridge, "ridge")
    graph = build_graph(votes)
    if not graph.n_items:
        raise InvalidComparisons("there are no items to rank")
    notes = weight_notes(graph)
    found = FoundBelief(graph, LINK)
    equations: Equations
    if position is not None:
        from hodgerank.estimators.position.believing import believed_sides

        sides, found = believed_sides(votes, position, LINK, ridge)
        graph, fit, equations = sides.graph, sides.as_newton, sides.equations
        notes += (sides.note,)
    elif ridge is not None:
        answers = tempered(graph, found.dispersion)
        fit, equations = posterior_mode(answers, LINK, 1 / ridge, np.zeros(graph.n_items))
    else:
        fit, equations = found.evidence.best
    converged = fit.residual <= TOLERANCE
    covariance = ModelCovariance(equations, 1.0)
    return Ranking.from_scores(
        graph,
        fit.x,
        covariance,
        belief=found if ridge is None else GivenBelief(fit.x, covariance),
        dispersion=found.dispersion,
        joined=True,
        model="maximum a posteriori",
        link=LINK,
        confidence=confidence,
        ridge=equations.ridge,
        iterations=fit.iterations,
        residual=fit.residual,
        solver=fit.solver,
        converged=converged,
        notes=notes + (() if converged else (not_converged(fit),)),
    )
