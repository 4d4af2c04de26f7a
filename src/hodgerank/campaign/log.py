"""CampaignLog: changes of a campaign, one after the other, at the end of its log.

Commands that may record events go through `transact`: the writing thread takes the lock of the
database, brings the state to the end of the log, runs the command, and makes its events durable.
`read` takes no lock of the database. It uses the same state, protected by a lock of this process,
so that readers wait neither for the disk nor for other processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from typing import TypeVar

from hodgerank.campaign.database import Database
from hodgerank.campaign.events import Event, LogChanged
from hodgerank.campaign.sampler_feed import NotReady
from hodgerank.campaign.saved_snapshot import fold_log, next_snapshot
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.stores.group_commit import Postponement, Refusal
from hodgerank.campaign.stores.store import Transaction, retry_read
from hodgerank.errors import CampaignError, CannotWrite, HodgeRankError, InvalidArgument

T = TypeVar("T")


class CampaignLog:
    """The state of a campaign, and the only way to change it.

    The events of a command are durable before its result is returned. A command is a function of
    the state at the end of the log and of the time. Commands run one at a time.

    A command that needs a pair which is not chosen yet raises `NotReady`. It runs again when it is,
    so what it recorded until then must be the same or nothing the second time. The thread that
    writes goes on with others meanwhile.
    """

    def __init__(self, database: Database, id: str, clock: Callable[[], float]) -> None:
        self._database, self._id, self._clock = database, id, clock
        self._state_in_hand = threading.Lock()
        self._transaction: Future[None] = Future()  # the last one that had the state in hand
        self._transaction.set_result(None)
        self._reload()
        database.before_closing(self._save)

    def transact(self, what: Callable[[CampaignState, float], T]) -> T:
        """Run a command, and wait until its events are durable."""
        return self.begin(what).result()

    def begin(self, what: Callable[[CampaignState, float], T]) -> Future[T]:
        """Queue a command; the future has its result or error.

        In a coroutine, use `await asyncio.wrap_future(log.begin(what))`. On a read-only database,
        commands that record nothing run at once.
        """
        commits = self._database.commits
        if commits is not None:
            return commits.submit(self._id, lambda writing: self._settle(what, writing))
        looked: Future[T] = Future()
        try:
            looked.set_result(self._look_when_ready(what))
        except Exception as error:
            looked.set_exception(error)
        return looked

    def read(self, what: Callable[[CampaignSnapshot, float], T]) -> T:
        """Read the durable state of the campaign, without the lock of the database.

        Return copies, since parts of the state change with the campaign.
        """
        commits = self._database.commits
        if commits is None:
            return self._look(what)
        while True:
            news = self._news()
            with self._state_in_hand:
                transaction = self._transaction
                is_durable = transaction.done()
                if is_durable:
                    self._catch_up(news)
                # Else the transaction has the log to itself, and the state is at its end.
                failures = self._failures
                reply = what(self.state, float(self._clock()))
            if is_durable:
                return reply
            transaction.result()  # it has the lock of the database: only the disk is waited for
            if commits.failures[self._id] == failures:
                return reply

    def _news(self) -> list[Event] | None:
        """Return events that others wrote, None if the log must be read from its beginning."""
        try:
            return list(self._database.store.read(self._id, self.state.seq))
        except LogChanged:
            return None

    def _catch_up(self, news: Iterable[Event] | None) -> None:
        """Bring the state to the end of the durable log; the caller holds the state lock."""
        commits = self._database.commits
        if news is None or (commits is not None and self._failures != commits.failures[self._id]):
            self._reload()  # what was folded did not become durable
            return
        try:  # the thread that writes may have folded some of it meanwhile
            self.state.fold_all(event for event in news if event.seq > self.state.seq)
        except LogChanged:
            self._reload()

    def _settle(
        self, what: Callable[[CampaignState, float], T], writing: Transaction
    ) -> T | Refusal | Postponement:
        """Run a command in the writing thread."""
        commits = self._database.commits
        assert commits is not None
        with self._state_in_hand:
            self._transaction = commits.transaction
            return self._decide(what, writing, commits.failures[self._id])

    def _decide(
        self, what: Callable[[CampaignState, float], T], writing: Transaction, failures: int
    ) -> T | Refusal | Postponement:
        if self._failures != failures:
            self._load(writing.news)  # what was folded did not become durable
        try:
            self.state.fold_all(writing.news(self.state.seq))
        except LogChanged:
            self._load(writing.news)
        before = self.state.seq
        try:
            reply: T | Refusal | Postponement = what(self.state, float(self._clock()))
        except NotReady as error:
            reply = Postponement(error.until)
        except HodgeRankError as error:
            reply = Refusal(error)  # leases that it found expired are recorded all the same
        except Exception as error:
            if self.state.seq != before:
                raise  # it broke off in the middle: nothing of this transaction can stay
            reply = Refusal(error)
        self._write(writing)
        return reply

    def _write(self, writing: Transaction) -> None:
        """Hand the events to the transaction, with names and keys to remove."""
        state = self.state
        if state.outbox:
            try:
                writing.append(state.outbox)
            except InvalidArgument as error:  # the state has folded what no store can hold
                raise CannotWrite(str(error)) from error
        for name, pseudonym in state.forgotten:
            writing.forget(name, pseudonym)
        for name, kinds in state.revoked:
            writing.revoke(name, kinds)
        state.outbox, state.forgotten, state.revoked = [], [], []

    def _look_when_ready(self, what: Callable[[CampaignState, float], T]) -> T:
        while True:
            try:
                return self._look(what)
            except NotReady as error:
                wait([error.until])

    def _look(self, what: Callable[[CampaignState, float], T]) -> T:
        """Run a command if nothing may be written."""
        with self._state_in_hand:
            self._catch_up(self._news())
            try:
                reply = what(self.state, float(self._clock()))
            except NotReady:
                if not (self.state.outbox or self.state.revoked):
                    raise
            finally:
                is_changed = bool(self.state.outbox or self.state.revoked)
                if is_changed:
                    self._reload()
            if is_changed:
                raise CampaignError(f"{self._database.name} is open read only: open it for writing")
            return reply

    def _reload(self) -> None:
        """Fold the durable events."""
        database = self._database
        read = partial(database.store.read, self._id)
        retry_read(lambda: self._load(read, is_to_save=database.commits is not None))

    def _load(self, read: Callable[[int], Iterable[Event]], *, is_to_save: bool = False) -> None:
        """Fold a log, from its snapshot or from its beginning."""
        commits = self._database.commits
        self._failures = 0 if commits is None else commits.failures[self._id]
        snapshots = self._database.store.snapshots
        self.state = fold_log(self._id, read, snapshots, is_to_save=is_to_save)
        self._save_from = next_snapshot(self.state.seq)
        if commits is not None:
            self.state.prepare()

    def _save(self) -> None:
        """Save a snapshot if the log has grown much, but not while others answer.

        It is folded from the durable events, since the samplers of the state have been asked
        meanwhile.
        """
        store = self._database.store
        if store.snapshots is not None and self.state.seq >= self._save_from:
            with suppress(HodgeRankError):  # without it the log is read
                fold_log(self._id, partial(store.read, self._id), store.snapshots, is_to_save=True)
