"""The version stands in one place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import hodgerank as hr

ROOT = Path(__file__).parents[2]


def test_the_project_takes_its_version_from_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["project"]["dynamic"] == ["version"]
    assert "version" not in settings["project"]
    home = ROOT / settings["tool"]["hatch"]["version"]["path"]
    assert home.samefile(hr.__file__)


@pytest.mark.parametrize("name", ["CITATION.cff"])
def test_pages_that_name_the_version_name_this_one(name):
    (named,) = re.findall(r"^version: (.+)$", (ROOT / name).read_text(), re.MULTILINE)
    assert named == hr.__version__


def test_the_command_tells_the_version(run):
    assert run("--version")[1] == f"hodgerank {hr.__version__}\n"
