"""What an outcome column says: numbers, words, or the chosen item."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.reading.codes import MISSING, Encoding
from hodgerank.data.reading.layouts import NAMES_AN_ITEM, Layout
from hodgerank.data.reading.options import PLAIN_SCALE, OutcomeKind
from hodgerank.data.reading.report import Reading, Row
from hodgerank.types import CodeArray, FloatArray, Item

LEFT = frozenset({"left", "model_a", "model_1", "item_a", "option_a", "a", "l", "first", "true"})
RIGHT = frozenset(
    {"right", "model_b", "model_2", "item_b", "option_b", "b", "r", "second", "false"}
)
TIE = frozenset({"tie", "draw", "equal", "same", "both", "tie (bothgood)", "bothgood", "both_good"})
BOTH_BAD = frozenset({"tie (bothbad)", "bothbad", "both_bad", "both bad", "neither"})
SKIP = frozenset({"skip", "skipped", "ignore", "ignored", "unknown", "unsure", "n/a", "na"})


def is_measured(column: pl.Series) -> bool:
    """Whether the outcome can only be a number, not the name of an item."""
    dtype = column.dtype
    return dtype.is_float() or dtype.is_decimal() or dtype == pl.Boolean


def measure(column: pl.Series, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    """Outcomes in [-1, 1] of a column of measurements; true is left, false is right."""
    values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    if column.dtype == pl.Boolean:
        low, high = reading.options.scale
        values = low + (high - low) * values
    return _numbers(values, reading, status)


def understand_labels(
    encoding: Encoding,
    reading: Reading,
    items: tuple[Item, ...],
    left: CodeArray,
    right: CodeArray,
    status: NDArray[np.uint8],
) -> tuple[OutcomeKind, FloatArray]:
    """Outcomes in [-1, 1] of a column of labels; rows without one get their status.

    Labels are few and rows are many: each label is understood once, then rows are looked up.
    """
    labels, (codes,) = encoding
    values = np.array([_number(label) for label in labels] + [np.nan])  # MISSING is the last
    position = {str(item): code for code, item in enumerate(items)}
    # The name of an item is not a word: items may be called A and B.
    as_word = reading.options.outcome_as == "word"
    names = set() if as_word else {name.lower() for name in position}
    words = [
        None if str(label).lower() in names else _word(label, reading.layout) for label in labels
    ]
    word_status, word_value = _word_tables(words)
    chosen = np.array([position.get(str(label), -2) for label in labels] + [-2], np.int32)

    kind = reading.options.outcome_as or _most_plausible_kind(
        codes, values, word_value, chosen, left, right, reading
    )
    if kind == "number":
        outcome = _numbers(values[codes], reading, status)
        if np.isnan(values[:-1]).any():  # words among the numbers: ties, skips, or nonsense
            favours_nobody = word_value == 0
            meaning = np.where(favours_nobody, word_status, np.uint8(Row.OUT_OF_RANGE))
            is_word = np.isnan(values)[codes] & (codes != MISSING)
            status[is_word] = meaning[codes[is_word]]
            outcome[is_word] = 0.0
        return kind, outcome
    if kind == "word":
        if word_status[:-1].any() or codes.min() == MISSING:
            status[:] = word_status[codes]
        return kind, word_value[codes]
    chose_left, chose_right = chosen[codes] == left, chosen[codes] == right
    outcome = np.where(chose_left, 1.0, np.where(chose_right, -1.0, 0.0))
    otherwise = np.where(np.nan_to_num(word_value, nan=1) == 0, word_status, np.uint8(Row.NEITHER))
    otherwise[-1] = Row.NO_OUTCOME
    status[:] = np.where(chose_left | chose_right, np.uint8(Row.USED), otherwise[codes])
    return kind, outcome


def _most_plausible_kind(
    codes: CodeArray,
    values: FloatArray,
    word_value: FloatArray,
    chosen: CodeArray,
    left: CodeArray,
    right: CodeArray,
    reading: Reading,
) -> OutcomeKind:
    """The reading of the labels that explains most rows."""
    is_number = np.abs(_rescaled(values, reading.options.scale)) <= 1
    is_word = ~np.isnan(word_value)
    names_item = chosen >= 0
    if not names_item.any() and is_word[:-1].all():
        return "word"
    if not names_item.any() and is_number[:-1].all():
        return "number"
    rows = np.bincount(codes + 1, minlength=len(values))  # MISSING comes first here
    rows = np.r_[rows[1:], rows[0]]
    chose = int(((chosen[codes] == left) | (chosen[codes] == right)).sum())
    explained: dict[OutcomeKind, int] = {
        "number": int(rows @ is_number),
        "item": chose + int(rows @ (word_value == 0)) if chose else 0,
        "word": int(rows @ is_word),
    }
    # On equal evidence the name of the column decides between 'number' and 'item'.
    order: list[OutcomeKind] = ["number", "item", "word"]
    if str(reading.layout.outcome).lower() in NAMES_AN_ITEM:
        order = ["item", "word", "number"]
    return max(order, key=lambda name: explained[name])


def _number(label: Item) -> float:
    try:
        return float(label)
    except ValueError:
        return np.nan


def _word(label: Item, layout: Layout) -> str | None:
    """The vocabulary's word for a label; the names of the item columns are words too."""
    text = str(label).lower()
    if text in LEFT or text == layout.left.lower():
        return "left"
    if text in RIGHT or text == layout.right.lower():
        return "right"
    for name, words in (("tie", TIE), ("both bad", BOTH_BAD), ("skip", SKIP)):
        if text in words:
            return name
    return None


def _word_tables(words: list[str | None]) -> tuple[NDArray[np.uint8], FloatArray]:
    """Status and outcome of each word; a word that favours nobody has outcome 0."""
    statuses = {"both bad": Row.BOTH_BAD, "skip": Row.SKIPPED, None: Row.NEITHER}
    values = {"left": 1.0, "right": -1.0, None: np.nan}
    status = [statuses.get(word, Row.USED) for word in words]
    value = [values.get(word, 0.0) for word in words]
    return np.array([*status, Row.NO_OUTCOME], np.uint8), np.array([*value, np.nan])


def _numbers(values: FloatArray, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    outcome = _rescaled(values, reading.options.scale)
    inside = np.abs(outcome) <= 1
    if not inside.all():
        status[~inside] = Row.OUT_OF_RANGE
        status[np.isnan(values)] = Row.NO_OUTCOME
    return outcome


def _rescaled(values: FloatArray, scale: tuple[float, float]) -> FloatArray:
    low, high = scale
    return values if scale == PLAIN_SCALE else 2 * (values - low) / (high - low) - 1
