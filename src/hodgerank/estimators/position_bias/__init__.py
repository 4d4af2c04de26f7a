"""Position bias: the effect of the side on which an item is shown on the vote."""

from __future__ import annotations
