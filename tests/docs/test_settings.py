"""Every setting of a campaign stands in the reference, with its default."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from tests.docs.pages import DOCS

from hodgerank.campaign import CampaignSettings

PAGE = DOCS / "reference" / "api" / "campaign.md"
ROW = re.compile(r"^\| `([\w.]+)` \| (?:`(.*?)`|required) \| (.+) \|$", re.MULTILINE)


def documented() -> dict[str, Any]:
    """Settings and defaults; one that is required has none."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {
        name: tomllib.loads(f"it = {default}")["it"] if default else None
        for name, default, _ in rows
    }


def existing() -> dict[str, Any]:
    found = CampaignSettings("Which?").to_dict() | {"question": None}
    del found["version"]
    groups = {name: found.pop(name) for name, value in list(found.items()) if type(value) is dict}
    return found | {
        f"{group}.{name}": value for group, its in groups.items() for name, value in its.items()
    }


def test_every_setting_appears_with_its_default():
    assert documented() == existing()
