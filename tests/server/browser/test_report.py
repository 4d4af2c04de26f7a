"""The report in a browser: on a phone, in the dark, on paper, and for those who cannot see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import hodgerank as hr
from server.browser.test_appearance import expect_readable

SCREENS = [(360, 740, "light"), (390, 844, "dark"), (768, 1024, "dark"), (1440, 900, "light")]
LONG = [
    f"{k:02d} a photograph of the lake, taken on the long way round it at {k} h" for k in range(30)
]
UNBROKEN = [f"{k:02d}" + "W" * 90 for k in range(14)]
WORKERS = {"honest": 10, "random": 2}


@cache
def written(kind: str) -> str:
    """A page, in the widest font that is usual."""
    votes = {
        "short names": lambda: hr.simulate_comparisons(14, 900, workers=WORKERS, rng=1),
        "long names": lambda: hr.simulate_comparisons(LONG, 1500, workers=WORKERS, rng=1),
        "tied long names": lambda: hr.simulate_comparisons(
            LONG[:12], 600, scores=[2, 2, 2, *[-1] * 9], workers=WORKERS, rng=2
        ),
        "unbroken names": lambda: hr.simulate_comparisons(UNBROKEN, 900, spread=2, rng=3),
        "no order": lambda: hr.simulate_comparisons(12, 200, spread=0, workers=WORKERS, rng=4),
        "groups": lambda: _groups(),
    }[kind]()
    page = hr.report(votes, with_forecast=False, question="Which is the better one? " * 4).to_html()
    return page.replace("system-ui,", '"DejaVu Sans", system-ui,')


def _groups() -> hr.VoteGroups:
    votes = hr.simulate_comparisons(6, 1800, spread=2, workers=WORKERS, rng=2)
    names = tuple(f"scene {k} with a long name that takes two lines" for k in range(15))
    return hr.VoteGroups.split(votes, names, votes.left % 3 * 5 + votes.worker % 5, "scene")


KINDS = (
    "short names", "long names", "tied long names", "unbroken names", "no order", "groups",
)  # fmt: skip


@pytest.fixture
def shown(chromium: Browser, tmp_path: Path) -> Iterator[Callable[[str], Page]]:
    """Opens a report; it must not ask for anything but itself."""
    context = chromium.new_context()
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))

    def show(kind: str) -> Page:
        path = tmp_path / "report.html"
        path.write_text(written(kind), encoding="utf-8")
        page.goto(path.as_uri())
        return page

    yield show
    assert all(url.endswith("/report.html") for url in asked)
    context.close()


def n_pages(pdf: bytes) -> int:
    """Number of pages of a PDF that Chromium wrote."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("kind", ["short names", "unbroken names", "no order", "groups"])
def test_a_report_is_readable_for_all(shown, kind):
    page = shown(kind)
    expect_readable(page, SCREENS)
    page.locator("summary").evaluate_all("all => all.forEach((one) => one.parentNode.open = true)")
    expect_readable(page, SCREENS[:1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_page_is_one_sheet_of_paper(shown, kind):
    page = shown(kind)
    assert n_pages(page.pdf(format="A4")) > 1
    page.locator(".folds, footer").evaluate_all("all => all.forEach((one) => one.remove())")
    assert n_pages(page.pdf(format="A4")) == 1
    if kind != "unbroken names":  # 60 letters W: Letter is 18 mm shorter
        assert n_pages(page.pdf(format="Letter")) == 1


def test_sections_are_folded_on_screen_and_open_on_paper(shown):
    page = shown("short names")
    visible = "all => all.map((one) => one.checkVisibility())"
    assert not any(page.locator(".inner").evaluate_all(visible))
    page.emulate_media(media="print")
    assert all(page.locator(".inner").evaluate_all(visible))


def test_a_link_opens_the_section_it_leads_to(shown):
    page = shown("short names")
    page.locator(".action a").first.click()
    target = page.evaluate("location.hash")
    assert page.locator(f"details:has({target})").get_attribute("open") is not None
