"""Tracks: groups of items that are ranked apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hodgerank.errors import InvalidComparisons
from hodgerank.notebook import UNSEEN, short

_MOST_ROWS = 5


class TrackedRow(Protocol):
    """Where an item was found, and its track, if it has one."""

    @property
    def where(self) -> str:
        """For messages."""

    @property
    def item(self) -> str:
        """The id."""

    @property
    def track(self) -> str | None:
        """What it is ranked in."""


def tracks_of(rows: Sequence[TrackedRow], name: str) -> dict[str, str]:
    """The track of each item, empty where no row has one; all rows have one, or none.

    >>> from hodgerank.data.items.samples import Sample
    >>> from hodgerank.data.items.sources import Row
    >>> tracks_of([Row("row 1", "a", Sample("x"), "easy")], "items.csv")
    {'a': 'easy'}
    """
    without = [row for row in rows if row.track is None]
    if len(without) == len(rows):
        return {}
    if without:
        raise InvalidComparisons(
            f"{name}, {_places(without)}: the track is empty, but other rows have one: fill it in, "
            "or do not use the column, track='' (or give the column another name)"
        )
    first: dict[str, TrackedRow] = {}
    for row in rows:
        earlier = first.setdefault(row.item, row)
        if earlier.track != row.track:
            raise InvalidComparisons(
                f"{name}: {short(row.item)} stands in the track {short(repr(earlier.track))} in "
                f"{earlier.where} and in {short(repr(row.track))} in {row.where}: an item has one "
                "track; give it another id in the other"
            )
    tracks = {item: str(row.track) for item, row in first.items()}
    for item, track in tracks.items():
        if unseen := UNSEEN.search(track):
            raise InvalidComparisons(
                f"{name}, {first[item].where}: the track {short(track)} has the character "
                f"{short(unseen[0])}, which cannot be shown: rename the track"
            )
    return tracks


def _places(rows: Sequence[TrackedRow]) -> str:
    shown = ", ".join(row.where for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    return f"{shown} and {more:,} more rows" if more > 0 else shown
