"""What all charts share: the library, the look, and the files they go to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hodgerank.errors import InvalidArgument, MissingDependency

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
    try:
        if suffix == ".html":
            chart.save(str(path), inline=True)
        else:
            chart.save(str(path), **({"scale_factor": 2} if suffix == ".png" else {}))
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be written: {error.strerror or error}") from None
