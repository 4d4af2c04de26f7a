"""A process that answers as fast as it can, until it is killed; and what is left of it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from threading import Thread

from campaign.folded import folded, plain
from campaign.trial import QUESTION
from hodgerank.campaign.campaign import Campaign

N_THREADS = 8
TESTS = Path(__file__).parents[1]

WORK = (
    """
import os, sys
from random import Random
from threading import Thread
from hodgerank.campaign.campaign import Campaign

campaign = Campaign.open(sys.argv[1])
who = sys.argv[2]

def work(thread):
    random = Random(thread)
    while True:
        name = f"{who} {os.urandom(8).hex()}"  # nobody has seen every pair
        campaign.join(name, {"session": name})
        for task in campaign.lease(name, 5):
            campaign.answer(task.id, random.choice([-1, 1]))
            os.write(1, (task.id + "\\\\n").encode())
        campaign.finish(name)
        if random.random() < 0.2:
            campaign.forget(name)
            os.write(1, (name + "\\\\n").encode())

threads = [Thread(target=work, args=(k,), daemon=True) for k in range(%d)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""".replace("\\\\n", "\\n")
    % N_THREADS
)


class Working:
    """The process, the tasks whose answers it was told are safe, and whom it has forgotten."""

    def __init__(self, address: str, who: str = "w") -> None:
        self.acknowledged: list[str] = []
        self.forgotten: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORK, address, who],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    told = line.decode().strip()
                    (self.forgotten if " " in told else self.acknowledged).append(told)

    def wait_for(self, n: int, n_forgotten: int = 0, seconds: float = 60) -> None:
        """Until so many are acknowledged, and so many forgotten."""
        ends = time.monotonic() + seconds
        while len(self.acknowledged) < n or len(self.forgotten) < n_forgotten:
            assert time.monotonic() < ends, "nothing is answered"
            assert self.process.poll() is None, "the process ended by itself"
            time.sleep(0.002)

    def kill(self) -> list[str]:
        """As kill -9 does; what was acknowledged."""
        self.process.kill()
        self.process.wait(30)
        self._reader.join(30)
        return self.acknowledged


def kill_again_and_again(path: Path, n_kills: int, seed: int = 1) -> int:
    """Kill a writing process so many times; how many answers it had acknowledged."""
    random, acknowledged, forgotten = Random(seed), set(), set()
    with Campaign.create(path, list(range(40)), question=QUESTION):
        pass
    for _ in range(n_kills):
        working = Working(str(path))
        working.wait_for(1)
        time.sleep(random.random() * 0.25)
        acknowledged.update(working.kill())
        forgotten.update(working.forgotten)
        with Campaign.open(path) as campaign:
            nothing_is_lost(campaign, acknowledged)
            nobody_is_remembered(campaign, forgotten)
        content = path.read_bytes()
        assert not any(name.encode() in content for name in forgotten)
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    return len(acknowledged)


def nothing_is_lost(campaign: Campaign, acknowledged: set[str]) -> None:
    """Every acknowledged answer is in the log, once, and counts; the state is that of the log."""
    answered = Counter(event.task for event in campaign.events() if event.kind == "answered")
    assert set(answered.values()) <= {1}
    assert acknowledged <= set(answered)
    assert campaign.counts.n_votes == len(answered)
    assert plain(campaign.log.state) == plain(folded(campaign))


def nobody_is_remembered(campaign: Campaign, forgotten: set[str]) -> None:
    """No event has a name that was taken away, or what came with it."""
    for event in campaign.events():
        assert event.worker not in forgotten
        assert (event.data or {}).get("session") not in forgotten
    kinds = Counter(event.kind for event in campaign.events())
    assert kinds["worker_forgotten"] >= len(forgotten)
