from __future__ import annotations

from difflib import unified_diff

import pytest
from tests.docs.pages import name_of, runnable_pages
from tests.docs.running import CannotRunHere, renewed_blocks

LONG = {
    "docs/explanations/when-not-to-use.md",
    "docs/gallery.md",
    "docs/guides/campaigns.md",
    "docs/guides/choosing-pairs.md",
    "docs/guides/comparative-judgement.md",
    "docs/guides/deploy.md",
    "docs/guides/how-many-votes.md",
    "docs/guides/language-models.md",
    "docs/guides/llm-leaderboards.md",
    "docs/guides/panels.md",
    "docs/guides/programs.md",
    "docs/guides/report.md",
    "docs/guides/sports.md",
    "docs/guides/survey.md",
    "docs/guides/trust.md",
    "docs/quickstart.md",
}
"""Pages that take seconds: they simulate crowds and models, start servers, or draw much."""
PAGES = [
    pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if name_of(page) in LONG else [])
    for page in runnable_pages()
]


@pytest.mark.filterwarnings("ignore:::(dask|distributed)")  # pandas has advice for them
@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_the_page_run_and_show_what_they_print(page, tmp_path):
    try:
        for block, shown in renewed_blocks(page.read_text(encoding="utf-8"), tmp_path):
            difference = "\n".join(
                unified_diff(block.text.split("\n"), shown.split("\n"), "page", "run", lineterm="")
            )
            assert not difference, f"{block.place}; make transcripts renews it:\n{difference}"
    except CannotRunHere as reason:
        pytest.skip(f"not run further: {reason}")
