"""Kernels run compiled, or as plain Python where NUMBA_DISABLE_JIT is set to measure coverage."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import pytest


@pytest.fixture(autouse=True, scope="module")
def _integers_wrap_around() -> Iterator[None]:
    """Hashes count on the overflow of 64 bits, about which NumPy warns in plain Python."""
    if not numba.config.DISABLE_JIT:
        yield
        return
    with np.errstate(over="ignore"):
        yield
