"""Columns that look like groups of items: to be pointed out, not to be pooled silently."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.layouts import Layout

GROUP_WORDS = frozenset({
    "topic", "scene", "track", "attribute", "prompt", "category", "task", "question",
    "criterion", "criteria", "dimension", "aspect", "content", "reference", "source", "dataset",
    "domain", "group", "genre", "language", "block", "round", "contest", "class", "theme",
})  # fmt: skip
MOST_GROUPS = 200
FEW_ROWS = 200_000  # in which every column is looked at


def group_candidates(unused: Sequence[str], n_rows: int) -> list[str]:
    """The columns worth a look: those named like groups, and all of a table that is not large."""
    if n_rows <= FEW_ROWS:
        return list(unused)
    return [name for name in unused if GROUP_WORDS.intersection(words_of(name))]


def point_out_groups(pairs: pl.DataFrame, layout: Layout, unused: pl.DataFrame) -> list[str]:
    """What to say of the first column that seems to hold groups, if one does."""
    for name in unused.columns:
        column = unused[name].alias("group")
        if not (column.dtype == pl.String or column.dtype.is_integer()):
            continue
        n_values = column.drop_nulls().n_unique()
        if not 2 <= n_values <= min(MOST_GROUPS, max(2, len(column) // 2)):
            continue
        is_named_so = bool(GROUP_WORDS.intersection(words_of(name)))
        if is_named_so or _splits_items(pairs, layout, column):
            return [
                f"column {name!r} has {n_values:,} values and looks like groups, which are pooled "
                f"here: rank each by itself with --by {name} (group={name!r})"
            ]
    return []


def _splits_items(pairs: pl.DataFrame, layout: Layout, column: pl.Series) -> bool:
    """Whether no item is found in two groups."""
    sides = [
        pl.DataFrame({"item": pairs[name].cast(pl.String), "group": column})
        for name in (layout.left, layout.right)
    ]
    seen = pl.concat(sides).drop_nulls()
    per_item = seen.group_by("item").agg(pl.col("group").n_unique())
    comes_again = len(seen) >= 2 * len(per_item)  # what is seen once is in one group anyway
    return len(per_item) > 3 and comes_again and bool((per_item["group"] == 1).all())
