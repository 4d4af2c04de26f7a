"""Random votes for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hodgerank.data.comparisons import Comparisons


@st.composite
def comparisons(
    draw,
    max_items: int = 7,
    outcomes=(-1.0, 0.0, 1.0, 0.5, -0.25),
    connected: bool = True,
    weighted: bool = False,
):
    """Votes on a few items; a random tree makes the graph connected where asked."""
    n = draw(st.integers(2, max_items))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    pairs = draw(st.lists(pair, min_size=1, max_size=25))
    if connected:
        pairs += [(k, draw(st.integers(0, k - 1))) for k in range(1, n)]
    m = len(pairs)
    left, right = np.array(pairs, dtype=np.int32).T
    outcome = np.array(draw(st.lists(st.sampled_from(outcomes), min_size=m, max_size=m)))
    workers = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    weight = None
    if weighted:
        weight = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=m, max_size=m)))
    return Comparisons(
        items=tuple("abcdefghij"[:n]),
        left=left,
        right=right,
        outcome=outcome,
        workers=("w0", "w1", "w2", "w3"),
        worker=np.array(workers, dtype=np.int32),
        weight=weight,
    )
