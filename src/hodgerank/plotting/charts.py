"""Charts as files, and whether they can be drawn at all."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from hodgerank.atomic_write import write_file
from hodgerank.display import visible
from hodgerank.errors import CannotWrite, InvalidArgument, MissingDependency
from hodgerank.plotting.text_room import with_room
from hodgerank.plotting.text_width import FONT_SIZE
from hodgerank.plotting.theme import BLUE, SHADES, altair

SIZE = re.compile(r'width="([\d.]+)" height="[\d.]+" (viewBox=)')
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
    """One drawing for all formats: what fits as SVG fits as PNG and PDF."""
    import vl_convert

    try:
        svg = with_room(vl_convert.vegalite_to_svg(specification))
        if form == "svg":
            return svg
        options = {"scale": 2} if form == "png" else {}
        drawn: bytes = getattr(vl_convert, f"svg_to_{form}")(svg, **options)
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
    """Return the specification, which was checked when the chart was made."""
    specification: dict[str, Any] = _with_visible_names(chart.to_dict(validate=False))
    return specification


def _with_visible_names(part: Any) -> Any:
    """Escape control characters in names, on which the renderer fails."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, dict):
        return {key: _with_visible_names(value) for key, value in part.items()}
    return [_with_visible_names(value) for value in part] if isinstance(part, list) else part


class InScript(json.JSONEncoder):
    """JSON inside a script of HTML: `</script>` in the name of an item does not end it."""

    def encode(self, o: Any) -> str:
        """Replace characters that are special in HTML."""
        text = super().encode(o)
        return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def figure_of(chart: Any, prefix: str, words: str | None = None) -> str:
    """A chart as a figure of a page, whose title, notes and legend are HTML.

    `prefix` keeps the names in its drawing apart from others. `words` describe the drawing to who
    cannot see it; they are those of the title if none are given. The drawing can be reached by
    keys, since it scrolls where there is little room. Its colours follow the page, which needs
    `chart_style`.
    """
    require_charts()
    specification = _specified(chart)
    title, notes = _taken_title(specification)
    legend = _legend(_taken_legends(specification))
    specification.setdefault("config", {}).update(background=None, padding=2)
    drawing = _drawing(str(_drawn(specification, "svg")), prefix)
    caption = f"<strong>{escape(title)}</strong>" if title else ""
    caption += f" <span>{escape(notes)}</span>" if notes else ""
    caption = f"<figcaption>{caption}</figcaption>" if caption else ""
    label = escape(title if words is None else words, quote=True)
    return (
        f'<figure class="chart">{caption}{legend}'
        f'<div class="drawing" role="img" tabindex="0" aria-label="{label}">{drawing}</div>'
        "</figure>"
    )


def chart_style() -> str:
    """Return the style rules that a page with charts needs."""
    rules = (files("hodgerank.plotting") / "charts.css").read_text(encoding="utf-8")
    drawn = {**SHADES["light"]._asdict(), "accent": BLUE}
    return rules + "\n".join(
        f'svg [{part}="{colour}"] {{ {part}: var(--{name}); }}'
        for name, colour in drawn.items()
        for part in ("fill", "stroke")
    )


def _taken_title(specification: dict[str, Any]) -> tuple[str, str]:
    """Take title and notes out of a specification, each as one line."""
    title = specification.pop("title", {})
    parts = title if isinstance(title, dict) else {"text": title}
    return _one_line(parts.get("text", "")), _one_line(parts.get("subtitle", ""))


def _one_line(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else " ".join(lines)


def _taken_legends(part: Any) -> dict[str, dict[str, Any]]:
    """Take legends of names out of a specification: for each name how it is drawn.

    Legends of numbers, which show a range of colours, stay where they are.
    """
    found: dict[str, dict[str, Any]] = {}
    if isinstance(part, list):
        for each in part:
            found |= _taken_legends(each)
    elif isinstance(part, dict):
        for channel in ("color", "shape", "strokeDash"):
            encoding = part.get(channel)
            if not (isinstance(encoding, dict) and encoding.get("type") == "nominal"):
                continue
            legend, scale = encoding.get("legend"), encoding.get("scale", {})
            if legend and "domain" in scale:
                encoding["legend"] = None
                for name, value in zip(scale["domain"], scale["range"], strict=False):
                    look = found.setdefault(name, {"symbol": legend.get("symbolType", "circle")})
                    look[channel] = value
        for key, each in part.items():
            if key != "data":
                for name, look in _taken_legends(each).items():
                    found.setdefault(name, {}).update(look)
    return found


# Marks of a legend, 16 pixels wide and 12 high.
MARKS = {
    "square": "M3,1h10v10h-10Z",
    "circle": "M3,6a5,5,0,1,0,10,0a5,5,0,1,0,-10,0Z",
    "triangle-up": "M8,1l6,10h-12Z",
    "diamond": "M8,0l5,6l-5,6l-5,-6Z",
    "stroke": "M0,6h16",
}


def _legend(entries: dict[str, dict[str, Any]]) -> str:
    """A list of names, each behind its mark."""
    frame = '<svg aria-hidden="true" width="16" height="12" viewBox="0 0 16 12">'
    listed = "".join(
        f"<li>{frame}{_mark(look)}</svg>{escape(name)}</li>" for name, look in entries.items()
    )
    return f'<ul class="legend">{listed}</ul>' if listed else ""


def _mark(look: dict[str, Any]) -> str:
    shape, colour = look.get("shape", look["symbol"]), look["color"]
    if shape != "stroke":
        return f'<path d="{MARKS[shape]}" fill="{colour}"/>'
    dashes = ",".join(map(str, look.get("strokeDash", (1, 0))))
    drawn = f'stroke="{colour}" stroke-width="3" stroke-dasharray="{dashes}"'
    return f'<path d="{MARKS[shape]}" {drawn}/>'


def _drawing(svg: str, prefix: str) -> str:
    """SVG to stand beside others: with names of its own, and without labels of single marks.

    It is as many em wide as lets its text have the size of the font around it.
    """
    svg = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = SIZE.sub(lambda size: f'width="{float(size[1]) / FONT_SIZE:.2f}em" {size[2]}', svg, 1)
    return re.sub(r"url\(#", f"url(#{prefix}", svg).replace("<svg ", '<svg aria-hidden="true" ', 1)
