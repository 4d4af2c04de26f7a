"""What tests of commands share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import typer

from hodgerank.cli import main


@pytest.fixture(scope="session", autouse=True)
def commands_are_made_once() -> Iterator[None]:
    """To make them from their functions takes longer than to run most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command; its exit status, output and complaints."""
    monkeypatch.setenv("COLUMNS", "100")

    def run_command(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return run_command
