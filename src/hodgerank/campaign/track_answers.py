"""TrackAnswers: the answers of one track, for samplers and estimators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hodgerank.campaign.items import ItemBook
from hodgerank.campaign.tasks import TaskTable
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import IntArray, Item


class TrackAnswers:
    """Rows of the task table whose items are in one track."""

    def __init__(self, tasks: TaskTable, items: ItemBook, track: int) -> None:
        self._tasks, self._items, self._track = tasks, items, track

    def counted(self) -> IntArray:
        """The rows that count, in the order they were answered."""
        rows = self._tasks.counted
        if len(self._items.tracks) == 1 or not len(rows):
            return rows
        track = np.array(self._items.track)[np.array(self._tasks.left)[rows]]
        return np.asarray(rows[track == self._track])

    def votes(self, rows: IntArray) -> Comparisons:
        """These rows; items and workers are numbers, items by their place in the track."""
        left, right, *_ = self._tasks.columns(rows)
        place = np.array(self._items.place)
        n_known = int(max(place[left].max(initial=-1), place[right].max(initial=-1))) + 1
        return self.comparisons(rows, range(n_known), None)

    def comparisons(
        self, rows: IntArray, items: Sequence[Item], workers: Sequence[Item] | None
    ) -> Comparisons:
        """These rows, with names for the items of the track and for workers."""
        tasks = self._tasks
        left, right, outcome, worker = tasks.columns(rows)
        place = np.array(self._items.place, np.int32)
        known_workers, who = np.unique(worker[worker >= 0], return_inverse=True)
        worker[worker >= 0] = who
        weight = None
        if tasks.weight:
            weight = np.array([tasks.weight.get(row, 1.0) for row in rows.tolist()])
        known = np.ones(len(rows), np.bool_)
        if tasks.display_unknown:
            known = np.array([row not in tasks.display_unknown for row in rows.tolist()], np.bool_)
        return Comparisons(
            items=tuple(items),
            left=place[left],
            right=place[right],
            outcome=outcome,
            workers=tuple(k if workers is None else workers[k] for k in known_workers.tolist()),
            worker=worker,
            display_known=known,
            weight=weight,
            report=ReadReport(source="campaign", rows=len(rows)),
        )

    def tell(self, sampler: Sampler, row: int) -> None:
        """Tell a sampler one of them."""
        tasks, place = self._tasks, self._items.place
        if row in tasks.display_unknown:
            sampler.tell_many(self.votes(np.array([row])))
            return
        pair = place[tasks.left[row]], place[tasks.right[row]]
        worker = tasks.worker[row]
        sampler.tell(
            pair,
            tasks.outcome[row],
            worker if worker >= 0 else None,
            weight=tasks.weight.get(row, 1.0),
        )
