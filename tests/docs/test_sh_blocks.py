"""Blocks of sh are for what no test runs; they are checked as far as that goes."""

from __future__ import annotations

import re
import shlex

import pytest
from tests.commands import all_commands, command_in
from tests.docs.blocks import blocks_of
from tests.docs.pages import REPOSITORY, name_of, runnable_pages

PROGRAMS = {"cd", "export", "git", "make", "pip"}
LONG_COMMANDS = {"judge", "reproduce", "serve"}  # they take minutes, call a model, or do not end
SERVER = "postgresql://"  # what an argument begins with that needs one


def commands() -> list[tuple[str, list[str]]]:
    found = []
    for page in runnable_pages():
        for block in blocks_of(page.read_text(encoding="utf-8")):
            lines = block.text.replace("\\\n", " ").split("\n") if block.kind == "sh" else []
            words = [shlex.split(line, comments=True) for line in lines]
            found += [(f"{name_of(page)}, {block.place}", line) for line in words if line]
    return found


@pytest.fixture(scope="module")
def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


def test_blocks_of_sh_hold_nothing_that_a_test_could_run(targets):
    for place, words in commands():
        program, *arguments = words
        if program == "hodgerank":
            needs_server = any(word.startswith(SERVER) for word in arguments)
            is_long = needs_server or arguments[0] in LONG_COMMANDS
            assert is_long, f"{place}: {words} belongs in a console block"
            parse_own(arguments)
        elif program == "python":
            assert arguments[:1] == ["-m"], f"{place}: {words} belongs in a console block"
            folder = REPOSITORY.joinpath(*arguments[1].split("."))
            assert folder.is_dir() or folder.with_suffix(".py").is_file(), f"{place}: {words}"
        else:
            assert program in PROGRAMS, f"{place}: {words} belongs in a console block"
        if program == "make":
            wanted = {word for word in arguments if "=" not in word}
            assert wanted <= targets, f"{place}: the Makefile has no {wanted - targets}"


def parse_own(arguments: list[str]) -> None:
    """Fail where options are unknown or wrong; nothing is run."""
    name, words = command_in(arguments)
    all_commands()[name].make_context(name, words)
