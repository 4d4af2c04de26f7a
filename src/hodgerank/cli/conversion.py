"""Conversion of parameter values without pydantic.

Typer converts every value, including defaults, with pydantic, whose import takes longer than most
commands. Defaults, text, choices and file names are converted here instead; numbers and invalid
values are left to Typer and its messages.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin


class NotSimple(Exception):
    """Raised for values that Typer has to convert."""


def simply_converted(parameters: list[Any]) -> list[Any]:
    """Return the parameters of a command, converted by Typer only where necessary."""
    for parameter in parameters:
        # Older versions of Typer, which have no such descriptor, do without pydantic.
        is_new = "process_value" not in vars(parameter)
        if is_new and hasattr(parameter, "type_descriptor"):
            parameter.process_value = partial(_process, parameter, parameter.process_value)
    return parameters


def _process(parameter: Any, by_typer: Any, ctx: Any, value: Any) -> Any:
    """Return a replacement of a parameter's `process_value` that falls back on the original."""
    kind = parameter.type_descriptor
    try:
        if value is None:
            found: Any = () if parameter.multiple or parameter.nargs == -1 else None
        else:
            found = _converted(value, kind.annotation, kind.parameter_info)
    except NotSimple:
        return by_typer(ctx, value)
    if parameter.required and parameter.value_is_missing(found):
        return by_typer(ctx, value)
    return found if parameter.callback is None else parameter.callback(ctx, parameter, found)


def _converted(value: Any, kind: Any, wanted: Any) -> Any:
    if wanted.parser is None:
        if get_origin(kind) is list and isinstance(value, (list, tuple)):
            return [_converted(each, get_args(kind)[0], wanted) for each in value]
        if get_origin(kind) is Literal and value in get_args(kind):
            return value
        if kind in (bool, int, float, str) and type(value) is kind:
            return value
        if kind is Path and isinstance(value, (str, Path)) and _needs_no_check(value, wanted):
            return Path(value)
    raise NotSimple


def _needs_no_check(path: str | Path, wanted: Any) -> bool:
    """Return whether the path needs no error message: it need not exist, or can be read."""
    if not (wanted.file_okay and wanted.dir_okay) or wanted.writable or wanted.resolve_path:
        return False
    return os.access(path, os.R_OK) or not (wanted.exists or os.path.lexists(path))
