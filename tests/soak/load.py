"""Load: a real server with a long log, and 200 workers at once over HTTP."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.campaign_200_workers_100k_answers import written

from hodgerank.campaign.campaign import Campaign
from server.served import Served, served
from soak.visitors import Seen, Visitors

N_ITEMS, N_WORKERS = 1000, 200
CAMPAIGN = "campaign"
THINK_SECONDS = 2.0
WARM_SECONDS = 5.0
MOST_MS = 50.0  # that 99 of 100 who think wait at most
LEAST_RATE = 1000.0  # answers a second of those who do not
MOST_GROWTH = 1.1  # of memory, while those who think are at work


def load(seconds: int) -> None:
    """Workers who think, and workers who do not, for so many seconds each."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        database = Path(folder, "campaigns.db")
        with written(database, N_ITEMS, is_mixed=False) as place:
            campaign = Campaign.open(place)
            campaign.change(panel={"kind": "link"})
            n_before = campaign.counts.n_given
        began = time.monotonic()
        with served("--database", database, "--log-level", "error") as server:
            up = time.monotonic() - began
            print(
                f"{N_WORKERS} workers over HTTP, {N_ITEMS:,} items, {n_before:,} answers in the "
                f"log; up after {up:.1f} s",
                flush=True,
            )
            n_given, broken = asyncio.run(_visit(server, seconds))
            assert server.end() == 0
            assert server.said == "", server.said
        with Campaign.open(database, read_only=True) as campaign:
            assert campaign.counts.n_given == n_before + n_given, "acknowledged answers are missing"
        assert not broken, "; ".join(broken)


async def _visit(server: Served, seconds: float) -> tuple[int, list[str]]:
    """One crowd, thoughtful and then not; how many answers it gave, and which promises broke."""
    visitors, broken = Visitors(server.port, CAMPAIGN), list[str]()
    await visitors.join(N_WORKERS)
    await visitors.work(0.0, WARM_SECONDS)
    n_given = len(visitors.seen.answers)
    for name, think in (("thinking", THINK_SECONDS), ("flat out", 0.0)):
        visitors.seen = Seen()
        memory = await _watch(server, visitors, name, think, seconds)
        n_given += len(visitors.seen.answers)
        broken += _broken(visitors.seen, memory, name, bool(think))
    return n_given, broken


def _broken(seen: Seen, memory: list[float], name: str, is_thinking: bool) -> list[str]:
    found = [f"{name}: {error} ({n} times)" for error, n in seen.errors.items()]
    if is_thinking:
        slow = {"answer": seen.answers, "tasks": seen.tasks}
        found += [
            f"{name}: p99 of {what} is {p99:.0f} ms"
            for what, waits in slow.items()
            if (p99 := float(np.quantile(waits, 0.99))) >= MOST_MS
        ]
        if memory[-1] > MOST_GROWTH * memory[len(memory) // 4]:
            found.append(f"{name}: memory grew from {memory[0]:.0f} to {memory[-1]:.0f} MB")
    elif seen.rate < LEAST_RATE:
        found.append(f"{name}: {seen.rate:.0f} answers a second")
    return found


async def _watch(
    server: Served, visitors: Visitors, name: str, think: float, seconds: float
) -> list[float]:
    """Print what the crowd saw; how much memory the server took meanwhile."""
    memory, cpu, begin = list[float](), server.cpu_seconds, time.perf_counter()
    working = asyncio.create_task(visitors.work(think, seconds))
    while not working.done():
        memory.append(server.megabytes)
        await asyncio.wait([working], timeout=max(1.0, seconds / 60))
    await working
    seen = visitors.seen
    seen.rate = len(seen.answers) / (time.perf_counter() - begin)
    cost = 1000 * (server.cpu_seconds - cpu) / max(1, len(seen.answers) + len(seen.tasks))
    print(f"{name}: {seen.rate:,.0f} answers/s, {cost:.2f} ms of processor for each request")
    for what, waits in (("answer", seen.answers), ("tasks", seen.tasks)):
        p50, p99, p999 = np.quantile(waits, (0.5, 0.99, 0.999))
        print(
            f"  {what:6} {len(waits):9,}   p50 {p50:.1f}   p99 {p99:.1f}   p99.9 {p999:.1f}   "
            f"max {max(waits):.1f} ms"
        )
    shown = " ".join(f"{megabytes:.0f}" for megabytes in memory[:: max(1, len(memory) // 12)])
    print(f"  memory {shown} MB; errors: {dict(seen.errors) or 'none'}", flush=True)
    return memory
