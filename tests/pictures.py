"""What a chart says and shows, for tests of charts."""

from __future__ import annotations

from typing import Any


def title_of(chart: Any) -> str:
    return " ".join(_specification(chart)["title"]["text"])


def notes_of(chart: Any) -> str:
    return " ".join(_specification(chart)["title"]["subtitle"])


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """Every row of data that has values, wherever it stands in the specification."""
    return list(_rows(_specification(chart)))


def _specification(chart: Any) -> dict[str, Any]:
    """Not compared with the schema of Vega-Lite, which takes most of the time."""
    return dict(chart.to_dict(validate=False))


def _rows(part: Any) -> Any:
    if isinstance(part, dict):
        yield from filter(None, part.get("data", {}).get("values", ()))
        for key, value in part.items():
            if key != "data":
                yield from _rows(value)
    elif isinstance(part, list):
        for value in part:
            yield from _rows(value)
