"""forecast: how many more votes a target needs, with an interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hodgerank.collecting.stopping import ExpectedTau, RankingRule
from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.display import Displayed
from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

if TYPE_CHECKING:
    from hodgerank.estimators.ranking import PosteriorPart, Ranking
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item, Pair

MOST_PLAYED, MODEL_ITEMS = 2000, 1000
CONTINUATIONS = 19  # the least number whose extremes are the ends of a 90% interval
OUTSIDE = 0.1  # of the intervals
NARROW = 3.0  # upper over lower end up to which a point estimate is given
FEW_VOTES = 8  # per item, below which the spread of scores explains most of the range
UNKNOWN_SPREAD = "main unknown: how widely quality is spread among the items"
SIMULATED = 4000  # votes of a continuation at most; more are extrapolated
PER_ITEM = (16.0, 40.0)  # fewest and most of them per item
# Pairs asked at once: a tenth of the votes so far, but at first no more than a quarter of those
# simulated, so that a target close by is reached in time; at least a tenth per item.
AT_ONCE, FIRST = 10, 4
# Votes between two looks, relative to their number, at most: near the target, and far.
GROWTH = (1.3, 2.0)
FINEST = 1.03  # and at least
GROWING = 1.02  # least gain in certainty by three times as many votes, if they help
TINY = 1e-9
# Shapes of the true scores: 0 is a draw of the posterior, 1 evenly spaced.
SHAPES = (0.0, 0.25, 0.5, 0.75, 1.0)
# The other link, and the ratio of its noise; the logistic has standard deviation pi/sqrt(3).
OTHER_LINK = {
    "thurstone-mosteller": ("bradley-terry", math.pi / math.sqrt(3)),
    "bradley-terry": ("thurstone-mosteller", math.sqrt(3) / math.pi),
}
SCALES = (0.7, 0.8, 0.9, 1.0, 1.15, 1.3)  # of this ratio, equally probable
FARTHEST = 100.0  # times the simulated votes: beyond that, no forecast
EARLY = 0.8  # of the expected votes until the target, so as not to overshoot it


@dataclass(frozen=True, repr=False)
class Forecast(Displayed):
    """Forecast of the votes that a target still needs.

    Attributes
    ----------
    rule
        The target.
    now
        Current value of what the rule measures, such as the expected tau.
    votes
        Smoothed median of the simulated continuations; infinite if most of them do not reach the
        target. It says little unless `is_narrow`.
    lower, upper
        A 90% interval: the least and the most of 19 simulated continuations. An infinite end is
        beyond the range of the forecast.
    spread_is_unknown
        Whether there are so few votes per item that the range is mostly due to the unknown spread
        of the true scores.
    """

    rule: RankingRule
    now: float
    votes: float
    lower: float
    upper: float
    spread_is_unknown: bool = False

    @property
    def target(self) -> float:
        """Target value of `now`."""
        return self.rule.target

    @property
    def is_reached(self) -> bool:
        """Whether no more votes are needed."""
        return not self.upper

    @property
    def is_out_of_reach(self) -> bool:
        """Whether no continuation reaches the target, or all are too long to simulate."""
        return not np.isfinite(self.lower)

    @property
    def is_narrow(self) -> bool:
        """Whether the upper end is at most three times the lower: `votes` is then an estimate."""
        return bool(np.isfinite(self.upper)) and self.upper <= NARROW * self.lower

    def _headline(self) -> str:
        return str(self)

    def __str__(self) -> str:
        now, target = self.rule.value_text(self.now), self.rule.target_text
        if self.is_reached:
            return f"{now}: target {target} reached"
        if self.is_out_of_reach:
            return f"{now}; {target} is out of reach, or too far away to forecast"
        if not np.isfinite(self.votes):
            return f"{now}; {target} is out of reach, or at least {self.lower:,.0f} more votes away"
        how = ""
        if self.is_narrow:
            how = f" (about {self.votes:,.0f})"
        elif self.spread_is_unknown:
            how = f" ({UNKNOWN_SPREAD})"
        if not np.isfinite(self.upper):
            return f"{now}; at least {self.lower:,.0f} more votes to reach {target}{how}"
        return f"{now}; {self.lower:,.0f} to {self.upper:,.0f} more votes to reach {target}{how}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; null means beyond the range of the forecast."""
        numbers = {name: getattr(self, name) for name in ("votes", "lower", "upper")}
        return {
            "rule": str(self.rule),
            "target": self.target,
            "now": self.now,
            **{name: n if np.isfinite(n) else None for name, n in numbers.items()},
            "spread_is_unknown": self.spread_is_unknown,
        }


def forecast(
    sampler: Sampler, target: float | RankingRule, ranking: Ranking | None = None
) -> Forecast:
    """Forecast how many more votes this sampler needs to reach a target.

    Simulates continuations of the campaign: true scores (and their spread) are drawn from the
    posterior, a copy of the sampler asks, simulated votes answer, and votes are counted until the
    target is reached by the same ranking that would stop the campaign. Beyond 40 votes per item the
    result is extrapolated. The sampler itself is not changed.

    Beyond 2,000 items, whole campaigns are simulated with 1,000 items, since the effect of a number
    of votes per item hardly depends on the number of items. The forecast is the difference between
    the current value and the target, as if this sampler had asked from the beginning.

    Takes seconds for a hundred items, and ten to twenty seconds for a thousand or more with a
    sampler for many items.

    Parameters
    ----------
    sampler
        Sampler that asks. If only some pairs can be asked, it must know its `candidates`.
    target
        Expected tau, or a rule on a ranking, such as `TopKCertain(5)`.
    ranking
        The current ranking, if it is known; default: `sampler.ranking()`.

    Examples
    --------
    >>> import hodgerank as hr
    >>> sampler = hr.AutoSampler(["tea", "milk", "cola", "beer"], seed=1)
    >>> sampler.tell_many([("tea", "milk", 1), ("milk", "cola", 1), ("cola", "beer", 1)])
    >>> outlook = hr.forecast(sampler, 0.7)
    >>> outlook.lower <= outlook.votes <= outlook.upper
    True
    """
    return forecasts(sampler, [target], ranking)[0]


def forecasts(
    sampler: Sampler, targets: Iterable[float | RankingRule], ranking: Ranking | None = None
) -> tuple[Forecast, ...]:
    """Forecast several targets from the same simulated continuations."""
    rules = [_read_rule(target) for target in targets]
    n, active = len(sampler.items), sampler.active_items
    ranking = sampler.ranking() if ranking is None else ranking
    for rule in rules:
        if n > MOST_PLAYED and not isinstance(rule, ExpectedTau):
            raise InvalidArgument(
                f"beyond {MOST_PLAYED:,} items only expected tau can be forecast, not {rule}"
            )
    found = dict.fromkeys(rules, (0.0, 0.0, 0.0))
    wanted = [rule for rule in rules if not rule.holds(ranking, active)]
    if sampler.n_votes and not sampler.votes.outcome.any():  # ties alone distinguish no items
        found |= dict.fromkeys(wanted, (np.inf, np.inf, np.inf))
    elif wanted:
        play = _play_on if n <= MOST_PLAYED else _play_model
        with few_threads(n):  # else threads wait for each other between thousands of small steps
            takes = play(sampler, ranking, wanted)
        takes = np.ceil(
            takes * ranking.dispersion
        )  # ties and grades are more informative than the choices simulated
        found |= zip(wanted, map(_range, np.maximum(takes, 1.0)), strict=True)
    is_unknown = sampler.n_votes < FEW_VOTES * len(active)
    return tuple(
        Forecast(rule, rule.value(ranking, active), *found[rule], is_unknown) for rule in rules
    )


def _read_rule(target: float | RankingRule) -> RankingRule:
    if isinstance(target, RankingRule):
        return target
    if isinstance(target, int | float | np.number):
        return ExpectedTau(float(target))
    raise InvalidArgument(
        "a target must be an expected tau, or one rule on a ranking such as TopKCertain(5), not "
        f"{target!r}"
    )


def _range(takes: FloatArray) -> tuple[float, float, float]:
    """Return the median of the simulated continuations, and an interval by order statistics.

    The r-th smallest and the r-th largest of N draws enclose the next one with probability
    (N + 1 - 2r) / (N + 1). Quantiles interpolated between the draws would enclose it less often.
    """
    takes = np.sort(takes)
    r = max(1, int(OUTSIDE / 2 * (len(takes) + 1)))
    return _typical(takes), float(takes[r - 1]), float(takes[-r])


def _typical(takes: FloatArray) -> float:
    """Return a smoothed median of sorted numbers: the geometric mean of the middle third."""
    third = len(takes) // 3
    middle = takes[third : len(takes) - third]
    return float(np.round(np.exp(np.log(middle).mean()))) if np.isfinite(middle).all() else np.inf


def _play_on(sampler: Sampler, ranking: Ranking, rules: Sequence[RankingRule]) -> FloatArray:
    """Return the votes until each target (rows) in each continuation; infinite if pairs run out."""
    return np.stack(list(continuations(sampler, ranking, rules)), axis=1)


def continuations(
    sampler: Sampler,
    ranking: Ranking,
    rules: Sequence[RankingRule],
    most_votes: float = np.inf,
) -> Iterator[FloatArray]:
    """Simulate continuations one by one, and yield the votes until each target.

    A continuation ends after `most_votes` more votes; a target not reached by then takes more.
    Random numbers are the same for every forecast of a campaign, so that forecasts differ only by
    the votes between them.
    """
    start = deepcopy(sampler)
    start.prepare_to_stop()
    start.freeze_workers()  # the reliability of workers is estimated once
    first = start.ranking()
    sure = [rule.sureness(first, start.active_items) for rule in rules]
    truths = _Truths(sampler.votes, ranking)
    for k in range(CONTINUATIONS):
        rng = np.random.default_rng((sampler.seed, k))
        crowd = truths.draw((k + rng.random()) / CONTINUATIONS, rng)
        future = _Future(deepcopy(start), crowd, rng, most_votes)
        watches = [
            _Watch(rule, rule.needed, future, now) for rule, now in zip(rules, sure, strict=True)
        ]
        yield np.array(future.answers_until(watches)) - sampler.n_votes


class _Crowd(NamedTuple):
    """True scores, and the link by which a simulated crowd votes.

    `scale` is the factor between these scores and those of the ranking.
    """

    scores: dict[Item, float]
    link: str
    scale: float = 1.0


class _Truths:
    """The posterior of the true scores, including their spread, the shape of their distribution,
    and the link.

    The posterior of the ranking is a mixture over the plausible spreads, and each part assumes
    normal scores and one link. Normal scores contain close pairs, which take many votes; evenly
    spaced ones do not. The prior of the shape is uniform between the two. Either link is equally
    probable: with the other one, the same votes mean a different distance of close items.
    """

    def __init__(self, votes: Comparisons, ranking: Ranking) -> None:
        self._items, self._link = ranking.items, ranking.link
        self._parts = ranking.posterior_parts
        self._upto = np.cumsum([part.share for part in self._parts])
        row = {item: k for k, item in enumerate(self._items)}
        codes = np.array([row[item] for item in votes.items], np.int64)
        self._left, self._right = codes[votes.left], codes[votes.right]
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight
        weight = weight / ranking.dispersion
        self._wins, self._losses = (weight * (1 + sign * votes.outcome) / 2 for sign in (1, -1))

    def draw(self, share: float, rng: np.random.Generator) -> _Crowd:
        """Draw a crowd; `share` is the quantile of the spread."""
        place = int(np.searchsorted(self._upto, share * self._upto[-1]))
        normal = _drawn(self._parts[min(place, len(self._parts) - 1)], rng)
        even = _evenly_spaced(normal)
        shapes = [normal + evenness * (even - normal) for evenness in SHAPES]
        scores = shapes[self._drawn_by_likelihood([(shape, self._link) for shape in shapes], rng)]
        other, ratio = OTHER_LINK.get(self._link, OTHER_LINK["bradley-terry"])
        scales = [1.0] * len(SCALES) + [ratio * scale for scale in SCALES]
        links = [self._link] * len(SCALES) + [other] * len(SCALES)
        crowds = [(scale * scores, link) for scale, link in zip(scales, links, strict=True)]
        k = self._drawn_by_likelihood(crowds, rng)
        return _Crowd(
            dict(zip(self._items, crowds[k][0].tolist(), strict=True)), links[k], scales[k]
        )

    def _drawn_by_likelihood(
        self, crowds: Sequence[tuple[FloatArray, str]], rng: np.random.Generator
    ) -> int:
        """Draw the place of a crowd with probability proportional to its likelihood."""
        heights = np.array([self._log_likelihood(*crowd) for crowd in crowds])
        upto = np.cumsum(np.exp(heights - heights.max()))
        return int(np.searchsorted(upto, rng.random() * upto[-1]))

    def _log_likelihood(self, scores: FloatArray, link: str) -> float:
        """Return the log-likelihood of the votes; those of each worker count in full."""
        p = LINKS[link].cdf(scores[self._left] - scores[self._right])
        p = np.clip(p, TINY, 1 - TINY)
        return float(self._wins @ np.log(p) + self._losses @ np.log1p(-p))


def _drawn(belief: PosteriorPart, rng: np.random.Generator) -> FloatArray:
    """Draw true scores from the posterior."""
    assert belief.covariance is not None  # up to MOST_PLAYED items
    n = len(belief.scores)
    tiny = 1e-12 * float(np.trace(belief.covariance)) * np.eye(n)
    factor = np.linalg.cholesky(belief.covariance + tiny)
    return np.asarray(belief.scores + factor @ rng.standard_normal(n))


def _evenly_spaced(scores: FloatArray) -> FloatArray:
    """Return evenly spaced scores with the same order, mean and standard deviation."""
    even = np.empty(len(scores))
    even[np.argsort(scores)] = np.arange(len(scores)) - (len(scores) - 1) / 2
    return np.asarray(scores.mean() + even * (scores.std() / max(even.std(), TINY)))


def _play_model(sampler: Sampler, ranking: Ranking, rules: Sequence[RankingRule]) -> FloatArray:
    """Return the same, from small simulated campaigns between the current value and the target."""
    now = [rule.sureness(ranking, sampler.active_items) for rule in rules]
    takes = np.empty((len(rules), CONTINUATIONS))
    for k in range(CONTINUATIONS):
        rng = np.random.default_rng((sampler.seed, k))
        truth = ranking.ridge**-0.5 * rng.standard_normal(MODEL_ITEMS)
        model = sampler.fresh(MODEL_ITEMS, seed=int(rng.integers(2**62)))
        model.prepare_to_stop()
        first = model.ranking()
        crowd = _Crowd(dict(enumerate(truth.tolist())), ranking.link)
        future = _Future(model, crowd, rng)
        watches = [
            _Watch(rule, needed, future, rule.sureness(first, model.active_items))
            for rule, reached in zip(rules, now, strict=True)
            for needed in (reached, rule.needed)
        ]
        between = np.reshape(future.answers_until(watches), (-1, 2))
        takes[:, k] = (between[:, 1] - between[:, 0]) / MODEL_ITEMS
    # simulated workers do not repeat themselves, nor do they have tastes of their own
    return takes * len(sampler.active_items) * ranking.design_effect


class _Future:
    """One simulated continuation: a sampler that asks, and true scores that answer.

    Several pairs are asked at once, as if as many workers answered in parallel. That hardly changes
    what is asked, and takes a fifth of the time.
    """

    def __init__(
        self,
        sampler: Sampler,
        crowd: _Crowd,
        rng: np.random.Generator,
        most_votes: float = np.inf,
    ) -> None:
        self.sampler, self._link, self._rng = sampler, crowd.link, rng
        self._code = {item: code for code, item in enumerate(sampler.items)}
        self._scores = np.array([crowd.scores[item] for item in sampler.items])
        leans = sampler.position_biases or {None: 0.0}  # the unnamed worker comes last
        self._workers = tuple(worker for worker in leans if worker is not None)
        self._leans = crowd.scale * np.array(list(leans.values()))
        n_more = np.clip(SIMULATED, *(np.array(PER_ITEM) * len(crowd.scores)))
        self._begun = sampler.n_votes
        self._furthest = self._begun + int(min(n_more, most_votes))
        self._is_exhausted = False

    @property
    def least_step(self) -> int:
        """Number of pairs asked at once: a tenth of a vote per item."""
        return max(1, len(self._scores) // 10)

    @property
    def _is_over(self) -> bool:
        """Whether no more can be simulated."""
        return self._is_exhausted or self.sampler.n_votes >= self._furthest

    def answers_until(self, watches: Sequence[_Watch]) -> list[float]:
        """Return the votes at which each rule is first satisfied; infinite if pairs run out.

        Continues until all are satisfied; a ranking is computed only when a rule looks at it.
        """
        waiting = [watch for watch in watches if not watch.is_satisfied]
        while waiting and not self._is_over:
            self._play()
            n_votes, is_over = self.sampler.n_votes, self._is_over
            looking = [watch for watch in waiting if is_over or n_votes >= watch.next_look]
            if looking:
                ranking, active = self.sampler.ranking(), self.sampler.active_items
                rules = {watch.rule for watch in looking}
                sure = {rule: rule.sureness(ranking, active) for rule in rules}
                for watch in looking:
                    watch.note(n_votes, sure[watch.rule])
                waiting = [watch for watch in waiting if not watch.is_satisfied]
        return [
            np.inf if self._is_exhausted and not watch.is_satisfied else watch.answers_needed()
            for watch in watches
        ]

    def _play(self) -> None:
        """Ask some pairs at once, and simulate their votes."""
        so_far = self.sampler.n_votes
        n = max(self.least_step, min((so_far - self._begun) // FIRST, so_far // AT_ONCE))
        n = min(n, self._furthest - so_far)
        try:
            pairs = self.sampler.ask(n)
        except NothingToAsk:
            self._is_exhausted = True
        else:
            self.sampler.tell_many(self._answered(pairs))

    def _answered(self, pairs: Sequence[Pair]) -> Comparisons:
        """Draw workers and their position bias among those who voted; none if there are none."""
        left, right = np.array([[self._code[item] for item in pair] for pair in pairs]).T
        who = self._rng.integers(len(self._leans), size=len(pairs))
        differences = self._scores[left] - self._scores[right] + self._leans[who]
        is_left = self._rng.random(len(pairs)) < LINKS[self._link].cdf(differences)
        return Comparisons(
            items=self.sampler.items,
            left=left,
            right=right,
            outcome=np.where(is_left, 1.0, -1.0),
            workers=self._workers,
            worker=np.where(who < len(self._workers), who, NO_WORKER),
        )


class _Watch:
    """Certainty of a rule by the number of votes in one continuation."""

    def __init__(self, rule: RankingRule, needed: float, future: _Future, sure: float) -> None:
        self.rule, self._needed, self._least_step = rule, needed, future.least_step
        self._answers, self._sure = [future.sampler.n_votes], [sure]

    @property
    def is_satisfied(self) -> bool:
        """Whether the target was reached."""
        return max(self._sure) >= self._needed

    def note(self, n_votes: int, sure: float) -> None:
        """Record the certainty at a number of votes."""
        self._answers.append(n_votes)
        self._sure.append(sure)

    @property
    def next_look(self) -> float:
        """Return the next number of votes to look at, not far beyond the target."""
        last, short = self._answers[-1], min(self._needed / max(self._sure[-1], TINY), 10.0)
        far = max(GROWTH[0], min(math.sqrt(short), GROWTH[1]))
        growth = min(EARLY * short * short, far)
        return max(last * max(growth, FINEST), last + self._least_step)

    def answers_needed(self) -> float:
        """Return the votes at which the rule is first satisfied.

        Between looks, and beyond the last, certainty is taken as linear in the square root of the
        number of votes, as it is asymptotically.
        """
        if not self.is_satisfied:
            return self._extrapolated()
        k = next(k for k, sure in enumerate(self._sure) if sure >= self._needed)
        if not k:
            return float(self._answers[0])
        before, after = np.sqrt(self._answers[k - 1 : k + 1])
        share = (self._needed - self._sure[k - 1]) / (self._sure[k] - self._sure[k - 1])
        return float((before + share * (after - before)) ** 2)

    def _extrapolated(self) -> float:
        """Extrapolate with the square root of the votes; infinite if certainty does not grow."""
        answers, sure = np.array(self._answers), np.array(self._sure)
        earlier = answers <= answers[-1] / 3
        if earlier.any() and sure[-1] < GROWING * sure[earlier][-1]:
            return np.inf
        farther = float((self._needed / max(sure[-1], TINY)) ** 2)
        return farther * float(answers[-1]) if farther <= FARTHEST else np.inf
