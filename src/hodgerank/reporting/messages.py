"""The texts of the report, one file per language, and how names and numbers stand in them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hodgerank.collecting.forecast import Forecast
from hodgerank.display import shortened, visible
from hodgerank.reporting.blocks import Text

LANGUAGE = "en"
LONGEST_NAME = 60
MOST_NAMED = 3


def say(key: str, **values: Any) -> Text:
    """The sentence of this key, e.g. 'answer.settled'; where it has two forms, `n` decides."""
    section, _, name = key.partition(".")
    found = _texts()[section][name]
    if isinstance(found, dict):
        found = found["one" if values["n"] == 1 else "other"]
    return Text(found, values, key)


def words(text: str, code: str = "") -> Text:
    """A sentence that was composed elsewhere, with its capital and its full stop."""
    return Text("{words}.", {"words": text[:1].upper() + text[1:].rstrip(".")}, code)


def name_of(item: object) -> str:
    """The name of an item or worker for a cell of a table, where a number stands in quotes.

    >>> name_of("tea"), name_of(16)
    ('tea', '“16”')
    """
    name = _shown(item)
    return f"“{name}”" if re.fullmatch(r"[+-]?[\d.,]+", name) else name


def quoted(item: object) -> str:
    """The name of an item or worker in a sentence, where it might be taken for a word of it."""
    return f"“{_shown(item)}”"


def _shown(item: object) -> str:
    return shortened(visible(str(item)), LONGEST_NAME)


def listed(items: Sequence[object]) -> Text:
    """Names in a sentence; of many the first few, and how many others there are."""
    names = [quoted(item) for item in items[:MOST_NAMED]]
    if len(items) > MOST_NAMED:
        return say("page.and_more", names=", ".join(names), n=len(items) - MOST_NAMED)
    if len(names) == 1:
        return Text("{name}", {"name": names[0]})
    return say("page.and", names=", ".join(names[:-1]), last=names[-1])


@cache
def _texts() -> dict[str, Any]:
    source = files("hodgerank.reporting") / "texts" / f"{LANGUAGE}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


def percent(share: float) -> str:
    """A share in whole percent; nothing uncertain is 0 or 100%.

    >>> percent(0.997), percent(0.5), percent(0.666)
    ('more than 99%', '50%', '67%')
    """
    if share > 0.99:
        return "more than 99%"
    return "less than 1%" if share < 0.01 else f"{100 * share:.0f}%"


def probability(p: float) -> str:
    """A probability in whole percent, rounded down: it never reads as a level it has not reached.

    >>> probability(0.9499), probability(0.95), probability(0.999)
    ('94%', '95%', 'more than 99%')
    """
    return percent(np.floor(100 * p + 1e-9) / 100) if p <= 0.99 else percent(p)


def level(confidence: float) -> str:
    """A level of confidence."""
    return f"{100 * confidence:g}%"


def fraction(value: float) -> str:
    """A number that cannot exceed 1, with two decimals and no leading zero.

    >>> fraction(0.913), fraction(-0.2), fraction(1.0)
    ('.91', '-.20', '1.00')
    """
    return f"{value:.2f}".replace("0.", ".", 1)


def vote_range(outlook: Forecast) -> Text:
    """How many more votes: the range, with its middle where the range is narrow."""
    lower = _rounded(outlook.lower)
    if not np.isfinite(outlook.upper):
        return say("certainty.at_least", lower=lower)
    upper = _rounded(outlook.upper)
    if not outlook.is_narrow:
        return say("certainty.range", lower=lower, upper=upper)
    return say("certainty.about", middle=_rounded(outlook.votes), lower=lower, upper=upper)


def _rounded(n: float) -> int:
    """Votes by no more digits than a forecast is good for.

    >>> [_rounded(n) for n in (7, 51, 122, 1234)]
    [7, 50, 120, 1200]
    """
    if n < 10:
        return int(n)
    step = 5 if n < 100 else 10 ** (len(str(int(n))) - 2)
    return int(step * round(n / step))
