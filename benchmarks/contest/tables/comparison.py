"""One entry and how far others are ahead of it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.contest.result import ContestResult, Entry
from benchmarks.contest.tables.table import numbers, table


def by_regime(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """In each regime."""
    rows: list[tuple[object, ...]] = []
    for regime in result.regimes:
        rows.append((regime, reference.label, *numbers(result.mean(regime, reference))))
        rows += [(regime, each.label, *result.ahead(regime, each, reference)) for each in others]
    return table(("regime", "", *result.setting.per_item), rows)


def over_regimes(result: ContestResult, reference: Entry, others: Sequence[Entry]) -> str:
    """On average, regimes counting alike."""
    rows: list[tuple[object, ...]] = [
        (reference.label, *numbers(result.mean_over_regimes(reference)))
    ]
    rows += [(each.label, *result.ahead_over_regimes(each, reference)) for each in others]
    return table(("mean over regimes", *result.setting.per_item), rows)
