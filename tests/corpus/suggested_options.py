"""Find the options that a message suggests."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache

from commands import all_commands

VALUE = r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"`()])+"""
START = re.compile(r"(?<![\w-])--[a-z]")
NAME = re.compile(r"--[a-z][a-z-]*")
MARKED = re.compile(
    r"(perhaps this fits|try|fits|for example|use|with|run|hodgerank \w+ \S+)[^.:`]*[:`]?\s*$", re.I
)
MOST_ANSWERS = 4  # of a question; a longer list leaves the choice to the reader
IN_PYTHON = re.compile(r"\((?:in Python )?[a-z_]+=(?:[^()]|\([^()]*\))*\)")

Options = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Suggestion:
    """Options with their values, and the words around them.

    Attributes
    ----------
    is_claim
        Whether the message says that the options fit, and does not merely mention them.
    """

    options: Options
    explanation: str
    is_claim: bool

    @property
    def names(self) -> set[str]:
        """Names of the options."""
        return {name for name, _ in self.options}


def spelled(options: Options) -> str:
    """Options as they are typed."""
    return shlex.join(arguments(options))


def arguments(options: Options) -> list[str]:
    """Options as arguments of a command."""
    return [word for name, values in options for word in (name, *values)]


def merged(given: Options, more: Options) -> Options:
    """Options completed by others, which take precedence; some may be repeated."""
    new = {name for name, _ in more}
    return (*(option for option in given if option[0] not in new), *more)


def as_options(words: tuple[str, ...]) -> Options:
    """Arguments of a command as options."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for word in words:
        if NAME.fullmatch(word):
            found.append((word, ()))
        else:
            name, values = found[-1]
            found[-1] = name, (*values, word)
    return tuple(found)


@cache
def _sizes() -> dict[str, int]:
    """How many values each option of `rank` takes."""
    sizes = {}
    for option in all_commands()["rank"].params:
        is_switch = getattr(option, "is_flag", False)
        for name in (*option.opts, *getattr(option, "secondary_opts", ())):
            sizes[name] = 0 if is_switch else option.nargs
    return sizes


def suggestions_in(message: str) -> list[Suggestion]:
    """Every group of options in a message, in the order of the text.

    A group begins with an option and ends before the first word that is neither an option nor one
    of its values, such as a parenthesis, a backquote or prose.
    """
    found: list[Suggestion] = []
    heading = ""  # a line without options may explain the next one
    for line in IN_PYTHON.sub("", message).splitlines():
        groups = _groups(line)
        heading = heading if groups else line
        ends = [0, *(end for _, end, _ in groups)]
        starts = [*(start for start, _, _ in groups[1:]), len(line)]
        for k, (start, end, options) in enumerate(groups):
            before, after = line[ends[k] : start], line[end : starts[k]]
            is_alone = not before.strip(" -*0123456789.`") and not after.strip(" `.")
            is_quoted = before.endswith("`") and after.startswith("`")
            is_claim = is_alone or is_quoted or bool(MARKED.search(before))
            told = heading if is_alone else f"{before.strip()} {after.strip()}"
            found.append(Suggestion(options, told, is_claim))
    return found


def _groups(line: str) -> list[tuple[int, int, Options]]:
    """Start, end and options of each group in a line."""
    groups, place = [], 0
    while found := START.search(line, place):
        start = place = found.start()
        options: list[tuple[str, tuple[str, ...]]] = []
        while name := NAME.match(line, place):
            place = name.end()
            values, place = _values(line, place, _sizes().get(name[0]))
            options.append((name[0], values))
            if re.match(r"\s+--[a-z]", line[place:]):
                place += re.match(r"\s+", line[place:]).end()  # type: ignore[union-attr]
            else:
                break
        groups.append((start, place, tuple(options)))
    return groups


def _values(line: str, place: int, size: int | None) -> tuple[tuple[str, ...], int]:
    """The values that follow the name of an option, and where they end."""
    values: list[str] = []
    while size is None or len(values) < size:
        found = re.compile(rf"\s+(?!--[a-z])({VALUE})").match(line, place)
        if found is None:
            break
        text, end = found[1], found.end()
        bare = text.rstrip(".,;:?")
        is_end = bool(bare) and bare != text and not re.match(r"\s*--[a-z]", line[end:])
        try:
            values.append(shlex.split(bare if is_end else text)[0])
        except (ValueError, IndexError):
            break
        place = end - (len(text) - len(bare)) if is_end else end
        if is_end:
            break
    return tuple(values), place


def is_question(alternatives: list[Suggestion]) -> bool:
    """Whether a message says in words how its few alternatives differ."""
    told = [" ".join(re.findall(r"[^\W\d_]+|\d+", one.explanation)) for one in alternatives]
    enough = all(len(words.split()) >= 2 for words in told)
    return 1 < len(told) <= MOST_ANSWERS and enough and len(set(told)) == len(told)
