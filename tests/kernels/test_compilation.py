"""The user is told when a first use has to compile."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import hodgerank.kernels.compilation as compilation
compilation.PATIENCE = 0.0
import numba
@numba.njit
def slow(x):
    return [x * k for k in range(3)]
slow(1)
"""


def test_a_compilation_that_takes_long_is_announced_once():
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert found.stderr.count("compiling for this machine, once") == 1
    assert found.stdout == ""
