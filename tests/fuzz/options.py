"""The commands and their options, as the program itself declares them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import typer

from hodgerank.cli.app import app


@dataclass(frozen=True)
class Option:
    """An option of a command; `size` is how many values follow it."""

    name: str
    spelled: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Command:
    """A command; `takes_files` is 0, 1, or 2 where several may be named."""

    name: str
    options: tuple[Option, ...]
    takes_files: int

    def has(self, spelled: str) -> bool:
        """Whether there is such an option."""
        return any(spelled in option.spelled for option in self.options)


@cache
def commands() -> dict[str, Command]:
    """Every command by its name."""
    group = typer.main.get_command(app)
    return {name: _command(name, group.load(name).params) for name in list(group.commands)}


def _command(name: str, parameters: list) -> Command:
    options = tuple(
        Option(p.name, tuple(p.opts), 0 if p.is_flag else p.nargs)
        for p in parameters
        if any(spelled.startswith("-") for spelled in p.opts) and "--help" not in p.opts
    )
    files = [p for p in parameters if p.name in ("file", "files")]
    return Command(name, options, 0 if not files else 1 if files[0].nargs == 1 else 2)
