"""Files of the repository that a page names are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.docs.pages import REPOSITORY, linking_pages, name_of

OURS = re.compile(r"(src|tests|benchmarks|docs)/[\w./-]*")


def named(page: Path) -> set[str]:
    """Paths in running text that begin with a folder of the repository."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or []]
    code = [child.content for child in inline if child.type == "code_inline"]
    return {text for text in code if OURS.fullmatch(text)}


@pytest.mark.parametrize("page", linking_pages(), ids=name_of)
def test_files_that_are_named_exist(page):
    assert {path for path in named(page) if not (REPOSITORY / path).exists()} == set()
