"""forecast: how many more answers a target will take, and how sure that is."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.estimators.bayes import bayes_rank, variance_beliefs
from hodgerank.estimators.certainty import expected_tau
from hodgerank.graph.comparison_graph import ComparisonGraph

if TYPE_CHECKING:
    from hodgerank.sampling.protocol import Sampler

MOST_ITEMS = 2000
MOST_PER_ITEM = 50  # answers; a target that takes more is out of reach
GROWTH = 1.08  # of the number of answers between two looks at a future


@dataclass(frozen=True)
class Forecast:
    """How many more answers it will take.

    Attributes
    ----------
    target, now
        Expected tau that is wanted, and that of the answers so far.
    answers
        The median of the futures that were played; infinite beyond 50 answers per item.
    lower, upper
        Nine futures in ten lie between these.
    """

    target: float
    now: float
    answers: float
    lower: float
    upper: float

    def __str__(self) -> str:
        now = f"expected tau {self.now:.2f}"
        if self.now >= self.target:
            return f"{now}: the target {self.target:g} is reached"
        if not np.isfinite(self.answers):
            return f"{now}: {self.target:g} takes more answers than can be foreseen"
        upper = f"{self.upper:,.0f}" if np.isfinite(self.upper) else "far more"
        return (
            f"{now}; {self.target:g} takes about {self.answers:,.0f} more answers "
            f"({self.lower:,.0f} to {upper})"
        )


def forecast(sampler: Sampler, target: float) -> Forecast:
    """How many more answers this sampler needs until `expected_tau` reaches the target.

    Plays the campaign on, several times: scores are drawn from what is known about them (and about
    how far they spread), a copy of the sampler asks and is answered accordingly, and the answers
    are counted until the target is reached. The sampler itself is left as it is.

    Takes seconds for a hundred items, a minute for a thousand.

    Examples
    --------
    >>> import hodgerank as hr
    >>> sampler = hr.AutoSampler(["tea", "milk", "cola", "beer"], seed=1)
    >>> sampler.tell_many([("tea", "milk", 1), ("milk", "cola", 1), ("cola", "beer", 1)])
    >>> outlook = hr.forecast(sampler, 0.7)
    >>> outlook.lower <= outlook.answers <= outlook.upper
    True
    """
    if not 0 < target < 1:
        raise InvalidArgument(f"a target for tau lies between 0 and 1, not {target}")
    n = len(sampler.items)
    if n > MOST_ITEMS:
        raise InvalidArgument(f"{n:,} items: a forecast is limited to {MOST_ITEMS:,}")
    active = sampler.active_items
    now = expected_tau(sampler.ranking(), active)
    if now >= target:
        return Forecast(target, now, 0.0, 0.0, 0.0)
    graph = ComparisonGraph.from_comparisons(sampler.answers)
    rng = np.random.default_rng(0)
    variances, weights = variance_beliefs(graph)
    n_futures = int(np.clip(2000 / n, 8, 20))
    drawn = rng.choice(variances, n_futures, p=weights)
    takes = [_play_on(sampler, graph, variance, target, rng) for variance in drawn.tolist()]
    lower, median, upper = np.quantile(takes, [0.05, 0.5, 0.95], method="nearest")
    return Forecast(target, now, float(median), float(lower), float(upper))


def _play_on(
    sampler: Sampler,
    graph: ComparisonGraph,
    variance: float,
    target: float,
    rng: np.random.Generator,
) -> float:
    """Answers until the target in one future, infinite where it stays out of reach."""
    belief = bayes_rank(graph, prior_variance=variance)
    covariance = belief.covariance
    assert covariance is not None
    n = len(belief)
    tiny = 1e-12 * float(np.trace(covariance)) * np.eye(n)
    truth = belief.scores + np.linalg.cholesky(covariance + tiny) @ rng.standard_normal(n)
    score = dict(zip(belief.items, truth.tolist(), strict=True))
    future = deepcopy(sampler)
    start = future.n_answers
    due = start + 1.0
    while future.n_answers < start + MOST_PER_ITEM * n:
        try:
            pair = future.ask()
        except NothingToAsk:
            break
        left_wins = rng.random() < ndtr(score[pair.left] - score[pair.right])
        future.tell(pair, 1.0 if left_wins else -1.0)
        if future.n_answers >= due:
            due = max(due * GROWTH, future.n_answers + 1.0)
            ranking = bayes_rank(future.answers, prior_variance=variance)
            if expected_tau(ranking, future.active_items) >= target:
                return float(future.n_answers - start)
    return float(np.inf)
