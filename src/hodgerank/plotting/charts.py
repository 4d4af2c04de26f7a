"""What all charts share: the library, the look, and the files they go to."""

from __future__ import annotations

import json
import re
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from hodgerank.errors import InvalidArgument, MissingDependency
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
    chart.save(buffer, format=suffix[1:], **options.get(suffix, {}))
    content = buffer.getvalue()
    write_file(path, content.encode() if isinstance(content, str) else content)


class InScript(json.JSONEncoder):
    """JSON inside a script of HTML: `</script>` in the name of an item does not end it."""

    def encode(self, o: Any) -> str:
        """The same values, without a character that HTML minds."""
        text = super().encode(o)
        return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
