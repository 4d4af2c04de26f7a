"""A report as one HTML page that needs no other file and makes no request; charts stand in it."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib.resources import files

from hodgerank import __version__
from hodgerank.plotting.charts import chart_style, figure_of
from hodgerank.reporting.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    Paragraph,
    Section,
    Table,
    Text,
)
from hodgerank.reporting.messages import LANGUAGE, say

# Nothing is fetched and nothing is run, whatever the names of items are.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(document: Document) -> str:
    """The whole page."""
    title = escape(document.title)
    contents = "".join(
        f'<li><a href="#{section.key}">{_html(section.title)}</a></li>'
        for section in document.sections
    )
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
<h1>{title}</h1>
{_paragraph(Paragraph(document.answer, "lead"))}
{_concerns(document.concerns)}
<nav aria-label="{_html(say("page.contents"))}"><ol>{contents}</ol></nav>
{sections}
<footer>{_html(made)}</footer>
</main>
</body>
</html>
"""


def _html(text: Text) -> str:
    return text.written(escape, escape)


def _style() -> str:
    """Of the page, and of the charts in it."""
    style = (files("hodgerank.reporting") / "page.css").read_text(encoding="utf-8")
    return style + chart_style()


def _concerns(concerns: tuple[Text, ...]) -> str:
    if not concerns:
        return ""
    heading = _html(say("page.concerns"))
    title = f'<h3 role="heading" aria-level="2">{heading}</h3>'
    return f'<div class="concern">{title}{_list(concerns)}</div>'


def _section(section: Section, prefix: str) -> str:
    blocks = "\n".join(_block(block, f"{prefix}{k}-") for k, block in enumerate(section.blocks))
    return f'<section id="{section.key}">\n<h2>{_html(section.title)}</h2>\n{blocks}\n</section>'


def _block(block: Block, prefix: str) -> str:
    match block:
        case Paragraph():
            return _paragraph(block)
        case Bullets():
            return _list(block.texts)
        case Table():
            return _table(block)
        case Figure():
            return figure_of(block.draw(), prefix)


def _paragraph(block: Paragraph) -> str:
    kind = "" if block.kind == "plain" else f' class="{block.kind}"'
    return f"<p{kind}>{' '.join(map(_html, block.texts))}</p>"


def _list(texts: tuple[Text, ...]) -> str:
    return f"<ul>{''.join(f'<li>{_html(text)}</li>' for text in texts)}</ul>"


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
