"""Asking: who chooses the next pair of a track, and what they have been told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from hodgerank.campaign.briefing import Answers, Briefing, Places
from hodgerank.campaign.chosen_ahead import FEWEST_OUT, ChosenAhead
from hodgerank.campaign.settings import CampaignSettings

PATIENCE = 50  # a sampler is replaced after one further answer for so many that it was told


class Asking:
    """The sampler of a track, and its successor where answers were taken back.

    A sampler cannot be untold an answer. It is asked on with it, while another one is told, in a
    thread of its own, what counts. That one takes over when a fiftieth more answers have come: a
    place in the log, so that all who read the same log have the same sampler at the same place.
    Nobody waits, unless the thread has not finished by then.

    Parameters
    ----------
    out, resting
        The pairs that are out, as shown, and the items that are not asked about, by places in the
        track; whoever makes this keeps them.
    gold
        Pairs that are not chosen for anybody, the lower place first.
    """

    def __init__(
        self,
        settings: CampaignSettings,
        answers: Answers,
        n_items: int,
        out: Mapping[int, Places],
        resting: Set[int],
        gold: Callable[[], Set[Places]],
    ) -> None:
        self._settings, self._answers = settings, answers
        self._n_items, self._out, self._resting, self._gold = n_items, out, resting, gold
        self._minds_who = settings.vetting > 0 or settings.sampler == "crowd-bt"
        self._current = Briefing(settings, answers, n_items)
        self._next: Briefing | None = None
        self._n_until_next = 0  # answers
        self._is_outdated = False  # even the next one is
        self._ahead: ChosenAhead | None = None  # in force
        self._next_ahead: ChosenAhead | None = None

    def ask(self, worker: int, exclude: Set[Places], resting: Set[int]) -> Places | None:
        """The next pair for a worker, by places in the track; None where none is allowed.

        Pairs that are excluded have the lower place first.
        """
        self.prepare()
        for pair in self._ahead.pairs() if self._ahead is not None else ():
            a, b = pair
            is_excluded = ((a, b) if a < b else (b, a)) in exclude
            if not is_excluded and a not in resting and b not in resting:
                return pair
        who = worker if self._minds_who else None
        return self._current.ask(self._out.values(), who, exclude, resting)

    def prepare(self) -> None:
        """Let samplers learn in their threads what they are to be told, as somebody will ask."""
        ahead = [each for each in (self._ahead, self._next_ahead) if each is not None]
        for each in ahead:
            each.begin()
        if not ahead:
            self._current.go_on()
        if self._next is not None:
            self._next.go_on()

    def goes_out(self, pair: Places) -> None:
        """A pair goes to a worker; where very many are out, it is time to choose others ahead."""
        if self._ahead is not None:
            self._ahead.goes_out(pair)
        if self._next_ahead is not None:
            self._next_ahead.goes_out(pair)
            if not self._next_ahead.is_due:
                return
        self._ahead, self._next_ahead = self._next_ahead, None
        if len(self._out) >= FEWEST_OUT and self._current.n_steps and not self._minds_who:
            self._next_ahead = ChosenAhead(
                self._current, self._n_items, self._out.values(), self._gold(), self._resting
            )

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
        self._next = Briefing(self._settings, self._answers, self._n_items, self._answers.counted())
        if not self._n_until_next:
            self._replace()

    def _replace(self) -> None:
        assert self._next is not None
        self._current, self._next = self._next, None
        if self._is_outdated:
            self._is_outdated = False
            self.revise()
