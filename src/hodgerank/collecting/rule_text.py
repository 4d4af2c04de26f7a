"""Stopping rules in words, for commands and files."""

from __future__ import annotations

import re
from functools import reduce
from operator import and_, or_

from hodgerank.collecting.stopping import ExpectedTau, RanksWithin, StoppingRule, TopKCertain
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

NUMBER = r"(\d*\.?\d+)(\s*%)?"
TAU = re.compile(rf"(?:expected )?tau\s*>?=?\s*{NUMBER}")
TOP = re.compile(rf"top\s*(\d+)(?:\s*(?:certain to|>=|at)?\s*{NUMBER})?")
RANKS = re.compile(r"ranks\s*(?:within|<=)?\s*(\d+)")
EXAMPLES = "'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2', joined by 'and' or 'or'"


def read_rule(text: str) -> StoppingRule:
    """The rule that a text means; 'and' binds closer than 'or'.

    >>> read_rule("tau >= 0.9 or top 3")
    Either((expected tau 0.9 or top 3 certain to 95%))
    """
    either = re.split(r"\s+or\s+", " ".join(text.lower().split()))
    rules = [[_single(part, text) for part in re.split(r"\s+and\s+", both)] for both in either]
    return reduce(or_, (reduce(and_, both) for both in rules))


def _single(part: str, text: str) -> StoppingRule:
    part = part.strip("() ")
    if found := TAU.fullmatch(part):
        return ExpectedTau(_number(found[1], found[2]))
    if found := TOP.fullmatch(part):
        return TopKCertain(int(found[1]), _number(found[2], found[3]) if found[2] else 0.95)
    if found := RANKS.fullmatch(part):
        return RanksWithin(int(found[1]))
    raise InvalidArgument(f"{short(repr(text))} is no stopping rule: write {EXAMPLES}")


def _number(digits: str, percent: str | None) -> float:
    return float(digits) / (100 if percent else 1)
