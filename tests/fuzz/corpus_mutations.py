"""Changes of published files that keep their meaning, or lose it in a known way.

Each mutation takes a random generator and a file, changes the file, and returns whether it could.
Where a change takes the meaning away, the truth of the file becomes None: no ranking is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from corpus.files import Cell, Column, File, Sheet
from fuzz.distractors import DISTRACTORS, PLAUSIBLE, TWO_DISTRACTORS, Maker
from fuzz.header_names import DECIDED, HIGHER, LOWER, MEASURED, OUTCOMES, PAIRS, WORKERS
from hodgerank.data.reading.column_names import sided_pairs

Mutation = Callable[[Random, File], bool]
ITEM_ROLES = frozenset({"left", "right", "winner", "loser", "item"})
BLANKS = ("None", "", "NA")  # cells without an answer
# Roles of columns whose names carry the meaning of the values.
NAMED_ROLES = frozenset({"number", "flag", "score", "worse", "pair"})
OUTCOME_ROLES = frozenset({"words", "item", "higher", "lower"}) | NAMED_ROLES


def rename_pair(rng: Random, file: File) -> bool:
    """Call the two item columns otherwise, with words for the outcome that fit."""
    sheet = _sheet(file)
    left, right = _only(sheet, "left"), _only(sheet, "right")
    if left is None or right is None or _has(sheet, *NAMED_ROLES):
        return False
    pair = rng.choice(PAIRS)
    codes = rng.choice(pair.codes)
    way = rng.choice(MEASURED)
    stems = {"higher": rng.choice(HIGHER), "lower": rng.choice(LOWER)}
    sides = {"left": pair.sides[0], "right": pair.sides[1]}
    left.name, right.name = pair.left, pair.right
    for role in ("higher", "lower"):
        measures = {column.name: column for column in sheet.columns if column.role == role}
        pairs = sided_pairs(list(measures))
        if len(measures) > 1 and not pairs:
            return False
        names = pairs[0][:2] if pairs else list(measures)
        for name, side in zip(names, sides.values(), strict=False):
            measures[name].name = way.format(stem=stems[role], side=side)
    for column in sheet.columns:
        if column.role == "words" and len(column.codes) >= 2:
            _recode(column, codes)
    return _is_tidy(sheet)


def rename_outcome(rng: Random, file: File) -> bool:
    """Call the column of the outcome otherwise."""
    columns = [column for column in _sheet(file).columns if column.role in ("words", "item")]
    if len(columns) != 1:
        return False
    columns[0].name = rng.choice(OUTCOMES)
    return _is_tidy(_sheet(file))


def rename_decided(rng: Random, file: File) -> bool:
    """Call winner and loser otherwise."""
    winner, loser = _only(_sheet(file), "winner"), _only(_sheet(file), "loser")
    if winner is None or loser is None:
        return False
    winner.name, loser.name = rng.choice(DECIDED)
    return _is_tidy(_sheet(file))


def rename_worker(rng: Random, file: File) -> bool:
    """Call the column of the worker otherwise."""
    worker = _only(_sheet(file), "worker")
    if worker is not None:
        worker.name = rng.choice(WORKERS)
    return worker is not None and _is_tidy(_sheet(file))


def respell(rng: Random, file: File) -> bool:
    """Write all headers in another case, with other spaces or with a prefix."""
    spell = rng.choice(SPELLINGS)
    if not _is_made_of_roles(_sheet(file)):  # its headers may be the names of items
        return False
    for column in _sheet(file).columns:
        column.name = spell(column.name)
    return _is_tidy(_sheet(file))


def _camel(name: str) -> str:
    first, *rest = re.split(r"[ _]+", name)
    return first.lower() + "".join(word[:1].upper() + word[1:] for word in rest)


SPELLINGS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.lower,
    str.title,
    _camel,
    lambda name: name.replace("_", " "),
    lambda name: re.sub(r"\W+", "_", name),
    lambda name: f" {name} ",
    lambda name: f"data.{name}",
    lambda name: f"Input.{name}",
    lambda name: f"trial_{name}",
    lambda name: f"{name} (text)",
    lambda name: f"\u00a0{name}",
)


def permute(rng: Random, file: File) -> bool:
    """Put the columns in another order; left stays before right, winner before loser."""
    sheet = _sheet(file)
    if not _is_made_of_roles(sheet):
        return False
    before = [column.role for column in sheet.columns]
    rng.shuffle(sheet.columns)
    for first, second in (("left", "right"), ("part of left", "part of right")):
        if first in before and second in before:
            places = [k for k, c in enumerate(sheet.columns) if c.role in (first, second)]
            ordered = sorted((sheet.columns[k] for k in places), key=lambda c: c.role)
            for place, column in zip(places, ordered, strict=True):
                sheet.columns[place] = column
    return True


def duplicate(rng: Random, file: File) -> bool:
    """Repeat a column, under the same name or as spreadsheets and pandas call copies."""
    sheet = _sheet(file)
    column = rng.choice(sheet.columns)
    if not _is_made_of_roles(sheet):
        return False
    name = rng.choice((column.name, f"{column.name}.1", f"Copy of {column.name}"))
    sheet.columns.append(replace(column, name=name, cells=list(column.cells), role="copy"))
    return True


def drop_other(rng: Random, file: File) -> bool:
    """Leave out a column that is no part of a vote."""
    sheet = _sheet(file)
    others = [column for column in sheet.columns if column.role in ("", "time", "worker")]
    if not others or len(others) == len(sheet.columns):
        return False
    sheet.columns.remove(rng.choice(others))
    return True


def drop_outcome(rng: Random, file: File) -> bool:
    """Leave out everything that says who won: nothing is left to rank by."""
    sheet = _sheet(file)
    if _only(sheet, "left") is None or _only(sheet, "right") is None:
        return False
    if sum(column.role in OUTCOME_ROLES for column in sheet.columns) != 1 or _has(sheet, "copy"):
        return False
    if _has(sheet, "numbers") or PLAUSIBLE.intersection(map(str.strip, sheet.header)):
        return False  # a reader would take these for the outcome
    items = set(map(str, _only_cells(sheet, "left")))
    if any(not column.role and set(map(str, column.cells)) <= items for column in sheet.columns):
        return False  # who won the toss could be taken for who won
    sheet.columns = [column for column in sheet.columns if column.role not in OUTCOME_ROLES]
    file.truth = None
    return True


def drop_side(rng: Random, file: File) -> bool:
    """Leave out one of the items: nobody knows what the other was compared with."""
    sheet = _sheet(file)
    column = _only(sheet, rng.choice(("left", "right", "winner", "loser")))
    if column is None or _has(sheet, "part of left", "copy") or not file.style.header:
        return False
    sheet.columns.remove(column)
    file.truth = None
    return len(sheet.columns) > 1 and not file.aliases


def shuffle_rows(rng: Random, file: File) -> bool:
    """Put the rows in another order."""
    sheet = _sheet(file)
    if not _is_made_of_roles(sheet):
        return False
    order = rng.sample(range(len(sheet.rows)), len(sheet.rows))
    for column in sheet.columns:
        column.cells = [column.cells[k] for k in order]
    return True


def rename_items(rng: Random, file: File) -> bool:
    """Call the items numbers, letters, files, or names with signs in them."""
    sheet = _sheet(file)
    if file.truth is None or file.aliases or not _has(sheet, "left", "winner"):
        return False
    names = [name for chain in file.truth for name in chain]
    chosen = _only(sheet, "item")
    if chosen is not None and not set(map(str, chosen.cells)) <= {*names, *BLANKS}:
        return False  # it names them in another way, which would be lost
    kind = rng.choice(NAMINGS)
    shuffled = rng.sample(range(len(names)), len(names))
    new = {name: kind(k) for name, k in zip(names, shuffled, strict=True)}
    for column in sheet.columns:
        if column.role in ITEM_ROLES or set(map(str, column.cells)) <= set(names):
            column.cells = [new.get(str(cell), cell) for cell in column.cells]
    file.truth = tuple(tuple(new[name] for name in chain) for chain in file.truth)
    return True


NAMINGS: tuple[Callable[[int], str], ...] = (
    lambda k: str(k + 1),
    lambda k: str(k),
    lambda k: str(1001 + 7 * k),
    lambda k: f"{k:03d}",
    lambda k: "ABCDEFGHIJKL"[k],
    lambda k: f"img_{k:02d}.png",
    lambda k: f"group {k}, late",
    lambda k: f"x;{k}|y",
    lambda k: f"https://example.org/{k}?a=1&b=2",
    lambda k: f"Größe {k}",
)


def reverse_scale(rng: Random, file: File) -> bool:
    """Turn a scale round whose direction the file does not say: it must be asked for."""
    grades = _only(_sheet(file), "number")
    if grades is None or grades.name not in ("rating", "preference"):
        return False
    values = [cell for cell in grades.cells if isinstance(cell, int)]
    if len(values) < len(grades.cells):
        return False
    grades.cells = [min(values) + max(values) - value for value in values]
    return min(values) < -1 or max(values) > 1


def blank_cells(rng: Random, file: File) -> bool:
    """Leave some votes without an answer."""
    columns = [c for c in _sheet(file).columns if c.role in ("words", "item", "number")]
    if len(columns) != 1:
        return False
    blank = rng.choice((None, *BLANKS[1:]))
    columns[0].cells = [blank if rng.random() < 0.08 else cell for cell in columns[0].cells]
    return True


def change_text(rng: Random, file: File) -> bool:
    """Use another separator, quotation marks, line ends, decimal commas or encoding."""
    if not file.name.endswith((".csv", ".tsv", ".txt")) or file.style.encoding != "utf-8":
        return False
    style = file.style
    file.style = replace(
        style,
        separator=rng.choice(",;\t|"),
        quote=rng.random() < 0.3,
        decimal_comma=rng.random() < 0.3,
        line_end=rng.choice(("\n", "\r\n")),
        encoding=rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16")),
    )
    return not (style.before or style.after)


def add_lines(rng: Random, file: File) -> bool:
    """Put comments, titles, empty lines or a total around the table."""
    sheet, style = _sheet(file), file.style
    if not file.name.endswith((".csv", ".tsv", ".txt")) or style.before or style.after:
        return False
    gap = style.separator * (len(sheet.columns) - 1)
    file.style = rng.choice(
        (
            replace(style, before=("# exported 2024-03-01", "# do not edit")),
            replace(style, before=("Results of the second study" + gap, gap)),
            replace(style, before=("sep=" + style.separator,)),
            replace(style, after=("", "")),
            replace(style, after=(f"Total{gap}",)),
            replace(style, after=(gap, gap)),
        )
    )
    return True


def drop_header(rng: Random, file: File) -> bool:
    """Leave out the header where the values alone tell who won."""
    sheet = _sheet(file)
    roles = [column.role for column in sheet.columns if column.role in ITEM_ROLES]
    if roles[:3] != ["left", "right", "item"] or not file.name.endswith(".csv"):
        return False
    file.style = replace(file.style, header=False)
    return True


def add_distractor(rng: Random, file: File) -> bool:
    """Add a column that is no part of a vote."""
    sheet = _sheet(file)
    name = rng.choice(list(DISTRACTORS))
    if not _is_made_of_roles(sheet) or (file.truth is None and name in PLAUSIBLE):
        return False
    return _add(rng, sheet, {name: DISTRACTORS[name]})


def add_two_distractors(rng: Random, file: File) -> bool:
    """Add two columns that look like sides, beside an outcome in words or items."""
    sheet = _sheet(file)
    if not _has(sheet, "words", "item", "winner") or _has(sheet, "higher", "lower"):
        return False
    left, right, maker = rng.choice(TWO_DISTRACTORS)
    return _add(rng, sheet, {left: maker, right: maker}, "numbers")


def add_shown_first(rng: Random, file: File) -> bool:
    """Add a column that names one of the two items, which is not who won."""
    sheet = _sheet(file)
    left, right = _only(sheet, "left"), _only(sheet, "right")
    if left is None or right is None or not _has(sheet, "words", "item"):
        return False
    pairs = zip(left.cells, right.cells, strict=True)
    name = rng.choice(("shown_first", "default_option", "toss_winner", "previous"))
    sheet.columns.append(Column(name, [rng.choice(pair) for pair in pairs]))
    return _is_tidy(sheet)


def _add(rng: Random, sheet: Sheet, made: dict[str, Maker], role: str = "") -> bool:
    place = rng.randrange(len(sheet.columns) + 1)
    n_rows = len(sheet.rows)
    new = [Column(name, [cell(rng, k) for k in range(n_rows)], role) for name, cell in made.items()]
    sheet.columns[place:place] = new
    return _is_tidy(sheet)


MUTATIONS: tuple[Mutation, ...] = (
    rename_pair, rename_pair, rename_outcome, rename_decided, rename_worker, respell, permute,
    duplicate, drop_other, drop_outcome, drop_side, shuffle_rows, rename_items, rename_items,
    change_text, change_text, add_lines, drop_header, add_distractor, add_distractor,
    add_two_distractors, add_two_distractors, add_shown_first, reverse_scale, blank_cells,
)  # fmt: skip


def _sheet(file: File) -> Sheet:
    assert file.sheet is not None
    return file.sheet


def _only(sheet: Sheet, role: str) -> Column | None:
    found = [column for column in sheet.columns if column.role == role]
    return found[0] if len(found) == 1 else None


def _only_cells(sheet: Sheet, role: str) -> list[Cell]:
    column = _only(sheet, role)
    return [] if column is None else column.cells


def _is_made_of_roles(sheet: Sheet) -> bool:
    """Whether the table has a row for each vote, with a column for each of its parts."""
    return any(column.role for column in sheet.columns)


def _has(sheet: Sheet, *roles: str) -> bool:
    return any(column.role in roles for column in sheet.columns)


def _recode(column: Column, codes: tuple[str, ...]) -> None:
    new = dict(zip(column.codes, codes, strict=False))
    column.cells = [new.get(str(cell), cell) for cell in column.cells]
    column.codes = tuple(new.values())


def _is_tidy(sheet: Sheet) -> bool:
    """Whether no name comes twice by accident."""
    names = [name.strip().lower() for name in sheet.header]
    return len(set(names)) == len(names)
