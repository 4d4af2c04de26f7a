"""Values of parameters that need no conversion, or nearly none.

Typer converts every value, defaults too, by adapters of pydantic, and importing that takes longer
than most commands. What is not given, text, choices and names of files are as easily converted
without; numbers, and whatever is wrong, are left to Typer and its messages.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin


class NotSimple(Exception):
    """Typer has to convert this."""


def simply_converted(parameters: list[Any]) -> list[Any]:
    """The parameters of a command, whose values Typer converts only where it has to."""
    for parameter in parameters:
        # Older versions of Typer, which have no such descriptor, do without pydantic.
        is_new = "process_value" not in vars(parameter)
        if is_new and hasattr(parameter, "type_descriptor"):
            parameter.process_value = partial(_process, parameter, parameter.process_value)
    return parameters


def _process(parameter: Any, by_typer: Any, ctx: Any, value: Any) -> Any:
    """What `process_value` of a parameter does, whose way it is where this one is too simple."""
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
    """Whether there is nothing to say about a file: it need not be there, or can be read."""
    if not (wanted.file_okay and wanted.dir_okay) or wanted.writable or wanted.resolve_path:
        return False
    return os.access(path, os.R_OK) or not (wanted.exists or os.path.lexists(path))
