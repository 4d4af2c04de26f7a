"""Charts that stand in a page as SVG, with colours that follow those of the page.

What a chart draws in the shades of a light ground is overridden by the colours that the page has
under the same names, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.look import BLUE, SHADES


def figure_of(chart: Any, prefix: str, words: str | None = None) -> str:
    """A chart as a figure of a page; `prefix` keeps the names in its drawing apart from others.

    Who cannot see it is told `words`, which are those of its title if none are given. It can be
    reached by keys, since it scrolls where there is little room.
    """
    label = escape(_title(chart) if words is None else words, quote=True)
    drawing = _drawing(svg_of(chart), prefix)
    return f'<figure role="img" tabindex="0" aria-label="{label}">{drawing}</figure>'


def colour_rules() -> str:
    """What the stylesheet of a page with charts needs."""
    drawn = {**SHADES["light"]._asdict(), "accent": BLUE}
    return "\n".join(
        f'svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for name, colour in drawn.items()
        for part in ("fill", "stroke")
    )


def _title(chart: Any) -> str:
    title = chart.to_dict(validate=False).get("title", {})
    lines = title.get("text", "") if isinstance(title, dict) else title
    return " ".join([lines] if isinstance(lines, str) else lines)


def _drawing(svg: str, prefix: str) -> str:
    """SVG to stand beside others: with names of its own, and without labels of single marks."""
    svg = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    return re.sub(r"url\(#", f"url(#{prefix}", svg).replace("<svg ", '<svg aria-hidden="true" ', 1)
