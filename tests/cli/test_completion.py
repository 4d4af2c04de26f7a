"""Shells complete commands, options and choices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("hodgerank")


@pytest.fixture
def complete(run, monkeypatch):
    """What is answered to a shell, which asks by variables."""
    monkeypatch.setattr(sys, "argv", ["hodgerank"])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # or it is `python -m ...`

    def ask(protocol: dict[str, str]) -> str:
        with monkeypatch.context() as patch:
            for name, value in protocol.items():
                patch.setenv(name, value)
            status, out, err = run()
        assert (status, err) == (0, ""), protocol
        return out

    return ask


def in_bash(words: str) -> dict[str, str]:
    place = str(len(words.split(" ")) - 1)
    return {"_HODGERANK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}


def in_zsh(words: str) -> dict[str, str]:
    return {"_HODGERANK_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words}


def in_fish(words: str) -> dict[str, str]:
    return {
        "_HODGERANK_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }


@pytest.mark.parametrize("shell", [in_bash, in_zsh, in_fish])
def test_commands_options_and_choices_are_completed(complete, shell):
    assert "doctor" in complete(shell("hodgerank do"))
    assert "--budget" in complete(shell("hodgerank plan --bu"))
    assert "--skip-invalid" in complete(shell("hodgerank rank --sk"))
    assert "workers" in complete(shell("hodgerank help wo"))
    assert "thurstone-mosteller" in complete(shell("hodgerank rank --model th"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(complete, shell):
    assert "_HODGERANK_COMPLETE=complete_" in complete({"_HODGERANK_COMPLETE": f"source_{shell}"})


def test_the_installed_script_answers():
    environment = os.environ | in_bash("hodgerank do")
    end = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, timeout=60)
    assert (end.returncode, end.stderr) == (0, "")
    assert "doctor" in end.stdout


def test_completion_is_installed_where_bash_looks(tmp_path):
    environment = os.environ | {
        "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"
    }  # fmt: skip
    end = subprocess.run(
        [SCRIPT, "--install-completion", "bash"], env=environment, capture_output=True, text=True
    )
    assert end.returncode == 0
    completed = subprocess.run(
        ["bash", "-c", "source ~/.bashrc; complete -p hodgerank"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert "hodgerank" in completed.stdout
