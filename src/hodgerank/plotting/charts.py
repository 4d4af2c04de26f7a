"""Charts as files, and whether they can be drawn at all."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

from hodgerank.errors import CannotWrite, InvalidArgument, MissingDependency
from hodgerank.notebook import visible
from hodgerank.plotting.look import altair
from hodgerank.writing import write_file

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
    content = _html(chart) if suffix == ".html" else _drawn(chart, suffix[1:])
    write_file(path, content.encode() if isinstance(content, str) else content)


def svg_of(chart: Any) -> str:
    """A chart as SVG, to stand in a page."""
    require_charts()
    return str(_drawn(chart, "svg"))


def _drawn(chart: Any, form: str) -> str | bytes:
    import vl_convert

    draw = getattr(vl_convert, f"vegalite_to_{form}")
    options = {"scale": 2} if form == "png" else {}
    try:
        drawn: str | bytes = draw(_specified(chart), **options)
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[-1]
        raise CannotWrite(f"the chart cannot be drawn as {form} ({reason}): try .html") from None
    return drawn


def _html(chart: Any) -> str:
    buffer = StringIO()
    shown = altair().Chart.from_dict(_specified(chart))
    shown.save(buffer, format="html", inline=True, json_kwds={"cls": InScript})
    return buffer.getvalue()


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
