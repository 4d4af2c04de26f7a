"""In a browser: no text of a chart is cut off or covered by another, whatever the font."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import vl_convert
from playwright.sync_api import Browser, Error, Page

import hodgerank as hr
from hodgerank.plotting.charts import figure_of
from plotting.example_charts import (
    EXAMPLES,
    VARIANTS,
    chart_functions,
    simulated_votes,
)
from server.watched_browser import launched

# By name: the fonts that are installed, and how much larger their letters are drawn. Verdana is
# not free; DejaVu Sans has nearly its widths, and 5% more is wider than any common font.
FONTS = {
    "DejaVu Sans": ("DejaVu Sans", "DejaVu Sans Bold", 100),
    "Liberation Sans": ("Liberation Sans", "Liberation Sans Bold", 100),
    "as wide as Verdana": ("DejaVu Sans", "DejaVu Sans Bold", 105),
}
WIDTHS = (360, 768, 1440)
SET_FONT = """async ([regular, bold, percent]) => {
  for (const [name, weight] of [[regular, "400"], [bold, "600 700"]]) {
    const options = { weight, sizeAdjust: `${percent}%` };
    const face = new FontFace(`Tested`, `local("${name}")`, options);
    document.fonts.add(await face.load());
  }
  const style = document.createElement("style");
  style.textContent = '* { font-family: Tested, sans-serif !important; }';
  document.head.append(style);
}"""
# Boxes reach from the top of the tallest letter of a font to the bottom of the lowest one; what is
# compared is their middle, where most ink is.
FIND_FAULTS = """() => {
  const found = [];
  const inner = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const isUpright = height > width && element.textContent.trim().length > 2;
    const [x, y] = isUpright ? [0.25 * width, 0] : [0, 0.25 * height];
    return { left: left + x, right: left + width - x, top: top + y, bottom: top + height - y };
  };
  for (const figure of document.querySelectorAll("[data-chart], figure")) {
    const name = figure.dataset.chart ?? figure.textContent.slice(0, 60);
    const frame = figure.querySelector("svg.marks").getBoundingClientRect();
    if (!frame.width) found.push(`${name}: not shown`);
    const texts = [...figure.querySelectorAll("svg.marks text")]
      .filter((text) => text.textContent.trim() && text.getAttribute("opacity") !== "0")
      .map((text) => ({ words: text.textContent, ...inner(text) }));
    for (const text of texts) {
      const beyond = Math.max(frame.left - text.left, text.right - frame.right,
        frame.top - text.top, text.bottom - frame.bottom);
      if (beyond > 0.5)
        found.push(`${name}: "${text.words}" is cut off by ${beyond.toFixed(1)} px`);
    }
    texts.forEach((one, k) => {
      for (const other of texts.slice(k + 1)) {
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        // A label and the halo behind it are the same words at the same place.
        const isHalo = one.words === other.words && Math.abs(one.left - other.left) < 0.1;
        if (across > 0.5 && down > 0.5 && !isHalo)
          found.push(`${name}: "${one.words}" and "${other.words}" overlap by ` +
            `${across.toFixed(1)} x ${down.toFixed(1)} px`);
      }
    });
    for (const part of figure.querySelectorAll("figcaption, figcaption *, li")) {
      if (part.closest("svg")) continue;
      const box = part.getBoundingClientRect(), own = figure.getBoundingClientRect();
      if (box.left < own.left - 0.5 || box.right > own.right + 0.5)
        found.push(`${name}: "${part.textContent}" is wider than its figure`);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page whose policy does not keep the test from changing the font."""
    with chromium.new_context(bypass_csp=True) as context:
        yield context.new_page()


def with_font(page: Page, font: str, content: str) -> Page:
    page.set_content(content)
    try:
        page.evaluate(SET_FONT, FONTS[font])
    except Error:
        pytest.skip(
            f"NO {font.upper()}, the text of charts is not tested with it: "
            "install fonts-dejavu-core and fonts-liberation"
        )
    return page


@pytest.fixture(scope="module")
def drawings() -> str:
    """All charts in one page, as the `save` of Altair draws them: `save_chart` leaves more room."""
    svgs = {
        name: vl_convert.vegalite_to_svg(draw().to_dict(validate=False))
        for name, draw in (EXAMPLES | VARIANTS).items()
    }
    return "\n".join(f'<div data-chart="{name}">{svg}</div>' for name, svg in svgs.items())


@pytest.fixture(scope="module")
def report() -> str:
    """A report, and below it charts that are not in it: with a legend, and of the server's page."""
    others = ("learning_curves_chart", "slope_chart", "certainty_curve_chart")
    figures = "".join(figure_of(EXAMPLES[name](), name) for name in others)
    page = hr.report(simulated_votes(), with_forecast=False).to_html()
    return page.replace("</main>", f"{figures}</main>")


def test_every_chart_function_has_an_example():
    assert set(EXAMPLES) == chart_functions()


@pytest.mark.parametrize("font", FONTS)
def test_text_of_charts_is_neither_cut_off_nor_covered(page, drawings, font):
    assert with_font(page, font, drawings).evaluate(FIND_FAULTS) == []


@pytest.mark.parametrize("font", FONTS)
def test_text_of_charts_in_a_report_is_neither_cut_off_nor_covered(page, report, font):
    with_font(page, font, report)
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(FIND_FAULTS) == []
