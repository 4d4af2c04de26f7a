"""The look that all charts share, light and dark.

Charts name styles ("label", "note", "mark" ...) instead of colours, so that the same chart can be
drawn on a light and on a dark ground. Colours that tell series apart are readable on both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, Literal, NamedTuple, ParamSpec

from hodgerank.errors import InvalidArgument, MissingDependency
from hodgerank.plotting.text_width import FONT_SIZE, fitted, fitted_apart, text_width, wrapped

Theme = Literal["light", "dark"]
Arguments = ParamSpec("Arguments")

# Distinct to colour-blind eyes: after Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#9C755F", "#999999")
BLUE, ORANGE, GREEN, PINK, SKY, YELLOW = COLOURS[:6]
GRID = "#e6e9ee"
TITLE_SIZE = 15  # pixels
SHORTEST_LINE = 420  # pixels of a title, also of charts that are narrower
LONGEST_NAME = 260  # pixels of a title
LEGEND_LABEL = 320  # pixels
SYMBOL = 32  # pixels of a legend's symbol with what is around it


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
    """Return the chart on a light or dark background; None leaves it plain, for combining.

    Altair does not join charts that have a look of their own (`a | b`): take it off, join them, and
    give it to the whole.
    """
    if theme is not None and theme not in SHADES:
        raise InvalidArgument(f"a theme is 'light', 'dark' or None, not {theme!r}")
    chart = chart.copy(deep=False)
    chart.config = altair().Undefined if theme is None else altair().Config(**_config(theme))
    return chart


def heading(finding: str, *reading: str, width: float) -> Any:
    """A title that says what was found, and below it sentences on how to read the chart.

    Lines are as long as the chart is wide: `width` pixels with its labels.
    """
    width = max(width, SHORTEST_LINE)
    return altair().TitleParams(
        wrapped(finding, width, TITLE_SIZE, bold=True),
        subtitle=[line for text in reading for line in wrapped(text, width)],
        anchor="start",
    )


def sentence(words: str) -> str:
    """A capital first, and a full stop if there is none."""
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "!", "?")) else f"{words}."


def signed(number: float) -> str:
    """A number with its sign and two decimals, as axes write it."""
    return f"{round(float(number), 2) + 0.0:+.2f}".replace("-", "−")


def legend_of(names: Sequence[str], width: float, *, orient: str = "bottom", **look: Any) -> Any:
    """A legend: in a row where the names fit into `width` pixels, else one below the other.

    Vega spaces them by a font that may be narrower than the one they are shown in.
    """
    widths = [text_width(each) for each in names]
    gap = 12 + max(
        w * (0.3 if each.isascii() else 1) for each, w in zip(names, widths, strict=True)
    )
    fits = sum(widths) + len(names) * (SYMBOL + gap) <= width
    return altair().Legend(
        title=None,
        orient=orient,
        direction="horizontal",
        columns=len(names) if fits else 1,
        columnPadding=gap,
        symbolOpacity=1,
        **look,
    )


def room_to(x: float) -> Any:
    """An unseen layer that keeps the picture open to x pixels, for text that ends there."""
    alt = altair()
    nothing = alt.Chart(data_of([{}])).mark_rule(opacity=0, tooltip=None)
    return nothing.encode(x=alt.XValue(0), x2=alt.X2Value(x), y=alt.YValue(0))


def legend_labels(names: Sequence[str]) -> list[str]:
    """Names that are short enough for a legend, and differ."""
    return fitted_apart(names, LEGEND_LABEL)


def words_alone(finding: str, *reading: str) -> Any:
    """A chart of what has nothing to be drawn: its title says so."""
    alt = altair()
    nothing = alt.Chart(data_of([{}])).mark_point(opacity=0, tooltip=None)
    title = heading(finding, *reading, width=520)
    return nothing.properties(width=520, height=8, title=title)


def name(item: object) -> str:
    """The name of an item or worker, in a title."""
    return fitted(str(item), LONGEST_NAME, TITLE_SIZE, bold=True)


def _config(theme: Theme) -> dict[str, Any]:
    ground, ink, soft, faint, grid = SHADES[theme]
    plain = {
        "labelColor": soft,
        "titleColor": ink,
        "labelFontSize": FONT_SIZE,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "labelLimit": 0,  # labels are made to fit where they are written
        "titleLimit": 0,
    }
    return {
        "background": ground,
        "font": "sans-serif",
        "padding": {"left": 12, "top": 12, "right": 20, "bottom": 12},
        "view": {"stroke": None},
        "title": {
            "color": ink,
            "fontSize": TITLE_SIZE,
            "fontWeight": 600,
            "lineHeight": 20,
            "subtitleColor": soft,
            "subtitleFontSize": FONT_SIZE,
            "subtitleLineHeight": 16,
            "subtitlePadding": 6,
            "offset": 14,
            "frame": "bounds",
        },
        "axis": {
            **plain,
            "gridColor": grid,
            "domainColor": faint,
            "tickColor": faint,
            "titlePadding": 10,  # where labels are wider than those that were measured
            "labelSeparation": 10,
            "labelFlush": False,
        },
        "legend": plain,
        "header": {**plain, "titleFontWeight": 600, "labelFontWeight": 600, "labelColor": ink},
        "style": {
            "label": {"color": ink, "fontSize": FONT_SIZE},
            "note": {"color": soft, "fontSize": FONT_SIZE},
            "halo": {"fill": ground, "stroke": ground, "strokeWidth": 4, "fontSize": FONT_SIZE},
            "mark": {"color": BLUE if theme == "light" else SKY},
            "reference": {"color": soft, "strokeDash": [4, 3]},
            "unremarkable": {"color": faint},
            "border": {"color": soft, "strokeWidth": 0.75},
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
