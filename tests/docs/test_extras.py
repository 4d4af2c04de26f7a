"""Every extra of the package is in the quickstart."""

from __future__ import annotations

import re
import tomllib

from tests.docs.pages import DOCS, REPOSITORY


def test_every_extra_is_documented():
    _, _, section = (DOCS / "quickstart.md").read_text(encoding="utf-8").partition("## Extras")
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert documented == set(project["project"]["optional-dependencies"])
