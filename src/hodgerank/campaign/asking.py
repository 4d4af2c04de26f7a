"""Asking: who chooses the next pair of a track, and what they have been told."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

import numpy as np

from hodgerank.campaign.settings import CampaignSettings
from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import NothingToAsk
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import IntArray, Pair

PATIENCE = 50  # a sampler is replaced after one further answer for so many that it was told
MANY = 16  # answers that are told at once rather than one by one
CATCHING_UP = 4  # answers that a successor is told whenever one comes


class Answers(Protocol):
    """Where the answers of a track are to be found."""

    def counted(self) -> IntArray:
        """The rows that count, in the order they were answered."""

    def votes(self, rows: IntArray) -> Comparisons:
        """These rows; items and workers are numbers, items by their place in the track."""

    def tell(self, sampler: Sampler, row: int) -> None:
        """Tell a sampler one of them."""


class Asking:
    """The sampler of a track, and its successor where answers were taken back.

    A sampler cannot be untold an answer. It is asked on with it, while another one is told, in a
    thread of its own, what counts. That one takes over when a fiftieth more answers have come: a
    place in the log, so that all who read the same log have the same sampler at the same place.
    Nobody waits, unless the thread has not finished by then.

    While a log is read no sampler is told anything: what it would have been told is remembered, and
    told at once when it is first asked.
    """

    def __init__(self, settings: CampaignSettings, answers: Answers, n_items: int) -> None:
        self._settings, self._answers = settings, answers
        self._n_first = self._n_items = n_items
        self._steps = array("q")  # rows told, and items joined: see `_joined`
        self._sampler: Sampler | None = None
        self._successor: _Successor | None = None
        self._is_outdated = False  # even the successor is

    @property
    def n_told(self) -> int:
        """How many answers the sampler has been told."""
        return len(self._steps) - (self._n_items - self._n_first)

    def ask(
        self,
        pending: Iterable[tuple[int, int]],
        worker: int,
        exclude: Collection[tuple[int, int]],
        resting: Collection[int],
    ) -> Pair | None:
        """The next pair for a worker, by places in the track; None where none is allowed."""
        if self._sampler is None:
            self._sampler = self._new_sampler(self._n_first)
            _catch_up(self._sampler, self._steps, self._answers)
        minds_who = self._settings.vetting or self._settings.sampler == "crowd-bt"
        for place in resting:
            self._sampler.retire_item(place)
        try:
            return self._sampler.ask(
                pending=pending, worker=worker if minds_who else None, exclude=exclude
            )
        except NothingToAsk:
            return None
        finally:
            for place in resting:
                self._sampler.restore_item(place)

    def tell(self, row: int) -> None:
        """One more answer counts."""
        self._take(row)

    def add_item(self) -> None:
        """One more item can be asked about."""
        self._n_items += 1
        if self._steps:
            self._take(_joined(self._n_items - 1))
        else:  # it is one of the first
            self._n_first, self._sampler = self._n_items, None

    def _take(self, step: int) -> None:
        self._steps.append(step)
        if self._sampler is not None:
            _catch_up(self._sampler, self._steps[-1:], self._answers)
        if self._successor is not None:
            if self._successor.is_due(len(self._steps)):
                self._replace()
            else:
                self._successor.catch_up(self._steps)

    def revise(self) -> None:
        """Answers count that did not, or do not that did."""
        if self._successor is not None:
            self._is_outdated = True
            return
        self._successor = _Successor(
            self._answers, self._n_items, len(self._steps), self.n_told // PATIENCE
        )
        if self._successor.is_due(len(self._steps)):
            self._replace()
        elif self._sampler is not None:
            self._successor.prepare(self._new_sampler)

    def _replace(self) -> None:
        successor = self._successor
        assert successor is not None
        if self._sampler is not None:
            self._sampler = successor.sampler(self._steps, self._new_sampler)
        self._steps = successor.steps(self._steps)
        self._n_first = successor.n_items
        self._successor = None
        if self._is_outdated:
            self._is_outdated = False
            self.revise()

    def _new_sampler(self, n_items: int) -> Sampler:
        return self._settings.build_sampler(range(n_items))


class _Successor:
    """A sampler in the making: told `base` first, then what came since step `begin`."""

    def __init__(self, answers: Answers, n_items: int, begin: int, delay: int) -> None:
        self.n_items = n_items
        self._answers, self._base = answers, answers.counted()
        self._begin, self._due = begin, begin + delay
        self._told = begin
        self._ready: Sampler | None = None
        self._thread: threading.Thread | None = None

    def is_due(self, n_steps: int) -> bool:
        """Whether it takes over at this step."""
        return n_steps >= self._due

    def steps(self, steps: array[int]) -> array[int]:
        """What it has been told, once it takes over."""
        return array("q", self._base.astype(np.int64).tobytes()) + steps[self._begin :]

    def prepare(self, new_sampler: Callable[[int], Sampler]) -> None:
        """Tell it the base, in a thread of its own."""
        votes = self._answers.votes(self._base)

        def build() -> None:
            sampler = new_sampler(self.n_items)
            sampler.tell_many(votes)
            self._ready = sampler

        self._thread = threading.Thread(target=build, name="hodgerank sampler", daemon=True)
        self._thread.start()

    def catch_up(self, steps: array[int]) -> None:
        """Tell some of what came since, once the base is told."""
        if self._ready is not None and self._told < len(steps):
            upto = min(self._told + CATCHING_UP, len(steps))
            _catch_up(self._ready, steps[self._told : upto], self._answers)
            self._told = upto

    def sampler(self, steps: array[int], new_sampler: Callable[[int], Sampler]) -> Sampler:
        """The sampler, told everything."""
        if self._thread is not None:
            self._thread.join()
        if self._ready is None:  # there was no thread, or it failed: then this says why
            self._ready = new_sampler(self.n_items)
            self._ready.tell_many(self._answers.votes(self._base))
        _catch_up(self._ready, steps[self._told :], self._answers)
        return self._ready


def _joined(place: int) -> int:
    """The step at which an item joins: rows are not negative."""
    return -1 - place


def _catch_up(sampler: Sampler, steps: array[int], answers: Answers) -> None:
    """Tell a sampler rows, and let items join between them."""
    if len(steps) <= MANY:
        for step in steps:
            if step < 0:
                sampler.add_item(-1 - step)
            else:
                answers.tell(sampler, step)
        return
    every = np.array(steps, np.int64)
    begin = 0
    for place in np.flatnonzero(every < 0).tolist():
        sampler.tell_many(answers.votes(every[begin:place]))
        sampler.add_item(-1 - steps[place])
        begin = place + 1
    sampler.tell_many(answers.votes(every[begin:]))
