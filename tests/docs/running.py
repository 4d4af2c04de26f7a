"""Run the blocks of a page as a reader would: in order, in one folder, in one Python session."""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import (
    ExitStack,
    chdir,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from shutil import which
from typing import Any
from unittest.mock import patch

from tests.docs.blocks import Block, blocks_of
from tests.docs.transcript import renewed, shown_lines, steps_of

from hodgerank.cli import main

WIDTH = 100
PATIENCE_SECONDS = 10
SHELL_PROGRAMS = {
    "cat", "curl", "echo", "export", "head", "hodgerank", "ls", "mkdir", "python", "tail", "wc"
}  # fmt: skip
SEPARATORS = {"|", ">", ">>", "<", "&&", ";"}


class CannotRunHere(Exception):
    """A block needs what this machine does not have."""


class BlockFailed(AssertionError):
    """A block does not do what the page says."""


def renewed_blocks(page: str, folder: Path) -> Iterator[tuple[Block, str]]:
    """Run a page; each block with the text that it should hold.

    Raises `CannotRunHere` at the first block that needs data sets or programs that are missing.
    """
    blocks = blocks_of(page)
    with _as_a_terminal(folder), ExitStack() as background:
        session = _Session(background)
        for block, following in zip_longest(blocks, blocks[1:]):
            _require_what_is_needed(block)
            try:
                text = session.run(block)
            except BlockFailed:
                raise
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                raise BlockFailed(f"{block.place}: {reason}\n{block.text}") from error
            if block.kind == "python" and session.printed and not _is_output(following):
                raise BlockFailed(
                    f"{block.place}: this prints, so a text block after it should show what:\n"
                    f"{session.printed}"
                )
            yield block, text


class _Session:
    """What blocks leave for those after them."""

    def __init__(self, background: ExitStack) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        self._background = background

    def run(self, block: Block) -> str:
        """Run a block, and return the text it should hold."""
        if block.kind == "output":
            lines = tuple(block.text.rstrip("\n").split("\n"))
            return "\n".join(renewed(lines, shown_lines(self.printed))) + "\n"
        if block.kind == "console":
            return _transcribed(block.text, self._background)
        self.printed = ""
        if block.kind in ("python", "cell"):
            if block.text.lstrip().startswith(">>>"):
                self._check_examples(block)
            else:
                self.printed = self._execute(block)
        elif block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        return block.text

    def _execute(self, block: Block) -> str:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in a notebook
        code = compile(block.text, block.place, "exec", flags=flags)
        with redirect_stdout(io.StringIO()) as out:
            result = eval(code, self.names)
            if inspect.iscoroutine(result):
                asyncio.run(result)
        return out.getvalue()

    def _check_examples(self, block: Block) -> None:
        parser, told = doctest.DocTestParser(), io.StringIO()
        examples = parser.get_doctest(block.text, self.names, block.place, None, block.start)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        if runner.run(examples, out=told.write, clear_globs=False).failed:
            raise BlockFailed(f"{block.place}: {told.getvalue()}")
        self.names.update(examples.globs)


def _is_output(block: Block | None) -> bool:
    return block is not None and block.kind == "output"


def _transcribed(transcript: str, background: ExitStack) -> str:
    lines: list[str] = []
    for step in steps_of(transcript):
        shown = shown_lines(_output_of(step.command, background))
        lines += [*step.written, *renewed(step.expected, shown)]
    return "\n".join(lines) + "\n"


def _output_of(command: str, background: ExitStack) -> str:
    words = list(shlex.shlex(command, posix=True, punctuation_chars=True))
    starts = [0, *(i + 1 for i, word in enumerate(words) if word in {"|", "&&", ";"})]
    strangers = {words[start] for start in starts} - SHELL_PROGRAMS
    if strangers:
        raise BlockFailed(
            f"'{command}' runs {', '.join(strangers)}: transcripts run "
            f"{', '.join(sorted(SHELL_PROGRAMS))}; what no test can run goes into a block of sh"
        )
    if words[-1] == "&":
        return _start(words[:-1], background)
    if words[0] == "export":
        return _export(command)
    if words[0] == "hodgerank" and not SEPARATORS.intersection(words):
        return _own_command(shlex.split(command)[1:])
    done = subprocess.run(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode()


def _start(words: list[str], background: ExitStack) -> str:
    """Start a program that runs until the page ends, and is ready when it prints a line."""
    *program, arrow, file = words
    if arrow != ">":
        raise BlockFailed(f"'{' '.join(words)} &' needs a file to write to: > FILE &")
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    background.enter_context(process)
    background.callback(_end, process)
    assert process.stdout is not None
    Path(file).write_text(process.stdout.readline(), encoding="utf-8")
    return ""


def _end(process: subprocess.Popen[str]) -> None:
    """Let a program tidy up, unless it takes its time."""
    process.terminate()
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _export(command: str) -> str:
    """Set a variable for the commands and the code that follow."""
    name, _, value = command.removeprefix("export").strip().partition("=")
    done = subprocess.run(f"printf %s {value}", shell=True, stdout=subprocess.PIPE, check=True)
    os.environ[name] = done.stdout.decode()
    return ""


def _own_command(arguments: list[str]) -> str:
    """What a terminal shows of a command of ours, run in this process."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    # Any exit status will do: a page may show a mistake and what is said of it.
    with redirect_stdout(screen), redirect_stderr(screen), suppress(SystemExit):
        main(arguments)
    return screen.buffer.getvalue().decode()


@contextmanager
def _as_a_terminal(folder: Path) -> Iterator[None]:
    """The folder of the page, and a terminal of fixed width without colours."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    settings = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "PATH": programs}
    with chdir(folder), patch.dict(os.environ, settings):
        os.environ.pop("FORCE_COLOR", None)
        yield


def _require_what_is_needed(block: Block) -> None:
    if block.kind not in ("python", "cell", "console"):
        return
    if "load_dataset(" in block.text and not os.environ.get("HODGERANK_DATA"):
        raise CannotRunHere(f"{block.place}: set HODGERANK_DATA to the folder of data sets")
    if "$ curl " in block.text and which("curl") is None:
        raise CannotRunHere(f"{block.place}: there is no curl")
    if re.search(r"^(import|from) dask", block.text, re.MULTILINE) and find_spec("dask") is None:
        raise CannotRunHere(f"{block.place}: there is no dask")
