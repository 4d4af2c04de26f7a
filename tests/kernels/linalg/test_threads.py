"""How many threads BLAS may use."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

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


def test_every_thread_can_set_the_limit_and_lift_it():
    before = n_threads()
    with few_threads(100):
        pass
    found = []

    def work():
        with few_threads(100):
            found.append(n_threads())
        found.append(n_threads())

    for _ in range(2):
        thread = Thread(target=work)
        thread.start()
        thread.join()
    assert found == [{1}, before] * 2


def test_the_limit_is_lifted_in_another_thread_than_it_was_set():
    before, inside = n_threads(), few_threads(100)
    inside.__enter__()
    thread = Thread(target=inside.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    assert n_threads() == before


def test_large_matrices_keep_their_threads():
    before = n_threads()
    with few_threads(5000):
        assert n_threads() == before


SCIPY_COMES_LATER = """
from threadpoolctl import threadpool_info
from hodgerank.kernels.linalg.threads import few_threads

def threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

with few_threads(100):
    import scipy.linalg
    before = threads()
    with few_threads(100):
        assert set(threads()) == {1}, threads()
    assert set(threads()) == {1}, threads()
after = threads()
assert len(after) == len(before) and max(after) == max(before), (before, after)
with few_threads(100):
    assert set(threads()) == {1}, threads()
assert threads() == after
"""


def test_the_blas_of_scipy_is_limited_although_it_is_loaded_later():
    subprocess.run([sys.executable, "-c", SCIPY_COMES_LATER], check=True)
