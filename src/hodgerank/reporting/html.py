"""A report as one HTML page that needs no other file, runs no script and makes no request."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from datetime import date
from html import escape
from importlib.resources import files

from hodgerank import __version__
from hodgerank.plotting.charts import chart_style, figure_of
from hodgerank.reporting.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    FirstPage,
    Paragraph,
    Section,
    Standing,
    Standings,
    Table,
    Text,
    VerdictLine,
)
from hodgerank.reporting.messages import LANGUAGE, say

# Nothing is fetched and nothing is run, whatever the names of items are.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

MARK = (
    '<svg class="mark" viewBox="0 0 20 20" aria-hidden="true">'
    '<path d="M3 11h3.5v6H3zM8.250 3h3.5v14h-3.5zM13.500 8H17v9h-3.500z"/></svg>'
)
SIGNS = {
    "good": "M4.500 10.500l3.500 3.500 7.500-8",
    "open": "M5 10h.01M10 10h.01M15 10h.01",
    "warning": "M10 4v7.500M10 15.500h.01",
}
TURN = '<svg class="turn" viewBox="0 0 20 20" aria-hidden="true"><path d="M8 5l5 5-5 5"/></svg>'


def page(document: Document) -> str:
    """The whole page."""
    title = escape(document.title)
    sections = "\n".join(
        _section(section, f"chart-{k}-") for k, section in enumerate(document.sections)
    )
    made = say("page.made", version=__version__, date=document.made.date)
    return f"""<!doctype html>
<html lang="{LANGUAGE}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{_style()}
</style>
</head>
<body>
<main>
<article class="sheet">
<p class="eyebrow"><span class="brand">{MARK}{_html(say("page.mark"))}</span>
<span>{_day(document.made.date)}</span></p>
<h1>{title}<span class="below">{_html(document.subtitle)}</span></h1>
<p class="answer">{_sentences(document.answer[:2])}</p>
{_first_page(document.first_page)}
</article>
<section class="folds" aria-label="{_html(say("page.sections"))}">
{sections}
</section>
<footer>{_html(made)}</footer>
</main>
</body>
</html>
"""


def _html(text: Text) -> str:
    """Escaped words, in which p-values do not break."""
    return re.sub(r"\bp (=|&lt;|&gt;) (?=\.)", "p\u00a0\\1\u00a0", text.written(escape, escape))


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B} {day.year}"


def _sentences(texts: tuple[Text, ...]) -> str:
    return " ".join(map(_html, texts))


def _style() -> str:
    """Styles of the page and of its charts."""
    style = (files("hodgerank.reporting") / "page.css").read_text(encoding="utf-8")
    return style + chart_style()


def _first_page(first: FirstPage) -> str:
    figures = "".join(
        f"<div><dt>{_html(figure.label)}</dt><dd>{escape(figure.value)}</dd></div>"
        for figure in first.figures
    )
    board = first.board
    shown = _standings(board) if isinstance(board, Standings) else _board(board)
    lines = "".join(map(_line, first.lines))
    return (
        f'<dl class="figures" aria-label="{_html(say("page.figures"))}">{figures}</dl>\n'
        f'<section class="board">{shown}</section>\n'
        f'<section class="lines" aria-label="{_html(say("page.lines"))}">{lines}</section>'
    )


def _board(table: Table) -> str:
    """A table whose caption is its heading."""
    heading = "" if table.caption is None else f"<h2>{_html(table.caption)}</h2>"
    return heading + _table(Table(table.header, table.rows, table.right))


def _standings(standings: Standings) -> str:
    """Rows with interval bars; words and numbers are HTML, and only bars are drawn."""
    header = standings.header
    ticks = "".join(f"<span>{escape(tick)}</span>" for tick in standings.ticks)
    has_places = any(row.place for tier in standings.tiers for row in tier)
    place = f'<th scope="col" class="place"><span>{_html(header["place"])}</span></th>'
    could_be = f'<th scope="col" class="could">{_html(header["could_be"])}</th>'
    head = (
        f"{place if has_places else ''}"
        f'<th scope="col">{_html(header["item"])}</th>'
        f'<td class="axis"><span class="ticks">{ticks}</span></td>'
        f'<th scope="col" class="chosen">{_html(header["chosen"])}</th>'
        f"{could_be if has_places else ''}"
    )
    bodies = "\n".join(_tier(tier, has_places) for tier in standings.tiers)
    notes = "".join(f'<p class="note">{_html(note)}</p>' for note in standings.notes)
    kind = "" if has_places else ' class="unordered"'
    return (
        f"<h2>{_html(standings.title)}</h2>"
        f"<p>{_html(standings.reading)} {_html(standings.legend)}</p>"
        f"<table{kind}><thead><tr>{head}</tr></thead>\n{bodies}</table>{notes}"
    )


def _tier(tier: Sequence[Standing], has_places: bool) -> str:
    kind = ' class="tied"' if has_places and len(tier) > 1 else ""
    rows = "\n".join(_standing(row, has_places) for row in tier)
    return f"<tbody{kind}>{rows}</tbody>"


def _standing(row: Standing, has_places: bool) -> str:
    at, low, high = (f"{100 * share:.1f}%" for share in (row.chosen, row.lower, row.upper))
    bar = (
        '<svg class="bar" aria-hidden="true">'
        '<line class="rule" x1="0" x2="0" y1="-50%" y2="150%"/>'
        '<line class="rule half" x1="50%" x2="50%" y1="-50%" y2="150%"/>'
        '<line class="rule" x1="100%" x2="100%" y1="-50%" y2="150%"/>'
        f'<line class="range" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<circle class="dot" cx="{at}" cy="50%" r="5"/></svg>'
    )
    numbers = f'{escape(row.number)} <span class="soft">{escape(row.interval)}</span>'
    place = f'<td class="place">{row.place}</td>' if has_places else ""
    could_be = f'<td class="could">{row.could_be}</td>' if has_places else ""
    return (
        f'<tr>{place}<th scope="row">{escape(row.name)}</th><td class="axis">{bar}</td>'
        f'<td class="chosen">{numbers}</td>{could_be}</tr>'
    )


def _line(line: VerdictLine) -> str:
    sign = f'<svg viewBox="0 0 20 20" aria-hidden="true"><path d="{SIGNS[line.status]}"/></svg>'
    detail = f'<p class="detail">{_sentences(line.detail)}</p>' if line.detail else ""
    action = ""
    if line.action is not None:
        words = _html(line.action)
        shown = f'<a href="#{line.link}">{words}</a>' if line.link else words
        action = f'<p class="action">{shown}</p>'
    return (
        f'<article class="line {line.status}"><span class="sign">{sign}</span><div>'
        f"<h2>{_html(line.title)}</h2><p>{_html(line.text)}</p>{detail}{action}</div></article>"
    )


def _section(section: Section, prefix: str) -> str:
    """Folded to its conclusion; links lead inside, which opens it."""
    blocks = "\n".join(_block(block, f"{prefix}{k}-") for k, block in enumerate(section.blocks))
    return (
        f"<details><summary>{TURN}<h2>{_html(section.title)}</h2>"
        f'<span class="soft">{_html(section.summary).removesuffix(".")}</span></summary>\n'
        f'<div class="inner" id="{section.key}">\n{blocks}\n</div></details>'
    )


def _block(block: Block, prefix: str) -> str:
    match block:
        case Paragraph():
            kind = ' class="note"' if block.kind == "note" else ""
            return f"<p{kind}>{_sentences(block.texts)}</p>"
        case Bullets():
            return f"<ul>{''.join(f'<li>{_html(text)}</li>' for text in block.texts)}</ul>"
        case Table():
            return _table(block)
        case Figure():
            return figure_of(block.draw(), prefix)


def _table(table: Table) -> str:
    def cells(tag: str, values: list[str]) -> str:
        sides = [' class="right"' if k in table.right else "" for k in range(len(values))]
        tags = [tag if value else "td" for value in values]  # a heading says something
        return "".join(
            f"<{tag}{side}>{value}</{tag}>"
            for tag, side, value in zip(tags, sides, values, strict=True)
        )

    notes = [] if table.caption is None else [_html(table.caption)]
    if table.download is not None:
        name, csv = table.download
        data = b64encode(csv.encode()).decode()
        words = _html(say("page.download"))
        link = f'<a download="{escape(name)}" href="data:text/csv;base64,{data}">{words}</a>'
        notes.append(f'<span class="download">{link}</span>')
    caption = f"<caption>{' '.join(notes)}</caption>" if notes else ""
    head = cells("th", [_html(text) for text in table.header])
    body = "\n".join(
        f"<tr>{cells('td', [escape(cell) for cell in row])}</tr>" for row in table.rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table>{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )
