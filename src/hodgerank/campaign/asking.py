"""Asking: who chooses the next pair of a track, and what they have been told."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Collection, Iterable
from typing import Protocol

import numpy as np

from hodgerank.campaign.settings import CampaignSettings
from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import NothingToAsk
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import IntArray, Pair

PATIENCE = 50  # a sampler is replaced after one further answer for so many that it was told
MANY = 16  # answers that are told at once rather than one by one
CATCHING_UP = 8  # answers that a successor is told whenever its predecessor is asked


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
    """

    def __init__(self, settings: CampaignSettings, answers: Answers, n_items: int) -> None:
        self._settings, self._answers = settings, answers
        self._n_items = n_items
        self._current = _Briefing(settings, answers, n_items)
        self._next: _Briefing | None = None
        self._n_until_next = 0  # answers
        self._is_outdated = False  # even the next one is

    def ask(
        self,
        pending: Iterable[tuple[int, int]],
        worker: int,
        exclude: Collection[tuple[int, int]],
        resting: Collection[int],
    ) -> Pair | None:
        """The next pair for a worker, by places in the track; None where none is allowed."""
        self.prepare()
        sampler = self._current.sampler()
        minds_who = self._settings.vetting or self._settings.sampler == "crowd-bt"
        for place in resting:
            sampler.retire_item(place)
        try:
            return sampler.ask(
                pending=pending, worker=worker if minds_who else None, exclude=exclude
            )
        except NothingToAsk:
            return None
        finally:
            for place in resting:
                sampler.restore_item(place)

    def prepare(self) -> None:
        """Let samplers learn in their threads what they are to be told, as somebody will ask."""
        self._current.go_on()
        if self._next is not None:
            self._next.go_on()

    def tell(self, row: int) -> None:
        """One more answer counts."""
        self._current.add(row)
        if self._next is not None:
            self._next.add(row)
            self._n_until_next -= 1
            if self._n_until_next <= 0:
                self._replace()

    def add_item(self) -> None:
        """One more item can be asked about."""
        self._n_items += 1
        for briefing in filter(None, (self._current, self._next)):
            briefing.add_item()

    def revise(self) -> None:
        """Answers count that did not, or do not that did."""
        if self._next is not None:
            self._is_outdated = True
            return
        self._n_until_next = self._current.n_answers // PATIENCE
        self._next = _Briefing(
            self._settings, self._answers, self._n_items, self._answers.counted()
        )
        if not self._n_until_next:
            self._replace()

    def _replace(self) -> None:
        assert self._next is not None
        self._current, self._next = self._next, None
        if self._is_outdated:
            self._is_outdated = False
            self.revise()


class _Briefing:
    """What a sampler is to be told, and the sampler, which is told when it is asked.

    While a log is read nobody is asked, and so nobody told.
    """

    def __init__(
        self,
        settings: CampaignSettings,
        answers: Answers,
        n_items: int,
        rows: IntArray | None = None,
    ) -> None:
        self._settings, self._answers, self._n_items = settings, answers, n_items
        self._steps = array("q", b"" if rows is None else rows.astype(np.int64).tobytes())
        self._n_joined = 0  # later than the first answers: steps below zero
        self._n_told = 0
        self._sampler: Sampler | None = None
        self._thread: threading.Thread | None = None

    @property
    def n_answers(self) -> int:
        """How many answers it is to be told."""
        return len(self._steps) - self._n_joined

    def add(self, row: int) -> None:
        """One more answer."""
        self._steps.append(row)

    def add_item(self) -> None:
        """One more item."""
        if self._steps or self._thread is not None:
            self._n_joined += 1
            self._steps.append(-1)
        else:  # it is one of the first
            self._n_items, self._sampler = self._n_items + 1, None

    def go_on(self) -> None:
        """Begin to tell a new sampler in a thread, or tell one that knows the rest some more."""
        if self._sampler is not None:
            self._tell_upto(min(self._n_told + CATCHING_UP, len(self._steps)))
        elif self._thread is None and len(self._steps) >= MANY and not self._n_joined:
            self._n_told = len(self._steps)
            votes = self._answers.votes(np.array(self._steps, np.int64))
            self._thread = threading.Thread(target=self._tell_new, args=(votes,), daemon=True)
            self._thread.start()

    def _tell_new(self, votes: Comparisons) -> None:
        sampler = self._settings.build_sampler(range(self._n_items))
        sampler.tell_many(votes)
        self._sampler = sampler

    def sampler(self) -> Sampler:
        """Who has been told everything."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._sampler is None:  # nobody was asked before, or the thread failed: this says why
            self._sampler, self._n_told = self._settings.build_sampler(range(self._n_items)), 0
        self._tell_upto(len(self._steps))
        return self._sampler

    def _tell_upto(self, end: int) -> None:
        assert self._sampler is not None
        steps = self._steps[self._n_told : end]
        self._n_told = end
        if len(steps) < MANY:
            for step in steps:
                if step < 0:
                    self._sampler.add_item(len(self._sampler.items))
                else:
                    self._answers.tell(self._sampler, step)
            return
        rows, begin = np.array(steps, np.int64), 0
        for place in np.flatnonzero(rows < 0).tolist():
            self._sampler.tell_many(self._answers.votes(rows[begin:place]))
            self._sampler.add_item(len(self._sampler.items))
            begin = place + 1
        self._sampler.tell_many(self._answers.votes(rows[begin:]))
