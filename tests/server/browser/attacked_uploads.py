"""Uploads whose every name and cell is an attack."""

from __future__ import annotations

import csv
import io
from zipfile import ZipFile

from playwright.sync_api import Page, expect

from server.browser.attacked import Attacked
from server.browser.harm import Inspection
from server.browser.hostile_settings import N_ROWS
from server.browser.owning import PATIENCE
from server.browser.working import picture


def send_files(one: Attacked, inspection: Inspection, page: Page) -> None:
    """What is said of uploads before anything is made of them."""
    attack, shown = one.attack, one.to_show
    columns = [attack.name("column", k) for k in range(N_ROWS)]
    rows = [["id", "text", "media", "track", *columns]]
    for k in range(N_ROWS):
        cells = [attack.name(f"cell {part}", k) for part in ("id", "text", "media", "track")]
        shown += [cells[2]] if k == 0 else [cells[0], cells[1], cells[3]]
        cells[2] = cells[2] if k == 0 else "real.png"
        rows.append([*cells, *("" for _ in columns)])
    shown += columns
    refused = [attack.part("file", k) for k in range(N_ROWS)]
    shown += refused
    packed = io.BytesIO()
    with ZipFile(packed, "w") as file:
        file.writestr("items.csv", _table(rows))
        file.writestr("real.png", picture("real"))
        for name in refused:
            file.writestr(f"{name}.html", "<p>")
    page.goto("/new")
    _upload(inspection, page, "items.zip", packed.getvalue())
    waiting = page.locator(".sample img").first
    waiting.scroll_into_view_if_needed()
    expect(waiting).to_have_js_property("naturalWidth", 320)
    _name_column(one, inspection, page)
    page.goto("/new")
    _upload(inspection, page, f"{attack.part('file')}.csv", _table([["id"], [attack.text("cell")]]))
    page.goto("/new")
    _upload(inspection, page, f"{attack.part('file')}.svg", b"<svg/>")
    page.goto("/new")
    page.locator("[name=source][value=lines]").check()
    lines = [attack.text("line", k) for k in range(N_ROWS)]
    page.locator("textarea[name=lines]").fill("\n".join(lines))
    expect(page.locator(".preview .finding")).to_be_visible(timeout=PATIENCE)
    inspection.look(page)
    page.goto(f"{one.home}/items")
    page.locator("details.add summary").click()
    _upload(inspection, page, f"{attack.part('file')}.csv", _table(rows[:1] + rows[2:]))
    page.goto(f"{one.home}/items/0")
    name = f"{attack.part('file of item')}.png"
    page.locator("#file").set_input_files([_file(name, b"<svg/>")])
    page.locator("form[enctype] .button.main").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    inspection.look(page)


def _table(rows: list[list[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def _file(name: str, content: bytes) -> dict[str, object]:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def _upload(inspection: Inspection, page: Page, name: str, content: bytes) -> None:
    page.locator("input[name=files]").set_input_files([_file(name, content)])
    expect(page.locator(".preview .finding")).to_be_visible(timeout=PATIENCE)
    inspection.look(page)


def _name_column(one: Attacked, inspection: Inspection, page: Page) -> None:
    """Name a column that is not there."""
    field = page.locator("[name='column.id']")
    written = one.attack.name("named column")
    with page.expect_response("**/new/preview?part=1"):
        field.evaluate(
            "(field, text) => { field.value = text; "
            "field.dispatchEvent(new Event('change', { bubbles: true })); }",
            written,
        )
    expect(page.locator(".preview .finding")).to_be_visible(timeout=PATIENCE)
    one.to_show.append(written)
    inspection.look(page)
