"""Sides under a prior on the scores that the answers choose: both are found in turns."""

from __future__ import annotations

import numpy as np

from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.dispersion import USUAL_VARIANCE, dispersion_of
from hodgerank.estimators.position.adjusting import Position, WithoutSides, take_out_sides
from hodgerank.estimators.priors import Scope
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.building import single_answers
from hodgerank.types import VotesLike

ROUNDS = 5
SETTLED = 0.02  # change of the logarithm of the precision that makes no difference


def believed_sides(
    votes: VotesLike, position: Position, link: str, ridge: float | None
) -> tuple[WithoutSides, FoundBelief]:
    """Votes without sides, and what they make probable; `ridge` is the precision if it is known."""
    answers = single_answers(votes, f"position={position!r} (--sides {position})")
    answered = AnsweredGraph.of(answers)
    dispersion = dispersion_of(answered.graph, link)
    precision = 1 / USUAL_VARIANCE[link] if ridge is None else ridge
    for _ in range(ROUNDS):
        sides = take_out_sides(
            answered, position, link, ridge=precision, dispersion=dispersion, joined=True
        )
        # leans are known under independent scores alone, and so are the errors they add
        found = FoundBelief(sides.graph, link, scope=Scope(sides.graph.n_items))
        if ridge is not None:
            break
        previous, precision = precision, found.evidence.best.equations.ridge
        if abs(np.log(precision / previous)) < SETTLED:
            break
    return sides, found
