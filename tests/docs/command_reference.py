"""Write docs/reference/commands.md from what the commands say of themselves.

python -m tests.docs.command_reference
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from tests.commands import all_commands
from tests.docs.pages import DOCS

from hodgerank.cli.reading_options import PANEL

PAGE = DOCS / "reference" / "commands.md"
READING_TITLE = "Options for reading files"
READING = f"[{READING_TITLE.lower()}](#{READING_TITLE.lower().replace(' ', '-')})"
WORDS = {int: "N", float: "NUMBER", str: "TEXT", Path: "PATH"}
INTRODUCTION = f"""\
# Commands

<!-- Written by `make transcripts` from the commands themselves; changes here are lost. -->

`hodgerank COMMAND --help` or `hodgerank help COMMAND` says the same in the terminal. Every command
that reads votes also takes the {READING} (`hodgerank help reading`).

| command | what it does |
|---|---|
"""
ENDING = """\
## Exit status

| status | meaning |
|---:|---|
| 0 | success |
| 2 | wrong usage |
| 3 | input that cannot be read, or a result that cannot be written |
| 4 | the ranking is not unique |
| 130 | interrupted by Ctrl-C |

A result that cannot be written leaves the old file as it was.
"""


def command_reference() -> str:
    """The page."""
    commands = all_commands()
    anchors = {name: name.replace(" ", "-") for name in commands}
    rows = [f"| [`{name}`](#{anchors[name]}) | {_summary(commands[name])} |" for name in commands]
    parts = [_command(name, commands[name]) for name in commands]
    shared = [p for p in commands["rank"].params if p.rich_help_panel == PANEL]
    reading = f"## {READING_TITLE}\n\n" + "\n".join(_options(commands["rank"], shared)) + "\n"
    return INTRODUCTION + "\n".join(rows) + "\n\n" + "\n".join([*parts, reading, ENDING])


def _command(name: str, command: Any) -> str:
    about, _, examples = _about(command).partition("Examples:")
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [
        p
        for p in command.params
        if p.param_type_name == "option" and p.rich_help_panel != PANEL and not p.hidden
    ]
    required = [p for p in options if p.required]
    synopsis = ["hodgerank", name, *(_argument(p) for p in arguments)]
    synopsis += [f"{p.opts[0]} {_value(command, p)}" for p in required] + ["[OPTIONS]"]
    lines = [
        f"## {name}",
        "",
        "```text",
        " ".join(synopsis),
        "```",
        "",
        _sentence(about.strip()),
        "",
    ]
    if examples.strip():
        shown = [" ".join(example.split()) for example in examples.strip().split("\n\n")]
        lines += ["Examples:", "", "```text", *shown, "```", ""]
    for argument in arguments:
        lines += [f"`{_metavar(argument)}`: {_sentence(argument.help)}", ""]
    for panel in dict.fromkeys(p.rich_help_panel for p in options):
        lines += ["", f"{panel}:", ""] if panel else []
        lines += _options(command, [p for p in options if p.rich_help_panel == panel])
    if any(p.rich_help_panel == PANEL for p in command.params):
        lines += ["", f"And the {READING}."]
    return "\n".join(lines) + "\n"


def _options(command: Any, options: list[Any]) -> Iterator[str]:
    yield "| option | what it does | default |"
    yield "|---|---|---|"
    for option in options:
        names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
        value = _value(command, option)
        shown = f"{names} `{value}`" if value else names
        about = _sentence(option.help) + _choices(command, option)
        yield f"| {_cell(shown)} | {_cell(about)} | {_default(option)} |"


def _value(command: Any, option: Any) -> str:
    """What stands after an option."""
    if option.is_flag:
        return ""
    if option.metavar:
        return str(option.metavar)
    kind = _kind(command, option)
    return "CHOICE" if get_origin(kind) is Literal else WORDS[kind]


def _choices(command: Any, option: Any) -> str:
    kind = _kind(command, option)
    if get_origin(kind) is not Literal or (
        option.metavar and all(name in option.help for name in get_args(kind))
    ):
        return ""
    *most, last = (f"`{choice}`" for choice in get_args(kind))
    return f" One of {', '.join(most)} or {last}."


def _kind(command: Any, option: Any) -> Any:
    """The type of one value, from the signature of the command."""
    kind = inspect.signature(command.callback, eval_str=True).parameters[option.name].annotation
    while get_origin(kind) in (Annotated, Union, UnionType, list):
        inner = [part for part in get_args(kind) if part is not NoneType]
        kind = inner[0]
    return kind


def _default(option: Any) -> str:
    if option.required:
        return "required"
    nothing = option.default is None or option.default is False or not option.show_default
    return "" if nothing else f"`{option.default}`"


def _argument(argument: Any) -> str:
    name = f"{_metavar(argument)}{'...' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def _metavar(argument: Any) -> str:
    return argument.metavar or argument.name.upper()


def _summary(command: Any) -> str:
    return _cell(_about(command).split("\n\n")[0].replace("\n", " "))


def _about(command: Any) -> str:
    """The help of a command, emphasis as Markdown has it."""
    return re.sub(r"\[bold\](.*?)\[/\w*\]", r"*\1*", inspect.cleandoc(command.help))


def _sentence(text: str | None) -> str:
    """Help as Markdown: names of options and patterns are code."""
    words = re.sub(r"(?<![\w`-])(--[a-z][a-z-]*)", r"`\1`", text or "")
    return words.replace("'votes/*.parquet'", "`'votes/*.parquet'`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(command_reference(), encoding="utf-8")
