"""A report as Markdown, without its charts."""

from __future__ import annotations

import re

from hodgerank import __version__
from hodgerank.reporting.blocks import Bullets, Document, Figure, Paragraph, Section, Table, Text
from hodgerank.reporting.messages import say


def page(document: Document) -> str:
    """The whole document."""
    parts = [f"# {_escaped(document.title)}", _paragraph(document.answer)]
    if document.concerns:
        parts += [f"**{_markdown(say('page.concerns'))}**", _list(document.concerns)]
    parts += [_section(section) for section in document.sections]
    made = say("page.made", version=__version__, date=document.made.date)
    parts.append(f"{_markdown(made)} {_markdown(say('page.charts_elsewhere'))}")
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """Somebody else's text: nothing in it is a sign of Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&$])", r"\\\1", text)


def _markdown(text: Text) -> str:
    return text.written(_escaped)


def _paragraph(texts: tuple[Text, ...]) -> str:
    return " ".join(map(_markdown, texts))


def _list(texts: tuple[Text, ...]) -> str:
    return "\n".join(f"- {_markdown(text)}" for text in texts)


def _section(section: Section) -> str:
    blocks = [_block(block) for block in section.blocks if not isinstance(block, Figure)]
    return "\n\n".join([f"## {_markdown(section.title)}", *blocks])


def _block(block: Paragraph | Bullets | Table) -> str:
    match block:
        case Paragraph():
            return _paragraph(block.texts)
        case Bullets():
            return _list(block.texts)
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    header = [_markdown(text) or " " for text in table.header]
    rules = ["---:" if k in table.right else "---" for k in range(len(header))]
    rows = [header, rules, *([_escaped(cell) for cell in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return lines if table.caption is None else f"{lines}\n\n{_markdown(table.caption)}"
