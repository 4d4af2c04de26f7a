"""Stopping rules in words, for commands and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import and_, or_

from hodgerank.collecting.stopping import ExpectedTau, RanksWithin, StoppingRule, TopKCertain
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

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
