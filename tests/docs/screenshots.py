"""Make the pictures that README and docs show: ranking.svg, report.png and serve-*.png.

python -m tests.docs.screenshots

The ranking is that of the votes that README simulates, and the report that of `hodgerank demo`. For
the others a demonstration is started, its simulated crowd answers for a minute, and Chromium looks
at it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.docs.pages import DOCS
from tests.server.watched_browser import CHROMIUM

import hodgerank as hr
from hodgerank.plotting import save_chart
from hodgerank.server.demo.pictures import pictures

FOLDER = DOCS / "images"
LARGEST_BYTES = 150_000
DESKTOP = {"viewport": {"width": 1200, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 760}, "has_touch": True, "is_mobile": True}
PATIENCE = 180_000  # milliseconds
FEWEST_ANSWERS = 300
ENOUGH = """n => {
    const shown = document.querySelector("[data-live=answers]").textContent;
    return Number(shown.replace(/\\D/g, "")) >= n;
}"""
DECODED = """() => {
    const shown = [...document.querySelectorAll("main img")].filter((one) => one.offsetParent);
    return shown.length === 2 && shown.every((one) => one.complete && one.naturalWidth);
}"""
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


def take_all(browser: Browser, start: dict[str, str], folder: Path) -> None:
    """All pictures, one after the other."""
    address = start["address"]
    page = _page(browser, DESKTOP)
    page.goto(start["owner_link"])
    page.wait_for_url(f"{address}/")
    _compare(_page(browser, DESKTOP), start["worker_link"], "serve-compare")
    _compare(_page(browser, PHONE), start["worker_link"], "serve-compare-phone")
    page.goto(f"{address}/new")
    page.set_input_files("input[name=files]", _upload(folder))
    page.get_by_text("1 file was rejected").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, 0)")
    _shoot(page, "serve-new")
    page.goto(f"{address}/c/demo")
    page.wait_for_function(ENOUGH, arg=FEWEST_ANSWERS)
    page.wait_for_selector("#standing svg")
    _shoot(page, "serve-live")
    page.goto(f"{address}/c/demo/workers")
    page.wait_for_selector("table tbody tr")
    _shoot(page, "serve-workers")


def _page(browser: Browser, screen: dict[str, Any]) -> Page:
    """A browser of somebody, who likes it light."""
    context = browser.new_context(color_scheme="light", **screen)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def _compare(page: Page, link: str, name: str) -> None:
    """A pair without noise, of which no small picture can be taken."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.wait_for_function(DECODED)
    while len(_small(page)) > LARGEST_BYTES:
        shown = page.locator("main").inner_html()
        page.get_by_role("button", name="Cannot decide").click()
        page.wait_for_function("old => document.querySelector('main').innerHTML !== old", arg=shown)
        page.wait_for_function(DECODED)
    _shoot(page, name)


def _upload(folder: Path) -> Path:
    """A table with pictures beside it, and one that could run script."""
    path = folder / "lake.zip"
    with ZipFile(path, "w") as zipped:
        rows = ["id,image"]
        for number, (name, file) in enumerate(pictures().items(), 1):
            rows.append(f'"{name}",{number}.jpg')
            zipped.writestr(f"{number}.jpg", file)
        zipped.writestr("drawing.svg", SVG)
        zipped.writestr("items.csv", "\n".join([*rows, '"drawing",drawing.svg']))
    return path


def take_report(browser: Browser, folder: Path) -> None:
    """The first page of the report of `hodgerank demo`."""
    command = [sys.executable, "-m", "hodgerank", "demo", "--output", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    page = _page(browser, {"viewport": {"width": 860, "height": 1360}})
    page.goto((folder / "report.html").as_uri())
    _shoot(page, "report")


def _shoot(page: Page, name: str) -> None:
    path, picture = FOLDER / f"{name}.png", _small(page)
    assert len(picture) <= LARGEST_BYTES, f"{path} would have {len(picture):,} bytes"
    path.write_bytes(picture)
    print(path)


def _small(page: Page) -> bytes:
    """What is seen, in 256 colours, which are enough for pages."""
    picture = Image.open(BytesIO(page.screenshot(animations="disabled")))
    picture.convert("RGB").quantize(256).save(file := BytesIO(), "PNG", optimize=True)
    return file.getvalue()


def draw_ranking(path: Path) -> None:
    """The chart of the first ranking in README."""
    save_chart(hr.rank(hr.simulate_comparisons(12, 600, spread=2, rng=7)).plot(), path)
    print(path)


@contextmanager
def _demonstration() -> Iterator[dict[str, str]]:
    command = [sys.executable, "-m", "hodgerank", "serve", "--demo", "--json", "--no-browser"]
    quietly = ["--port", "0", "--log-level", "error"]
    with subprocess.Popen([*command, *quietly], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.terminate()


if __name__ == "__main__":
    draw_ranking(FOLDER / "ranking.svg")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        _demonstration() as start,
        TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=flags) as browser,
    ):
        take_report(browser, Path(folder) / "demo")
        take_all(browser, start, Path(folder))
