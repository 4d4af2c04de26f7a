"""Stopping rules. They combine: `ExpectedTau(0.9) & TopKCertain(3) | Budget(2000)`."""

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
    """State of a campaign as stopping rules see it."""

    @property
    def n_votes(self) -> int:
        """Number of votes so far."""

    @property
    def is_established(self) -> bool:
        """Whether the order is established, if answers are consistent."""

    def finds(self, rule: RankingRule) -> bool:
        """Return whether the ranking satisfies a rule."""


class Progress:
    """A sampler as stopping rules see it; its ranking is renewed every n/10 votes.

    From 1,000 items on every n/2 votes, since computing a ranking takes longer than choosing n/10
    pairs.
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
        """Number of votes so far."""
        return self.sampler.n_votes

    @property
    def is_established(self) -> bool:
        """Whether the order is established, if answers are consistent."""
        return self.sampler.is_established

    @property
    def ranking(self) -> Ranking:
        """A recent ranking."""
        if self._ranking is None or self.n_votes >= self._ranked_at + self._interval:
            self._ranking, self._ranked_at = self.sampler.ranking(), self.n_votes
            self._findings = {}
        return self._ranking

    def finds(self, rule: RankingRule) -> bool:
        """Return whether the ranking satisfies a rule, computed once for each ranking."""
        ranking, retired = self.ranking, self.sampler.retired
        if (rule, retired) not in self._findings:
            active = self.sampler.active_items if retired else None
            self._findings[rule, retired] = rule.holds(ranking, active)
        return self._findings[rule, retired]


class StoppingRule(ABC):
    """A target that a campaign reaches at some point."""

    looks_at_rankings: bool
    """Whether the rule depends on the uncertainty of a ranking."""

    @abstractmethod
    def is_reached(self, progress: Standing) -> bool:
        """Return whether to stop."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return Both(self, other)

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return Either(self, other)


class RankingRule(StoppingRule):
    """A rule on the uncertainty of a ranking.

    `among` are the items still asked about, if not all.
    """

    looks_at_rankings = True
    target: float
    """Target value."""

    @abstractmethod
    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """Return the value that the rule compares with its target."""

    @abstractmethod
    def _sureness_at(self, value: float) -> float:
        """Return a number that grows with the square root of the number of votes in the end."""

    @abstractmethod
    def value_text(self, value: float) -> str:
        """Return a value in words."""

    @property
    @abstractmethod
    def target_text(self) -> str:
        """Target in words, without the name of the quantity."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def sureness(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """Return the certainty, on a scale that grows with the square root of the votes."""
        return self._sureness_at(self.value(ranking, among))

    @property
    def needed(self) -> float:
        """Certainty at which the target is reached, on the same scale."""
        return self._sureness_at(self.target)

    def holds(self, ranking: Ranking, among: Sequence[Item] | None) -> bool:
        """Return whether the target is reached."""
        return self.sureness(ranking, among) >= self.needed

    def is_reached(self, progress: Standing) -> bool:
        """Return whether the ranking satisfies the rule."""
        return progress.finds(self)

    def __str__(self) -> str:
        return self.value_text(self.target)


class Both(StoppingRule):
    """Both of two rules."""

    def __init__(self, first: StoppingRule, second: StoppingRule) -> None:
        self.first, self.second = first, second
        self.looks_at_rankings = first.looks_at_rankings or second.looks_at_rankings

    def is_reached(self, progress: Standing) -> bool:
        """Whether both rules are reached."""
        return self.first.is_reached(progress) and self.second.is_reached(progress)

    def __str__(self) -> str:
        return f"({self.first} and {self.second})"


class Either(StoppingRule):
    """Either of two rules."""

    def __init__(self, first: StoppingRule, second: StoppingRule) -> None:
        self.first, self.second = first, second
        self.looks_at_rankings = first.looks_at_rankings or second.looks_at_rankings

    def is_reached(self, progress: Standing) -> bool:
        """Return whether one of the rules is reached."""
        return self.first.is_reached(progress) or self.second.is_reached(progress)

    def __str__(self) -> str:
        return f"({self.first} or {self.second})"


class Budget(StoppingRule):
    """Stop after this many votes, including those of a resumed run."""

    looks_at_rankings = False

    def __init__(self, n_votes: int) -> None:
        if n_votes < 0:
            raise InvalidArgument(f"a budget must not be negative: {n_votes}")
        self.n_votes = n_votes

    def is_reached(self, progress: Standing) -> bool:
        """Return whether there are as many votes."""
        return progress.n_votes >= self.n_votes

    def __str__(self) -> str:
        return f"{self.n_votes:,} votes"


class Established(StoppingRule):
    """Stop when the order is established, if answers are consistent.

    The votes imply the order of every two items, none contradicts another, and enough of them only
    confirmed what earlier ones implied: see `Sampler.is_established`. For judges who would answer
    every question alike again; noisy votes do not reach it, so combine it with a budget.
    """

    looks_at_rankings = False

    def is_reached(self, progress: Standing) -> bool:
        """Return whether the order is established."""
        return progress.is_established

    def __str__(self) -> str:
        return "order established"


class ExpectedTau(RankingRule):
    """Stop when the expected Kendall's tau with the true order reaches a target."""

    def __init__(self, target: float) -> None:
        if not 0 < target < 1:
            raise InvalidArgument(f"a target for tau lies between 0 and 1, not {target}")
        self.target = target

    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """Return the expected tau."""
        return expected_tau(ranking, among)

    def _sureness_at(self, value: float) -> float:
        return 1 / max(1 - value, 1e-12)

    def value_text(self, value: float) -> str:
        """Return an expected tau in words."""
        return f"expected tau {value if abs(value) > ROUNDING else 0.0:.3g}"

    @property
    def target_text(self) -> str:
        """Return the number."""
        return f"{self.target:g}"


class TopKCertain(RankingRule):
    """Stop when the k best items are known, in any order, with this probability."""

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
        """Return the probability that the k best are known; 1 once no more than k are left."""
        if len(ranking if among is None else among) <= self.k:
            return 1.0
        return top_k_certainty(ranking, self.k, among)

    def _sureness_at(self, value: float) -> float:
        """Return half the width, in standard deviations, of an interval of this probability."""
        return NormalDist().inv_cdf((1 + min(max(value, 0.0), 1 - 1e-12)) / 2)

    def value_text(self, value: float) -> str:
        """Return a certainty in words."""
        return f"top {self.k} certain to {value:.0%}"

    @property
    def target_text(self) -> str:
        """Return the percentage."""
        return f"{self.target:.0%}"


class RanksWithin(RankingRule):
    """Stop when no rank interval contains more than this many ranks."""

    def __init__(self, n_ranks: int) -> None:
        if n_ranks < 1:
            raise InvalidArgument(f"a rank interval holds at least 1 rank, not {n_ranks}")
        self.n_ranks = n_ranks
        self.target = float(n_ranks)

    def value(self, ranking: Ranking, among: Sequence[Item] | None) -> float:
        """Return the number of ranks in the widest interval."""
        return float(widest_rank_interval(ranking, among))

    def _sureness_at(self, value: float) -> float:
        return 1 / value

    def value_text(self, value: float) -> str:
        """Return a number of ranks in words."""
        return f"all ranks within {value:.0f}"

    @property
    def target_text(self) -> str:
        """Return the number."""
        return f"{self.n_ranks}"


NUMBER = r"(\d{0,9}\.?\d{1,9})(\s*%)?"
TAU = re.compile(rf"(?:expected )?tau\s*(?:>=|=)?\s*{NUMBER}")
TOP = re.compile(rf"top\s*(\d{{1,9}})(?:\s*(?:certain to|>=|at)\s*{NUMBER})?")
RANKS = re.compile(r"(?:all )?ranks\s*(?:within|<=)?\s*(\d{1,9})")
WORDS = re.compile(r"[()]|\b(?:and|or)\b|(?:(?!\b(?:and|or)\b)[^()])+")
ESTABLISHED = re.compile(r"(?:order )?established")
EXAMPLES = "'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2', 'established', joined by 'and' or 'or'"


def read_rule(text: str) -> StoppingRule:
    """Parse a stopping rule; 'and' binds closer than 'or', and brackets closer than both.

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
        raise InvalidArgument(f"{short(repr(text))} is not a stopping rule: write {EXAMPLES}")
    return rule


def _either(words: list[str]) -> StoppingRule:
    """Parse the first term, and remove it from the words."""
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
    if ESTABLISHED.fullmatch(word):
        return Established()
    raise ValueError(word)


def _number(digits: str, percent: str | None) -> float:
    return float(digits) / (100 if percent else 1)
