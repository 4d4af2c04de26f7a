"""Links between pages lead somewhere; `make docs LINKS=1` follows links to elsewhere."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.docs.pages import DOCS, linking_pages, name_of

EXTERNAL = re.compile(r"[a-z]+:", re.IGNORECASE)
TARGET = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
CITED = re.compile(r"^\| \[(\w+)\] \|", re.MULTILINE)


def links_of(page: Path) -> list[str]:
    """Addresses of the links and pictures of a page."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or []]
    found = [token.attrGet("href") or token.attrGet("src") for token in inline]
    return [str(address) for address in found if address]


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """Anchors of the headings of a page, as GitHub and MyST name them, and explicit ones."""
    text = page.read_text(encoding="utf-8")
    tokens = MarkdownIt("commonmark").parse(text)
    titles = [
        "".join(part.content for part in after.children or [])
        for token, after in pairwise(tokens)
        if token.type == "heading_open"
    ]
    anchors: list[str] = []
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        repeats = sum(
            re.fullmatch(rf"{re.escape(slug)}(-\d+)?", one) is not None for one in anchors
        )
        anchors.append(f"{slug}-{repeats}" if repeats else slug)
    keys = [key.lower() for key in CITED.findall(text)] if page == DOCS / "references.md" else []
    return frozenset([*anchors, *TARGET.findall(text), *keys])


def problem_with(page: Path, address: str) -> str | None:
    path, _, anchor = address.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return f"{address}: there is no {target}"
    if anchor and target.suffix == ".md" and anchor not in anchors_of(target):
        return f"{address}: {target.name} has no such heading, but {sorted(anchors_of(target))}"
    return None


@pytest.mark.parametrize("page", linking_pages(), ids=name_of)
def test_links_lead_to_files_and_headings(page):
    inside = [address for address in links_of(page) if not EXTERNAL.match(address)]
    assert [p for p in (problem_with(page, address) for address in inside) if p] == []
