"""The guide of panels has every kind of panel, with what it puts into addresses."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS

from hodgerank.campaign.page_settings import PARAMETERS

PAGE = DOCS / "guides" / "panels.md"
ROW = re.compile(r'^\| `"(\w+)"` \|(.*)\|$', re.MULTILINE)
COLUMNS = ("worker", "study", "session", "return")


def documented() -> dict[str, dict[str, str]]:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    cells = {kind: [cell.strip(" `") for cell in rest.split("|")] for kind, rest in rows}
    return {
        kind: {name: cell for name, cell in zip(COLUMNS, its, strict=True) if cell}
        for kind, its in cells.items()
    }


def test_every_panel_appears_with_its_parameters():
    assert documented() == PARAMETERS
