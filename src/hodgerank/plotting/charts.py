"""What all charts share: the library, the look, and the files they go to."""

from __future__ import annotations

import json
import re
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from hodgerank.errors import CannotWrite, InvalidArgument, MissingDependency
from hodgerank.notebook import visible
from hodgerank.writing import write_file

SUFFIXES = (".html", ".svg", ".png", ".pdf")
# Distinct to colour-blind eyes, dark enough on white: after Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999999")
GRID = "#e8ebf0"


def altair() -> Any:
    """Altair, or how to get it."""
    try:
        import altair
    except ImportError:
        raise MissingDependency("hodgerank[plot]", "drawing a chart") from None
    return altair


def require_charts() -> None:
    """Whether charts can be drawn and saved in every format."""
    altair()
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingDependency("hodgerank[plot]", "saving a chart") from None


def save_chart(chart: Any, path: Path) -> None:
    """Write a chart in the format its name ends in; HTML works offline."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidArgument(f"{path}: a chart's name ends in {', '.join(SUFFIXES)}")
    options: dict[str, dict[str, Any]] = {
        ".html": {"inline": True, "json_kwds": {"cls": InScript}},
        ".png": {"scale_factor": 2},
    }
    buffer = BytesIO() if suffix in (".png", ".pdf") else StringIO()
    drawn = altair().Chart.from_dict(_with_visible_names(chart.to_dict()))
    try:
        drawn.save(buffer, format=suffix[1:], **options.get(suffix, {}))
    except ValueError as error:
        reason = str(error).strip().split("\n")[-1]
        raise CannotWrite(f"{path} cannot be drawn ({reason}): try .svg or .html") from None
    content = buffer.getvalue()
    write_file(path, content.encode() if isinstance(content, str) else content)


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
