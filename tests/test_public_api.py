"""What `import hodgerank` and `import hodgerank.judges` give, and how quickly."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hodgerank
import hodgerank.campaign
import hodgerank.judges
import hodgerank.plotting
from hodgerank.cli.app import CAMPAIGN_TABLE, MAIN_TABLE

INDEXES = pytest.mark.parametrize("index", [hodgerank, hodgerank.judges], ids=lambda m: m.__name__)


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@INDEXES
def test_every_public_name_can_be_had(index):
    for name in index.__all__:
        assert getattr(index, name) is not None
    assert set(index.__all__) <= set(dir(index))


@INDEXES
def test_type_checkers_see_the_same_names(index):
    tree = ast.parse(Path(index.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body for alias in node.names}
    assert seen == set(index.__all__)


@INDEXES
def test_an_unknown_name_is_an_attribute_error(index):
    with pytest.raises(AttributeError, match="no attribute 'rank_hodge'"):
        _ = index.rank_hodge


@INDEXES
def test_importing_loads_nothing_heavy(index):
    heavy = {"numpy", "scipy", "numba", "polars", "narwhals", "typer", "rich", "httpx"}
    assert loaded_by(f"import {index.__name__}") & heavy == set()


@pytest.mark.slow
def test_judges_are_found_without_importing_them():
    assert "hodgerank.judges" in loaded_by("import hodgerank as hr\nhr.judges.ChatJudge")


def test_the_client_of_language_models_is_loaded_by_who_asks_them():
    assert "httpx" not in loaded_by("from hodgerank.judges import *")


def test_help_loads_no_numerics():
    code = "from hodgerank.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert loaded_by(code) & {"numpy", "scipy", "numba", "polars", "narwhals"} == set()


def test_help_imports_no_command_and_a_command_no_other():
    code = "from hodgerank.cli import main\ntry: main([{}])\nexcept SystemExit: pass"
    modules = {f"hodgerank.cli.{row.module}" for row in (MAIN_TABLE | CAMPAIGN_TABLE).values()}
    assert loaded_by(code.format("'--help'")) & modules == set()
    assert loaded_by(code.format("'campaign', '--help'")) & modules == set()
    assert loaded_by(code.format("'doctor', '--help'")) & modules == {"hodgerank.cli.doctor"}


NOT_FOR_SMALL_FILES = {
    *("altair", "asyncio", "duckdb", "httpx", "narwhals", "numba", "pandas", "pyarrow", "pydantic"),
    *("scipy", "sqlalchemy", "sqlite3", "starlette", "threadpoolctl"),
}


@pytest.mark.parametrize("command", ["rank", "describe"])
def test_a_command_on_a_small_file_loads_no_more_than_it_needs(command, tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\na,b,left\nb,c,left\na,c,right\na,b,left\n")
    run = f"try: main({[command, str(votes)]})\nexcept SystemExit as end: assert not end.code"
    loaded = loaded_by(f"from hodgerank.cli import main\n{run}")
    assert "polars" in loaded
    allowed = {"scipy"} if command == "rank" else set()  # its special functions
    assert loaded & NOT_FOR_SMALL_FILES <= allowed


def test_ranking_a_small_file_waits_for_neither_a_compiler_nor_sparse_matrices():
    code = (
        "import hodgerank as hr\nhr.rank([('a', 'b', 1), ('b', 'c', 1), ('a', 'c', 0)]).to_dict()"
    )
    assert loaded_by(code) & {"numba", "scipy.sparse"} == set()


@pytest.mark.parametrize(
    "index", [hodgerank, hodgerank.campaign, hodgerank.judges, hodgerank.plotting]
)
def test_only_public_names_are_listed(index):
    extra = set(dir(index)) - set(index.__all__)
    modules = {"campaign", "errors", "judges", "metrics", "plotting", "types", "__version__"}
    assert extra == (modules if index is hodgerank else set())
    for name in dir(index):
        assert getattr(index, name) is not None
