"""The look that all charts share, light and dark.

Charts name styles ("label", "note", "mark" ...) instead of colours, so that the same chart can be
drawn on a light and on a dark ground. Colours that tell series apart are readable on both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from textwrap import wrap
from typing import Any, Literal, NamedTuple, ParamSpec

from hodgerank.display import shortened, visible
from hodgerank.errors import InvalidArgument, MissingDependency

Theme = Literal["light", "dark"]
Arguments = ParamSpec("Arguments")

# Distinct to colour-blind eyes: after Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#9C755F", "#999999")
BLUE, ORANGE, GREEN, PINK, SKY, YELLOW = COLOURS[:6]
GRID = "#e6e9ee"
LINE = 84  # letters of a title
LONGEST_NAME = 40


class Palette(NamedTuple):
    """The colours that depend on the ground."""

    ground: str
    ink: str
    soft: str
    faint: str
    grid: str


SHADES: dict[str, Palette] = {
    "light": Palette("#ffffff", "#1d2430", "#5b6676", "#b4bbc7", GRID),
    "dark": Palette("#14181f", "#e8ebf1", "#a3adbb", "#566070", "#2b323d"),
}


def altair() -> Any:
    """Altair, or how to get it."""
    try:
        import altair
    except ImportError:
        raise MissingDependency("hodgerank[plot]", "drawing a chart") from None
    return altair


def data_of(values: list[dict[str, Any]]) -> Any:
    """Data of a chart: plain values under plain names.

    Altair copies and checks its own `Data` value by value whenever charts are joined, which takes
    longer than drawing thousands of them; this is taken as it is.
    """
    return _data_type()(values=values)


@cache
def _data_type() -> type:
    class PlainData(altair().Data):  # type: ignore[misc]
        def to_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return dict(self._kwds)

        def __deepcopy__(self, memo: object) -> Any:
            return self

    return PlainData


def charted(draw: Callable[Arguments, Any]) -> Callable[Arguments, Any]:
    """Give what a function draws the look of all charts."""

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        return with_theme(draw(*args, **kwargs), "light")

    return drawn


def with_theme(chart: Any, theme: Theme | None) -> Any:
    """The same chart on a light or dark ground; with None without a look, to be combined.

    Altair does not join charts that have a look of their own (`a | b`): take it off, join them, and
    give it to the whole.
    """
    if theme is not None and theme not in SHADES:
        raise InvalidArgument(f"a theme is 'light', 'dark' or None, not {theme!r}")
    chart = chart.copy(deep=False)
    chart.config = altair().Undefined if theme is None else altair().Config(**_config(theme))
    return chart


def heading(finding: str, *reading: str) -> Any:
    """A title that says what was found, and below it how to read the chart."""
    return altair().TitleParams(
        wrap(visible(finding), LINE),
        subtitle=[line for text in reading if text for line in wrap(visible(text), LINE + 16)],
        anchor="start",
    )


def words_alone(finding: str, *reading: str) -> Any:
    """A chart of what has nothing to be drawn: its title says so."""
    alt = altair()
    nothing = alt.Chart(data_of([{}])).mark_point(opacity=0, tooltip=None)
    return nothing.properties(width=520, height=8, title=heading(finding, *reading))


def name(item: object) -> str:
    """The name of an item or worker, in a title."""
    return shortened(str(item), LONGEST_NAME)


def _config(theme: Theme) -> dict[str, Any]:
    ground, ink, soft, faint, grid = SHADES[theme]
    words = {"labelColor": soft, "titleColor": ink, "labelFontSize": 11, "titleFontSize": 12}
    plain = {**words, "titleFontWeight": "normal"}
    return {
        "background": ground,
        "font": "sans-serif",
        "padding": 12,
        "view": {"stroke": None},
        "title": {
            "color": ink,
            "fontSize": 15,
            "fontWeight": 600,
            "lineHeight": 20,
            "subtitleColor": soft,
            "subtitleFontSize": 12,
            "subtitleLineHeight": 16,
            "subtitlePadding": 6,
            "offset": 14,
            "frame": "group",
        },
        "axis": {**plain, "gridColor": grid, "domainColor": faint, "tickColor": faint},
        "legend": plain,
        "header": {**plain, "titleFontWeight": 600, "labelFontWeight": 600, "labelColor": ink},
        "style": {
            "label": {"color": ink, "fontSize": 11},
            "note": {"color": soft, "fontSize": 11},
            "halo": {"fill": ground, "stroke": ground, "strokeWidth": 4, "fontSize": 11},
            "mark": {"color": BLUE if theme == "light" else SKY},
            "reference": {"color": soft, "strokeDash": [4, 3]},
            "unremarkable": {"color": faint},
        },
        "range": {
            "category": list(COLOURS),
            "diverging": (
                [ORANGE, "#f3c9a8", ground, "#a9cfe6", BLUE]
                if theme == "light"
                else [ORANGE, "#6b3a17", ground, "#0e3d5a", BLUE]
            ),
            "ramp": [ground, SKY, BLUE, "#08306b"]
            if theme == "light"
            else [ground, BLUE, SKY, "#d7ecfa"],
        },
    }
