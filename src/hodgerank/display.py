"""Display of results: one line in a terminal, a small table in a notebook."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

MOST_ROWS = 10
LONGEST_CELL = 60
# Control characters, characters that change the direction of writing or break the line, and
# code points that are no characters.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
CELL = "padding: 0.15em 0.8em 0.15em 0; text-align: "


class Preview(NamedTuple):
    """A table with its header; `total` is the number of rows, shown or not."""

    header: Sequence[str]
    rows: Iterable[Sequence[object]]
    total: int = 0


class Displayed(ABC):
    """A result with a headline and, for tables, a preview.

    Names of items and workers are foreign text: they are escaped and shortened.
    """

    @abstractmethod
    def _headline(self) -> str:
        """Return a summary in one line."""

    def _preview(self) -> Preview | None:
        """Return a table, if it shows more than the headline."""
        return None

    def __repr__(self) -> str:
        """Return the class name and the headline."""
        return f"{type(self).__name__}({self._headline()})"

    def _repr_html_(self) -> str:
        """Return the headline and the preview as HTML, for notebooks."""
        title = f"<strong>{type(self).__name__}</strong>: {escape(self._headline())}"
        preview = self._preview()
        if preview is None:
            return f"<div>{title}</div>"
        rows = list(islice(preview.rows, MOST_ROWS))
        head = "".join(_cell(name, "th") for name in preview.header)
        body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
        more = preview.total - len(rows)
        tail = f"<div>... and {more:,} more</div>" if more > 0 else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div>{title}{table}{tail}</div>"


class Charted:
    """A result with a chart of its own."""

    def plot(self) -> Any:
        """Return the chart of this result (extra `plot`)."""
        return import_module("hodgerank.plotting").chart_of(self)


def _cell(value: object, tag: str = "td") -> str:
    side = "right" if isinstance(value, int | float) else "left"
    return f'<{tag} style="{CELL}{side}">{escape(short(value))}</{tag}>'


def p_words(p_value: float) -> str:
    """Return a p-value in APA style.

    >>> [p_words(p) for p in (0.00002, 0.0034, 0.03, 0.0495, 0.62, 0.999)]
    ['p < .001', 'p = .003', 'p = .03', 'p = .050', 'p = .62', 'p > .99']
    """
    if p_value < 0.001:
        return "p < .001"
    if p_value > 0.99:
        return "p > .99"
    # Three digits where two would hide on which side of .05 it is.
    digits = 3 if p_value < 0.01 or 0.045 <= p_value < 0.055 else 2
    return f"p = {p_value:.{digits}f}".replace("0.", ".", 1)


def short(value: object) -> str:
    """Return a value as text that fits a cell."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return cut(visible(text[: LONGEST_CELL + 1]), LONGEST_CELL)


def cut(text: str, longest: int) -> str:
    """Return a text, cut at the end if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def shortened(text: str, longest: int) -> str:
    """Return a name, cut in the middle if it is too long, since paths differ at their ends."""
    if len(text) <= longest:
        return text
    head = (longest - 1) // 2
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def visible(text: str) -> str:
    r"""Return text as one line, with control characters written as escapes such as \x1b."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
