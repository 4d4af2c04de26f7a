"""The layers of the library: imports go one way."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import hodgerank

SOURCE = Path(hodgerank.__file__).parent
# From the ground up; names in one row are siblings and do not import each other.
LAYERS = [
    {"display"},
    {"errors", "types"},
    {"atomic_write", "private_files"},
    {"kernels"},
    {"data"},
    {"graph"},
    {"estimators"},
    {"metrics"},
    {"sampling"},
    {"collecting"},
    {"plotting"},
    {"reporting", "reproduce", "campaign"},
    {"judges"},
    {"server"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


@cache
def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def layer_of(path: Path) -> str | None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return None if part in ("__init__", "__main__") else part


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def known_modules() -> set[str]:
    return {name_of(path) for path in modules()}


@cache
def imported_modules(path: Path) -> set[str]:
    """Modules of ours that a file imports anywhere, inside functions too."""
    known, found = known_modules(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("hodgerank.")}


def imported_layers(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported_modules(path)} & set(LEVEL)


def test_every_module_belongs_to_a_layer():
    homes = {layer for path in modules() if (layer := layer_of(path))}
    assert homes == set(LEVEL)


def test_imports_go_one_way():
    wrong = [
        f"{path.relative_to(SOURCE)} imports {other}"
        for path in modules()
        if (layer := layer_of(path))
        for other in imported_layers(path)
        if other != layer
        and not (LEVEL[other] < LEVEL[layer] or {layer, other} == {"errors", "types"})
    ]
    assert wrong == []


def test_modules_and_folders_within_a_folder_are_used_one_way():
    """In every package: what lies beside each other can be read in one order."""
    uses: dict[str, dict[str, set[str]]] = {}
    for path in modules():
        for other in imported_modules(path):
            here, there = name_of(path).split("."), other.split(".")
            depth = next(
                (k for k, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0
            )
            if depth > 1:
                siblings = uses.setdefault(".".join(here[:depth]), {})
                siblings.setdefault(here[depth], set()).add(there[depth])
    for siblings in uses.values():
        TopologicalSorter(siblings).prepare()  # raises CycleError, which names them


def test_no_modules_import_each_other_in_a_circle():
    order = TopologicalSorter({name_of(path): imported_modules(path) for path in modules()})
    order.prepare()  # raises CycleError, which names the modules


def test_only_one_module_imports_narwhals():
    users = [path.name for path in modules() if "import narwhals" in path.read_text()]
    assert users == ["frames.py"]


def test_nothing_touches_the_global_random_state():
    wrong = [
        path.name
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "random"
        and node.attr not in ("default_rng", "Generator")
        and getattr(node.value.value, "id", "") == "np"
    ]
    assert wrong == []


def test_modules_are_documented():
    bare = [
        str(path.relative_to(SOURCE))
        for path in modules()
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert bare == []
