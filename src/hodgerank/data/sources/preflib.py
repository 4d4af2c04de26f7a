"""PrefLib files of rankings (.soc, .soi, .toc, .toi), in the current and in the older format.

The current format has a header of lines such as `# ALTERNATIVE NAME 1: tea`, then ballots such as
`12: 1,{2,3}`: twelve voters put alternative 1 first, and 2 and 3 tied behind it. In the older
format the header is the number of alternatives, a line `1,tea` for each, and a line of totals; a
ballot is `12,1,{2,3}`.
"""

from __future__ import annotations

import re
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from hodgerank.data.sources.text_table import opened
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons

COUNT, ORDER = "count", "order"  # columns of the table
MOST_ALTERNATIVES = 1 << 20
MOST_ENTRIES = 200_000_000  # of all ballots
_OTHER_TYPES = ("cat", "wmd", "wmg", "pwg", "tog", "mjg", "dat", "csv")
_NAME = re.compile(r"#\s*ALTERNATIVE NAME\s+(\d+)\s*:(.*)")
_KIND = re.compile(r"#\s*DATA TYPE\s*:\s*(\w+)")
_IS_CURRENT = re.compile(rb"(?im)\A(#[^\n]*\n\s*)*#\s*ALTERNATIVE NAME\s+\d+\s*:")
_IS_OLD = re.compile(rb"\A(\d{1,7})[ \t]*\r?\n[ \t]*1[ \t]*,[^\n]*\n")
_OLD_TOTALS = re.compile(r"\s*\d+\s*,\s*\d+\s*,\s*\d+\s*")


def is_preflib(start: bytes) -> bool:
    """Return whether a file that starts so is a PrefLib file, regardless of its name."""
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"#"):
        return _IS_CURRENT.match(start) is not None
    if (match := _IS_OLD.match(start)) is None:
        return False
    lines = start[: 1 << 16].decode("utf-8", "replace").splitlines()
    n = int(match[1])
    if n + 1 >= len(lines):  # the header is longer than what was read
        return False
    are_names = all(re.match(rf"\s*{k}\s*,", lines[k]) for k in range(1, n + 1))
    return are_names and _OLD_TOTALS.fullmatch(lines[n + 1]) is not None


class _Lines(NamedTuple):
    """Names of the alternatives by number, and the lines of the ballots with their numbers."""

    names: dict[int, str]
    ballots: list[tuple[int, str]]


def read_preflib(content: Path | bytes, name: str, encoding: str | None = None) -> pl.DataFrame:
    """Return a row per ballot: how many voters gave it, and its items with their places.

    Alternatives that a ballot does not list are not in it.
    """
    with opened(content) as stream:
        data = stream.read()
    text = _decoded(data, name, encoding)
    lines = text.replace("\0", "").splitlines()
    is_current = any(line.lstrip().startswith("#") for line in lines[:1])
    found = _current(lines, name) if is_current else _older(lines, name)
    _require_different_names(found.names, name)
    return _table(found, ":" if is_current else ",", name)


def _decoded(data: bytes, name: str, encoding: str | None) -> str:
    try:
        return data.decode(encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError) as error:
        if encoding is None:
            return data.decode("latin-1")  # older files were written so
        raise InvalidComparisons(f"{name} is not {encoding}: {error}") from None


def _current(lines: list[str], source: str) -> _Lines:
    names: dict[int, str] = {}
    ballots = []
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line.startswith("#"):
            if line:
                ballots.append((number, line))
        elif match := _NAME.match(line):
            if (alternative := int(match[1][:9])) in names:
                raise _bad_line(source, number, line, "it names an alternative again")
            names[alternative] = match[2].strip()
        elif (match := _KIND.match(line)) and match[1].lower() in _OTHER_TYPES:
            raise InvalidComparisons(
                f"{source} is a PrefLib file of type {match[1]}, which holds no rankings: use the "
                "file of the same data set that ends in .soc, .soi, .toc or .toi"
            )
    return _Lines(names, ballots)


def _older(lines: list[str], source: str) -> _Lines:
    numbered = [(k, line.strip()) for k, line in enumerate(lines, start=1) if line.strip()]
    first = numbered[0][1] if numbered else ""
    if not (first.isdecimal() and len(first) < 8 and 0 < int(first) < len(numbered)):
        raise InvalidComparisons(
            f"{source} is not a PrefLib file: it must begin with lines such as '# ALTERNATIVE "
            "NAME 1: tea', or with the number of alternatives"
        )
    n = int(first)
    names = {}
    for number, line in numbered[1 : n + 1]:
        place, _, called = line.partition(",")
        if not place.strip().isdecimal():
            raise _bad_line(source, number, line, "a line such as '1,tea' names an alternative")
        if (alternative := int(place.strip()[:9])) in names:
            raise _bad_line(source, number, line, "it names an alternative again")
        names[alternative] = called.strip()
    rest = numbered[n + 1 :]
    if rest and _OLD_TOTALS.fullmatch(rest[0][1]):
        rest = rest[1:]
    return _Lines(names, rest)


def _require_different_names(names: dict[int, str], source: str) -> None:
    if len(names) > MOST_ALTERNATIVES:
        raise InvalidComparisons(f"{source} has more than {MOST_ALTERNATIVES:,} alternatives")
    seen: dict[str, int] = {}
    for number in sorted(names):
        called = names[number] or f"alternative {number}"
        names[number] = called
        if called in seen:
            raise InvalidComparisons(
                f"{source}: alternatives {seen[called]} and {number} are both called "
                f"{short(repr(called))}: rename one"
            )
        seen[called] = number
    if not names:
        raise InvalidComparisons(
            f"{source} names no alternatives: add lines such as '# ALTERNATIVE NAME 1: tea'"
        )


def _table(found: _Lines, after_count: str, source: str) -> pl.DataFrame:
    """Return the table of ballots; its rows are made in a few large arrays."""
    names = found.names
    code_of = {number: k for k, number in enumerate(sorted(names))}
    counts: list[int] = []
    sizes: list[int] = []
    codes: list[int] = []
    places: list[int] = []
    for number, line in found.ballots:
        count, _, order = line.partition(after_count)
        if not (count.strip().isdecimal() and len(count.strip()) < 16):
            raise _bad_line(source, number, line, "a ballot begins with the number of its voters")
        try:
            listed, order_places = _ballot(order)
            listed_codes = [code_of[alternative] for alternative in listed]
        except (ValueError, KeyError):
            raise _bad_line(
                source, number, line, "a ballot lists numbers of alternatives, ties in braces: "
                f"{'3: 1,{2,4}' if after_count == ':' else '3,1,{2,4}'}"
            ) from None  # fmt: skip
        if len(set(listed)) < len(listed):
            raise _bad_line(source, number, line, "it lists an alternative twice")
        counts.append(int(count))
        sizes.append(len(listed))
        codes += listed_codes
        places += order_places
        if len(codes) > MOST_ENTRIES:
            raise InvalidComparisons(f"{source} has more than {MOST_ENTRIES:,} ballot entries")
    if not counts:
        raise InvalidComparisons(f"{source} has no ballots")
    items = pl.Series(np.array(codes, np.uint32)).cast(pl.UInt32)
    called = pl.Series([names[number] for number in sorted(names)], dtype=pl.String)
    entries = pl.DataFrame(
        {
            "ballot": np.repeat(np.arange(len(counts)), sizes),
            "item": called.gather(items),
            "place": np.array(places, np.int32),
        }
    )
    orders = entries.group_by("ballot", maintain_order=True).agg(
        pl.struct("item", "place").alias(ORDER)
    )
    ballots = pl.DataFrame({"ballot": np.arange(len(counts)), COUNT: counts})
    return ballots.join(orders, on="ballot", how="left", maintain_order="left").drop("ballot")


def _ballot(order: str) -> tuple[list[int], list[int]]:
    """Return the alternatives of a ballot and the place of each; equal places are ties."""
    if "{" not in order:
        strict = [int(number) for number in order.split(",") if number.strip()]
        return strict, list(range(1, len(strict) + 1))
    listed: list[int] = []
    places: list[int] = []
    for place, part in enumerate(re.findall(r"\{[^{}]*\}|[^,{}\s][^,{}]*|[{}]", order), start=1):
        tied = [int(number) for number in part.strip("{}").split(",") if number.strip()]
        if part in ("{", "}"):
            raise ValueError("a brace is not closed")
        listed += tied
        places += repeat(place, len(tied))
    return listed, places


def _bad_line(source: str, number: int, line: str, what: str) -> InvalidComparisons:
    return InvalidComparisons(f"{source}, line {number}: {short(repr(line))}: {what}")
