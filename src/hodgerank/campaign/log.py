"""CampaignLog: decisions about a campaign, one after the other, at the end of its log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TypeVar

from hodgerank.campaign.database import Database
from hodgerank.campaign.events import Event, LogChanged
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.stores.group_commit import Refusal
from hodgerank.campaign.stores.store import Transaction, retry_read
from hodgerank.errors import CampaignError, CannotWrite, HodgeRankError, InvalidArgument

T = TypeVar("T")


class CampaignLog:
    """The state of a campaign, and the way to change it.

    Only the thread that writes has the state in hand; what a decision records is durable before
    anybody hears of it. Where the database is read only, decisions that record nothing are made
    in the thread that asks.

    A decision is a function of the state at the end of the log, and of the time. It runs while all
    others wait.
    """

    def __init__(self, database: Database, id: str, clock: Callable[[], float]) -> None:
        self._database, self._id, self._clock = database, id, clock
        self._one_reader = threading.Lock()
        self._read()

    def decide(self, what: Callable[[CampaignState, float], T]) -> T:
        """Decide something, and wait until it is durable."""
        return self.begin(what).result()

    def begin(self, what: Callable[[CampaignState, float], T]) -> Future[T]:
        """Let something be decided when its turn comes; the future has what it returns or raises.

        For who must not wait: in a coroutine, `await asyncio.wrap_future(log.begin(what))`.
        """
        commits = self._database.commits
        if commits is not None:
            return commits.submit(self._id, lambda writing: self._settle(what, writing))
        looked: Future[T] = Future()
        try:
            looked.set_result(self._look(what))
        except Exception as error:
            looked.set_exception(error)
        return looked

    def _settle(
        self, what: Callable[[CampaignState, float], T], writing: Transaction
    ) -> T | Refusal:
        """In the thread that writes."""
        commits = self._database.commits
        assert commits is not None
        if self._failures != commits.failures:
            self._load(writing.news(0))  # what was folded did not become durable
        try:
            self.state.fold_all(writing.news(self.state.seq))
        except LogChanged:
            self._load(writing.news(0))
        before = self.state.seq
        try:
            reply: T | Refusal = what(self.state, float(self._clock()))
        except HodgeRankError as error:
            reply = Refusal(error)  # leases that it found expired are recorded all the same
        except Exception as error:
            if self.state.seq != before:
                raise  # it broke off in the middle: nothing of this transaction can stay
            reply = Refusal(error)
        if self.state.outbox:
            try:
                writing.append(self.state.outbox)
            except InvalidArgument as error:  # the state has folded what no store can hold
                raise CannotWrite(str(error)) from error
            for name, pseudonym in self.state.forgotten:
                writing.forget(name, pseudonym)
            self.state.outbox, self.state.forgotten = [], []
        return reply

    def _look(self, what: Callable[[CampaignState, float], T]) -> T:
        """The same where nothing may be written."""
        with self._one_reader:
            try:
                self.state.fold_all(self._database.store.read(self._id, self.state.seq))
            except LogChanged:
                self._read()
            try:
                reply = what(self.state, float(self._clock()))
            finally:
                is_changed = bool(self.state.outbox)
                if is_changed:
                    self._read()
            if is_changed:
                raise CampaignError(f"{self._database.name} is open for reading only")
            return reply

    def _read(self) -> None:
        """Fold what is durable, from its beginning."""
        retry_read(lambda: self._load(self._database.store.read(self._id)))

    def _load(self, events: Iterable[Event]) -> None:
        """Fold a log from its beginning."""
        commits = self._database.commits
        self._failures = 0 if commits is None else commits.failures
        self.state = CampaignState()
        self.state.fold_all(events)
        if commits is not None:
            self.state.prepare()
