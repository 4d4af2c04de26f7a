"""A campaign under load: how soon it starts, how fast it answers, and who waits for an undo."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from threading import Barrier, Thread

import numpy as np

from hodgerank.campaign import Campaign, CampaignSettings, Database, Event

SECONDS = 5.0
CHUNK = 100_000


def written(path: Path, n_items: int, n_votes: int, n_workers: int) -> Path:
    """Write a campaign with a log of answers; random pairs, preferences by score."""
    events = _log(n_items, n_votes, n_workers)
    with Database(path) as database:
        while chunk := list(islice(events, CHUNK)):
            with database.store.writing("campaign") as writing:
                writing.append(chunk)
    return path


def _log(n_items: int, n_votes: int, n_workers: int) -> Iterator[Event]:
    rng, seq, at = Random(1), 0, time.time() - 1e6
    settings = CampaignSettings("Which is better?").to_dict()
    yield Event(seq := 1, at, "created", data={"settings": settings})
    for item in range(n_items):
        yield Event(seq := seq + 1, at, "item_added", data={"item": f"item {item}"})
    for answer in range(n_votes):
        left = rng.randrange(n_items)
        right = (left + 1 + rng.randrange(n_items - 1)) % n_items
        task, who = f"{rng.getrandbits(128):032x}", f"worker {answer % n_workers}"
        chance = 1 / (1 + np.exp(4 * (right - left) / n_items))
        yield Event(seq := seq + 1, at, "issued", who, task, left, right, None, 600.0)
        outcome = 1.0 if rng.random() < chance else -1.0
        yield Event(seq := seq + 1, at, "answered", who, task, None, None, outcome, 2.5)


def start_up(path: Path) -> tuple[float, float]:
    """Seconds until a campaign is open, and from then on until it has given out its first task."""
    begin = time.perf_counter()
    with Campaign.open(path) as campaign:
        is_open = time.perf_counter()
        campaign.lease(f"new at {is_open}")  # who came before would get the same task again
        return is_open - begin, time.perf_counter() - is_open


def answering(path: Path, n_writers: int, n_each: int) -> tuple[float, np.ndarray]:
    """Answers per second, of tasks that were leased before, and how long each took."""
    times: list[float] = []
    with Campaign.create(path, range(100), question="Which?", open_per_worker=n_each) as campaign:
        tasks = [campaign.lease(f"w{k}", n_each) for k in range(n_writers)]
        together = Barrier(n_writers + 1)

        def answer(k: int) -> None:
            together.wait()
            for task in tasks[k]:
                begin = time.perf_counter()
                campaign.answer(task, 1, seconds=2.0)
                times.append(time.perf_counter() - begin)

        threads = [Thread(target=answer, args=(k,)) for k in range(n_writers)]
        for thread in threads:
            thread.start()
        together.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - begin
    return len(times) / seconds, 1000 * np.array(times)


def under_load(path: Path, n_threads: int, disturb: str) -> dict[str, np.ndarray]:
    """How long workers waited for tasks and for receipts while somebody undid or banned."""
    times: dict[str, list[float]] = {"lease": [], "answer": [], disturb: []}
    with Campaign.open(path) as campaign:
        campaign.lease(f"first {n_threads} {disturb}")  # the sampler is told everything
        together, end = Barrier(n_threads + 1), time.perf_counter() + SECONDS

        def work(name: str) -> None:
            together.wait()
            while time.perf_counter() < end:
                begin = time.perf_counter()
                [task] = campaign.lease(name)
                leased = time.perf_counter()
                campaign.answer(task, 1, seconds=2.0)
                times["lease"].append(leased - begin)
                times["answer"].append(time.perf_counter() - leased)

        threads = [Thread(target=work, args=(f"new {k}",)) for k in range(n_threads)]
        for thread in threads:
            thread.start()
        together.wait()
        k = 100 * n_threads  # nobody is banned twice
        while disturb != "nothing" and time.perf_counter() < end:
            time.sleep(0.1)
            begin, k = time.perf_counter(), k + 1
            if disturb == "undo":
                campaign.undo(f"worker {k % 1000}")
            else:
                campaign.ban(f"worker {(k + 500) % 1000}")
            times[disturb].append(time.perf_counter() - begin)
        for thread in threads:
            thread.join()
    return {name: 1000 * np.array(values) for name, values in times.items() if values}


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        rate, ms = answering(Path(folder) / "answers.db", 200, 40)
        p50, p99 = np.quantile(ms, [0.5, 0.99])
        print(f"200 writers: {rate:,.0f} answers/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms")
        for n_items, n_votes in ((1000, 1_000_000), (300, 300_000)):
            path = written(Path(folder) / f"{n_votes}.db", n_items, n_votes, 5000)
            begins = start_up(path), min(start_up(path) for _ in range(3))
            for which, (opened, first) in zip(("first", "later"), begins, strict=True):
                print(
                    f"{n_items} items, {n_votes:,} answers, opened {which}: in {opened:.1f} s, "
                    f"first task {first:.1f} s after"
                )
        for n_items in (1000, 300):
            path = written(Path(folder) / f"{n_items}.db", n_items, 100_000, 1000)
            for n_threads in (8, 200):
                for disturb in ("nothing", "undo", "ban"):
                    times = under_load(path, n_threads, disturb)
                    rate = len(times["answer"]) / SECONDS
                    shown = "; ".join(
                        f"{name} p50 {np.median(ms):.1f} p99 {np.quantile(ms, 0.99):.1f} "
                        f"max {ms.max():.0f} ms"
                        for name, ms in times.items()
                    )
                    print(
                        f"{n_items} items, 100,000 answers, {n_threads} workers, {disturb}: "
                        f"{rate:,.0f} answers/s; {shown}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
