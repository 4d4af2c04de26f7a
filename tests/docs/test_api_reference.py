"""The pages of docs/reference/api have every public name, once."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from importlib import import_module
from types import ModuleType
from typing import Any

from tests.docs.pages import DOCS

import hodgerank
import hodgerank.campaign
import hodgerank.errors
import hodgerank.judges
import hodgerank.metrics
import hodgerank.plotting

DIRECTIVE = re.compile(
    r"^\.\. auto(function|class|module):: (\S+)(?:\n +:members:(.*))?", re.MULTILINE
)


def public_names(module: ModuleType) -> list[str]:
    """What `__all__` lists, or else the public functions and classes that are at home there."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    own = inspect.getmembers(
        module, lambda value: inspect.isfunction(value) or inspect.isclass(value)
    )
    return [
        name
        for name, value in own
        if value.__module__ == module.__name__ and not name.startswith("_")
    ]


def documented() -> Counter[Any]:
    found: Counter[Any] = Counter()
    for page in DOCS.glob("reference/api/*.md"):
        for kind, path, members in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            if kind == "module":
                module = import_module(path)
                names = members.replace(",", " ").split() or public_names(module)
                found.update(getattr(module, name) for name in names)
            else:
                home, _, name = path.rpartition(".")
                found[getattr(import_module(home), name)] += 1
    return found


def test_every_public_name_is_documented_once():
    counts = documented()
    modules = (
        hodgerank,
        hodgerank.campaign,
        hodgerank.judges,
        hodgerank.metrics,
        hodgerank.errors,
        hodgerank.plotting,
    )
    wanted = {getattr(module, name) for module in modules for name in public_names(module)}
    assert {value.__name__: counts[value] for value in wanted if counts[value] != 1} == {}
    assert set(counts) == wanted
