"""Ctrl-C ends a command with status 130 and no traceback, whenever it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from hodgerank.cli import main

# The clock starts with our first line: before that, Python alone is there.
PROGRAM = """
import os, signal, sys, threading
from hodgerank.cli import main
interrupt = threading.Timer(float(sys.argv.pop(1)), os.kill, (os.getpid(), signal.SIGINT))
interrupt.daemon = True
interrupt.start()
main()
"""


def interrupted(delay, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(delay), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:  # standard input stays open: the command waits for votes until it is interrupted
        status = process.wait(timeout=60)
        return status, process.stdout.read() + process.stderr.read()


def seldom(*delays):
    return [pytest.param(delay, marks=pytest.mark.slow) for delay in delays]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.1, 0.3, 1.0, *seldom(0.05, 0.15, 0.2, 0.25, 0.4, 0.5, 0.7)])
def test_an_interrupt_while_importing_or_waiting(delay):
    status, said = interrupted(delay, "rank", "-")
    # Python itself ends by the signal if it came inside an `exec`, which shells show as 130 too
    assert status in (130, -signal.SIGINT)
    assert said == ""


@pytest.mark.parametrize("delay", [1.0, *seldom(0.3, 0.6)])
def test_an_interrupt_while_computing_leaves_no_file(delay, tmp_path):
    output = tmp_path / "votes.csv"
    options = ("--items", 3000, "--votes", 10**7, "--pairs", "auto", "-o", output)
    status, said = interrupted(delay, "simulate", *options)
    assert status in (130, -signal.SIGINT)
    assert said == ""
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_that_a_library_raises_is_one_too(run, write, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("hodgerank.cli.vote_options.keep_apart", interrupt)
    assert run("rank", write("left,right,label\na,b,1\n")) == (130, "", "")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_commands_run_in_threads_too(write):
    statuses = []

    def command():
        with pytest.raises(SystemExit) as end:
            main(["describe", str(write("left,right,label\na,b,1\n"))])
        statuses.append(end.value.code)

    thread = threading.Thread(target=command)
    thread.start()
    thread.join()
    assert statuses == [0]
