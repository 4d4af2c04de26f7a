"""Rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Cells say themselves what they are."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def numbers(values: np.ndarray) -> list[str]:
    """With three decimals; nothing for NaN."""
    return ["" if np.isnan(value) else f"{value:.3f}" for value in values]
