"""The column `asked_by`: who chose the pairs, and whether earlier answers led to them."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from hodgerank.data.reading.report import Reading

# What samplers that look at labels are called, besides top-5 and its like; 'adaptive' is any.
FOLLOWS_LABELS = frozenset({"auto", "rank", "bayesian", "crowd-bt", "adaptive"})
# Those that do not; 'design' is a list of pairs that was made before any answer.
IGNORES_LABELS = frozenset({"d-optimal", "fiedler", "rounds", "random", "design"})


def follows_labels(asker: str) -> bool:
    """Whether a sampler of that name looks at labels.

    >>> follows_labels("top-5"), follows_labels("rounds")
    (True, False)
    """
    return asker in FOLLOWS_LABELS or re.fullmatch(r"top-[1-9]\d*", asker) is not None


def askers(table: pl.DataFrame, column: str | None) -> frozenset[str]:
    """The samplers that a column names; none where it holds anything else, such as people."""
    if column is None:
        return frozenset()
    names = table[column].cast(pl.String, strict=False).drop_nulls().unique().to_list()
    found = frozenset(name.strip().lower() for name in names) - {""}
    is_known = all(name in IGNORES_LABELS or follows_labels(name) for name in found)
    return found if is_known else frozenset()


def without_other_askers(table: pl.DataFrame, reading: Reading) -> Reading:
    """The reading without a column of this name that names no samplers."""
    column = reading.layout.asked_by
    if column is None or askers(table, column):
        return reading
    return replace(
        reading,
        layout=replace(reading.layout, asked_by=None),
        unused=(*reading.unused, column),
    )
