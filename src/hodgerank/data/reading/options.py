"""ReadOptions: options for reading votes, declared once for library and commands.

The options of a file may be in a file beside it: `votes.toml` for `votes.csv`. Options of the
caller take precedence.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, did_you_mean, require_one_of

OutcomeKind = Literal["number", "word", "item"]
BothBad = Literal["tie", "drop"]
MEANINGS = ("left", "right", "tie", "skip")
PLAIN_SCALE = (-1.0, 1.0)
# Options that say what an outcome means, or how rankings of several items are given.
NOT_OF_MARGINS = (
    "outcome", "outcome_as", "scale", "tie", "map", "both_bad", "ballot", "item", "place",
)  # fmt: skip
# Options that name a column, in the order in which messages propose them.
COLUMN_OPTIONS = (
    "left", "right", "outcome", "margin", "winner", "loser", "ballot", "item", "place",
    "worker", "weight", "count", "time", "group", "unit",
)  # fmt: skip


def _option(
    help_text: str, flag: str = "", *, metavar: str = "", is_repeatable: bool = False
) -> Any:
    """Describe an option of the command line, called --name unless `flag` is given."""
    about = {
        "help": help_text,
        "flag": flag,
        "metavar": metavar or None,
        "is_repeatable": is_repeatable,
    }
    return field(default=None, metadata=about)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of `read_comparisons`, where they are documented.

    Commands make their options from these fields. None means not given.
    """

    left: str | None = _option(
        "Column of the item shown on the left; A+B where two columns name it together."
    )
    right: str | None = _option("Column of the item shown on the right, likewise.")
    outcome: str | None = _option(
        "Column of the outcome; A-B where the larger of two columns decides."
    )
    margin: str | None = _option(
        "Column of the margin: by how much left, or the winner, is better, as a real number; A-B "
        "for the difference of two columns."
    )
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
    tie: Sequence[str] | None = _option(
        "Word for a tie; may be repeated.", metavar="WORD", is_repeatable=True
    )
    skip: Sequence[str] | None = _option(
        "Word for a pair that the worker skipped; may be repeated.",
        metavar="WORD",
        is_repeatable=True,
    )
    map: Mapping[str, str] | Sequence[str] | None = _option(
        "Whether a word means left, right, tie or skip, e.g. --map f=left; may be repeated.",
        metavar="WORD=MEANING",
        is_repeatable=True,
    )
    both_bad: BothBad | None = _option(
        "Whether 'both bad' is a tie, as on leaderboards, or left out. Default: tie."
    )
    worse: bool | None = _option(
        "The chosen item is the worse one: more distorted, more difficult ...",
        "--worse/--no-worse",
    )
    signs_only: bool | None = _option(
        "Keep who won of margins, not by how much.", "--signs-only/--no-signs-only"
    )
    names: str | None = _option(
        "File of the items' names: a table of ids and names.", metavar="FILE"
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
        if self.both_bad is not None:
            require_one_of(self.both_bad, ("tie", "drop"), "both_bad")
        for name in ("tie", "skip"):
            object.__setattr__(self, name, _words(getattr(self, name), name))
        object.__setattr__(self, "map", _meanings(self.map))
        if self.names is not None:
            object.__setattr__(self, "names", os.fspath(self.names))
        self._require_margins_alone()
        if self.scale is None:
            return
        try:
            low, high = (float(end) for end in self.scale)
        except (TypeError, ValueError):
            raise InvalidArgument(f"scale {self.scale!r} must be two numbers") from None
        if not (isfinite(low) and isfinite(high) and low != high):
            raise InvalidArgument(f"scale {self.scale} needs two different finite ends")
        object.__setattr__(self, "scale", (low, high))

    def _require_margins_alone(self) -> None:
        """Refuse options that say what an outcome means where there are margins."""
        if self.margin is None:
            return
        given = {name: getattr(self, name) for name in NOT_OF_MARGINS}
        if self.outcome == self.margin:
            del given["outcome"]
        if self.winner is not None and self.loser is None:
            given["winner"] = self.winner
        for name, value in given.items():
            if value is not None:
                flag = f"--{name.replace('_', '-')}"
                raise InvalidArgument(
                    f"{name}= ({flag}) cannot be combined with margin= (--margin), which needs "
                    "left and right, or winner and loser: leave one of them out"
                )

    @property
    def columns(self) -> dict[str, str]:
        """Columns that the caller named, by role."""
        named = {part: getattr(self, part) for part in COLUMN_OPTIONS}
        return {part: name for part, name in named.items() if name is not None}

    @property
    def words(self) -> dict[str, str]:
        """Words whose meaning the caller gave, in lower case."""
        found = dict.fromkeys(self.tie or (), "tie") | dict.fromkeys(self.skip or (), "skip")
        found |= dict(self.map or {})  # type: ignore[arg-type]
        return {plain_word(word): meaning for word, meaning in found.items()}

    def or_else(self, others: Mapping[str, Any]) -> ReadOptions:
        """Return these options, completed by `others`; an outcome replaces a margin of theirs."""
        if self.outcome is not None:
            others = {name: value for name, value in others.items() if name != "margin"}
        return replace(
            self, **{name: value for name, value in others.items() if getattr(self, name) is None}
        )


def plain_word(word: str) -> str:
    """Return a word as it is looked up: in lower case, with single spaces."""
    return " ".join(word.lower().split())


def as_options(options: Mapping[str, Any]) -> str:
    """Format options as on the command line.

    >>> as_options({"left": "A", "outcome": "my grade", "scale": (1, 5), "worse": True})
    "--left A --outcome 'my grade' --scale 1 5 --worse"
    """
    parts = []
    for name, value in options.items():
        parts.append("--by" if name == "group" else f"--{name.replace('_', '-')}")
        if isinstance(value, str):
            parts.append(quote(value))
        elif isinstance(value, Mapping):
            parts.append(" --map ".join(quote(f"{word}={side}") for word, side in value.items()))
        elif value is not True:
            parts += [f"{end:g}" for end in value]
    return " ".join(parts)


def as_arguments(options: Mapping[str, Any]) -> str:
    """Format options as arguments of `read_comparisons`."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def _words(words: Any, name: str) -> tuple[str, ...] | None:
    """Return words given one by one or as a list; None if there are none."""
    found = (words,) if isinstance(words, str) else tuple(words or ())
    if not all(isinstance(word, str) and word.strip() for word in found):
        raise InvalidArgument(f"{name} must be a word, or a list of words")
    return found or None


def _meanings(given: Any) -> dict[str, str] | None:
    """Return the meaning of each word, given as a mapping or as WORD=MEANING."""
    pairs = given
    if not isinstance(given, Mapping):
        texts = (given,) if isinstance(given, str) else tuple(given or ())
        pairs = {}
        for text in texts:
            word, is_pair, meaning = str(text).rpartition("=")
            if not is_pair or not word:
                raise InvalidArgument(
                    f"map {short(repr(text))} must be WORD=MEANING, e.g. --map f=left "
                    "(map={'f': 'left'})"
                )
            pairs[word] = meaning.strip().lower()
    for word, meaning in pairs.items():
        if not isinstance(word, str) or not word.strip():
            raise InvalidArgument("map needs words as text")
        require_one_of(meaning, MEANINGS, f"the meaning of {short(repr(word))}")
    return dict(pairs) or None


FILE_OPTIONS = tuple(option.name for option in fields(ReadOptions) if option.name != "options_file")
SWITCHES = ("display_known", "keep_na", "skip_invalid", "header", "worse", "signs_only")
KINDS = {
    **dict.fromkeys(SWITCHES, "true or false"),
    "scale": "two numbers",
    "tie": "a list of words",
    "skip": "a list of words",
    "map": "a table of words and meanings",
}
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
            guess = " (did you mean group?)" if name == "by" else did_you_mean(name, FILE_OPTIONS)
            raise _bad_file(path, f"{short(repr(name))} is not one of {known}{guess}")
        kind = KINDS.get(name, "text")
        if not _is(kind, value):
            raise _bad_file(path, f"{name} must be {kind}, not {short(repr(value))}")
    if "names" in found:  # a path in the file is relative to the file
        found["names"] = str(path.parent / found["names"])
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
    if kind == "a list of words":
        return _is("text", value) or (
            isinstance(value, list) and all(_is("text", word) for word in value)
        )
    if kind == "a table of words and meanings":
        return isinstance(value, dict) and all(_is("text", word) for word in value.values())
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
