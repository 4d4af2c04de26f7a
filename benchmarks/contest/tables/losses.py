"""Where the reference loses."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.contest.result import ContestResult, Entry

CLEAR = 2.0  # standard errors


def losses(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """The cells in which another is clearly ahead, or that there are none."""
    n_cells, found = 0, []
    for regime in result.regimes:
        for entry in others:
            cells = result.ahead(regime, entry, reference)
            for per_item, cell in zip(result.setting.per_item, cells, strict=True):
                n_cells += not cell.is_missing
                if cell.z > CLEAR:
                    found.append(f"- {regime}, {per_item} answers per item: {entry.label} {cell}")
    if not found:
        return f"In none of {n_cells:,} cells by more than two standard errors."
    return "\n".join(
        (
            f"In {len(found):,} of {n_cells:,} cells by more than two standard errors; if all were "
            f"equal, chance would do so in about {0.023 * n_cells:.0f}.",
            "",
            *found,
        )
    )
