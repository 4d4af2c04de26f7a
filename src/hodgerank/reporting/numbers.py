"""Numbers as a report shows them."""

from __future__ import annotations

from hodgerank.notebook import p_words


def percent(share: float) -> str:
    """A share in whole percent; nothing uncertain is 0 or 100 %.

    >>> percent(0.997), percent(0.5), percent(1.0)
    ('more than 99 %', '50 %', 'more than 99 %')
    """
    if share > 0.99:
        return "more than 99 %"
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def level(confidence: float) -> str:
    """A level of confidence."""
    return f"{100 * confidence:g} %"


def p_value(p: float | None) -> str:
    """A p-value in a table."""
    return "" if p is None else p_words(p).removeprefix("p ").removeprefix("= ")
