"""Charts as files, and whether they can be drawn at all."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from hodgerank.atomic_write import write_file
from hodgerank.display import visible
from hodgerank.errors import CannotWrite, InvalidArgument, MissingDependency
from hodgerank.plotting.theme import BLUE, SHADES, altair

SUFFIXES = (".html", ".svg", ".png", ".pdf")


def require_charts() -> None:
    """Whether charts can be drawn and saved in every format."""
    altair()
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingDependency("hodgerank[plot]", "saving a chart") from None


def save_chart(chart: Any, path: Path | str) -> None:
    """Write a chart in the format its name ends in: .html (works offline), .svg, .png or .pdf."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidArgument(f"{path}: a chart's name ends in {', '.join(SUFFIXES)}")
    require_charts()
    shown = _specified(chart)
    content = _html(shown) if suffix == ".html" else _drawn(shown, suffix[1:])
    write_file(path, content.encode() if isinstance(content, str) else content)


def svg_of(chart: Any) -> str:
    """A chart as SVG, to stand in a page."""
    require_charts()
    return str(_drawn(_specified(chart), "svg"))


def _drawn(specification: dict[str, Any], form: str) -> str | bytes:
    import vl_convert

    draw = getattr(vl_convert, f"vegalite_to_{form}")
    options = {"scale": 2} if form == "png" else {}
    try:
        drawn: str | bytes = draw(specification, **options)
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[-1]
        raise CannotWrite(f"the chart cannot be drawn as {form} ({reason}): try .html") from None
    return drawn


def _html(specification: dict[str, Any]) -> str:
    from altair.utils import spec_to_html

    drawing = altair()
    return spec_to_html(  # as `chart.save` does, which would check the specification once more
        specification,
        mode="vega-lite",
        vega_version=drawing.VEGA_VERSION,
        vegalite_version=drawing.VEGALITE_VERSION,
        vegaembed_version=drawing.VEGAEMBED_VERSION,
        json_kwds={"cls": InScript},
        template="inline",
    )


def _specified(chart: Any) -> dict[str, Any]:
    """What is to be drawn; it was checked when the chart was made."""
    specification: dict[str, Any] = _with_visible_names(chart.to_dict(validate=False))
    return specification


def _with_visible_names(part: Any) -> Any:
    """The same specification; control characters in names are fatal to what draws it."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {key: _with_visible_names(value) for key, value in part.items()}
    return [_with_visible_names(value) for value in part] if isinstance(part, list) else part


class InScript(json.JSONEncoder):
    """JSON inside a script of HTML: `</script>` in the name of an item does not end it."""

    def encode(self, o: Any) -> str:
        """The same values, without a character that HTML minds."""
        text = super().encode(o)
        return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def figure_of(chart: Any, prefix: str, words: str | None = None) -> str:
    """A chart as a figure of a page; `prefix` keeps the names in its drawing apart from others.

    Who cannot see it is told `words`, which are those of its title if none are given. It can be
    reached by keys, since it scrolls where there is little room.
    """
    require_charts()
    specification = _specified(chart)
    label = escape(_title(specification) if words is None else words, quote=True)
    drawing = _drawing(str(_drawn(specification, "svg")), prefix)
    return f'<figure role="img" tabindex="0" aria-label="{label}">{drawing}</figure>'


def colour_rules() -> str:
    """What the stylesheet of a page with charts needs."""
    drawn = {**SHADES["light"]._asdict(), "accent": BLUE}
    return "\n".join(
        f'svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for name, colour in drawn.items()
        for part in ("fill", "stroke")
    )


def _title(specification: dict[str, Any]) -> str:
    title = specification.get("title", {})
    lines = title.get("text", "") if isinstance(title, dict) else title
    return " ".join([lines] if isinstance(lines, str) else lines)


def _drawing(svg: str, prefix: str) -> str:
    """SVG to stand beside others: with names of its own, and without labels of single marks."""
    svg = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    return re.sub(r"url\(#", f"url(#{prefix}", svg).replace("<svg ", '<svg aria-hidden="true" ', 1)
