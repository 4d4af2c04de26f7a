"""Pending: what a transaction has appended until it is written, for any store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.rows import Row, event_of, row_of, without_name
from hodgerank.errors import CannotWrite


class Pending:
    """A `Writing` that keeps events in memory, so that a batch reaches the database at once.

    Attributes
    ----------
    rows
        What is to be written when the block is left.
    forgotten
        The names that were replaced.
    """

    def __init__(
        self,
        last: int,
        stored: Callable[[int], Iterable[Event]],
        forget_stored: Callable[[str, str], None],
    ) -> None:
        self.rows: list[Row] = []
        self.forgotten: list[str] = []
        self._stored_last = last
        self._stored, self._forget_stored = stored, forget_stored

    @property
    def last(self) -> int:
        """The number of the last event, with those that are appended here."""
        return self._stored_last + len(self.rows)

    def news(self, after: int) -> Iterable[Event]:
        """Events with a higher number than this, in order."""
        return self._news(after) if after < self.last else ()

    def _news(self, after: int) -> Iterator[Event]:
        if after < self._stored_last:
            yield from self._stored(after)
        yield from map(event_of, self.rows[max(0, after - self._stored_last) :])

    def append(self, events: Sequence[Event]) -> None:
        """Put all of them at the end, or none.

        Raises `InvalidArgument` for what cannot be kept. A wrong number is a `CannotWrite`: who
        gave it knows another log than this, and has to read it anew.
        """
        rows = [row_of(event) for event in events]
        for number, row in enumerate(rows, self.last + 1):
            if row[0] != number:
                raise CannotWrite(f"event {row[0]} does not follow event {number - 1}")
        self.rows += rows

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, those that are appended here too."""
        self._forget_stored(worker, pseudonym)
        self.rows = [without_name(row, worker, pseudonym) for row in self.rows]
        self.forgotten.append(worker)
