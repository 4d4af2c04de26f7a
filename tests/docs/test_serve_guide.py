"""What a server prints at its start stands in the guide as it is."""

from __future__ import annotations

import re
from io import StringIO

from rich.console import Console
from tests.docs.pages import DOCS

from hodgerank.cli.server_session import Start

PAGE = DOCS / "guides" / "serve.md"
PRINTED = re.compile(r"<!-- printed: demo -->\n```text\n(.*?)```", re.DOTALL)


def test_the_start_of_a_demonstration_is_shown_as_it_is_printed():
    [shown] = PRINTED.findall(PAGE.read_text(encoding="utf-8"))
    at = "http://127.0.0.1:8000"
    start = Start(at, f"{at}/enter#...", f"{at}/j/demo", "campaigns.db", "media", 1)
    start.show(Console(file=(told := StringIO()), width=200), is_kept=False)
    assert [line.rstrip() for line in told.getvalue().splitlines()] == shown.splitlines()
