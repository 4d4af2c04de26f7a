"""When to stop asking. Rules combine: `ExpectedTau(0.9) & TopKCertain(3) | Budget(2000)`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.certainty import expected_tau, top_k_certainty, widest_rank_interval
from hodgerank.sampling.designs.matrix_free_posterior import MANY_ITEMS

if TYPE_CHECKING:
    from hodgerank.estimators.ranking import Ranking
    from hodgerank.sampling.sampler import Sampler
    from hodgerank.types import Item


ROUNDING = 1e-9


class Standing(Protocol):
    """What stopping rules look at."""

    @property
    def n_votes(self) -> int:
        """Number of answers so far."""

    def finds(self, rule: RankingRule) -> bool:
        """Whether the ranking satisfies a rule."""


class Progress:
    """A sampler as stopping rules see it; its ranking is renewed every n/10 answers.

    From 1,000 items on every n/2: finding a ranking takes as long as choosing n/10 pairs and more.
    """

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        n = len(sampler.items)
        self._interval = max(1, n // 10 if n < MANY_ITEMS else n // 2)
        self._ranking: Ranking | None = None
        self._ranked_at = -1
        self._findings: dict[tuple[RankingRule, tuple[Item, ...]], bool] = {}

    @property
    def n_votes(self) -> int:
        """Number of answers so far."""
        return self.sampler.n_votes

    @property
    def ranking(self) -> Ranking:
        """A ranking of nearly all of them."""
        if self._ranking is None or self.n_votes >= self._ranked_at + self._interval:
            self._ranking, self._ranked_at = self.sampler.ranking(), self.n_votes
            self._findings = {}
        return self._ranking

    def finds(self, rule: RankingRule) -> bool:
        """Whether the ranking satisfies a rule; looked at once for each ranking."""
        ranking, retired = self.ranking, self.sampler.retired
        if (rule, retired) not in self._findings:
            active = self.sampler.active_items if retired else None
            self._findings[rule, retired] = rule.holds(ranking, active)
        return self._findings[rule, retired]


class StoppingRule(ABC):
    """Something that is reached at some point of a campaign."""

    looks_at_rankings: bool
    """Whether it hangs on how sure a ranking is."""

    @abstractmethod
    def is_reached(self, progress: Standing) -> bool:
        """Whether it is time to stop."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return Both(self, other)

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return Either(self, other)


class RankingRule(StoppingRule):
    """Something that a ranking is sure enough of, by its own uncertainty.

    `among` are the items that are still asked, where not all are.
    """

    looks_at_rankings = True
    target: float
    """The value that is wanted."""

    @abstractmethod
    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """What the rule looks at."""

    @abstractmethod
    def _sureness_at(self, value: float) -> float:
        """A number that grows with the square root of the answers, at least in the end."""

    @abstractmethod
    def value_text(self, value: float) -> str:
        """A value in words."""

    @property
    @abstractmethod
    def target_text(self) -> str:
        """The target without repeating what it is about."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def sureness(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """How sure the ranking is, on a scale that grows as the square root of the answers."""
        return self._sureness_at(self.value(ranking, among))

    @property
    def needed(self) -> float:
        """The sureness at which the target is reached."""
        return self._sureness_at(self.target)

    def holds(self, ranking: Ranking, among: Sequence[Item] | None) -> bool:
        """Whether the target is reached."""
        return self.sureness(ranking, among) >= self.needed

    def is_reached(self, progress: Standing) -> bool:
        """Whether the ranking satisfies the rule."""
        return progress.finds(self)

    def __str__(self) -> str:
        return self.value_text(self.target)


class Both(StoppingRule):
    """Two rules reached at the same time."""

    def __init__(self, first: StoppingRule, second: StoppingRule) -> None:
        self.first, self.second = first, second
        self.looks_at_rankings = first.looks_at_rankings or second.looks_at_rankings

    def is_reached(self, progress: Standing) -> bool:
        """Whether both rules are reached."""
        return self.first.is_reached(progress) and self.second.is_reached(progress)

    def __str__(self) -> str:
        return f"({self.first} and {self.second})"


class Either(StoppingRule):
    """Two rules of which one suffices."""

    def __init__(self, first: StoppingRule, second: StoppingRule) -> None:
        self.first, self.second = first, second
        self.looks_at_rankings = first.looks_at_rankings or second.looks_at_rankings

    def is_reached(self, progress: Standing) -> bool:
        """Whether one of the rules is reached."""
        return self.first.is_reached(progress) or self.second.is_reached(progress)

    def __str__(self) -> str:
        return f"({self.first} or {self.second})"


class Budget(StoppingRule):
    """Stop after so many answers, those resumed from included."""

    looks_at_rankings = False

    def __init__(self, n_votes: int) -> None:
        if n_votes < 0:
            raise InvalidArgument(f"a budget must not be negative: {n_votes}")
        self.n_votes = n_votes

    def is_reached(self, progress: Standing) -> bool:
        """Whether there are as many answers."""
        return progress.n_votes >= self.n_votes

    def __str__(self) -> str:
        return f"{self.n_votes:,} answers"


class ExpectedTau(RankingRule):
    """Kendall's tau with the true order is expected to be at least so large."""

    def __init__(self, target: float) -> None:
        if not 0 < target < 1:
            raise InvalidArgument(f"a target for tau lies between 0 and 1, not {target}")
        self.target = target

    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """The expected tau."""
        return expected_tau(ranking, among)

    def _sureness_at(self, value: float) -> float:
        return 1 / max(1 - value, 1e-12)

    def value_text(self, value: float) -> str:
        """An expected tau."""
        return f"expected tau {value if abs(value) > ROUNDING else 0.0:.3g}"

    @property
    def target_text(self) -> str:
        """The number."""
        return f"{self.target:g}"


class TopKCertain(RankingRule):
    """The k best items are known, whatever their order, with this probability."""

    def __init__(self, k: int, certainty: float = 0.95) -> None:
        if k < 1:
            raise InvalidArgument(f"k must be at least 1, not {k}")
        if not 0 < certainty < 1:
            raise InvalidArgument(
                f"a target for the certainty of the top lies between 0 and 1, not {certainty}"
            )
        self.k, self.certainty = k, certainty
        self.target = certainty

    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """How certain the best k are; all that are left are, once they are no more than k."""
        if len(ranking if among is None else among) <= self.k:
            return 1.0
        return top_k_certainty(ranking, self.k, among)

    def _sureness_at(self, value: float) -> float:
        """Half the width, in standard deviations, of an interval of this probability."""
        return NormalDist().inv_cdf((1 + min(max(value, 0.0), 1 - 1e-12)) / 2)

    def value_text(self, value: float) -> str:
        """A certainty."""
        return f"top {self.k} certain to {value:.0%}"

    @property
    def target_text(self) -> str:
        """The percentage."""
        return f"{self.target:.0%}"


class RanksWithin(RankingRule):
    """No item's rank interval holds more than so many ranks."""

    def __init__(self, n_ranks: int) -> None:
        if n_ranks < 1:
            raise InvalidArgument(f"a rank interval holds at least 1 rank, not {n_ranks}")
        self.n_ranks = n_ranks
        self.target = float(n_ranks)

    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """The number of ranks in the widest interval."""
        return float(widest_rank_interval(ranking, among))

    def _sureness_at(self, value: float) -> float:
        return 1 / value

    def value_text(self, value: float) -> str:
        """A number of ranks."""
        return f"all ranks within {value:.0f}"

    @property
    def target_text(self) -> str:
        """The number."""
        return f"{self.n_ranks}"


NUMBER = r"(\d{0,9}\.?\d{1,9})(\s*%)?"
TAU = re.compile(rf"(?:expected )?tau\s*(?:>=|=)?\s*{NUMBER}")
TOP = re.compile(rf"top\s*(\d{{1,9}})(?:\s*(?:certain to|>=|at)\s*{NUMBER})?")
RANKS = re.compile(r"(?:all )?ranks\s*(?:within|<=)?\s*(\d{1,9})")
WORDS = re.compile(r"[()]|\b(?:and|or)\b|(?:(?!\b(?:and|or)\b)[^()])+")
EXAMPLES = "'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2', joined by 'and' or 'or'"


def read_rule(text: str) -> StoppingRule:
    """The rule that a text means; 'and' binds closer than 'or', and brackets closer than both.

    >>> read_rule("tau >= 0.9 or top 3")
    Either((expected tau 0.9 or top 3 certain to 95%))
    """
    words = [word.strip() for word in WORDS.findall(" ".join(text.lower().split()))]
    words = [word for word in words if word]
    try:
        rule = _either(words)
    except InvalidArgument:  # of a rule that cannot be reached
        raise
    except (IndexError, ValueError, RecursionError):
        words = [text]
    if words:
        raise InvalidArgument(f"{short(repr(text))} is no stopping rule: write {EXAMPLES}")
    return rule


def _either(words: list[str]) -> StoppingRule:
    """What stands first, which is taken off the words."""
    return _joined(words, "or", or_, lambda: _joined(words, "and", and_, lambda: _single(words)))


def _joined(
    words: list[str],
    by: str,
    join: Callable[[StoppingRule, StoppingRule], StoppingRule],
    part: Callable[[], StoppingRule],
) -> StoppingRule:
    rules = [part()]
    while words and words[0] == by:
        del words[0]
        rules.append(part())
    return reduce(join, rules)


def _single(words: list[str]) -> StoppingRule:
    word = words.pop(0)
    if word == "(":
        rule = _either(words)
        if words.pop(0) != ")":
            raise ValueError(word)
        return rule
    if found := TAU.fullmatch(word):
        return ExpectedTau(_number(found[1], found[2]))
    if found := TOP.fullmatch(word):
        return TopKCertain(int(found[1]), _number(found[2], found[3]) if found[2] else 0.95)
    if found := RANKS.fullmatch(word):
        return RanksWithin(int(found[1]))
    raise ValueError(word)


def _number(digits: str, percent: str | None) -> float:
    return float(digits) / (100 if percent else 1)
