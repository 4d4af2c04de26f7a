"""How long the workers of a campaign wait while another campaign of the database is busy.

    python -m benchmarks.campaign_latency [--votes 300000] [--imported 1000000] [--items 1000]

Workers of campaign A take tasks and answer them without a pause. Meanwhile the owner of campaign B
opens it, gives the first task, changes the sampler, resets it, and imports votes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from random import Random
from threading import Event as Signal
from threading import Thread

import numpy as np

from hodgerank.campaign import Campaign, CampaignSettings, Database, Event
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.errors import NoTask

CHUNK = 100_000
ITEMS_OF_A = 200
WORKERS = 4
PAUSE = 0.02  # seconds between two answers of a worker
LONGEST = 300.0  # seconds for which a first task is waited for


class Workers:
    """Workers of a campaign, and the seconds that each lease and answer took."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign, self._names, self._is_over = campaign, count(), Signal()
        self.leases: list[tuple[float, float]] = []
        self.answers: list[tuple[float, float]] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let them work in threads until the block ends."""
        threads = [Thread(target=self._work) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        worker, random = f"worker {next(self._names)}", Random(1)
        while not self._is_over.wait(PAUSE):
            begun = time.perf_counter()
            try:
                [task] = self._campaign.lease(worker)
            except NoTask:
                worker = f"worker {next(self._names)}"
                continue
            leased = time.perf_counter()
            self._campaign.answer(task, random.choice([-1, 1]))
            self.leases.append((begun, leased - begun))
            self.answers.append((leased, time.perf_counter() - leased))


def write_log(database: Database, id: str, n_items: int, n_votes: int) -> None:
    """Write a log of leases and answers, as a campaign has it."""
    events = _log(n_items, n_votes)
    while chunk := list(islice(events, CHUNK)):
        with database.store.writing(id) as writing:
            writing.append(chunk)


def _log(n_items: int, n_votes: int) -> Iterator[Event]:
    rng, at = Random(1), time.time() - 1e6
    settings = CampaignSettings("Which is better?").to_dict()
    yield Event(seq := 1, at, "created", data={"settings": settings})
    for item in range(n_items):
        data = {"item": f"item {item}", "text": "", "media": "", "track": ""}
        yield Event(seq := seq + 1, at, "item_added", data=data)
    for number in range(n_votes):
        who, task = f"worker {number // 300}", f"{rng.getrandbits(128):032x}"
        left, right = rng.sample(range(n_items), 2)
        outcome = 1.0 if rng.random() < 1 / (1 + np.exp(4 * (left - right) / n_items)) else -1.0
        yield Event(seq := seq + 1, at, "issued", who, task, left, right, None, 600.0)
        yield Event(seq := seq + 1, at, "answered", who, task, None, None, outcome, 2.5)


def votes(n_items: int, n: int) -> Comparisons:
    """Return votes of many workers."""
    rng = np.random.default_rng(2)
    left = rng.integers(n_items, size=n)
    right = (left + rng.integers(1, n_items, size=n)) % n_items
    chance = 1 / (1 + np.exp(4 * (left - right) / n_items))
    return Comparisons(
        items=tuple(f"item {k}" for k in range(n_items)),
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        outcome=np.where(rng.random(n) < chance, 1.0, -1.0),
        workers=tuple(f"imported {k}" for k in range(n // 300 + 1)),
        worker=(np.arange(n) // 300).astype(np.int32),
        display_known=np.ones(n, np.bool_),
        weight=None,
        report=ReadReport(source="benchmark", rows=n),
    )


def first_task(campaign: Campaign) -> None:
    """Wait for the first task of a new worker."""
    until = time.monotonic() + LONGEST
    while True:
        try:
            campaign.lease("first")
            return
        except NoTask as none:
            if none.why != "busy" or time.monotonic() > until:
                raise
        time.sleep(0.1)


def run(n_votes: int, n_imported: int, n_items: int, folder: Path) -> None:
    """Print one line for each thing that the owner of B does."""
    file = folder / "campaigns.db"
    with Database(file) as database:
        Campaign.create(database, range(ITEMS_OF_A), id="A", question="Which is better?")
        write_log(database, "B", n_items, n_votes)
    with Database(file) as database:
        quick = Campaign.open(database, "A")
        for _ in range(50):
            quick.answer(quick.lease("warm-up")[0], 1)
        opened: list[Campaign] = []
        imported = votes(n_items, n_imported)
        phases: dict[str, Callable[[], object]] = {
            "nothing": lambda: time.sleep(5),
            "opens": lambda: opened.append(Campaign.open(database, "B")),
            "first task": lambda: first_task(opened[0]),
            "changes sampler": lambda: opened[0].change(sampler="bayesian"),
            "next task": lambda: first_task(opened[0]),
            "resets": lambda: opened[0].reset(),
            "imports": lambda: opened[0].import_votes(imported),
            "task after import": lambda: first_task(opened[0]),
        }
        print(f"{'B does':20}{'seconds':>9}{'n':>7}", end="")
        print(
            "".join(f"{f'{what} {which}':>12}" for what in "LA" for which in ("p50", "p99", "max"))
        )
        for name, phase in phases.items():
            workers = Workers(quick)
            with workers.at_work():
                begun = time.perf_counter()
                phase()
                seconds = time.perf_counter() - begun
            print(f"{name:20}{seconds:9.2f}{len(workers.leases):7}", end="")
            for measured in (workers.leases, workers.answers):
                took = np.array([each for at, each in measured if at <= begun + seconds] or [0.0])
                shown = (*np.percentile(took, [50, 99]), took.max())
                print("".join(f"{1000 * each:12.1f}" for each in shown), end="")
            print(flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=300_000)
    parser.add_argument("--imported", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(given.votes, given.imported, given.items, Path(folder))
