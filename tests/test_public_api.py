"""What `import hodgerank` gives, and how quickly."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hodgerank


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_every_public_name_can_be_had():
    for name in hodgerank.__all__:
        assert getattr(hodgerank, name) is not None
    assert set(hodgerank.__all__) <= set(dir(hodgerank))


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(hodgerank.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body for alias in node.names}
    assert seen == set(hodgerank.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'rank_hodge'"):
        _ = hodgerank.rank_hodge


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "numba", "polars", "narwhals", "typer", "rich"}
    assert loaded_by("import hodgerank") & heavy == set()


def test_help_loads_no_numerics():
    code = "from hodgerank.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert loaded_by(code) & {"numpy", "scipy", "numba", "polars", "narwhals"} == set()


def test_ranking_a_small_file_does_not_wait_for_a_compiler(tmp_path):
    code = (
        "import hodgerank as hr\n"
        "hr.hodge_rank([('a', 'b', 1), ('b', 'c', 1), ('a', 'c', 0)]).to_dict()"
    )
    assert "numba" not in loaded_by(code)
