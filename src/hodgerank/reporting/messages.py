"""The texts of the report, which stand in one file per language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hodgerank.display import p_words, shortened, visible
from hodgerank.reporting.blocks import Text

LANGUAGE = "en"
LONGEST_NAME = 60


def say(key: str, **values: Any) -> Text:
    """The sentence of this key, e.g. 'answer.sole'; where it has two forms, `n` tells which."""
    section, _, name = key.partition(".")
    found = _texts()[section][name]
    if isinstance(found, dict):
        found = found["one" if values["n"] == 1 else "other"]
    return Text(found, values)


def words(text: str) -> Text:
    """A sentence that was composed elsewhere, with its capital and its full stop."""
    return Text("{words}.", {"words": text[:1].upper() + text[1:].rstrip(".")})


def name_of(item: object) -> str:
    """The name of an item or worker, to stand in a sentence."""
    return shortened(visible(str(item)), LONGEST_NAME)


@cache
def _texts() -> dict[str, Any]:
    source = files("hodgerank.reporting") / "texts" / f"{LANGUAGE}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


def percent(share: float) -> str:
    """A share in whole percent; nothing uncertain is 0 or 100%.

    >>> percent(0.997), percent(0.5), percent(1.0)
    ('more than 99%', '50%', 'more than 99%')
    """
    if share > 0.99:
        return "more than 99%"
    return "less than 1%" if share < 0.01 else f"{100 * share:.0f}%"


def level(confidence: float) -> str:
    """A level of confidence."""
    return f"{100 * confidence:g}%"


def p_value(p: float | None) -> str:
    """A p-value in a table."""
    return "" if p is None else p_words(p).removeprefix("p ").removeprefix("= ")
