"""How functions are compiled, and that the user is told when a first use has to compile."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from hodgerank.kernels import compilation

SCRIPT = """
import sys
from hodgerank.kernels import compilation
compilation.PATIENCE = 0.0
@compilation.compiled
def inner(x):
    return 2 * x
@compilation.compiled
def outer(x):
    return [inner(x) for k in range(3)]
compilation.kernel = inner
table = {"inner": inner}
assert "numba" not in sys.modules
assert outer(1) == [2, 2, 2]
assert "numba" in sys.modules
assert compilation.kernel is not inner and compilation.kernel.py_func is inner.__wrapped__
assert table["inner"](4) == compilation.kernel(4) == 8
"""


def double(x: int) -> int:
    return 2 * x


def test_numba_comes_with_the_first_call_and_a_long_compilation_is_announced_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    compiling = {name: v for name, v in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    found = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, env=compiling
    )
    assert found.stderr.count("compiling for this machine, once") == 1
    assert found.stdout == ""


@pytest.mark.parametrize("options", [None, {"inline": "always"}])
def test_a_compiled_function_is_the_function_it_was(options):
    wrapped = (
        compilation.compiled(double) if options is None else compilation.compiled(**options)(double)
    )
    assert wrapped(21) == 42
    if not numba.config.DISABLE_JIT:
        assert wrapped.py_func is double


class Timer:
    """Waits for the clock below."""

    def __init__(self, due, tell) -> None:
        self.due, self.tell = due, tell
        self.daemon = False

    def start(self) -> None:
        pass

    def cancel(self) -> None:
        self.due = float("inf")


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def monotonic(self) -> float:
        return self.now

    def Timer(self, seconds, tell) -> Timer:  # noqa: N802
        self.timers.append(Timer(self.now + seconds, tell))
        return self.timers[-1]

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        for timer in self.timers:
            if timer.due <= self.now:
                timer.cancel()
                timer.tell()


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """In the place of the modules `time` and `threading`."""
    clock = Clock()
    monkeypatch.setattr(compilation, "time", clock)
    monkeypatch.setattr(compilation, "threading", clock)
    return clock


def test_short_compilations_are_announced_when_they_add_up(clock, capsys):
    notice = compilation.CompilationNotice()
    for _ in range(2):
        notice.on_start(None)
        clock.pass_by(0.4 * compilation.PATIENCE)
        notice.on_end(None)
        clock.pass_by(100 * compilation.PATIENCE)  # time between compilations does not count
    assert capsys.readouterr().err == ""
    notice.on_start(None)
    clock.pass_by(0.4 * compilation.PATIENCE)
    assert "compiling for this machine" in capsys.readouterr().err


def test_a_compilation_within_another_counts_once(clock, capsys):
    notice = compilation.CompilationNotice()
    notice.on_start(None)
    notice.on_start(None)
    notice.on_end(None)
    assert len(clock.timers) == 1
    clock.pass_by(2 * compilation.PATIENCE)
    notice.on_end(None)
    notice.on_start(None)  # it was told already
    clock.pass_by(2 * compilation.PATIENCE)
    assert capsys.readouterr().err.count("compiling") == 1
