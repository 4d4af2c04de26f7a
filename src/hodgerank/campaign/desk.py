"""Desk: where decisions about a campaign are made, one after the other, at the end of its log."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from hodgerank.campaign.database import Database
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.stores.store import Writing
from hodgerank.errors import CampaignError, CannotWrite, HodgeRankError, InvalidArgument

T = TypeVar("T")


class Desk:
    """The state of a campaign, and the way to change it.

    Only the thread that writes has the state in hand; what a decision records is durable before
    anybody hears of it. Where the database is read only, decisions that record nothing are made
    in the thread that asks.
    """

    def __init__(self, database: Database, id: str, clock: Callable[[], float]) -> None:
        self._database, self._id, self._clock = database, id, clock
        self._one_reader = threading.Lock()
        self._load()

    def decide(self, what: Callable[[CampaignState, float], T]) -> T:
        """Decide something, given the state at the end of the log, and the time."""
        commits = self._database.commits
        if commits is None:
            return self._look(what)
        reply = commits.submit(self._id, lambda writing: self._settle(what, writing)).result()
        if isinstance(reply, _Refusal):
            raise reply.error
        return reply

    def _settle(self, what: Callable[[CampaignState, float], T], writing: Writing) -> T | _Refusal:
        """In the thread that writes."""
        commits = self._database.commits
        assert commits is not None
        if self._failures != commits.failures:
            self._load()  # what was folded did not become durable
        self.state.fold_all(writing.news(self.state.seq))
        before = self.state.seq
        try:
            reply: T | _Refusal = what(self.state, float(self._clock()))
        except HodgeRankError as error:
            reply = _Refusal(error)  # leases that it found expired are recorded all the same
        except Exception as error:
            if self.state.seq != before:
                raise  # it broke off in the middle: nothing of this transaction can stay
            reply = _Refusal(error)
        if self.state.outbox:
            try:
                writing.append(self.state.outbox)
            except InvalidArgument as error:  # the state has folded what no store can hold
                raise CannotWrite(str(error)) from error
            self.state.outbox = []
        return reply

    def _look(self, what: Callable[[CampaignState, float], T]) -> T:
        """The same where nothing may be written."""
        with self._one_reader:
            self.state.fold_all(self._database.store.read(self._id, self.state.seq))
            try:
                reply = what(self.state, float(self._clock()))
            finally:
                is_changed = bool(self.state.outbox)
                if is_changed:
                    self._load()
            if is_changed:
                raise CampaignError(f"{self._database.name} is open for reading only")
            return reply

    def _load(self) -> None:
        """Fold the log from its beginning."""
        commits = self._database.commits
        self._failures = 0 if commits is None else commits.failures
        self.state = CampaignState()
        self.state.fold_all(self._database.store.read(self._id))
        if commits is not None:
            self.state.prepare()


class _Refusal:
    """An error that is raised once what was recorded before it is durable."""

    def __init__(self, error: Exception) -> None:
        self.error = error
