"""LogCopy: the log of a remote campaign, folded here; only new events are fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any, TypeVar

from hodgerank.campaign.client.connection import Connection, ConnectionLost
from hodgerank.campaign.events import Event, LogChanged
from hodgerank.campaign.state import CampaignState
from hodgerank.errors import CampaignError
from hodgerank.types import Item

T = TypeVar("T")

MOST_TRIES = 4
NOT_AN_EVENT = (ValueError, LookupError, TypeError, AttributeError, AssertionError)


class LogCopy:
    """The state of a remote campaign, as of the last request."""

    def __init__(self, connection: Connection, id: str) -> None:
        self._connection, self._id = connection, id
        self._one_reader = Lock()
        self._state = CampaignState()

    def look(self, what: Callable[[CampaignState], T]) -> T:
        """Read the state after fetching new events."""
        with self._one_reader:
            for tries_left in reversed(range(MOST_TRIES)):
                try:
                    self._catch_up()
                    break
                except LogChanged:  # somebody was forgotten
                    self._state = CampaignState()
                    if not tries_left:
                        raise
                except ConnectionLost:  # what came until then is folded
                    if not tries_left:
                        raise
            return what(self._state)

    def read(self, after: int) -> Iterator[Event]:
        """Yield the events after this number."""
        codes: dict[Item, int] = {}
        if after:
            found = self._connection.call("GET", "campaigns", self._id, "items", is_repeatable=True)
            codes = {item["item"]: code for code, item in enumerate(found["items"])}
        return self._events(after, codes)

    def _catch_up(self) -> None:
        try:
            self._state.fold_all(self._events(self._state.seq, dict(self._state.items.codes)))
        except NOT_AN_EVENT:
            self._state = CampaignState()
            raise self._other_version() from None

    def _events(self, after: int, codes: dict[Item, int]) -> Iterator[Event]:
        """Yield events as the server sends them, items by number."""
        lines = self._connection.lines("campaigns", self._id, "events", query={"after": after})
        for line in lines:
            try:
                event = _event(json.loads(line), codes)
            except NOT_AN_EVENT:
                raise self._other_version() from None
            yield event

    def _other_version(self) -> CampaignError:
        return CampaignError(
            f"{self._connection.address} sent an unknown event: it may run another version of "
            "hodgerank"
        )


def _event(record: dict[str, Any], codes: dict[Item, int]) -> Event:
    """An event; who reads the log from its beginning learns the items from it."""
    if record["kind"] == "item_added":
        codes.setdefault(record["data"]["item"], len(codes))
    for side in ("left", "right"):
        if side in record:
            record[side] = codes[record[side]]
    return Event(**record)
