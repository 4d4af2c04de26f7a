"""Texts of the pages, one folder per language; missing texts are in English."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

ENGLISH = "en"


class Texts:
    """Texts of one language.

    >>> Texts("de").say("problem.404")
    'Diese Seite gibt es nicht.'
    """

    def __init__(self, language: str = ENGLISH) -> None:
        self.language = language

    def say(self, key: str, **values: Any) -> str:
        """Return the text of a key, such as 'owner.new'; `n` selects singular or plural."""
        found = _find(self.language, key) or _find(ENGLISH, key)
        if found is None:
            raise KeyError(f"no text {key}")
        if isinstance(found, dict):
            found = found["one" if values["n"] == 1 else "other"]
        return str(found).format(**values) if values else str(found)

    def section(self, key: str) -> dict[str, Any]:
        """Return all texts of a section, for a script."""
        return {**(_find(ENGLISH, key) or {}), **(_find(self.language, key) or {})}


def _find(language: str, key: str) -> Any:
    found: Any = _texts(language)
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


@cache
def _texts(language: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for source in (files("hodgerank.server.texts") / language).iterdir():
        if source.name.endswith(".toml"):
            found |= tomllib.loads(source.read_text(encoding="utf-8"))
    return found
