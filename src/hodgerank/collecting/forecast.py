"""forecast: how many more answers a target will take, and how sure that is."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hodgerank.collecting.run import play
from hodgerank.collecting.stopping import ExpectedTau, RankingRule
from hodgerank.display import Displayed
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

if TYPE_CHECKING:
    from hodgerank.estimators.ranking import Believed, Ranking
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item, Pair

MOST_PLAYED, MODEL_ITEMS = 2000, 1000
FEWEST_FUTURES, MOST_FUTURES = 8, 24
MOST_PER_ITEM = 40  # answers that are played; what takes more is extrapolated
GROWTH = 1.3  # of the number of answers between two looks at a future, at most
FINEST = 1.04  # and at least
GROWING = 1.02  # what three times as many answers add to sureness at least, where they help
TINY = 1e-9
FARTHEST = 100.0  # times as many answers as were played: nobody can see that far
EARLY = 0.8  # of the answers until the target as it looks from here, to be there in time


@dataclass(frozen=True, repr=False)
class Forecast(Displayed):
    """How many more answers it will take.

    Attributes
    ----------
    rule
        What is wanted.
    now
        What it asks for, by the answers so far: expected tau, or certainty of the top.
    answers
        The median of the futures that were played, smoothed; infinite where most of them do not
        lead to the target.
    lower, upper
        Nine futures in ten lie between these.
    """

    rule: RankingRule
    now: float
    answers: float
    lower: float
    upper: float

    @property
    def target(self) -> float:
        """The value of `now` that is wanted."""
        return self.rule.target

    def _headline(self) -> str:
        return str(self)

    def __str__(self) -> str:
        now, target = self.rule.value_text(self.now), self.rule.target_text
        if not self.answers:
            return f"{now}: the target {target} is reached"
        if not np.isfinite(self.answers):
            return f"{now}: {target} is out of reach, or too far to be foreseen"
        upper = f"{self.upper:,.0f}" if np.isfinite(self.upper) else "far more"
        return (
            f"{now}; {target} takes about {self.answers:,.0f} more answers "
            f"({self.lower:,.0f} to {upper})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; null is more than can be foreseen."""
        numbers = {name: getattr(self, name) for name in ("answers", "lower", "upper")}
        return {
            "rule": str(self.rule),
            "target": self.target,
            "now": self.now,
            **{name: n if np.isfinite(n) else None for name, n in numbers.items()},
        }


def forecast(sampler: Sampler, target: float | RankingRule) -> Forecast:
    """How many more answers this sampler needs until a target is reached.

    Plays the campaign on, several times: scores are drawn from what is known about them (and about
    how far they spread), a copy of the sampler asks and is answered accordingly, and the answers
    are counted until the target is reached, by the same ranking that would stop the campaign.
    What takes more than 40 answers per item is extrapolated. The sampler itself is left as it is.

    Beyond 2,000 items whole campaigns are played on a model of 1,000: what so many answers per item
    give does not depend on the number of items. What counts is how far it is from now to the
    target, as if this sampler had asked from the beginning.

    Takes seconds for a hundred items, and ten to twenty from a thousand on where the sampler is one
    for many items.

    Parameters
    ----------
    sampler
        Who asks. If only some pairs can be asked, it has to know its `candidates`.
    target
        Expected tau, or a rule that looks at a ranking, such as `TopKCertain(5)`.

    Examples
    --------
    >>> import hodgerank as hr
    >>> sampler = hr.AutoSampler(["tea", "milk", "cola", "beer"], seed=1)
    >>> sampler.tell_many([("tea", "milk", 1), ("milk", "cola", 1), ("cola", "beer", 1)])
    >>> outlook = hr.forecast(sampler, 0.7)
    >>> outlook.lower <= outlook.answers <= outlook.upper
    True
    """
    rule = _read_rule(target)
    n = len(sampler.items)
    ranking = sampler.ranking()
    if n > MOST_PLAYED and not isinstance(rule, ExpectedTau):
        raise InvalidArgument(
            f"beyond {MOST_PLAYED:,} items only an expected tau is foreseen, not {rule}"
        )
    now = rule.value(ranking, sampler.active_items)
    if rule.holds(ranking, sampler.active_items):
        return Forecast(rule, now, 0.0, 0.0, 0.0)
    if sampler.n_answers and not sampler.answers.outcome.any():
        return Forecast(rule, now, np.inf, np.inf, np.inf)  # ties alone tell nothing apart
    n_futures = int(np.clip(2000 / n, FEWEST_FUTURES, MOST_FUTURES))
    if n <= MOST_PLAYED:
        takes = _play_on(sampler, ranking, rule, n_futures)
    else:
        takes = _play_model(sampler, ranking, rule, n_futures)
    # ties and grades tell more than the choices that were played
    takes = np.maximum(np.ceil(takes * ranking.dispersion), 1.0)
    lower, upper = np.quantile(takes, [0.05, 0.95], method="nearest")
    return Forecast(rule, now, _typical(takes), float(lower), float(upper))


def _read_rule(target: float | RankingRule) -> RankingRule:
    if isinstance(target, RankingRule):
        return target
    if isinstance(target, int | float | np.number):
        return ExpectedTau(float(target))
    raise InvalidArgument(
        "a target is an expected tau, or one rule that looks at a ranking, such as "
        f"TopKCertain(5), not {target!r}"
    )


def _typical(takes: FloatArray) -> float:
    """The median, smoothed: the geometric mean of the middle third."""
    takes = np.sort(takes)
    third = len(takes) // 3
    middle = takes[third : len(takes) - third]
    return float(np.round(np.exp(np.log(middle).mean()))) if np.isfinite(middle).all() else np.inf


def _play_on(sampler: Sampler, ranking: Ranking, rule: RankingRule, n_futures: int) -> FloatArray:
    """Answers until the target in each future, infinite where pairs do not suffice.

    The same luck every time in a campaign, so that forecasts differ by what was learned between
    them, and another in every other campaign.
    """
    start = _Start.of(deepcopy(sampler), rule)
    beliefs = ranking.beliefs
    upto = np.cumsum([belief.share for belief in beliefs])
    takes = []
    for future in range(n_futures):
        rng = np.random.default_rng((sampler.seed, future))
        place = int(np.searchsorted(upto, (future + 0.5) / n_futures * upto[-1]))
        truth = _drawn(beliefs[min(place, len(beliefs) - 1)], rng)
        scores = dict(zip(ranking.items, truth.tolist(), strict=True))
        path = _Path(deepcopy(start), scores, ranking.link, rule, rng)
        takes.append(path.answers_until(rule.needed) - sampler.n_answers)
    return np.array(takes)


def _drawn(belief: Believed, rng: np.random.Generator) -> FloatArray:
    """Scores as they may truly be."""
    assert belief.covariance is not None  # up to MOST_PLAYED items
    n = len(belief.scores)
    tiny = 1e-12 * float(np.trace(belief.covariance)) * np.eye(n)
    factor = np.linalg.cholesky(belief.covariance + tiny)
    return np.asarray(belief.scores + factor @ rng.standard_normal(n))


def _play_model(
    sampler: Sampler, ranking: Ranking, rule: RankingRule, n_futures: int
) -> FloatArray:
    """The same from the way that small campaigns take from what is reached now to the target."""
    now = rule.sureness(ranking, sampler.active_items)
    takes = []
    for future in range(n_futures):
        rng = np.random.default_rng((sampler.seed, future))
        truth = ranking.ridge**-0.5 * rng.standard_normal(MODEL_ITEMS)
        model = sampler.fresh(MODEL_ITEMS, seed=int(rng.integers(2**62)))
        scores: dict[Item, float] = dict(enumerate(truth.tolist()))
        path = _Path(_Start.of(model, rule), scores, ranking.link, rule, rng)
        reached_now = path.answers_until(now)
        takes.append((path.answers_until(rule.needed) - reached_now) / MODEL_ITEMS)
    return np.array(takes) * len(sampler.active_items)


class _Start(NamedTuple):
    """A sampler from which futures begin, and how sure the rule is there."""

    sampler: Sampler
    sure: float

    @classmethod
    def of(cls, sampler: Sampler, rule: RankingRule) -> _Start:
        """What every future needs, found out once: who can be trusted, and how sure one is."""
        sampler.prepare_to_stop()
        sampler.freeze_workers()
        return cls(sampler, _sureness(sampler, rule))


class _Path:
    """How sure a rule is by number of answers in one future, played as far as is wanted."""

    def __init__(
        self,
        start: _Start,
        scores: dict[Item, float],
        link: str,
        rule: RankingRule,
        rng: np.random.Generator,
    ) -> None:
        sampler = start.sampler
        self._sampler, self._scores, self._link = sampler, scores, link
        self._rule, self._rng = rule, rng
        self._leans = list(sampler.leans.items())
        self._furthest = sampler.n_answers + MOST_PER_ITEM * len(scores)
        self._is_exhausted = False
        self._answers = [sampler.n_answers]
        self._sure = [start.sure]

    def answers_until(self, needed: float) -> float:
        """Where it is first reached, infinite where pairs do not suffice.

        Between two looks, and beyond the last, sureness is taken as linear in the square root of
        the answers, which it is in the end.
        """
        while max(self._sure) < needed and self._answers[-1] < self._furthest:
            if self._is_exhausted:
                return float(np.inf)
            self._play_until(self._next_look(needed))
            self._answers.append(self._sampler.n_answers)
            self._sure.append(_sureness(self._sampler, self._rule))
        if max(self._sure) < needed:
            return self._extrapolated(needed)
        k = next(k for k, sure in enumerate(self._sure) if sure >= needed)
        if not k:
            return float(self._answers[0])
        before, after = (np.sqrt(self._answers[place]) for place in (k - 1, k))
        share = (needed - self._sure[k - 1]) / (self._sure[k] - self._sure[k - 1])
        return float((before + share * (after - before)) ** 2)

    def _extrapolated(self, needed: float) -> float:
        """As the square root of the answers from here on; infinite where nothing grows any more."""
        answers, sure = np.array(self._answers), np.array(self._sure)
        earlier = answers <= answers[-1] / 3
        if earlier.any() and sure[-1] < GROWING * sure[earlier][-1]:
            return np.inf
        farther = float((needed / max(sure[-1], TINY)) ** 2)
        return farther * float(answers[-1]) if farther <= FARTHEST else np.inf

    def _next_look(self, needed: float) -> int:
        """Some way ahead, but not past where the target seems to be."""
        last, sure = self._answers[-1], max(self._sure[-1], needed / 10)
        seems = EARLY * last * (needed / sure) ** 2
        finest = max(last * FINEST, last + max(1, len(self._scores) // 10))
        return min(int(max(min(seems, last * GROWTH), finest)), self._furthest)

    def _play_until(self, n_answers: int) -> None:
        turns = play(self._sampler, self._judge)
        try:
            while self._sampler.n_answers < n_answers:
                next(turns)
        except NothingToAsk:
            self._is_exhausted = True

    def _judge(self, pair: Pair) -> tuple[float, Item | None]:
        """One of those who have answered, leaning as they do; nobody in particular if none does."""
        worker, lean = None, 0.0
        if self._leans:
            worker, lean = self._leans[int(self._rng.integers(len(self._leans)))]
        difference = np.asarray(self._scores[pair.left] - self._scores[pair.right] + lean)
        chance = float(LINKS[self._link].cdf(difference))
        return (1.0 if self._rng.random() < chance else -1.0), worker


def _sureness(sampler: Sampler, rule: RankingRule) -> float:
    return rule.sureness(sampler.ranking(), sampler.active_items)
