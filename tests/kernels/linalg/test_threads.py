"""How many threads BLAS may use."""

from __future__ import annotations

import numpy as np
from threadpoolctl import ThreadpoolController

from hodgerank.kernels.linalg.threads import few_threads


def n_threads():
    np.eye(2) @ np.eye(2)
    return {each["num_threads"] for each in ThreadpoolController().select(user_api="blas").info()}


def test_the_last_one_to_go_lifts_the_limit():
    before = n_threads()
    one, other = few_threads(100), few_threads(100)
    one.__enter__()
    other.__enter__()
    assert n_threads() == {1}
    one.__exit__(None, None, None)
    assert n_threads() == {1}
    other.__exit__(None, None, None)
    assert n_threads() == before


def test_large_matrices_keep_their_threads():
    before = n_threads()
    with few_threads(5000):
        assert n_threads() == before
