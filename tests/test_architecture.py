"""The layers of the library: imports go one way."""

from __future__ import annotations

import ast
from pathlib import Path

import hodgerank

SOURCE = Path(hodgerank.__file__).parent
# From the ground up; names in one row are siblings and do not import each other.
LAYERS = [
    {"errors", "types"},
    {"kernels"},
    {"data"},
    {"graph"},
    {"estimators"},
    {"metrics"},
    {"sampling"},
    {"plotting"},
    {"reproduce"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def layer_of(path: Path) -> str | None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return None if part in ("__init__", "__main__") else part


def imported_layers(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module == "hodgerank":
                names = [f"hodgerank.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("hodgerank.")}
    return found & set(LEVEL)


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
