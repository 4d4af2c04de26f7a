"""The garbage collector of a process that serves: it passes over what was read from logs.

That stays as long as the process. Looking at 100,000 answers takes the collector 150 ms, while
everybody waits; as it is by default it would do so every few hundred requests.
"""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 10, 100)
"""Objects until the collector looks at new ones, and how often it looks at older ones."""

_is_spared = False  # known here: gc.get_freeze_count() counts every object that is frozen


def spare_collector() -> None:
    """Look once more, and then never again at what is there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    global _is_spared
    _is_spared = True


def spare_what_is_new() -> None:
    """Let a campaign that was just opened stay too, in a process whose collector is spared."""
    if _is_spared:
        gc.freeze()
