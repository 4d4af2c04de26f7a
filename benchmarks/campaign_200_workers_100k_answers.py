"""200 workers at once: what an answer with the next task costs, and how long workers wait."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from hodgerank.campaign import Campaign, CampaignSettings, Database, Event
from hodgerank.campaign.commands.answers import answer
from hodgerank.campaign.commands.leases import lease
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Task
from hodgerank.errors import NoTask

WORKERS = 200
ANSWERS = 100_000
MOST_EACH = 500
TASKS_OUT = 2
SECONDS = 3.0
PER_SECOND = 1000
REQUEST_MS = 0.4  # of Python that a server runs for each answer, in the same interpreter,
CALLS = 4  # between which it calls the system
CHUNK = 100_000

SIZES = (20, 100, 300, 1000)
MIXED = {"repeat_share": 0.05, "gold_share": 0.1}
N_TRACKS, N_GOLD, N_RETIRED = 4, 5, 3


@dataclass
class Load:
    """Measured load: milliseconds of decisions, and waiting times of workers."""

    decisions: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    writer_ms: float = 0.0  # of processor time for each: of the thread that decides,
    all_ms: float = 0.0  # and of all threads
    rate: float = 0.0


def written(where: Path | None, n_items: int, is_mixed: bool) -> Database:
    """A campaign with answers of many workers, no pair twice to one; opinions by score."""
    database = Database(where)
    events = _log(n_items, is_mixed)
    while chunk := list(islice(events, CHUNK)):
        with database.store.writing("campaign") as writing:
            writing.append(chunk)
    return database


def _log(n_items: int, is_mixed: bool) -> Iterator[Event]:
    rng, at = Random(1), time.time() - 1e6
    n_tracks = N_TRACKS if is_mixed else 1
    options: dict[str, Any] = {}
    if is_mixed:
        gold = [{"better": f"item {k}", "worse": f"item {k + n_tracks}"} for k in range(N_GOLD)]
        options = {**MIXED, "gold": gold}
    settings = CampaignSettings("Which is better?", **options).to_dict()
    yield Event(seq := 1, at, "created", data={"settings": settings})
    for item in range(n_items):
        data = {"item": f"item {item}", "text": "", "media": "", "track": f"{item % n_tracks}"}
        yield Event(seq := seq + 1, at, "item_added", data=data)
    for item in range(n_items - N_RETIRED, n_items) if is_mixed else ():
        yield Event(seq := seq + 1, at, "item_retired", left=item)
    pairs = [(a, b) for a in range(n_items) for b in range(a % n_tracks, a, n_tracks)]
    n_each = min(MOST_EACH, len(pairs) // 2)
    rules = {"rules": {"too_fast": True, "same_side": True, "focus": True}}
    for number in range(ANSWERS // n_each):
        who, given = f"worker {number}", list[tuple[str, int, int]]()
        for turn, pair in enumerate(rng.sample(pairs, n_each)):
            left, right = pair if rng.random() < 0.5 else pair[::-1]
            task, data = f"{rng.getrandbits(128):032x}", None
            if is_mixed and turn % 10 == 9:
                left, right = turn // 10 % N_GOLD, turn // 10 % N_GOLD + n_tracks
                data = {"purpose": "gold", "expected": 1}
            elif is_mixed and turn % 20 == 18:
                of, right, left = given[turn // 20]
                data = {"purpose": "repeat", "repeats": of}
            else:
                given.append((task, left, right))
            chance = 1 / (1 + np.exp(4 * (left - right) / n_items))
            outcome = 1.0 if rng.random() < chance else -1.0
            yield Event(seq := seq + 1, at, "issued", who, task, left, right, None, 600.0, data)
            yield Event(
                seq := seq + 1, at, "answered", who, task, None, None, outcome, 2.5, data=rules
            )


class Crowd:
    """Workers who answer the task they have had longest, and get another one for it.

    Who has seen all pairs goes, and somebody else takes the seat.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.seen = Load()
        self._random = Random(2)
        self._names = [f"worker {seat}" for seat in range(WORKERS)]
        self._n_named = WORKERS
        self._tasks: list[list[Task]] = []

    def begin(self) -> None:
        """Everybody gets tasks, and the sampler is told everything."""
        for seat in range(WORKERS):
            self._tasks.append(self.campaign.log.transact(partial(self._lease, seat)))

    def saturate(self, seconds: float) -> None:
        """All of them answer as soon as they hear."""
        used, n, begin = self._used(), 0, time.perf_counter()
        waiting = deque(map(self._answer, range(WORKERS)))
        while (now := time.perf_counter()) < begin + seconds:
            seat, sent, future = waiting.popleft()
            self._tasks[seat] = future.result()
            self.seen.waits.append(1000 * (time.perf_counter() - sent))
            waiting.append(self._answer(seat))
            n += 1
        self.seen.rate = n / (now - begin)
        for seat, _, future in waiting:
            self._tasks[seat] = future.result()
        self._note_use_since(used)

    def keep_pace(self, seconds: float) -> None:
        """Send a fixed number of answers per second, from workers with none in progress."""
        used, n, begin = self._used(), 0, time.perf_counter()
        idle = deque(range(WORKERS))

        def tell(seat: int, sent: float, future: Future[list[Task]]) -> None:
            self.seen.waits.append(1000 * (time.perf_counter() - sent))
            self._tasks[seat] = future.result()
            idle.append(seat)

        while (now := time.perf_counter()) < begin + seconds:
            if n >= (now - begin) * PER_SECOND or not idle:
                time.sleep(0.0005)
                continue
            _serve()
            seat, sent, future = self._answer(idle.popleft())
            future.add_done_callback(partial(tell, seat, sent))
            n += 1
        self.seen.rate = n / (now - begin)
        while len(idle) < WORKERS:
            time.sleep(0.01)
        self._note_use_since(used)

    def _answer(self, seat: int) -> tuple[int, float, Future[list[Task]]]:
        """An answer and the next task, in one decision."""
        task, outcome = self._tasks[seat][0], self._random.choice([-1, 1])

        def decide(state: CampaignState, now: float) -> list[Task]:
            begin = time.perf_counter()
            answer(state, now, task.id, outcome, task.worker, 2.0, True, 1.0)
            tasks = self._lease(seat, state, now)
            self.seen.decisions.append(1000 * (time.perf_counter() - begin))
            return tasks

        return seat, time.perf_counter(), self.campaign.log.begin(decide)

    def _lease(self, seat: int, state: CampaignState, now: float) -> list[Task]:
        while True:
            try:
                return lease(state, now, self.campaign.new_id, self._names[seat], TASKS_OUT)
            except NoTask:
                self._names[seat] = f"worker {self._n_named}"
                self._n_named += 1

    def _used(self) -> np.ndarray:
        """Seconds of processor time of the thread that decides, and of all threads."""
        return self.campaign.log.transact(
            lambda state, now: np.array([time.thread_time(), time.process_time()])
        )

    def _note_use_since(self, before: np.ndarray) -> None:
        used = 1000 * (self._used() - before) / len(self.seen.decisions)
        self.seen.writer_ms, self.seen.all_ms = used.tolist()


def _serve() -> None:
    """Simulate a server: some Python between system calls, which let other threads run."""
    for _ in range(CALLS):
        until = time.thread_time() + REQUEST_MS / CALLS / 1000
        while time.thread_time() < until:
            pass
        time.sleep(0)


def measure(where: Path | None, n_items: int, is_mixed: bool) -> tuple[Load, Load]:
    """As fast as can be, and at a pace."""
    with written(where, n_items, is_mixed) as database:
        crowd = Crowd(Campaign.open(database))
        crowd.begin()
        crowd.saturate(1.0)  # warm
        crowd.seen = Load()
        crowd.saturate(SECONDS)
        fast, crowd.seen = crowd.seen, Load()
        crowd.keep_pace(SECONDS)
        return fast, crowd.seen


def _quantiles(ms: list[float], digits: int) -> str:
    return " / ".join(f"{value:.{digits}f}" for value in np.quantile(ms, (0.5, 0.99, 0.999)))


def run() -> str:
    lines = [
        f"### {WORKERS} workers with {TASKS_OUT} tasks each, {ANSWERS:,} answers in the log",
        "",
        "| | answers/s | processor, ms: writer / all | decision, ms: p50 / p99 / p99.9 "
        f"| at {PER_SECOND:,}/s beside a server, waits, ms: p50 / p99 / p99.9 |",
        "|---|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for store in ("memory", "sqlite"):
            for n_items in SIZES:
                for is_mixed in (False, True):
                    kind = "mixed" if is_mixed else "plain"
                    path = Path(folder) / f"{kind} {n_items}.db" if store == "sqlite" else None
                    fast, paced = measure(path, n_items, is_mixed)
                    lines.append(
                        f"| {store}, {n_items:,} items, {kind} | {fast.rate:,.0f} "
                        f"| {fast.writer_ms:.2f} / {fast.all_ms:.2f} "
                        f"| {_quantiles(fast.decisions, 2)} "
                        f"| {paced.rate:,.0f}/s: {_quantiles(paced.waits, 1)} |"
                    )
    return "\n".join(lines) + "\n"
