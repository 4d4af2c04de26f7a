"""Subsets of votes without some workers or items, and votes joined from several parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport, joint_report
from hodgerank.data.extra_columns import joined_columns
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import BoolArray, CodeArray, Item

NAMED = 5  # items or workers that a note lists
NOT_CONNECTED = "items not connected to the others left out"


def exclude_workers(votes: Comparisons, workers: Iterable[Item]) -> Comparisons:
    """Return the votes of all other workers, with a note on who was left out.

    >>> import hodgerank as hr
    >>> votes = hr.read_comparisons([("a", "b", 1, "ann"), ("b", "a", 1, "bob")])
    >>> exclude_workers(votes, ["bob"]).workers
    ('ann',)
    """
    excluded = {str(worker) for worker in workers}
    is_out = np.array([str(worker) in excluded for worker in votes.workers] + [False])
    if not is_out.any():
        return votes
    names = [worker for worker, out in zip(votes.workers, is_out, strict=False) if out]
    return _kept(votes, ~is_out[votes.worker], "workers left out", names)


def keep_items_with(votes: Comparisons, min_votes: int) -> Comparisons:
    """Keep items with at least `min_votes` votes, with a note on those left out.

    Without an item others have fewer votes, so this is repeated until it holds for all.

    >>> import hodgerank as hr
    >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "a", 1), ("b", "c", 1)])
    >>> keep_items_with(votes, 2).items
    ('a', 'b')
    """
    is_kept = np.ones(votes.n_items, bool)
    while True:
        rows = is_kept[votes.left] & is_kept[votes.right]
        times = votes.votes_per_row * rows
        answers = np.bincount(votes.left, times, votes.n_items)
        answers += np.bincount(votes.right, times, votes.n_items)
        still = is_kept & (answers >= min_votes)
        if (still == is_kept).all():
            break
        is_kept = still
    if is_kept.all():
        return votes
    names = [item for item, kept in zip(votes.items, is_kept, strict=True) if not kept]
    return _kept(votes, rows, f"items with fewer than {min_votes:,} votes left out", names)


def largest_component(votes: Comparisons) -> Comparisons:
    """Keep the largest connected set of items, with a note on those left out.

    >>> import hodgerank as hr
    >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("x", "y", 1)])
    >>> largest_component(votes).items
    ('a', 'b', 'c')
    """
    component = laplacian.components(votes.left, votes.right, votes.n_items)
    if not component.any():
        return votes
    names = [item for item, k in zip(votes.items, component, strict=True) if k]
    return _kept(votes, component[votes.left] == 0, NOT_CONNECTED, names)


def _kept(votes: Comparisons, rows: BoolArray, what: str, names: Sequence[Item]) -> Comparisons:
    part = votes.select(rows)
    report = noted(votes.report, what, names, votes.n_votes, part.n_votes)
    return replace(part.compacted(), report=report)


def noted(
    report: ReadReport, what: str, names: Sequence[Item], n_votes: int, n_kept: int
) -> ReadReport:
    """Add a note on items or workers that were left out, and on their share of the votes."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    shown = ", ".join(short(str(name)) for name in names[:NAMED])
    lost = n_votes - n_kept
    share = f", with {lost:,} of {n_votes:,} votes ({lost / n_votes:.0%})" if lost else ""
    note = f"{what}: {len(names):,} ({shown}{more}){share}"
    if not n_kept:
        raise InvalidComparisons(f"no votes are left ({note}): leave out fewer")
    # A column that splits all items need not split those that are left.
    return replace(report, notes=(*report.notes, note), split_by=None)


def join_comparisons(parts: Sequence[Comparisons], source: str | None = None) -> Comparisons:
    """Join votes, with items and workers matched by name.

    If names are integers in one part and strings in another, they become strings.
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
        columns["multiplicity"] = _joined(parts, lambda _, part: part.votes_per_row)
    if any(part.ballot is not None for part in parts):

        def numbers(k: int, part: Comparisons) -> Any:
            if part.ballot is None:  # a vote without a ballot is a ballot by itself
                return ballots[k] + np.arange(len(part))
            named = np.minimum(
                part.ballot, len(part.units)
            )  # the last slot is for votes without a ballot
            is_named = part.ballot < len(part.units)
            return np.where(is_named, departments[k][named], ballots[k] + part.ballot)

        columns["ballot"], columns["units"] = _joined(parts, numbers), units
    kinds = {None if part.time is None else part.time.dtype.kind for part in parts}
    if len(kinds) == 1 and kinds != {None}:
        columns["time"] = _joined(parts, lambda _, part: part.time)
    if any(part.extra for part in parts):
        columns["extra"] = joined_columns([p.extra for p in parts], [len(p) for p in parts])
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
    """Return all names in sorted order, and the positions of those of each part."""
    mixed = len({isinstance(name, str) for part in names for name in part}) > 1
    called: list[list[Item]] = [[str(n) if mixed else n for n in part] for part in names]
    distinct: list[Any] = sorted({name for part in called for name in part})
    place = {name: k for k, name in enumerate(distinct)}
    # the last slot is NO_WORKER's
    codes = [np.array([*(place[n] for n in part), NO_WORKER], np.int32) for part in called]
    return tuple(distinct), codes
