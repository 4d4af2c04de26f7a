"""A report as one HTML page that needs no other file and makes no request.

Charts stand in it as SVG. Their colours that depend on the ground are overridden by those of the
page, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from importlib.resources import files

from hodgerank import __version__
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.look import BLUE, SHADES
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
from hodgerank.reporting.catalogue import LANGUAGE, say

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
    """Of the page, and of what a chart draws in the shades of a light ground."""
    style = (files("hodgerank.reporting") / "page.css").read_text(encoding="utf-8")
    drawn = {**SHADES["light"]._asdict(), "accent": BLUE}
    rules = [
        f'svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for name, colour in drawn.items()
        for part in ("fill", "stroke")
    ]
    return style + "\n".join(rules)


def _concerns(concerns: tuple[Text, ...]) -> str:
    if not concerns:
        return ""
    heading = _html(say("page.concerns"))
    return f'<div class="concern"><h3>{heading}</h3>{_list(concerns)}</div>'


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
            return _figure(block, prefix)


def _paragraph(block: Paragraph) -> str:
    kind = "" if block.kind == "plain" else f' class="{block.kind}"'
    return f"<p{kind}>{' '.join(map(_html, block.texts))}</p>"


def _list(texts: tuple[Text, ...]) -> str:
    return f"<ul>{''.join(f'<li>{_html(text)}</li>' for text in texts)}</ul>"


def _table(table: Table) -> str:
    def cells(tag: str, values: list[str]) -> str:
        sides = [' class="right"' if k in table.right else "" for k in range(len(values))]
        return "".join(
            f"<{tag}{side}>{value}</{tag}>" for side, value in zip(sides, values, strict=True)
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
        f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _figure(figure: Figure, prefix: str) -> str:
    chart = figure.draw()
    title = chart.to_dict(validate=False).get("title", {})
    lines = title.get("text", "") if isinstance(title, dict) else title
    words = escape(" ".join([lines] if isinstance(lines, str) else lines), quote=True)
    return f'<figure role="img" aria-label="{words}">{_drawing(svg_of(chart), prefix)}</figure>'


def _drawing(svg: str, prefix: str) -> str:
    """SVG to stand beside others: with names of its own, and without labels of single marks."""
    svg = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    return re.sub(r"url\(#", f"url(#{prefix}", svg).replace("<svg ", '<svg aria-hidden="true" ', 1)
