"""Columns that may hold the two items and the outcome of a vote, the likeliest first.

Names are looked at first, then values. `suggestions` tries every candidate on the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from hodgerank.data.reading.column_names import (
    ITEM_WORDS,
    SidedPair,
    base_word,
    compared_measures,
    decided_pairs,
    favoured_side,
    is_measure,
    item_pairs,
    named_pair,
    sided_pairs,
    words_of,
)
from hodgerank.data.reading.column_values import (
    ALMOST_ALL,
    FEWEST_ROWS,
    MOST_ITSELF,
    filled_in,
    has_fractions,
    is_attribute,
    is_numeric,
    is_running_number,
    is_sign,
    label_of_rows,
)
from hodgerank.data.reading.layouts import outcome_columns
from hodgerank.data.reading.outcome_words import Vocabulary
from hodgerank.data.reading.report import are_codes, may_be_margins, scale_of
from hodgerank.data.reading.values import numbers
from hodgerank.data.vote_columns import WORKERS

WORSE_WORDS = frozenset({
    "worse", "worst", "loser", "lost", "rejected", "distorted", "annoying", "noisier", "blurrier",
    "least", "poorer",
})  # fmt: skip
# Columns of such names hold no outcome, whatever their numbers are.
NO_OUTCOME_WORDS = frozenset({
    "id", "ids", "no", "nr", "number", "index", "trial", "prompt", "question", "page", "block",
    "order", "session", "age", "time", "seconds", "rt", "ms", "duration", "date", "year", "month",
    "day", "count", "n", "seed", "fold", "turn", "round", "unnamed", "timestamp", "duplicate",
    "similarity", "distance", "correlation", "match", "scene", "topic", "category", "group",
    "dataset", "attendance", "device", "version", "language", "task", "hand", "handedness", "sex",
    "gender", "tie", "ties", "tied", "draw",
})  # fmt: skip

DIFFERENCES = frozenset({"diff", "difference"})  # margins if of something that decides
DECIDING = frozenset({"goal", "goals", "score", "scores", "point", "points"})

EARLIER = frozenset({"elo", "before", "after", "previous", "seed"})  # numbers of other votes

Options: TypeAlias = dict[str, Any]


class Suggestion(NamedTuple):
    """Options that fit, and when, if the table does not show whether they are right."""

    options: Options
    when: str = ""


# What makes a column an outcome: its name; values that name sides or items, which also other
# columns do; or nothing but numbers that agree with each other.
Evidence: TypeAlias = Literal["name", "values", "numbers"]
Candidates: TypeAlias = tuple[list[Suggestion], Evidence]


def candidates(head: pl.DataFrame, named: Mapping[str, str]) -> Iterator[Candidates]:
    """Yield alternatives, the likeliest first, and what makes them likely."""
    columns = head.columns
    for roles in (("left", "right", "outcome"), ("left", "right", "winner"), ("winner", "loser")):
        misspelt = _misspelt(columns, roles, named)
        if misspelt and all(_may_be_items(head, misspelt[role]) for role in roles[:2]):
            yield [Suggestion(misspelt)], "name"
    decided = [] if "left" in named or "right" in named else decided_pairs(columns)
    for winner, loser in decided:
        if _may_be_items(head, winner) and _may_be_items(head, loser):
            yield [Suggestion({"winner": winner, "loser": loser})], "name"
    for pair in possible_pairs(head, named):
        items = {"left": pair.left, "right": pair.right}
        for candidates, evidence in _outcomes(head, pair, named):
            yield [Suggestion({**items, **o}, when) for o, when in candidates], evidence


def _misspelt(
    columns: Sequence[str], roles: Sequence[str], named: Mapping[str, str]
) -> Options | None:
    """Return columns whose names are almost those of the roles: 'lefft', 'rigth', 'outcome'."""
    found: Options = {}
    for role in roles:
        near = get_close_matches(role, [name.lower() for name in columns], n=1, cutoff=0.75)
        name = named.get(role) or next((c for c in columns if near and c.lower() == near[0]), None)
        if role == "outcome" and name is None:
            free = [c for c in columns if c not in found.values()]
            name = next(iter(outcome_columns(free)), None)
        if name is None or name in found.values():
            return None
        found[role] = name
    return found


def possible_pairs(head: pl.DataFrame, named: Mapping[str, str]) -> Iterator[SidedPair]:
    """Yield columns that may name the two items, also two columns together."""
    if "left" in named and "right" in named:
        yield named_pair(named["left"], named["right"])
        return
    known, unknown = item_pairs(head.columns)
    sided = [
        pair
        for pair in (*known, *unknown)
        if all(_may_be_items(head, name) for name in pair[:2])
        and (pair in known or _share(head, *pair[:2]))
        and len({*head[pair.left].unique(), *head[pair.right].unique()}) > 1
    ]
    if "left" in named or "right" in named:
        sided = [
            pair
            for pair in sided
            if named.get("left", pair.left) == pair.left
            and named.get("right", pair.right) == pair.right
        ]
    parts = [pair for pair in sided if _itself(head, pair) > MOST_ITSELF]
    yield from (pair for pair in sided if pair not in parts)
    levels = [pair for pair in sided_pairs(head.columns) if pair not in parts]
    for first in parts:
        for second in (*parts, *levels):
            if second.sides == first.sides and first is not second:
                kind, level = sorted((first, second), key=lambda pair: is_numeric(head[pair.left]))
                together = named_pair(f"{kind.left}+{level.left}", f"{kind.right}+{level.right}")
                if _itself(head, first, second) <= MOST_ITSELF and _is_level(head, second):
                    yield together
    if not sided:
        yield from _alike(head)


def _is_level(head: pl.DataFrame, pair: SidedPair) -> bool:
    """Return whether a pair of columns may complete the names of items: few values, shared."""
    if is_measure(pair.stem) and "level" not in pair.stem:
        return False
    few = all(head[name].n_unique() <= max(12, len(head) // 4) for name in pair[:2])
    return few and _share(head, *pair[:2])


def _may_be_items(head: pl.DataFrame, name: str) -> bool:
    """Return whether a column may name items: not signs, not fractions, not a text per row."""
    if name not in head.columns:
        return False
    cells = filled_in(head[name])
    if not (cells.dtype == pl.String or cells.dtype.is_integer()) or cells.is_empty():
        return False
    if is_numeric(cells) and (label_of_rows(head) is not None or _is_one_of_many(head, name)):
        return False
    if len(cells) < FEWEST_ROWS:
        return True
    if is_numeric(cells) and (is_sign(cells) or has_fractions(cells)):
        return False
    return cells.n_unique() <= ALMOST_ALL * len(cells)


def _is_one_of_many(head: pl.DataFrame, name: str) -> bool:
    """Return whether three or more columns differ only in their number: one column per item."""
    stem = [word for word in words_of(name) if not word.isdecimal()]
    alike = [w for w in map(words_of, head.columns) if [x for x in w if not x.isdecimal()] == stem]
    return len(alike) > 2


def _share(head: pl.DataFrame, left: str, right: str) -> bool:
    """Return whether two columns have values in common, as columns of items do."""
    one, other = (set(head[name].cast(pl.String).drop_nulls()) for name in (left, right))
    return len(head) < FEWEST_ROWS or len(one & other) >= 0.2 * min(len(one), len(other))


def _itself(head: pl.DataFrame, *pairs: SidedPair) -> float:
    """Return the share of rows in which all these pairs have the same value on both sides."""
    if not len(head):
        return 0.0
    same = pl.repeat(value=True, n=len(head), eager=True)
    for pair in pairs:
        same &= (head[pair.left] == head[pair.right]).fill_null(value=False)
    return float(same.mean() or 0.0)  # type: ignore[arg-type]


def _alike(head: pl.DataFrame) -> Iterator[SidedPair]:
    """Yield two columns that share at least a third of their values, most first."""
    values = {}
    for name in head.columns:
        is_named = not set(ITEM_WORDS).isdisjoint(words_of(name))
        if not _may_be_items(head, name) or is_measure(words_of(name)):
            continue
        distinct = set(head[name].cast(pl.String).drop_nulls())
        is_number = numbers(head[name].drop_nulls()).null_count() == 0
        if len(distinct) > 2 and (is_named or not is_number):
            values[name] = distinct
    rated = [
        (len(values[a] & values[b]) / len(values[a] | values[b]), a, b)
        for a, b in combinations(values, 2)
    ]
    for share, a, b in sorted(rated, key=lambda pair: -pair[0])[:3]:
        if share >= 1 / 3:
            yield named_pair(a, b)


def _outcomes(
    head: pl.DataFrame, pair: SidedPair, named: Mapping[str, str]
) -> Iterator[Candidates]:
    """Yield options for the outcome of a pair, the surest first."""
    items = {part for side in pair[:2] for part in (side, *side.split("+"))}
    taken = {*items, *named.values()}
    free = [name for name in head.columns if name not in taken and base_word(name) not in WORKERS]
    if "margin" in named:
        yield [Suggestion({"margin": named["margin"]})], "name"
        return
    given = named.get("outcome") or named.get("winner")
    if given is not None:
        yield from _readings(head, given, pair, "name")
        return
    plain = [name for name in outcome_columns(free) if not is_running_number(head[name])]
    for name in plain:
        yield from _readings(head, name, pair, "name")
    telling = [
        name
        for name in free
        if name not in plain
        and not NO_OUTCOME_WORDS.intersection(words_of(name))
        and (_names_an_item(head, pair, name) or _holds_words(head, pair, name))
    ]
    for name in telling:
        yield from _readings(head, name, pair, "values")
    measured = set()
    for left, right, sign in compared_measures(free, pair.sides):
        if not (is_numeric(head[left]) and is_numeric(head[right])):
            continue
        if EARLIER.intersection(words_of(left)):
            continue
        measured |= {left, right}
        are_columns = {pair.left, pair.right} <= set(head.columns)
        if are_columns and is_attribute(
            (head[pair.left], head[pair.right]), (head[left], head[right])
        ):
            continue
        higher, lower = {"outcome": f"{left}-{right}"}, {"outcome": f"{right}-{left}"}
        if sign:
            choice = higher if sign > 0 else lower
            size = Suggestion({"margin": choice["outcome"]}, "by how much also counts")
            yield [Suggestion(choice, "only who is better counts"), size], "name"
        else:
            either = [
                Suggestion(higher, f"a higher {left} is better"),
                Suggestion(lower, f"a lower {left} is better"),
                Suggestion(
                    {"margin": higher["outcome"]},
                    f"a higher {left} is better, and by how much also counts",
                ),
                Suggestion(
                    {"margin": lower["outcome"]},
                    f"a lower {left} is better, and by how much also counts",
                ),
            ]
            yield either, "numbers"
    for name in free:
        is_other = NO_OUTCOME_WORDS.intersection(words_of(name)) or is_running_number(head[name])
        if name not in (*plain, *telling, *measured) and not is_other:
            yield from _readings(head, name, pair, "name" if _names_margins(name) else "numbers")


def _names_margins(name: str) -> bool:
    """Return whether a name says that a column holds margins: margin, goal_diff ..."""
    words = set(words_of(name))
    is_difference = not (DIFFERENCES.isdisjoint(words) or DECIDING.isdisjoint(words))
    return "margin" in words or is_difference


def _readings(
    head: pl.DataFrame, name: str, pair: SidedPair, evidence: Evidence
) -> Iterator[Candidates]:
    """Yield the ways to read an outcome column: as it is, or as numbers on a scale."""
    worse = {"worse": True} if WORSE_WORDS.intersection(words_of(name)) else {}
    found = numbers(head[name]).drop_nulls()
    is_number = len(found) > 0 and len(found) >= 0.95 * len(filled_in(head[name]))
    low, high = (float(found.min()), float(found.max())) if is_number else (0.0, 0.0)  # type: ignore[arg-type]
    are_sides = set(head[name].cast(pl.String, strict=False).drop_nulls()) <= set(pair.sides)
    are_signs = -1 <= low < 0 and high <= 1 and evidence == "name"
    if not is_number or are_sides or are_signs or _names_an_item(head, pair, name):
        yield [Suggestion({"outcome": name, **worse, **_flag(head, name, pair)})], evidence
        return
    if not low < high or are_codes(found):
        return
    ends = scale_of(low, high)
    readings = [
        Suggestion({"outcome": name, "scale": scale}, f"{size} numbers in {name} prefer left")
        for size, scale in (("larger", ends), ("smaller", ends[::-1]))
    ]
    if may_be_margins(low, high):
        zero_is_tie = {"outcome": name, "scale": (-high, high)}
        readings += [Suggestion(zero_is_tie, "0 is a tie")] * (low >= 0)
        told = f"{name} holds margins without bounds, such as goals, of"
        readings.append(Suggestion({"margin": name}, f"{told} left over right"))
        if low < 0:
            reverse = {"margin": name, "worse": True}
            readings.append(Suggestion(reverse, f"{told} right over left"))
    yield readings, evidence


def _flag(head: pl.DataFrame, name: str, pair: SidedPair) -> Options:
    """Return the meaning of true and false in a column that says whether right was chosen."""
    words = set(head[name].cast(pl.String, strict=False).drop_nulls().unique())
    is_flag = {word.lower() for word in words} <= {"true", "false", "yes", "no"}
    if not is_flag or favoured_side(name, pair.sides) >= 0:
        return {}
    return {"map": {w: "right" if w.lower() in ("true", "yes") else "left" for w in sorted(words)}}


def _names_an_item(head: pl.DataFrame, pair: SidedPair, name: str) -> bool:
    """Return whether a column names one of the two items in almost every row."""
    if not {pair.left, pair.right} <= set(head.columns):
        return False
    cells, left, right = (
        head[column].cast(pl.String, strict=False).str.strip_chars()
        for column in (name, pair.left, pair.right)
    )
    known = cells.drop_nulls().len()
    named = int(((cells == left) | (cells == right)).fill_null(value=False).sum())
    return known > 0 and named >= 0.7 * known


def _holds_words(head: pl.DataFrame, pair: SidedPair, name: str) -> bool:
    """Return whether a column holds words for left and right, and hardly anything else."""
    cells = head[name].cast(pl.String, strict=False).drop_nulls()
    if cells.is_empty() or cells.n_unique() > 30 or numbers(cells).null_count() == 0:
        return False
    vocabulary = Vocabulary(
        {}, {pair.left.lower(): "left", pair.right.lower(): "right"}, pair.sides
    )
    counts = dict(cells.alias("word").value_counts().iter_rows())
    words = {label: vocabulary.word(label) for label in counts}
    meanings = {word.meaning for word in words.values() if word is not None}
    known = sum(n for label, n in counts.items() if words[label] is not None)
    return {"left", "right"} <= meanings and known >= 0.9 * len(cells)
