"""The parts of a report: a first page, and sections of texts, tables and charts behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any, Literal

from hodgerank.reporting.options import Provenance


@dataclass(frozen=True)
class Text:
    """A sentence of the catalogue with its values, which may be somebody else's text.

    `code` is its key in the catalogue: it stays when the wording changes.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""

    def __str__(self) -> str:
        """The plain words."""
        return self.written()

    def written(
        self,
        escaped: Callable[[str], str] = str,
        own: Callable[[str], str] = str,
    ) -> str:
        """The words with all values escaped; `own` escapes those of the catalogue."""
        parts = []
        for literal, name, form, _ in Formatter().parse(self.template):
            parts.append(own(literal))
            if name is not None:
                value = self.values[name]
                filled = str(value) if isinstance(value, Text) else format(value, form or "")
                parts.append(escaped(filled))
        return "".join(parts)

    def to_dict(self) -> dict[str, str]:
        """Code and words, ready for JSON."""
        return {"code": self.code, "text": str(self)}


@dataclass(frozen=True)
class Paragraph:
    """Sentences one after the other; `kind` is 'plain' or 'note'."""

    texts: tuple[Text, ...]
    kind: str = "plain"


@dataclass(frozen=True)
class Bullets:
    """A list."""

    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Table:
    """Rows of cells that are ready to be shown; columns in `right` are numbers.

    `download` is a file name and the whole table as CSV, where not all rows are shown.
    """

    header: Sequence[Text]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    caption: Text | None = None
    download: tuple[str, str] | None = None


@dataclass(frozen=True)
class Figure:
    """An Altair chart, drawn on demand: texts and tables do without the library."""

    draw: Callable[[], Any]


@dataclass(frozen=True)
class Standing:
    """An item with a value and its interval, as positions on an axis from 0 to 1.

    The value is the probability that the item is preferred to an average one, or a score. `number`
    and `interval` are its words; `place` and `could_be` are empty where the votes contain no order.
    """

    place: str
    name: str
    chosen: float
    lower: float
    upper: float
    could_be: str
    number: str
    interval: str


@dataclass(frozen=True)
class Standings:
    """The first items of the ranking with interval bars; each tier is a run of open places.

    `legend` explains how tiers are drawn; `ticks` stand at the start, middle and end of the axis.
    """

    title: Text
    reading: Text
    legend: Text
    header: Mapping[str, Text]
    tiers: Sequence[Sequence[Standing]]
    notes: tuple[Text, ...] = ()
    ticks: tuple[str, str, str] = ("0%", "50%", "100%")


Block = Paragraph | Bullets | Table | Figure


@dataclass(frozen=True)
class Section:
    """One question, its answer in a line, and what it rests on; `key` names it in links."""

    key: str
    title: Text
    summary: Text
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class KeyFigure:
    """A number that is read at a glance."""

    label: Text
    value: str

    def to_dict(self) -> dict[str, str]:
        """Plain values, ready for JSON."""
        return {"code": self.label.code, "label": str(self.label), "value": self.value}


Status = Literal["good", "open", "warning"]


@dataclass(frozen=True)
class VerdictLine:
    """Whether one side of the result can be relied on, and at most one thing to do about it.

    `link` is the key of the section with more about it.
    """

    title: Text
    status: Status
    text: Text
    detail: tuple[Text, ...] = ()
    action: Text | None = None
    link: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "about": self.title.code.partition(".")[0],
            "status": self.status,
            **self.text.to_dict(),
            "detail": [text.to_dict() for text in self.detail],
            "action": None if self.action is None else self.action.to_dict(),
        }


@dataclass(frozen=True)
class FirstPage:
    """The result on one sheet."""

    figures: tuple[KeyFigure, ...]
    board: Standings | Table
    lines: tuple[VerdictLine, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """Everything that is written, in any format."""

    title: str
    subtitle: Text
    answer: tuple[Text, ...]
    first_page: FirstPage
    sections: tuple[Section, ...]
    made: Provenance
