"""Every command by the words that call it, those of groups of commands included."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer

from hodgerank.cli.app import app


@cache
def all_commands() -> dict[str, Any]:
    """From `rank` to `campaign new`, in the order of the help."""
    return dict(_commands(typer.main.get_command(app), ()))


def command_in(words: list[str]) -> tuple[str, list[str]]:
    """The command that a line begins with, and the rest of the line; no command is ''."""
    for n in (2, 1):
        if (name := " ".join(words[:n])) in all_commands():
            return name, words[n:]
    return "", words


def _commands(group: Any, words: tuple[str, ...]) -> list[tuple[str, Any]]:
    found = []
    for name in list(group.commands):
        command, called = group.load(name), (*words, name)
        inner = hasattr(command, "commands")
        found += _commands(command, called) if inner else [(" ".join(called), command)]
    return found
