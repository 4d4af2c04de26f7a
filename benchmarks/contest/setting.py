"""Settings that are shared by everything in one contest."""

from __future__ import annotations

from dataclasses import dataclass

PER_ITEM = (2, 5, 10, 20)


@dataclass(frozen=True)
class Setting:
    """How long campaigns are, and where their random numbers come from.

    Attributes
    ----------
    per_item
        Looks: answers told so far, over items.
    n_items
        How many items simulated crowds rank; None: as many as each regime says.
    """

    seed: int = 1
    per_item: tuple[int, ...] = PER_ITEM
    n_items: int | None = None
