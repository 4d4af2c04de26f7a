"""AttentionChecks: checks of answers as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

from hodgerank.campaign import settings_validation as values
from hodgerank.campaign.settings_validation import Check, check_all, setting, tables
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.types import Item

LEVEL = 0.01  # of the binomial tests
WINDOW = 50  # gold pairs and repeats in the window of a test


@dataclass(frozen=True)
class AttentionChecks:
    """Settings of the attention checks; None switches one off.

    A check passes an answer, fails it, or does not apply. Failed answers are marked, and still
    count unless `exclude` names the check.

    Attributes
    ----------
    fastest_seconds
        Faster answers fail. Applies if the time is known.
    same_side
        This many answers in a row for the same side fail. Applies from that many answers on.
    most_gold_misses
        Fails if more than this share of a worker's last gold pairs was missed, at the 1% level of a
        binomial test. Applies once missing all gold pairs seen would be significant.
    most_contradictions
        The same for repeated pairs with the opposite answer. A random clicker contradicts half of
        the time, an honest worker with position bias more often if items are close (58% for a bias
        of 70%), and a worker who always clicks one side every time.
    focus
        Fails an answer given while the page was in the background. Applies if the browser reports
        it.
    exclude
        Checks whose failed answers do not count: 'too_fast', 'same_side', 'gold', 'contradicts',
        'focus'.
    alarm_share
        A check that fails more than this share of answers raises an alarm, since its limit may be
        wrong. It needs 20 answers, or fewer if so many failures, and so many workers with failures,
        have a probability below 1% at this share.
    """

    fastest_seconds: float | None = setting(0.4, values.optional(values.number(0, 1e6)))
    same_side: int | None = setting(20, values.optional(values.whole(2, 1000)))
    most_gold_misses: float | None = setting(0.2, values.optional(values.number(0, 1)))
    most_contradictions: float | None = setting(0.65, values.optional(values.number(0, 1)))
    focus: bool = setting(True, values.flag)
    exclude: tuple[str, ...] = setting((), values.texts)
    alarm_share: float = setting(0.2, values.number(0, 1))

    def __post_init__(self) -> None:
        check_all(self, "attention.")
        for rule in self.exclude:
            values.one_of(*RULES)(rule, "attention.exclude")

    def verdicts(self, given: CheckedAnswer) -> dict[str, bool]:
        """Return the result of each check that applies; True is passed."""
        said = {name: rule(self, given) for name, rule in RULES.items()}
        return {name: passed for name, passed in said.items() if passed is not None}

    def excludes(self, verdicts: Mapping[str, bool]) -> str | None:
        """Return the check because of which an answer does not count, if any."""
        return next((rule for rule in self.exclude if verdicts.get(rule) is False), None)


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer with the recent history of its worker, including this answer.

    Attributes
    ----------
    outcomes
        Latest outcomes of the worker, in order, as many as the checks need.
    gold_missed, contradicted
        For the last gold pairs and repeats: whether they were missed or contradicted.
    """

    seconds: float | None
    is_focused: bool | None
    outcomes: Sequence[float]
    gold_missed: Sequence[bool]
    contradicted: Sequence[bool]


def _too_fast(rules: AttentionChecks, given: CheckedAnswer) -> bool | None:
    if rules.fastest_seconds is None or given.seconds is None:
        return None
    return given.seconds >= rules.fastest_seconds


def _same_side(rules: AttentionChecks, given: CheckedAnswer) -> bool | None:
    if rules.same_side is None or len(given.outcomes) < rules.same_side:
        return None
    last = given.outcomes[-rules.same_side :]
    return not (all(y > 0 for y in last) or all(y < 0 for y in last))


def _gold(rules: AttentionChecks, given: CheckedAnswer) -> bool | None:
    return _is_rare(rules.most_gold_misses, given.gold_missed)


def _contradicts(rules: AttentionChecks, given: CheckedAnswer) -> bool | None:
    return _is_rare(rules.most_contradictions, given.contradicted)


def _focus(rules: AttentionChecks, given: CheckedAnswer) -> bool | None:
    return given.is_focused if rules.focus else None


RULES: Mapping[str, Callable[[AttentionChecks, CheckedAnswer], bool | None]] = {
    "too_fast": _too_fast,
    "same_side": _same_side,
    "gold": _gold,
    "contradicts": _contradicts,
    "focus": _focus,
}


def _is_rare(most: float | None, happened: Sequence[bool]) -> bool | None:
    """Return whether the share is at most `most`, by a binomial test with enough power to fail."""
    last = happened[-WINDOW:]
    if most is None or most ** len(last) >= LEVEL:
        return None
    return tail(sum(last), len(last), most) >= LEVEL


@lru_cache(maxsize=10_000)
def tail(k: int, n: int, p: float) -> float:
    """Return the probability of k or more in n."""
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


@dataclass(frozen=True)
class GoldPair:
    """A gold pair: two items of which one is known to be better."""

    better: Item
    worse: Item

    def __post_init__(self) -> None:
        for item in (self.better, self.worse):
            if isinstance(item, bool) or not isinstance(item, int | str):
                raise InvalidArgument(f"a gold pair needs two items, not {short(repr(item))}")
        if self.better == self.worse:
            raise InvalidArgument(
                f"a gold pair needs two different items, not {short(self.better)} twice"
            )


def known_pairs(kind: type[GoldPair]) -> Check:
    """Return a setting that lists gold pairs, each of different items."""
    read = tables(kind, "a pair")

    def check(value: Any, name: str) -> tuple[GoldPair, ...]:
        pairs: tuple[GoldPair, ...] = read(value, name)
        if len({frozenset((pair.better, pair.worse)) for pair in pairs}) < len(pairs):
            raise InvalidArgument(f"{name} has the same two items twice: remove one")
        return pairs

    return check
