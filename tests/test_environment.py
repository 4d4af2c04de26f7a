"""The environment that `make` sets up: what it installs, and what it says if it cannot."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools import environment

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(*tables: dict) -> list[Requirement]:
    texts = [text for table in tables for group in table.values() for text in group]
    return [Requirement(text) for text in texts if isinstance(text, str)]


def constrained(name: str) -> set[str]:
    lines = (ROOT / name).read_text().splitlines()
    return {canonicalize_name(line.partition("==")[0]) for line in lines if "==" in line}


def test_every_dependency_has_a_tested_version():
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    bench = {"bench": groups["bench"]}
    others = {name: group for name, group in groups.items() if name != "bench"}
    extras = {"core": project["dependencies"], **project["optional-dependencies"]}
    wanted = {canonicalize_name(one.name) for one in requirements(extras, others)} - {"hodgerank"}
    assert wanted <= constrained("constraints.txt"), "run make lock"
    wanted = {canonicalize_name(one.name) for one in requirements(bench)}
    assert wanted <= constrained("benchmarks/constraints.txt"), "run make lock"


def test_every_dependency_has_a_lower_bound_for_test_lowest():
    project = PROJECT["project"]
    extras = {"core": project["dependencies"], **project["optional-dependencies"]}
    unbounded = [
        one.name
        for one in requirements(extras, PROJECT["dependency-groups"])
        if one.name != "hodgerank" and ">=" not in str(one.specifier)
    ]
    assert unbounded == []


def test_help_lists_every_target():
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", text, re.MULTILINE)
    assert phony is not None
    targets = set(phony[1].replace("\\", "").split()) - {"FORCE"}
    command = ["make", "--no-print-directory", "help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in shown.splitlines()} == targets


def test_an_old_python_can_read_the_setup_and_is_told_which_one_to_use(monkeypatch):
    source = Path(environment.__file__).read_text()
    ast.parse(source, feature_version=(3, 6))
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(environment, "find_pythons", lambda: ["/usr/bin/python3.12"])
    with pytest.raises(
        environment.SetupError, match=r"needs Python 3.11 .* make PYTHON=/usr/bin/python3.12"
    ):
        environment.check_version()


def test_a_python_without_venv_is_told_the_package():
    said = environment.venv_remedy("The virtual environment ... ensurepip is not available ...")
    assert "apt-get install python3." in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("output", "remedy"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("NewConnectionError: Failed to establish a new connection: ...", "PIP_INDEX_URL"),
        ("ERROR: these package versions have conflicting dependencies.", "make lock"),
        ("something that nobody expected", "pip failed"),
    ],
)
def test_a_failure_of_pip_ends_in_a_sentence_with_the_remedy(output, remedy):
    said = environment.pip_remedy(f"Collecting numpy\n{output}\n", Path("setup.log"))
    assert remedy in said.splitlines()[-1]
    assert said.endswith("Details: setup.log")


@pytest.mark.slow
def test_without_a_network_the_setup_says_so_and_a_second_attempt_starts_again(tmp_path):
    nowhere = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }
    ended = subprocess.run(
        [sys.executable, environment.__file__, tmp_path / "venv"],
        capture_output=True,
        text=True,
        env={"PATH": os.defpath, "PIP_RETRIES": "0", **nowhere},
    )
    assert ended.returncode == 1
    assert "No package index could be reached" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "venv/.python").exists()  # so that the next run begins again


def test_a_program_that_cannot_be_installed_is_named_with_what_is_skipped(monkeypatch, capsys):
    monkeypatch.setattr(environment.shutil, "which", lambda name, path=None: None)
    environment.provide("chromium", False, "chromium", "the pages are not tested in a browser")
    said = capsys.readouterr().err
    assert said.startswith("NO CHROMIUM: the pages are not tested in a browser (there is no apt")
    assert said.endswith("install chromium and run make again.\n")


def test_a_font_is_found_by_its_file(monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "FONT_FOLDERS", [str(tmp_path)])
    assert not environment.has_font("Wide.ttf")
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "Wide.ttf").touch()
    assert environment.has_font("Wide.ttf")
