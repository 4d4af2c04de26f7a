"""assess_trust: decompose the votes and ask everything that should be asked of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hodgerank.data.reading.source import read_comparisons
from hodgerank.estimators.outliers import Outliers, outliers_among
from hodgerank.estimators.position.sides import assess_sides
from hodgerank.estimators.reliability.assess import reliability_of
from hodgerank.estimators.trust.report import TrustReport
from hodgerank.estimators.workers.assess import assess_answers
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency.assess import assess_consistency
from hodgerank.graph.decomposition import decompose_answers
from hodgerank.types import VotesLike

MANY_ANSWERS = 200_000  # of which two halves of the work are done side by side


def assess_trust(
    votes: VotesLike,
    *,
    n_shown: int = 5,
    with_workers: bool = True,
    with_split_half: bool = False,
) -> TrustReport:
    """Say how far a ranking of these votes can be trusted.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` takes.
    n_shown
        How many cycles and loops are named.
    with_workers
        Whether the workers are assessed, where they are known.
    with_split_half
        Whether halves of the votes are ranked and compared, which takes a hundred rankings.

    Examples
    --------
    >>> votes = [("a", "b", 1), ("b", "a", -1), ("b", "c", 1), ("a", "c", 1), ("c", "a", -1)] * 4
    >>> assess_trust(votes).verdict
    'nothing found that one ranking and noise do not explain'
    """
    answered = AnsweredGraph.of(read_comparisons(votes))

    def who_answered() -> tuple[Outliers, WorkerAssessment | None]:
        outliers = outliers_among(answered)
        if not (with_workers and answered.votes.n_workers):
            return outliers, None
        return outliers, assess_answers(answered, outliers)

    def what_was_answered() -> dict[str, Any]:
        return {
            "decomposition": decompose_answers(answered),
            "consistency": assess_consistency(answered),
            "sides": assess_sides(answered),
            "reliability": reliability_of(answered),
        }

    if answered.votes.n_answers < MANY_ANSWERS:
        found, (outliers, workers) = what_was_answered(), who_answered()
    else:
        with ThreadPoolExecutor(1) as pool:
            others = pool.submit(who_answered)
            found = what_was_answered()
            outliers, workers = others.result()
    return TrustReport(
        **found,
        outliers=outliers,
        workers=workers,
        n_shown=n_shown,
        with_split_half=with_split_half,
    )
