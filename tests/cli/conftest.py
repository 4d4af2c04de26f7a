"""What tests of commands share."""

from __future__ import annotations

import pytest

from hodgerank.cli import main


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
