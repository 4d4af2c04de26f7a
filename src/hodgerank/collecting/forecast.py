"""forecast: how many more answers a target will take, and how sure that is."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from hodgerank.collecting.play import play
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.estimators.bayes import LINK, bayes_rank
from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.certainty import expected_tau
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.notebook import Displayed

if TYPE_CHECKING:
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item, Pair

MOST_PLAYED, MODEL_ITEMS = 2000, 1000
FEWEST_FUTURES = 8
MOST_PER_ITEM = 50  # answers; a target that takes more is out of reach
GROWTH = 1.3  # of the number of answers between two looks at a future


@dataclass(frozen=True, repr=False)
class Forecast(Displayed):
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

    def _headline(self) -> str:
        return str(self)

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

    Beyond 2,000 items whole campaigns are played on a model of 1,000: the tau that so many answers
    per item give does not depend on the number of items. What counts is how far it is from the tau
    of now to the target, as if this sampler had asked from the beginning.

    Takes seconds for a hundred items, and ten to twenty from a thousand on where the sampler is one
    for many items.

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
    now = expected_tau(sampler.ranking(), sampler.active_items)
    if now >= target:
        return Forecast(target, now, 0.0, 0.0, 0.0)
    graph = ComparisonGraph.from_comparisons(sampler.answers)
    rng = np.random.default_rng(0)
    evidence = FoundBelief(graph, LINK).evidence
    places, weights = evidence.possible()
    variances = [evidence.variance(k) for k in places]
    n_futures = int(np.clip(2000 / n, FEWEST_FUTURES, 20))
    drawn = rng.choice(variances, n_futures, p=weights).tolist()
    if n <= MOST_PLAYED:
        takes = [_play_on(sampler, graph, variance, target, rng) for variance in drawn]
    else:
        takes = [_play_model(sampler, now, variance, target, rng) for variance in drawn]
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
    belief = bayes_rank(graph, ridge=1 / variance)
    covariance = belief.covariance
    assert covariance is not None
    n = len(belief)
    tiny = 1e-12 * float(np.trace(covariance)) * np.eye(n)
    truth = belief.scores + np.linalg.cholesky(covariance + tiny) @ rng.standard_normal(n)
    scores = dict(zip(belief.items, truth.tolist(), strict=True))
    curve = _Curve(deepcopy(sampler), scores, variance, rng)
    return max(1.0, float(np.ceil(curve.answers_until(target) - sampler.n_answers)))


def _play_model(
    sampler: Sampler, now: float, variance: float, target: float, rng: np.random.Generator
) -> float:
    """The same from the way a small campaign takes from the tau of now to the target."""
    truth = np.sqrt(variance) * rng.standard_normal(MODEL_ITEMS)
    model = sampler.fresh(MODEL_ITEMS, seed=int(rng.integers(2**62)))
    curve = _Curve(model, dict(enumerate(truth.tolist())), variance, rng)
    reached_now = curve.answers_until(now)
    if not np.isfinite(reached_now):
        return float(np.inf)
    takes = (curve.answers_until(target) - reached_now) / MODEL_ITEMS
    return max(1.0, float(np.ceil(takes * len(sampler.active_items))))


class _Curve:
    """Expected tau by number of answers in one future, played as far as anybody wants to know."""

    def __init__(
        self,
        sampler: Sampler,
        scores: dict[Item, float],
        variance: float,
        rng: np.random.Generator,
    ) -> None:
        self.sampler, self.scores, self.variance, self.rng = sampler, scores, variance, rng
        self.furthest = sampler.n_answers + MOST_PER_ITEM * len(scores)
        self.answers = [sampler.n_answers]
        self.taus = [self._tau()]

    def answers_until(self, target: float) -> float:
        """Where it is first reached, infinite where it stays out of reach.

        Between two looks tau is taken as linear in 1 / sqrt(answers), which it is in the end.
        """
        while max(self.taus) < target:
            last, interval = self.answers[-1], max(1, len(self.scores) // 10)
            following = min(int(max(last * GROWTH, last + interval)), self.furthest)
            if following == last or not self._play_until(following):
                return float(np.inf)
            self.answers.append(self.sampler.n_answers)
            self.taus.append(self._tau())
        k = next(k for k, tau in enumerate(self.taus) if tau >= target)
        if not k:
            return float(self.answers[0])
        before, after = (1 / np.sqrt(1 + self.answers[place]) for place in (k - 1, k))
        share = (target - self.taus[k - 1]) / (self.taus[k] - self.taus[k - 1])
        return float((before + share * (after - before)) ** -2 - 1)

    def _play_until(self, n_answers: int) -> bool:
        """Whether there is as much to ask."""
        turns = play(self.sampler, self._judge)
        try:
            while self.sampler.n_answers < n_answers:
                next(turns)
        except NothingToAsk:
            return False
        return True

    def _judge(self, pair: Pair) -> float:
        difference = self.scores[pair.left] - self.scores[pair.right]
        return 1.0 if self.rng.random() < ndtr(difference) else -1.0

    def _tau(self) -> float:
        ranking = self.sampler.ranking()
        return expected_tau(ranking, self.sampler.active_items)
