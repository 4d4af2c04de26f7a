"""Position bias: what the side on which an item is shown adds to an answer."""

from __future__ import annotations
