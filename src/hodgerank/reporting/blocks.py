"""What a report is made of: texts, tables and charts, in the sections of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from hodgerank.reporting.options import Provenance


@dataclass(frozen=True)
class Text:
    """A sentence of the catalogue and what is filled in, which may be somebody else's text."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The plain words."""
        return self.written()

    def written(
        self,
        escaped: Callable[[str], str] = str,
        own: Callable[[str], str] = str,
    ) -> str:
        """The words with all that is filled in escaped; `own` escapes those of the catalogue."""
        parts = []
        for literal, name, form, _ in Formatter().parse(self.template):
            parts.append(own(literal))
            if name is not None:
                value = self.values[name]
                filled = str(value) if isinstance(value, Text) else format(value, form or "")
                parts.append(escaped(filled))
        return "".join(parts)


@dataclass(frozen=True)
class Paragraph:
    """Sentences one after the other; `kind` is 'plain', 'lead' (the answer) or 'note'."""

    texts: tuple[Text, ...]
    kind: str = "plain"


@dataclass(frozen=True)
class Bullets:
    """A list; `kind` is 'plain' or 'concern'."""

    texts: tuple[Text, ...]
    kind: str = "plain"


@dataclass(frozen=True)
class Table:
    """Rows of cells that are ready to be shown; numbers stand right.

    `download` is the whole table as CSV, where not all rows are shown.
    """

    header: Sequence[Text]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    caption: Text | None = None
    download: tuple[str, str] | None = None


@dataclass(frozen=True)
class Figure:
    """An Altair chart, drawn when it is wanted: texts and tables do without the library."""

    draw: Callable[[], Any]


Block = Paragraph | Bullets | Table | Figure


@dataclass(frozen=True)
class Section:
    """One question and its answer; `key` names it in links and JSON."""

    key: str
    title: Text
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """What is written down, in whatever format."""

    title: str
    answer: tuple[Text, ...]
    concerns: tuple[Text, ...]
    sections: tuple[Section, ...]
    made: Provenance
