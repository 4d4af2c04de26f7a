"""Tests that the page of threats names are there."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, REPOSITORY

PAGE = DOCS / "explanations" / "threats.md"


def test_every_test_that_is_named_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf-8")))
    files = REPOSITORY.glob("tests/**/test_*.py")
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    assert named
    assert named - set(re.findall(r"def (test_\w+)\(", code)) == set()


def test_every_row_of_the_standard_names_a_test():
    rows = re.findall(r"^\| (\d[\d., to]*) \|.*\| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows
    assert [item for item, held_by in rows if "`test_" not in held_by] == []
