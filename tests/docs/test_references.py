"""Papers are cited by a key that docs/references.md resolves."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, REPOSITORY, site_pages

KEY = re.compile(r"\[([A-Z][A-Za-z]+\d\d|deSilva\d\d)\]")


def resolved() -> set[str]:
    rows = (DOCS / "references.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| \[(\w+)\] \|", rows, re.MULTILINE))


def test_every_key_is_resolved():
    sources = [*REPOSITORY.glob("src/**/*.py"), *site_pages()]
    cited = {
        (key, path.relative_to(REPOSITORY).as_posix())
        for path in sources
        for key in KEY.findall(path.read_text(encoding="utf-8"))
    }
    assert sorted(pair for pair in cited if pair[0] not in resolved()) == []
