"""How long players think."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.measuring import MILLISECONDS
from benchmarks.contest.result import ContestResult
from benchmarks.contest.tables.table import numbers, table


def times(result: ContestResult) -> str:
    """Return the times of each player in each regime; the median run has compiled all."""
    rows = []
    for regime in result.regimes:
        found = (result.measures[regime, player][MILLISECONDS] for player in result.players)
        rows.append((regime, *numbers(np.array([_whole_campaign(each) for each in found]))))
    return table(("regime", *result.players), rows)


def _whole_campaign(milliseconds: np.ndarray) -> float:
    by_look = np.median(milliseconds, axis=0)
    reached = by_look[~np.isnan(by_look)]
    return float(reached[-1]) if len(reached) else np.nan
