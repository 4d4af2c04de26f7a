"""Keys that a worker presses in a terminal, or that a script sends line by line."""

from __future__ import annotations

import re
import sys
from io import TextIOWrapper
from typing import Protocol

import typer

LEFT = frozenset({"1", "\x1b[D", "\x1bOD", "\xe0K", "\x00K"})  # as terminals and Windows send it
RIGHT = frozenset({"2", "\x1b[C", "\x1bOC", "\xe0M", "\x00M"})
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|[\x00\xe0].|.", re.DOTALL)
_INTERRUPT, _END = "\x03", "\x04"


class KeyReader(Protocol):
    """Source of keys; `EOFError` at its end."""

    def read(self) -> str:
        """Return the next key."""

    def forget(self) -> None:
        """Drop keys that were pressed before the question was shown."""

    def number(self, most: int) -> int | None:
        """Read a number from 1 on; None for anything else."""


def keys_of_standard_input() -> KeyReader:
    """Return the keys of a person, or of a script."""
    if sys.stdin is not None and sys.stdin.isatty():
        return TerminalKeyReader()
    return LineKeyReader()


class TerminalKeyReader:
    """Keys as they are pressed in a terminal."""

    def __init__(self) -> None:
        self._typed: list[str] = []

    def read(self) -> str:
        """Return the next key; an arrow is one key."""
        if not self._typed:
            self._typed = _KEY.findall(typer.getchar())
        if not self._typed or self._typed[0] == _END:
            raise EOFError
        key = self._typed.pop(0)
        if key == _INTERRUPT:
            raise KeyboardInterrupt
        return key

    def forget(self) -> None:
        """Drop keys that were pressed before the question was shown."""
        self._typed = []

    def number(self, most: int) -> int | None:
        """Read digits until no further one fits, or Enter."""
        digits = ""
        while not digits or int(digits) * 10 <= most:
            key = self.read()
            if key in "\r\n" and digits:
                break
            if key not in "0123456789":
                return None
            digits += key
            if not int(digits):
                return None
        return _number(digits, most)


class LineKeyReader:
    """Keys that a script sends, one per line; empty lines are ignored."""

    def __init__(self) -> None:
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def read(self) -> str:
        """Return the next line."""
        while sys.stdin is not None and (line := sys.stdin.readline()):
            if key := line.strip():
                return key
        raise EOFError

    def forget(self) -> None:
        """Drop nothing: a script knows what it will be asked."""

    def number(self, most: int) -> int | None:
        """Read the number on the next line."""
        return _number(self.read(), most)


def _number(text: str, most: int) -> int | None:
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        return None
    return int(text)
