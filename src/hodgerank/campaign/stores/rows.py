"""row_of and event_of: an event as the columns that stores keep, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from operator import index
from typing import Any, TypeAlias

from hodgerank.campaign.events import PERSONAL, Event
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

Row: TypeAlias = tuple[Any, ...]
"""The fields of an event in their order; `data` is JSON."""


def row_of(event: Event) -> Row:
    """What a store keeps of an event; refuses what would come back as something else."""
    return (
        index(event.seq),
        _number(event.at, "at"),
        event.kind,
        _text(event.worker, "worker"),
        _text(event.task, "task"),
        event.left if event.left is None else index(event.left),
        event.right if event.right is None else index(event.right),
        event.outcome if event.outcome is None else _number(event.outcome, "outcome"),
        event.seconds if event.seconds is None else _number(event.seconds, "seconds"),
        event.data if event.data is None else _json(event.data),
    )


def event_of(row: Row) -> Event:
    """The event that a row was made of."""
    if row[9] is None:
        return tuple.__new__(Event, row)
    return tuple.__new__(Event, (*row[:9], json.loads(row[9])))


def without_name(row: Row, worker: str, pseudonym: str) -> Row:
    """A row in which a worker has another name, and nothing personal is left."""
    if row[3] != worker:
        return row
    return (*row[:3], pseudonym, *row[4:9], None if row[2] in PERSONAL else row[9])


def _number(value: float, what: str) -> float:
    number = float(value)
    if not isfinite(number):  # SQLite keeps NaN as nothing, and JSON has neither
        raise InvalidArgument(f"{what} must be a finite number, not {value}")
    return number


def _text(value: str | None, what: str) -> str | None:
    """`value` if every database keeps it: PostgreSQL has no NUL, UTF-8 no half of a character."""
    if value is None or value.isascii():
        fits = value is None or "\0" not in value
    else:
        fits = "\0" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
    if fits:
        return value
    raise InvalidArgument(f"{what} {short(ascii(value))} is not text that can be kept")


def _json(data: Mapping[str, Any]) -> str:
    """ASCII, so that what is not text for a database is an escape."""
    try:
        return json.dumps(dict(data), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"data cannot be kept as JSON: {error}") from None
