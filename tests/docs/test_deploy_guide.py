"""What the guide of deployment says to a system is understood by it, as far as it is here."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from shutil import which

import pytest
from tests.commands import all_commands, command_in
from tests.docs.pages import DOCS

PAGE = DOCS / "guides" / "deploy.md"


def block(name: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    [found] = re.findall(rf"<!-- {name} -->\n```text\n(.*?)```", page, re.DOTALL)
    return str(found)


def started() -> dict[str, list[str]]:
    """The commands that start the server."""
    [unit] = re.findall(r"^ExecStart=(.*)$", block("unit"), re.MULTILINE)
    [container] = re.findall(r"^CMD (.*)$", block("container"), re.MULTILINE)
    return {"unit": shlex.split(unit), "container": json.loads(container)}


@pytest.mark.parametrize("where", ["unit", "container"])
def test_the_server_is_started_by_options_that_it_has(where):
    name, words = command_in(started()[where][1:])
    assert name == "serve"
    all_commands()[name].make_context(name, words)


@pytest.mark.skipif(which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_understands_the_unit(tmp_path):
    program, *_ = started()["unit"]
    unit = tmp_path / "hodgerank.service"
    unit.write_text(block("unit").replace(program, sys.executable))
    told = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
