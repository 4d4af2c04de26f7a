"""Votes that were read in several pieces, as if they had been read at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, joint_report
from hodgerank.types import CodeArray, Item


def join_comparisons(parts: Sequence[Comparisons], source: str | None = None) -> Comparisons:
    """All answers together, items and workers matched by name.

    Where names are integers in one part and strings in another, they become strings.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    items, places = _common([part.items for part in parts])
    workers, offices = _common([part.workers for part in parts])
    units, departments = _common([part.units for part in parts])
    ballots = len(units) + np.cumsum([0, *(part.n_ballots or len(part) for part in parts)])
    columns: dict[str, Any] = {
        "left": _joined(parts, lambda k, part: places[k][part.left]),
        "right": _joined(parts, lambda k, part: places[k][part.right]),
        "worker": _joined(parts, lambda k, part: offices[k][part.worker]),
        "outcome": _joined(parts, lambda _, part: part.outcome),
        "display_known": _joined(parts, lambda _, part: part.display_known),
    }
    if any(part.weight is not None for part in parts):
        columns["weight"] = _joined(
            parts, lambda _, part: np.ones(len(part)) if part.weight is None else part.weight
        )
    if any(part.multiplicity is not None for part in parts):
        columns["multiplicity"] = _joined(parts, lambda _, part: part.answers_per_row)
    if any(part.ballot is not None for part in parts):

        def numbers(k: int, part: Comparisons) -> Any:
            if part.ballot is None:  # an answer without a ballot is one by itself
                return ballots[k] + np.arange(len(part))
            named = np.minimum(part.ballot, len(part.units))  # the last is nobody's
            is_named = part.ballot < len(part.units)
            return np.where(is_named, departments[k][named], ballots[k] + part.ballot)

        columns["ballot"], columns["units"] = _joined(parts, numbers), units
    kinds = {None if part.time is None else part.time.dtype.kind for part in parts}
    if len(kinds) == 1 and kinds != {None}:
        columns["time"] = _joined(parts, lambda _, part: part.time)
    names = list(dict.fromkeys(part.report.source for part in parts))
    votes = Comparisons(
        items=items,
        workers=workers,
        report=joint_report([part.report for part in parts], source or " + ".join(names)),
        backend=first.backend,
        **columns,
    ).with_ballots_numbered()
    if not units:
        return votes
    return replace(votes, report=replace(votes.report, units=votes.n_ballots, ballots=0))


def _joined(parts: Sequence[Comparisons], column: Callable[[int, Comparisons], Any]) -> Any:
    return np.concatenate([column(k, part) for k, part in enumerate(parts)])


def _common(names: Sequence[Sequence[Item]]) -> tuple[tuple[Item, ...], list[CodeArray]]:
    """All names in sorted order, and where those of each part are among them."""
    mixed = len({isinstance(name, str) for part in names for name in part}) > 1
    called: list[list[Item]] = [[str(n) if mixed else n for n in part] for part in names]
    distinct: list[Any] = sorted({name for part in called for name in part})
    place = {name: k for k, name in enumerate(distinct)}
    # the last slot is NO_WORKER's
    codes = [np.array([*(place[n] for n in part), NO_WORKER], np.int32) for part in called]
    return tuple(distinct), codes
