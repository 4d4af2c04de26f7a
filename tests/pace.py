"""Time limits for tests: processor time, so that a busy machine does not fail them.

They catch a change of order, not of degree; what is claimed is measured in `benchmarks/`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail if what is done inside takes more processor time than three times this."""
    start = time.process_time()
    yield
    used = time.process_time() - start
    assert used < 3 * seconds, f"took {used:.1f} s of processor time, {seconds} s are expected"
