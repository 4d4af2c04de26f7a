"""Garbage collection of a server: objects read from logs are skipped.

They live as long as the process. Scanning 100,000 answers takes 150 ms, during which all requests
wait; by default that would happen every few hundred requests.
"""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 10, 100)
"""Thresholds of the collector."""

_is_spared = False  # known here: gc.get_freeze_count() counts every object that is frozen


def spare_collector() -> None:
    """Collect once, and then skip all present objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    global _is_spared
    _is_spared = True


def spare_what_is_new() -> None:
    """Skip the objects of a campaign that was just opened."""
    if _is_spared:
        gc.freeze()
