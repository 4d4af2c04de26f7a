"""The fenced blocks of a page, and what each is for.

| fence | what it is |
|---|---|
| `python`, `{code-cell}` | code, run in order in one namespace per page |
| `text` right after `python` | what that code prints |
| `console` | a transcript: `$ ` before each command, then what it prints; `> FILE &` lasts |
| `sh` | commands that no test runs: they install, build, or take minutes |
| other languages | data, written to a file where `<!-- file: NAME -->` stands before it |
| directives | Sphinx's own |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Kind = Literal["python", "cell", "output", "console", "sh", "data", "directive"]

DATA_LANGUAGES = {"text", "csv", "json", "bibtex", "toml", "yaml", "mermaid", "r"}
DIRECTIVES = {
    "{eval-rst}",
    "{include}",
    "{toctree}",
    "{math}",
    "{note}",
    "{warning}",
    "{image}",
    "{figure}",
    "{mermaid}",
}
FILE_COMMENT = re.compile(r"<!--\s*file:\s*([\w.-]+)\s*-->")
CELL_OPTION = re.compile(r"(:[\w-]+:.*\n)+\n?")


@dataclass(frozen=True)
class Block:
    """A fenced block: its content stands in lines `start` (from 0) to `end` of the page."""

    kind: Kind
    language: str
    text: str
    start: int
    end: int
    file: str | None = None

    @property
    def place(self) -> str:
        """The line of the page in which its content begins, for messages."""
        return f"line {self.start + 1}"


class UnknownFence(ValueError):
    """A block of a language that says nothing about what it is for."""


def blocks_of(page: str) -> list[Block]:
    """Every fenced block of a page in order, also in lists and quotations."""
    found: list[Block] = []
    before: Token | None = None
    for token in MarkdownIt("commonmark").parse(page):
        if token.type == "fence":
            found.append(_block(token, before, found[-1] if found else None))
        if token.nesting >= 0:
            before = token
    return found


def _block(token: Token, before: Token | None, last: Block | None) -> Block:
    language, *_ = token.info.split(maxsplit=1) or [""]
    start, end = token.map[0] + 1, token.map[1] - 1
    comment = FILE_COMMENT.search(before.content) if before is not None else None
    text = token.content
    follows = before is not None and before.type == "fence"
    if language == "text" and follows and last is not None and last.kind == "python":
        kind: Kind = "output"
    elif language == "{code-cell}":
        kind, text = "cell", CELL_OPTION.sub("", text, count=1)
    elif language in ("python", "console", "sh"):
        kind = language
    elif language in DATA_LANGUAGES:
        kind = "data"
    elif language in DIRECTIVES:
        kind = "directive"
    else:
        raise UnknownFence(
            f"line {start}: a block of '{language}' is none of "
            f"{', '.join(['python', 'console', 'sh', *sorted(DATA_LANGUAGES)])}"
        )
    return Block(kind, language, text, start, end, comment[1] if comment else None)
