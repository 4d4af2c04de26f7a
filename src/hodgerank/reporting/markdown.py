"""A report as Markdown, without its charts."""

from __future__ import annotations

from hodgerank import __version__
from hodgerank.display import markdown
from hodgerank.reporting.blocks import (
    Bullets,
    Document,
    Figure,
    KeyFigure,
    Paragraph,
    Section,
    Standings,
    Table,
    Text,
    VerdictLine,
)
from hodgerank.reporting.messages import say


def page(document: Document) -> str:
    """The whole document."""
    first = document.first_page
    board = _standings(first.board) if isinstance(first.board, Standings) else _table(first.board)
    made = say("page.made", version=__version__, date=document.made.date)
    parts = [
        f"# {markdown(document.title)}",
        _markdown(document.subtitle),
        f"**{_paragraph(document.answer[:2])}** {_paragraph(document.answer[2:])}".strip(),
        " · ".join(map(_figure, first.figures)),
        board,
        "\n".join(map(_line, first.lines)),
        *map(_section, document.sections),
        f"{_markdown(made)} {_markdown(say('page.charts_elsewhere'))}",
    ]
    return "\n\n".join(parts) + "\n"


def _markdown(text: Text) -> str:
    return text.written(markdown)


def _paragraph(texts: tuple[Text, ...]) -> str:
    return " ".join(map(_markdown, texts))


def _list(texts: tuple[Text, ...]) -> str:
    return "\n".join(f"- {_markdown(text)}" for text in texts)


def _figure(figure: KeyFigure) -> str:
    return f"{_markdown(figure.label)}: **{markdown(figure.value)}**"


def _line(line: VerdictLine) -> str:
    texts = (line.text, *line.detail, *((line.action,) if line.action else ()))
    return f"- **{_markdown(line.title)}** ({line.status}): {_paragraph(texts)}"


def _section(section: Section) -> str:
    blocks = [_block(block) for block in section.blocks if not isinstance(block, Figure)]
    return "\n\n".join([f"## {_markdown(section.title)}", _markdown(section.summary), *blocks])


def _block(block: Paragraph | Bullets | Table) -> str:
    match block:
        case Paragraph():
            return _paragraph(block.texts)
        case Bullets():
            return _list(block.texts)
        case Table():
            return _table(block)


def _standings(standings: Standings) -> str:
    header, right = standings.header, frozenset({0, 2, 3})
    rows = [
        (
            row.place,
            row.name,
            f"{row.number} ({row.interval})",
            row.could_be,
        )
        for tier in standings.tiers
        for row in tier
    ]
    columns = [k for k in range(4) if k in (1, 2) or any(row[k] for row in rows)]
    names = [list(header.values())[k] for k in columns]
    table = Table(
        names,
        [[row[k] for k in columns] for row in rows],
        frozenset(place for place, k in enumerate(columns) if k in right),
    )
    title = f"**{_markdown(standings.title)}**: {_markdown(standings.reading)}"
    return "\n\n".join([title, _table(table), *map(_markdown, standings.notes)])


def _table(table: Table) -> str:
    header = [_markdown(text) or " " for text in table.header]
    rules = ["---:" if k in table.right else "---" for k in range(len(header))]
    rows = [header, rules, *([markdown(cell) for cell in row] for row in table.rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return lines if table.caption is None else f"{lines}\n\n{_markdown(table.caption)}"
