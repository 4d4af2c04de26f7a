"""Answers without some workers, without items that few answers are about, or of one component."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidComparisons
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import BoolArray, Item

NAMED = 5  # items or workers that a note lists


def exclude_workers(votes: Comparisons, workers: Iterable[Item]) -> Comparisons:
    """The answers of everybody else; a note says who was left out.

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
    return _kept(votes, ~is_out[votes.worker], f"workers left out: {_listed(names)}")


def keep_items_with(votes: Comparisons, min_answers: int) -> Comparisons:
    """Items with at least so many answers among each other; a note says which were left out.

    Without an item others have fewer answers, so this is repeated until it holds for all.

    >>> import hodgerank as hr
    >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "a", 1), ("b", "c", 1)])
    >>> keep_items_with(votes, 2).items
    ('a', 'b')
    """
    is_kept = np.ones(votes.n_items, bool)
    while True:
        rows = is_kept[votes.left] & is_kept[votes.right]
        times = votes.answers_per_row * rows
        answers = np.bincount(votes.left, times, votes.n_items)
        answers += np.bincount(votes.right, times, votes.n_items)
        still = is_kept & (answers >= min_answers)
        if (still == is_kept).all():
            break
        is_kept = still
    if is_kept.all():
        return votes
    names = [item for item, kept in zip(votes.items, is_kept, strict=True) if not kept]
    note = f"items with fewer than {min_answers:,} answers left out: {_listed(names)}"
    return _kept(votes, rows, note)


def largest_component(votes: Comparisons) -> Comparisons:
    """The largest set of items that comparisons join; a note says which were left out.

    >>> import hodgerank as hr
    >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("x", "y", 1)])
    >>> largest_component(votes).items
    ('a', 'b', 'c')
    """
    component = laplacian.components(votes.left, votes.right, votes.n_items)
    if not component.any():
        return votes
    names = [item for item, k in zip(votes.items, component, strict=True) if k]
    note = f"items never compared with the others left out: {_listed(names)}"
    return _kept(votes, component[votes.left] == 0, note)


def _kept(votes: Comparisons, rows: BoolArray, note: str) -> Comparisons:
    if not rows.any():
        raise InvalidComparisons(f"no answers are left ({note})")
    report = replace(votes.report, notes=(*votes.report.notes, note))
    return replace(votes.select(rows).compacted(), report=report)


def _listed(names: list[Item]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{len(names):,} ({', '.join(map(str, names[:NAMED]))}{more})"
