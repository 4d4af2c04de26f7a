"""AttentionChecks: rules that look at answers as they come."""

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
WINDOW = 50  # gold pairs and repeats that a test looks back on


@dataclass(frozen=True)
class AttentionChecks:
    """What the rules are; None leaves one out.

    A rule passes an answer, fails it, or does not know. Failed answers are marked, and count unless
    `exclude` names the rule.

    Attributes
    ----------
    fastest_seconds
        An answer that took less is too fast. Known where the time is.
    same_side
        So many answers of a worker in a row for the same side. Known from that many on.
    most_gold_misses
        More than this share of a worker's last gold pairs missed, at the 1 % level of a binomial
        test. Known once so many gold pairs were seen that missing them all would fail.
    most_contradictions
        The same for planned repeats answered the other way round. Who tosses coins contradicts
        half of the time, and an honest worker who leans to a side more than that where items are
        close (58 % for a lean of 70 %); who always takes one side, every time.
    focus
        An answer was given while the page was not in front. Known where the page says so.
    exclude
        The names of rules whose failed answers do not count: 'too_fast', 'same_side', 'gold',
        'contradicts', 'focus'.
    alarm_share
        A rule that fails more than this share of the answers it knows about raises an alarm: of 20
        or more, or of fewer where so many of them, and of their workers, fail with a chance below
        1 % at this share.
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
        """What each rule that knows says of an answer: True passes it."""
        said = {name: rule(self, given) for name, rule in RULES.items()}
        return {name: passed for name, passed in said.items() if passed is not None}

    def excludes(self, verdicts: Mapping[str, bool]) -> str | None:
        """The rule for which an answer does not count, if so."""
        return next((rule for rule in self.exclude if verdicts.get(rule) is False), None)


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer with what its worker did before, this answer included.

    Attributes
    ----------
    outcomes
        Of the worker's answers, in order; as many as the rules look at.
    gold_missed, contradicted
        Of the last gold pairs and planned repeats: whether they were.
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
    """Whether it happens no more often than `most`, by a binomial test that is able to fail."""
    last = happened[-WINDOW:]
    if most is None or most ** len(last) >= LEVEL:
        return None
    return tail(sum(last), len(last), most) >= LEVEL


@lru_cache(maxsize=10_000)
def tail(k: int, n: int, p: float) -> float:
    """The chance of k or more in n."""
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


@dataclass(frozen=True)
class GoldPair:
    """Two items of which one is known to be better: answers to it tell who pays attention."""

    better: Item
    worse: Item

    def __post_init__(self) -> None:
        for item in (self.better, self.worse):
            if isinstance(item, bool) or not isinstance(item, int | str):
                raise InvalidArgument(
                    f"a pair with a known answer names two items, not {short(repr(item))}"
                )
        if self.better == self.worse:
            raise InvalidArgument(
                f"a pair with a known answer names two items, not {short(self.better)} twice"
            )


def known_pairs(kind: type[GoldPair]) -> Check:
    """A setting that lists such pairs, no two of them of the same items."""
    read = tables(kind, "a pair")

    def check(value: Any, name: str) -> tuple[GoldPair, ...]:
        pairs: tuple[GoldPair, ...] = read(value, name)
        if len({frozenset((pair.better, pair.worse)) for pair in pairs}) < len(pairs):
            raise InvalidArgument(f"{name} has the same two items twice: which is better?")
        return pairs

    return check
