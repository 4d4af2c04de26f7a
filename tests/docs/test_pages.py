from __future__ import annotations

from difflib import unified_diff

import pytest
from tests.docs.pages import name_of, runnable_pages
from tests.docs.running import CannotRunHere, renewed_blocks


@pytest.mark.filterwarnings("ignore:::(dask|distributed)")  # pandas has advice for them
@pytest.mark.parametrize("page", runnable_pages(), ids=name_of)
def test_blocks_of_the_page_run_and_show_what_they_print(page, tmp_path):
    try:
        for block, shown in renewed_blocks(page.read_text(encoding="utf-8"), tmp_path):
            difference = "\n".join(
                unified_diff(block.text.split("\n"), shown.split("\n"), "page", "run", lineterm="")
            )
            assert not difference, f"{block.place}; make transcripts renews it:\n{difference}"
    except CannotRunHere as reason:
        pytest.skip(f"not run further: {reason}")
