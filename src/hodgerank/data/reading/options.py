"""ReadOptions: options for reading votes, declared once for library and commands.

The options of a file may be in a file beside it: `votes.toml` for `votes.csv`. Options of the
caller take precedence.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, did_you_mean, require_one_of

OutcomeKind = Literal["number", "word", "item"]
PLAIN_SCALE = (-1.0, 1.0)
# Options that name a column, in the order in which messages propose them.
COLUMN_OPTIONS = (
    "left", "right", "outcome", "winner", "loser", "ballot", "item", "place",
    "worker", "weight", "count", "time", "group", "unit",
)  # fmt: skip


def _option(help_text: str, flag: str = "", *, metavar: str = "") -> Any:
    """Describe an option of the command line, called --name unless `flag` is given."""
    about = {"help": help_text, "flag": flag, "metavar": metavar or None}
    return field(default=None, metadata=about)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of `read_comparisons`, where they are documented.

    Commands make their options from these fields. None means not given.
    """

    left: str | None = _option("Column of the item shown on the left.")
    right: str | None = _option("Column of the item shown on the right.")
    outcome: str | None = _option("Column of the outcome.")
    winner: str | None = _option("Column of the preferred item.")
    loser: str | None = _option("Column of the other item.")
    worker: str | None = _option("Column of the worker.")
    weight: str | None = _option("Column of the weights.")
    time: str | None = _option("Column of the time of the vote.")
    count: str | None = _option("Column of the number of votes that a row stands for.")
    group: str | None = _option(
        "Column of scene, topic, prompt ...: rank each group separately.", "--by"
    )
    unit: str | None = _option("Column of prompt, page ...: votes of one unit are correlated.")
    ballot: str | None = _option("Column of the ballot, in rankings of several items.")
    item: str | None = _option("Column of the item in a ranking of several items.")
    place: str | None = _option("Column of the place in such a ranking; 1 is the best.")
    where: str | None = _option("Rows to read, e.g. --where \"worker != 'bot' and seconds > 2\".")
    outcome_as: OutcomeKind | None = _option("What the outcome column holds.")
    scale: tuple[float, float] | None = _option(
        "Numbers for 'right is best' and 'left is best', e.g. --scale 1 7.", metavar="LOW HIGH"
    )
    display_known: bool | None = _option(
        "Whether left and right are the display order. Default: detected.",
        "--display-known/--display-unknown",
    )
    keep_na: bool | None = _option(
        "Whether NA, N/A, nan, null, - and ? are names of items.", "--keep-na/--no-keep-na"
    )
    skip_invalid: bool | None = _option(
        "Leave out and count invalid rows instead of stopping.", "--skip-invalid/--no-skip-invalid"
    )
    header: bool | None = _option(
        "Whether the first line is a header; without one, columns are called 1, 2, 3 ...",
        "--header/--no-header",
    )
    sheet: str | None = _option("Sheet of a workbook, if not the first.")
    encoding: str | None = _option("Text encoding, if not UTF-8.")
    separator: str | None = _option("Column separator. Default: detected.")
    options_file: bool | None = _option(
        "Whether to use the options in votes.toml beside votes.csv.",
        "--options-file/--no-options-file",
    )

    def __post_init__(self) -> None:
        if self.outcome_as is not None:
            require_one_of(self.outcome_as, ("number", "word", "item"), "outcome_as")
        if self.scale is None:
            return
        try:
            low, high = (float(end) for end in self.scale)
        except (TypeError, ValueError):
            raise InvalidArgument(f"scale {self.scale!r} must be two numbers") from None
        if not (isfinite(low) and isfinite(high) and low != high):
            raise InvalidArgument(f"scale {self.scale} needs two different finite ends")
        object.__setattr__(self, "scale", (low, high))

    @property
    def columns(self) -> dict[str, str]:
        """Columns that the caller named, by role."""
        named = {part: getattr(self, part) for part in COLUMN_OPTIONS}
        return {part: name for part, name in named.items() if name is not None}

    def or_else(self, others: Mapping[str, Any]) -> ReadOptions:
        """Return these options, completed by `others`."""
        return replace(
            self, **{name: value for name, value in others.items() if getattr(self, name) is None}
        )


FILE_OPTIONS = tuple(option.name for option in fields(ReadOptions) if option.name != "options_file")
SWITCHES = ("display_known", "keep_na", "skip_invalid", "header")
LARGEST_FILE = 1 << 16  # bytes


def options_file_of(votes: Any) -> Path | None:
    """Return the file beside a file of votes that holds its options, if it exists.

    For `votes.csv`, `votes.csv.gz` and `votes.parquet` it is `votes.toml`.
    """
    if not isinstance(votes, str | os.PathLike):
        return None
    path = Path(os.fspath(votes))
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
    beside = path.with_suffix(".toml") if path.name else path
    return beside if beside != path and os.path.isfile(beside) else None


def read_options_file(path: Path) -> dict[str, Any]:
    """Read options from a file, which may hold nothing else."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise _bad_file(path, f"it is larger than {LARGEST_FILE:,} bytes")
        found = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise _bad_file(path, f"it cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise _bad_file(path, f"it is not TOML: {short(error)}") from None
    for name, value in found.items():
        if name not in FILE_OPTIONS:
            known = ", ".join(FILE_OPTIONS)
            guess = did_you_mean(name, FILE_OPTIONS)
            raise _bad_file(path, f"{short(repr(name))} is not one of {known}{guess}")
        kind = "true or false" if name in SWITCHES else "two numbers" if name == "scale" else "text"
        if not _is(kind, value):
            raise _bad_file(path, f"{name} must be {kind}, not {short(repr(value))}")
    try:
        ReadOptions(**found)
    except InvalidArgument as error:
        raise _bad_file(path, str(error)) from None
    return found


def _is(kind: str, value: object) -> bool:
    if kind == "text":
        return isinstance(value, str) and value != ""
    if kind == "true or false":
        return isinstance(value, bool)
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(end, int | float) and not isinstance(end, bool) for end in value)
    )


def _bad_file(path: Path, what: str) -> InvalidArgument:
    return InvalidArgument(
        f"invalid options file {path}: {what}. Correct it, or ignore it with --no-options-file "
        "(options_file=False)"
    )
