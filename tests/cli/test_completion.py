"""Shells complete commands, options and choices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("hodgerank")


def complete(words: str, **protocol: str) -> str:
    """What the installed script answers to a shell."""
    end = subprocess.run(
        [SCRIPT], env=os.environ | protocol, capture_output=True, text=True, timeout=60
    )
    assert (end.returncode, end.stderr) == (0, ""), words
    return end.stdout


def in_bash(words: str) -> str:
    place = str(len(words.split(" ")) - 1)
    return complete(words, _HODGERANK_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)


def in_zsh(words: str) -> str:
    return complete(words, _HODGERANK_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=words)


def in_fish(words: str) -> str:
    return complete(
        words,
        _HODGERANK_COMPLETE="complete_fish",
        _TYPER_COMPLETE_ARGS=words,
        _TYPER_COMPLETE_FISH_ACTION="get-args",
    )


@pytest.mark.parametrize("shell", [in_bash, in_zsh, in_fish])
def test_commands_options_and_choices_are_completed(shell):
    assert "doctor" in shell("hodgerank do")
    assert "--budget" in shell("hodgerank plan --bu")
    assert "thurstone-mosteller" in shell("hodgerank rank --model th")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(shell):
    out = complete("", _HODGERANK_COMPLETE=f"source_{shell}")
    assert "_HODGERANK_COMPLETE=complete_" in out


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
