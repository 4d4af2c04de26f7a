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
# Control characters, bidirectional overrides, line separators, surrogates and non-characters.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
CELL = "padding: 0.15em 0.8em 0.15em 0; text-align: "


class Preview(NamedTuple):
    """A table with its header; `total` is the number of rows if not all are given."""

    header: Sequence[str]
    rows: Iterable[Sequence[object]]
    total: int = 0


class Displayed(ABC):
    """Base class of results that show a headline and, optionally, a table.

    Names of items and workers come from users: they are escaped, and shortened if too long.
    """

    @abstractmethod
    def _headline(self) -> str:
        """Return the summary line."""

    def _preview(self) -> Preview | None:
        """Return the table to show below the headline, if any."""
        return None

    def __repr__(self) -> str:
        """Return the class name and the headline."""
        return f"{type(self).__name__}({self._headline()})"

    def _repr_html_(self) -> str:
        """Return headline and table for notebooks."""
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
    """Base class of results with a default chart."""

    def plot(self) -> Any:
        """Return the chart of this result (needs the extra `plot`)."""
        return import_module("hodgerank.plotting").chart_of(self)


class TextTable(NamedTuple):
    """A table of texts for publication; columns in `right` are numbers."""

    header: Sequence[str]
    rows: Iterable[Sequence[str]]
    right: frozenset[int]

    def to_markdown(self) -> str:
        """Return the table in Markdown, where no name is a sign of Markdown or HTML."""
        rules = ["---:" if k in self.right else "---" for k in range(len(self.header))]
        lines = [map(markdown, self.header), rules, *(map(markdown, row) for row in self.rows)]
        return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

    def to_latex(self) -> str:
        """Return the table as a LaTeX tabular that needs no package."""
        columns = "".join("r" if k in self.right else "l" for k in range(len(self.header)))
        lines = [f"{' & '.join(map(latex, cells))} \\\\" for cells in (self.header, *self.rows)]
        head, *body = lines
        begin = f"\\begin{{tabular}}{{{columns}}}"
        return "\n".join(
            [begin, "\\hline", head, "\\hline", *body, "\\hline", "\\end{tabular}", ""]
        )


class Tabulated(ABC):
    """Base class of results that can be published as a table."""

    @abstractmethod
    def _text_table(self) -> TextTable:
        """Return the table."""

    def to_markdown(self) -> str:
        """Return the table in Markdown; names are escaped."""
        return self._text_table().to_markdown()

    def to_latex(self) -> str:
        """Return the table as a LaTeX tabular that needs no package; names are escaped."""
        return self._text_table().to_latex()


def _cell(value: object, tag: str = "td") -> str:
    side = "right" if isinstance(value, int | float) else "left"
    return f'<{tag} style="{CELL}{side}">{escape(short(value))}</{tag}>'


def p_number(p_value: float) -> str:
    """A p-value in a table: no leading zero, two decimals, three close to .01 and .05.

    >>> p_number(0.0004), p_number(0.004), p_number(0.034), p_number(0.048), p_number(0.999)
    ('< .001', '.004', '.03', '.048', '> .99')
    """
    if p_value < 0.001:
        return "< .001"
    if p_value > 0.99:
        return "> .99"
    rounded = f"{p_value:.2f}"[1:]
    return f"{p_value:.3f}"[1:] if rounded in (".00", ".01", ".05") else rounded


def p_words(p_value: float) -> str:
    """A p-value in a sentence.

    >>> p_words(0.034), p_words(1e-5)
    ('p = .03', 'p < .001')
    """
    number = p_number(p_value)
    return f"p {number}" if number[0] in "<>" else f"p = {number}"


def short(value: object) -> str:
    """Format a value as text that fits into a table cell."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return cut(visible(text[: LONGEST_CELL + 1]), LONGEST_CELL)


def cut(text: str, longest: int) -> str:
    """Return the text, cut at the end if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def shortened(text: str, longest: int) -> str:
    """Return the text, cut in the middle if it is too long: paths differ at their ends."""
    if len(text) <= longest:
        return text
    head = (longest - 1) // 2
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def visible(text: str) -> str:
    r"""Return the text on one line, with control characters escaped as in \x1b."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def markdown(text: str) -> str:
    r"""Return foreign text for Markdown: nothing in it is a sign of Markdown or HTML.

    >>> print(markdown("<b>a|b</b>"), markdown("x_1 & *"))
    &lt;b\>a\|b&lt;/b\> x\_1 &amp; \*
    """
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_{}\[\]>#|~$])", r"\\\1", shown)


LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "{}$&#_%"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",  # which babel would read as the start of a command
        **{sign: f"{{{sign}}}" for sign in "[]*"},  # options of the end of a row
        "–": "--",
        "−": "$-$",
    }
)


def latex(text: str) -> str:
    r"""Return foreign text for LaTeX: nothing in it is a command.

    >>> print(latex("50% of a_b & \\input{x}"))
    50\% of a\_b \& \textbackslash{}input\{x\}
    """
    return visible(text).translate(LATEX)
