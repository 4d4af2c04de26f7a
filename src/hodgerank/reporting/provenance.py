"""By what a report was made, so that it can be made again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Provenance:
    """The command line or call, the seed, and the day."""

    command: str
    seed: int
    date: str
