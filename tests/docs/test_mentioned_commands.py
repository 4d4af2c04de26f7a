"""Commands that a page mentions in passing exist, with the options it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.commands import all_commands, command_in
from tests.docs.pages import linking_pages, name_of


def mentioned(page: Path) -> list[str]:
    """Code in running text that begins with `hodgerank` and a command."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or []]
    code = [child.content for child in inline if child.type == "code_inline"]
    return [text for text in code if re.match(r"hodgerank [a-z]+\b", text)]


@pytest.mark.parametrize("page", linking_pages(), ids=name_of)
def test_mentioned_commands_have_the_options_that_are_named(page):
    for text in mentioned(page):
        given = shlex.split(text)[1:]
        if given in (["help", "reading"], ["help", "COMMAND"]):
            continue  # pages of the help
        if any(name.startswith(f"{' '.join(given)} ") for name in all_commands()):
            continue  # several commands, by what they have in common
        name, words = command_in(given)
        assert name, f"`{text}`: there is no such command"
        known = {"--help", "-h"}
        for parameter in all_commands()[name].params:
            known.update([*parameter.opts, *parameter.secondary_opts])
        named = {word for word in words if re.match(r"--?[a-z]", word)}
        assert named <= known, f"`{text}`: {name} has no {', '.join(named - known)}"
