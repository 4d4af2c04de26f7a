"""reread: what is made of a whole log, whoever is forgotten meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hodgerank.campaign.events import LogChanged

T = TypeVar("T")

MOST_TRIES = 10


def reread(read: Callable[[], T]) -> T:
    """What `read` returns, who begins at the first event; again where the log changed meanwhile."""
    for _ in range(MOST_TRIES - 1):
        try:
            return read()
        except LogChanged:
            continue
    return read()
