"""Several processes, terminals and interrupts."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time

import pytest

from hodgerank.campaign.campaign import Campaign
from processes import COMMAND

PATIENCE = 60.0  # seconds
ANSWER = [*COMMAND, "campaign", "answer", "campaign.db", "--worker", "ann"]


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self._own, theirs = pty.openpty()
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
        self.process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""

    def wait_for(self, words: str, times: int = 1) -> None:
        """Read until the words have been seen so often."""
        until = time.monotonic() + PATIENCE
        while self.seen.count(words) < times:
            assert time.monotonic() < until, self.seen
            self._read()

    def press(self, keys: str) -> None:
        """Type, once the terminal is listening: what comes before is dropped."""
        until = time.monotonic() + PATIENCE
        while self._is_echoing():
            assert time.monotonic() < until, self.seen
        os.write(self._own, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit status."""
        while self._read():
            pass
        os.close(self._own)
        return self.process.wait(PATIENCE)

    def _is_echoing(self) -> bool:
        import termios

        return bool(termios.tcgetattr(self._own)[3] & termios.ECHO)

    def _read(self) -> bool:
        try:
            found = os.read(self._own, 10_000)
        except OSError:  # the other side is closed
            return False
        self.seen += found.decode()
        return bool(found)


def outcomes() -> list[float]:
    with Campaign.open("campaign.db", read_only=True) as campaign:
        return [row["outcome"] for row in campaign.answers() if row["is_counted"]]


@pytest.mark.slow
def test_keys_of_a_terminal(new):
    new("--ties")
    terminal = Terminal(*ANSWER)
    for n, (key, words) in enumerate(
        [("1", "left, saved"), ("\x1b[C", "right, saved"), ("0", "a tie, saved"),
         ("u", "taken back"), ("\x1bOD", "left, saved"), ("?", "unknown key")], 1
    ):  # fmt: skip
        terminal.wait_for("q quit", n)
        terminal.press(key)
        terminal.wait_for(words, 2 if n == 5 else 1)
    terminal.press("q")
    assert terminal.end() == 0
    assert outcomes() == [1, -1, 1]
    with Campaign.open("campaign.db", read_only=True) as campaign:
        assert all(0 <= row["seconds"] < PATIENCE for row in campaign.answers())


@pytest.mark.parametrize(
    ("key", "status"), [("\x03", 130), pytest.param("\x04", 0, marks=pytest.mark.slow)]
)
def test_ctrl_c_and_ctrl_d_leave_the_pair_open(new, answer, key, status):
    new()
    terminal = Terminal(*ANSWER)
    terminal.wait_for("q quit")
    terminal.press("1")
    terminal.wait_for("q quit", 2)
    terminal.press(key)
    assert terminal.end() == status
    assert "run the same command to continue" in terminal.seen
    assert "Traceback" not in terminal.seen
    assert outcomes() == [1]
    left_open = re.findall(r"text \d", terminal.seen)[-2:]
    assert re.findall(r"text \d", answer(["q"])) == left_open


@pytest.mark.slow
def test_a_signal_while_waiting_ends_it_and_loses_nothing(new):
    new()
    with subprocess.Popen(
        ANSWER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("1\n")
        process.stdin.flush()
        while "saved" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "")
    assert outcomes() == [1]


def test_a_second_process_is_refused_in_words_and_may_look_on(new, campaign):
    new()
    with subprocess.Popen(
        ANSWER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        while "q quit" not in process.stdout.readline():
            pass
        for words in ("answer --worker bob", "close --yes"):
            command, *more = words.split()
            assert str(process.pid) in campaign(command, "campaign.db", *more, status=3)
        campaign("status", "campaign.db")
        process.communicate("q\n", timeout=PATIENCE)
    campaign("pause", "campaign.db")


@pytest.mark.slow
def test_a_killed_process_leaves_its_answers_and_its_open_pair(new, answer):
    new()
    with subprocess.Popen(
        ANSWER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("2\n")
        process.stdin.flush()
        while "saved" not in process.stdout.readline():
            pass
        process.kill()
    assert outcomes() == [-1]
    assert "1 answer so far" not in answer(["q"])
    assert "2 answers so far" in answer(["1"])


@pytest.mark.slow
def test_who_reads_no_further_ends_it(new):
    new()
    with subprocess.Popen(
        ANSWER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write("1\n" * 3)
        process.stdin.close()
        said = process.stderr.read()
        process.wait(PATIENCE)
    assert (process.returncode, said) == (0, "")
