"""crowd_bt: Bradley-Terry scores with a reliability for each worker."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from hodgerank.data.comparisons import NO_WORKER, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.errors import require_positive
from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.posterior_mode import posterior_mode
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, Item, VotesLike

RIDGE = 1 / 9  # a prior of standard deviation 3 on the scores
MAX_ROUNDS = 200
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class CrowdBTRanking(Ranking):
    """A ranking with the reliability of each worker.

    Attributes
    ----------
    workers, reliability
        The workers, and for each the probability that a vote agrees with the crowd: 1 always, 1/2
        random, 0 never.
    """

    workers: tuple[Item, ...]
    reliability: FloatArray


def crowd_bt(
    votes: VotesLike,
    *,
    ridge: float = RIDGE,
    reliability: tuple[float, float] = (10.0, 1.0),
    confidence: float = 0.95,
) -> CrowdBTRanking:
    """Crowd-BT [Chen13]: P(worker k prefers i) = eta_k p + (1 - eta_k) (1 - p), p Bradley-Terry.

    Scores and reliabilities eta_k are estimated jointly, as the posterior mode, by EM. Votes
    without a worker are assigned to one additional worker. Intervals treat reliabilities as known.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    ridge
        Precision of the prior on the scores. The prior also connects disconnected groups of items.
    reliability
        Parameters of the Beta prior on eta.
    confidence
        Confidence level of the intervals.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = {"honest": 4, "adversarial": 1}
    >>> votes = hr.simulate_comparisons(8, 400, spread=3, workers=crowd, rng=0)
    >>> (crowd_bt(votes).reliability > 0.5).tolist()
    [True, True, True, True, False]
    """
    require_positive(ridge, "ridge")
    for value in reliability:
        require_positive(value, "reliability")
    votes = read_ungrouped(votes)
    require_choices(votes.report, "crowd_bt")
    alpha, beta = reliability
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    who = np.where(votes.worker == NO_WORKER, votes.n_workers, votes.worker)
    answered = np.bincount(who, weight, minlength=votes.n_workers + 1)
    eta = np.full(votes.n_workers + 1, alpha / (alpha + beta))
    chose_left = (1 + votes.outcome) / 2
    x = np.zeros(votes.n_items)
    change, rounds = np.inf, 0
    while change > TOLERANCE and rounds < MAX_ROUNDS:
        rounds += 1
        p = expit(x[votes.left] - x[votes.right])
        agreed, crowd_left = _shares(chose_left, p, eta[who])
        graph = ComparisonGraph.from_comparisons(
            replace(votes, outcome=np.clip(2 * crowd_left - 1, -1.0, 1.0))
        )
        fit, equations = posterior_mode(graph, "bradley-terry", 1 / ridge, x)
        total = np.bincount(who, weight * agreed, minlength=len(eta))
        better = (total + max(alpha - 1, 0)) / np.maximum(
            answered + max(alpha - 1, 0) + max(beta - 1, 0), 1e-12
        )
        better = np.where(answered > 0, np.clip(better, 1e-6, 1 - 1e-6), eta)
        change = max(float(np.abs(better - eta).max()), float(np.abs(fit.x - x).max(initial=0.0)))
        x, eta = fit.x, better
    ranking = Ranking.from_scores(
        graph,
        x,
        ModelCovariance(equations, 1.0),
        # expected votes of a reliable crowd are still choices
        belief=FoundBelief(replace(graph, squares=graph.weights), "bradley-terry"),
        has_prior=True,
        components=np.zeros(graph.n_items, np.int64),
        model="Crowd-BT",
        link="bradley-terry",
        confidence=confidence,
        ridge=ridge,
        iterations=rounds,
        residual=change,
        solver=fit.solver,
        converged=change <= TOLERANCE,
    )
    return ranking.extended(
        CrowdBTRanking, workers=votes.workers, reliability=eta[: votes.n_workers]
    )


def _shares(
    chose_left: FloatArray, p: FloatArray, eta: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities that votes agree with the crowd and that the crowd prefers left."""
    with_left = eta * p / (eta * p + (1 - eta) * (1 - p))
    with_right = eta * (1 - p) / (eta * (1 - p) + (1 - eta) * p)
    agreed = chose_left * with_left + (1 - chose_left) * with_right
    return agreed, chose_left * with_left + (1 - chose_left) * (1 - with_right)
