"""What this package asks of others, by its own metadata, and which of it is there."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import NamedTuple

PACKAGE = "hodgerank"
WRITTEN = re.compile(
    r"(?P<name>[\w.-]+)(\[[^\]]*\])?\s*\(?(>=\s*(?P<least>[\w.]+))?[^;]*"
    r"(;.*extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"].*)?"
)


class Requirement(NamedTuple):
    """A package that is needed; by one extra only, if that is named."""

    name: str
    least: str
    extra: str

    @property
    def installed(self) -> str:
        """The version that is there, or nothing."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return ""

    @property
    def lack(self) -> str:
        """What is wrong with what is there, or nothing."""
        installed = self.installed
        if not installed:
            return f"{self.name} is missing"
        if _numbers(installed) < _numbers(self.least):
            return f"{self.name} is {installed}, and {self.least} is needed"
        return ""


def requirements() -> list[Requirement]:
    """All of them, those of extras too; none where the package was never installed."""
    try:
        lines = requires(PACKAGE) or []
    except PackageNotFoundError:
        return []
    found = (WRITTEN.match(line) for line in lines)
    return [Requirement(f["name"], f["least"] or "", f["extra"] or "") for f in found if f]


def extras() -> list[str]:
    """The names of the extras."""
    try:
        return sorted(metadata(PACKAGE).get_all("Provides-Extra") or [])
    except PackageNotFoundError:
        return []


def _numbers(written: str) -> tuple[int, ...]:
    """The numbers a version begins with.

    >>> _numbers("2.10.0rc1") >= _numbers("2.9")
    True
    """
    start = re.match(r"\d+(\.\d+)*", written)
    return tuple(map(int, start[0].split("."))) if start else ()
