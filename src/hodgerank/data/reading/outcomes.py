"""Outcome columns: numbers, words, or the chosen item."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import LARGEST_MARGIN
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.layouts import NAMES_AN_ITEM
from hodgerank.data.reading.options import PLAIN_SCALE, OutcomeKind, plain_word
from hodgerank.data.reading.outcome_words import Meaning, Vocabulary, Word, graded
from hodgerank.data.reading.report import Reading, Row
from hodgerank.data.reading.values import MISSING, NOT_A_NAME, Encoding, number, numbers
from hodgerank.errors import InvalidComparisons
from hodgerank.types import BoolArray, CodeArray, FloatArray, Item

MOST_PHRASES = 500  # distinct labels; more are names of items
YES, NO = frozenset({"yes", "y", "ja", "oui", "sí"}), frozenset({"no", "n", "nein", "non"})


class Outcomes(NamedTuple):
    """Outcomes in [-1, 1] and how they were read.

    `kind` is that of the column, `both_bad` are the rows that reject both items and count as ties,
    and `strengths` are the strengths of preference that words express.
    """

    kind: OutcomeKind | Literal["margin"] | None
    values: FloatArray
    both_bad: BoolArray | None = None
    strengths: tuple[int, ...] = ()


def is_measured(column: pl.Series) -> bool:
    """Return whether the outcome can only be a number, not the name of an item."""
    dtype = column.dtype
    return dtype.is_float() or dtype.is_decimal() or dtype == pl.Boolean


def measure(column: pl.Series, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    """Return outcomes in [-1, 1] of a numeric column; true is left, false is right."""
    values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    if column.dtype == pl.Boolean:
        low, high = reading.scale
        values = low + (high - low) * values
    else:
        refuse_zero_and_one(values, reading)
    return _numbers(values, reading, status)


def margins(column: pl.Series, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    """Return real-valued outcomes, or their signs; the winner's must not be negative."""
    plain = column.cast(pl.Float64, strict=False)
    if plain.null_count() > column.null_count():  # blanks, decimal commas, or words
        plain = numbers(column)
    values = plain.fill_null(np.nan).to_numpy()
    usable = np.abs(values) <= LARGEST_MARGIN
    if not usable.all():
        status[~usable] = Row.BAD_MARGIN
        status[_unanswered(column) & np.isnan(values)] = Row.UNANSWERED
    if not reading.layout.display_known:
        status[values < 0] = Row.NEGATIVE_MARGIN
    return np.sign(values) if reading.options.signs_only else np.asarray(values)


def _unanswered(column: pl.Series) -> BoolArray:
    """Return which cells are empty, or hold a word for a missing value."""
    if column.dtype != pl.String:
        return column.cast(pl.Float64, strict=False).fill_nan(None).is_null().to_numpy()
    text = column.str.strip_chars().fill_null("")
    return text.is_in(["", *NOT_A_NAME]).to_numpy()


def understand_labels(
    encoding: Encoding,
    reading: Reading,
    items: tuple[Item, ...],
    left: CodeArray,
    right: CodeArray,
    status: NDArray[np.uint8],
) -> Outcomes:
    """Return the outcomes of a column of labels; rows without one get a status.

    Each distinct label is interpreted once, then rows are looked up.
    """
    labels, (codes,) = encoding
    values = np.array([number(str(label)) for label in labels] + [np.nan])  # MISSING is the last
    texts = [str(label) for label in labels]
    names = list(map(str, items))
    chosen = np.array([*_positions(texts, names), -2], np.int32)
    given = reading.options.words
    values[:-1][[plain_word(text) in given for text in texts]] = np.nan  # words of the caller
    vocabulary = _vocabulary(reading, values, {text.lower() for text in texts})
    strange = [word for word in given if word not in map(plain_word, texts)]
    if strange:
        missing = ", ".join(map(repr, strange))
        reading.notes.append(f"no row has the outcome {missing}, named with --map, --tie or --skip")
    as_phrase = len(texts) <= MOST_PHRASES
    words = [vocabulary.word(text, as_phrase=as_phrase) for text in texts]
    if reading.options.outcome_as != "word" and any(words):
        # An item's name takes precedence over a word: items may be called A and B.
        lowered = [text.lower() for text in texts]
        named = set(lowered).intersection(map(str.lower, names)) - reading.options.words.keys()
        words = [None if low in named else word for low, word in zip(lowered, words, strict=True)]
    word_status, word_value = _word_tables(words, reading)
    both_bad = _both_bad(words, codes, word_status)

    kind = reading.options.outcome_as or _most_plausible_kind(
        codes, values, word_value, chosen, left, right, reading
    )
    if any(given.get(plain_word(text)) in ("left", "right") for text in texts):
        kind = "word"
    if kind == "number":
        refuse_zero_and_one(values, reading)
        outcome = _numbers(values[codes], reading, status)
        if np.isnan(values[:-1]).any():  # words among the numbers: ties, skips, or invalid
            favours_nobody = word_value == 0
            meaning = np.where(favours_nobody, word_status, np.uint8(Row.OUT_OF_RANGE))
            is_word = np.isnan(values)[codes] & (codes != MISSING)
            status[is_word] = meaning[codes[is_word]]
            outcome[is_word] = 0.0
        return Outcomes(kind, outcome, both_bad)
    if kind == "word":
        if word_status[:-1].any() or codes.min() == MISSING:
            status[:] = word_status[codes]
        return Outcomes(kind, word_value[codes], both_bad, tuple(graded(words)))
    # A sheet filled in by hand may have 'left' in one row and the item in the next.
    chose_left, chose_right = chosen[codes] == left, chosen[codes] == right
    outcome = np.where(chose_left, 1.0, np.where(chose_right, -1.0, word_value[codes]))
    status[:] = np.where(chose_left | chose_right, np.uint8(Row.USED), word_status[codes])
    return Outcomes(kind, outcome, both_bad)


def _positions(texts: list[str], names: list[str]) -> list[int]:
    """Return the position of each text among the names, -2 if it is not among them."""
    if not set(texts).intersection(names):
        return [-2] * len(texts)
    position = dict(zip(names, range(len(names)), strict=True))
    return [position.get(text, -2) for text in texts]


def _most_plausible_kind(
    codes: CodeArray,
    values: FloatArray,
    word_value: FloatArray,
    chosen: CodeArray,
    left: CodeArray,
    right: CodeArray,
    reading: Reading,
) -> OutcomeKind:
    """Choose the interpretation of the labels that explains most rows."""
    is_number = np.abs(_rescaled(values, reading.scale)) <= 1
    is_word = ~np.isnan(word_value)
    names_item = bool((chosen >= 0).any())
    # On equal evidence the name of the column decides between 'number' and 'item'.
    order: list[OutcomeKind] = ["number", "item", "word"]
    if NAMES_AN_ITEM.intersection(words_of(str(reading.layout.outcome))):
        order = ["item", "word", "number"]
    if not names_item and is_word[:-1].all():
        return "word"
    if is_number[:-1].all() and (not names_item or order[0] == "number"):
        return "number"
    rows = np.bincount(codes + 1, minlength=len(values))  # MISSING comes first here
    rows = np.r_[rows[1:], rows[0]]
    chose = int(((chosen[codes] == left) | (chosen[codes] == right)).sum())
    explained: dict[OutcomeKind, int] = {
        "number": int(rows @ is_number),
        "item": chose + int(rows @ is_word) if chose else 0,
        "word": int(rows @ is_word),
    }
    if not any(explained.values()) and np.isnan(values[:-1]).all():
        return "word"  # in any case they are not numbers
    return max(order, key=lambda name: explained[name])


def refuse_zero_and_one(values: FloatArray, reading: Reading) -> None:
    """Refuse labels that are only 0 and 1, since 0 may mean a tie or a vote for right.

    In files with the name of a hodgerank sampler, or written by `to_frame`, 0 is a tie.
    """
    layout = reading.layout
    is_ours = layout.asked_by is not None or layout.is_display_known is not None
    if reading.options.scale is not None or layout.scale is not None or is_ours:
        return
    known = np.unique(values[~np.isnan(values)])
    if len(known) >= 2 and known[0] == 0 and known[-1] == 1:
        raise InvalidComparisons(
            f"{reading.source}: the column {reading.layout.outcome} holds only "
            f"{'0 and 1' if len(known) == 2 else 'numbers from 0 to 1'}, which has two possible "
            "meanings:\n  --scale 0 1 (scale=(0, 1)): 1 prefers left, 0 prefers right\n  --scale "
            "-1 1 (scale=(-1, 1)): 1 prefers left, 0 is a tie\n  (and where 1 prefers right: "
            "--scale 1 0)"
        )


def _vocabulary(reading: Reading, values: FloatArray, labels: set[str]) -> Vocabulary:
    """Return the meaning of words; column names and their sides are words too."""
    layout = reading.layout
    words: dict[str, Meaning] = {name.lower(): "unanswered" for name in NOT_A_NAME}
    if layout.scale is not None:  # "is_A_selected": yes
        sides: tuple[Meaning, Meaning] = ("left", "right")
        yes, no = sides if layout.scale[1] > layout.scale[0] else sides[::-1]
        words |= dict.fromkeys(YES, yes) | dict.fromkeys(NO, no)
        words |= {"true": yes, "false": no}
    if layout.sides is not None:
        left, right = layout.sides
        # 1 and 2 are words only if there is no other number: on a scale they are grades
        known = {f"{value:g}" for value in values[~np.isnan(values)]}
        if not left.isdecimal() or known <= {left, right}:
            words |= {left: "left", right: "right"}
        elif (left, right) == ("1", "2") and known == {"0", "1", "2"}:
            words |= {left: "left", right: "right", "0": "tie"}
    if {"w", "l"} <= labels and "r" not in labels:  # won and lost, of the left item
        words |= {"w": "left", "l": "right"}
    words |= {layout.left.lower(): "left", layout.right.lower(): "right"}
    return Vocabulary(reading.options.words, words, layout.sides)  # type: ignore[arg-type]


def _word_tables(
    words: list[Word | None], reading: Reading
) -> tuple[NDArray[np.uint8], FloatArray]:
    """Return status and outcome of each word; a word for neither side has outcome 0."""
    statuses = {"skip": Row.SKIPPED, "unanswered": Row.UNANSWERED}
    if reading.options.both_bad == "drop":
        statuses["both bad"] = Row.BOTH_BAD
    level, signs = graded(words), {"left": 1.0, "right": -1.0}
    status, value = [], []
    for word in words:
        status.append(Row.NEITHER if word is None else statuses.get(word.meaning, Row.USED))
        sign = np.nan if word is None else signs.get(word.meaning, 0.0)
        value.append(sign * level[word.strength] if word is not None and sign else sign)
    return np.array([*status, Row.UNANSWERED], np.uint8), np.array([*value, np.nan])


def _both_bad(
    words: list[Word | None], codes: CodeArray, word_status: NDArray[np.uint8]
) -> BoolArray | None:
    """Return which rows say 'both bad' and count as ties; None if there are none."""
    are_ties = [word is not None and word.meaning == "both bad" for word in words]
    if not any(are_ties) or (word_status == Row.BOTH_BAD).any():
        return None
    return np.array([*are_ties, False])[codes]


def _numbers(values: FloatArray, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    outcome = _rescaled(values, reading.scale)
    inside = np.abs(outcome) <= 1
    if not inside.all():
        status[~inside] = Row.OUT_OF_RANGE
        status[np.isnan(values)] = Row.UNANSWERED
    return outcome


def _rescaled(values: FloatArray, scale: tuple[float, float]) -> FloatArray:
    low, high = scale
    return values if scale == PLAIN_SCALE else 2 * (values - low) / (high - low) - 1
