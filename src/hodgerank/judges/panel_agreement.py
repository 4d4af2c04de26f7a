"""Agreement of the judges of a panel on the questions that several of them got."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.reliability.agreement import agreement
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.judges.chat_judge import Judged
from hodgerank.types import IntArray

FEWEST_CLUSTERS, MOST_CLUSTERS = 10, 40  # of an interval


@dataclass(frozen=True)
class PanelAgreement:
    """Krippendorff's alpha of judges on the same questions: pairs within prompts.

    Attributes
    ----------
    alpha
        1 is perfect agreement, 0 is chance.
    lower, upper
        95% confidence interval for new prompts with these judges, or for new questions if there are
        fewer than ten prompts; None with fewer than ten questions.
    n_questions
        Questions that at least two judges answered.
    n_judges
        Number of these judges.
    """

    alpha: float
    lower: float | None
    upper: float | None
    n_questions: int
    n_judges: int


def panel_agreement(calls: Iterable[Judged]) -> PanelAgreement | None:
    """Return the agreement of judges; None if no two of them answered the same question.

    The interval is that of a jackknife over prompts, with Student's t.
    """
    answered = [call for call in calls if call.verdict.outcome is not None]
    if not answered:
        return None
    votes = _votes(answered)
    found = agreement(AnsweredGraph.of(votes))
    if found is None:
        return None
    place = _clusters(votes)
    lower = upper = None
    n = int(place.max()) + 1
    if n >= FEWEST_CLUSTERS:
        others = [agreement(AnsweredGraph.of(votes.select(place != k))) for k in range(n)]
        alphas = np.array([other.alpha for other in others if other is not None])
        if len(alphas) == n:
            error = np.sqrt((n - 1) / n * np.sum((alphas - alphas.mean()) ** 2))
            half = float(stdtrit(n - 1, 0.975) * error)
            lower, upper = found.alpha - half, min(found.alpha + half, 1.0)
    return PanelAgreement(found.alpha, lower, upper, found.n_pairs, found.n_workers)


def _votes(calls: Sequence[Judged]) -> Comparisons:
    """Return the votes, with contexts as units."""
    items, judges, contexts = (
        {name: code for code, name in enumerate(dict.fromkeys(names))}
        for names in (
            [item for call in calls for item in call.pair],
            [call.model for call in calls],
            [call.context for call in calls],
        )
    )
    return Comparisons(
        items=tuple(items),
        left=np.array([items[call.pair.left] for call in calls], np.int32),
        right=np.array([items[call.pair.right] for call in calls], np.int32),
        outcome=np.array([call.verdict.outcome for call in calls], float),
        workers=tuple(judges),
        worker=np.array([judges[call.model] for call in calls], np.int32),
        ballot=np.array([contexts[call.context] for call in calls], np.int32),
        units=tuple(map(str, contexts)),
    )


def _clusters(votes: Comparisons) -> IntArray:
    """Return the cluster of each vote: its prompt, or its question if there are few prompts.

    Votes on a question are in one cluster. Many clusters are joined at random.
    """
    assert votes.ballot is not None
    cluster = votes.ballot.astype(np.int64)
    if votes.n_ballots < FEWEST_CLUSTERS:
        low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
        keys = np.column_stack([cluster, low, high])
        cluster = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    names, place = np.unique(cluster, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(names))
    return np.asarray(order[place] % MOST_CLUSTERS)
