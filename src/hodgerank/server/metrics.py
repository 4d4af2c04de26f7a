"""Metrics: how many requests there were, and how long they took."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from time import perf_counter, time
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from hodgerank import __version__
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.summaries import Counts, counts
from hodgerank.campaign.tasks import Status
from hodgerank.server.auth import key_of
from hodgerank.server.context import context_of, read
from hodgerank.server.standings import Standing

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds: of each interval its end."""
LAG_SECONDS = 0.5
"""Between two looks at how punctual the event loop is."""


class RouteKey(NamedTuple):
    """A row of the table of routes; empty where none fits."""

    method: str
    path: str


NO_ROUTE = RouteKey("", "")


class Histogram:
    """How many durations fell into which interval, and their sum."""

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Metrics:
    """What is counted in this process since it began.

    Attributes
    ----------
    requests
        By route and status.
    seconds
        How long answers took, by route; streams go on for as long as somebody looks, and are left
        out.
    lag
        By how much the event loop is late.
    """

    def __init__(self) -> None:
        self.began_at = time()
        self.requests: Counter[tuple[RouteKey, int]] = Counter()
        self.seconds: dict[RouteKey, Histogram] = {}
        self.lag = Histogram()

    def note(self, route: RouteKey, status: int, seconds: float | None) -> None:
        """A request was answered."""
        self.requests[route, status] += 1
        if seconds is not None:
            if (histogram := self.seconds.get(route)) is None:
                histogram = self.seconds[route] = Histogram()
            histogram.add(seconds)

    async def watch_loop(self) -> None:
        """Look for ever how punctual the event loop is."""
        while True:
            due = perf_counter() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            self.lag.add(max(0.0, perf_counter() - due))


KIND = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str]


class Page:
    """Lines of numbers, each family with what it means."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(
        self, name: str, kind: str, meaning: str, samples: Iterable[tuple[Labels, float]]
    ) -> None:
        """A family of numbers that go up (counter), or up and down (gauge)."""
        self._begin(name, kind, meaning)
        self._lines += [f"{name}{_labels(labels)} {value:.17g}" for labels, value in samples]

    def add_histograms(
        self, name: str, meaning: str, samples: Iterable[tuple[Labels, Histogram]]
    ) -> None:
        """A family of durations."""
        self._begin(name, "histogram", meaning)
        for labels, histogram in samples:
            self._lines += _histogram(name, labels, histogram)

    def text(self) -> str:
        """All of it."""
        return "\n".join(self._lines) + "\n"

    def _begin(self, name: str, kind: str, meaning: str) -> None:
        self._lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _histogram(name: str, labels: Labels, histogram: Histogram) -> Iterator[str]:
    counts = list(histogram.counts)
    bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
    for bound, n in zip(bounds, accumulate(counts), strict=True):
        yield f"{name}_bucket{_labels({**labels, 'le': bound})} {n}"
    yield f"{name}_sum{_labels(labels)} {histogram.sum:.17g}"
    yield f"{name}_count{_labels(labels)} {sum(counts)}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    r"""Names are anybody's text.

    >>> _escaped('a"b')
    'a\\"b'
    """
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


MEMORY = Path("/proc/self/statm")
COMMIT_FAILURES = "Transactions that failed; nobody was told that they were written."


class Tally(NamedTuple):
    """What one campaign counts, the log being its memory: restarts do not begin anew."""

    counts: Counts
    n_leases: int
    n_answers: int
    n_skips: int
    n_undos: int
    n_expired: int


CAMPAIGN: list[tuple[str, str, str, Callable[[Tally], float]]] = [
    ("leases_total", "counter", "Tasks given out.", lambda tally: tally.n_leases),
    ("answers_total", "counter", "Answers given, undone ones too.", lambda tally: tally.n_answers),
    ("skips_total", "counter", "Tasks skipped.", lambda tally: tally.n_skips),
    ("undos_total", "counter", "Answers taken back.", lambda tally: tally.n_undos),
    ("tasks_expired", "gauge", "Tasks that nobody answered.", lambda tally: tally.n_expired),
    ("tasks_out", "gauge", "Tasks that are out.", lambda tally: tally.counts.n_out),
    ("answers_counted", "gauge", "Answers that count.", lambda tally: tally.counts.n_answers),
    ("items", "gauge", "Items, retired ones too.", lambda tally: tally.counts.n_items),
    ("workers", "gauge", "Workers.", lambda tally: tally.counts.n_workers),
    ("workers_banned", "gauge", "Workers who are banned.", lambda tally: tally.counts.n_banned),
    ("log_events", "gauge", "Events in the log.", lambda tally: tally.counts.seq),
]
STANDING: list[tuple[str, str, Callable[[Standing], float]]] = [
    ("standing_seconds", "How long the last ranking took.", lambda found: found.seconds),
    ("standing_events", "Events it is as of.", lambda found: found.progress.counts.seq),
]


async def metrics(request: Request) -> Response:
    """Numbers of this process, and of the campaigns that are open in it and the key may see."""
    context, state, key = context_of(request), request.app.state, key_of(request)
    seen = [one for one in context.opened() if key.campaign in (None, one.id)]
    page = Page()
    _add_process(page, state.metrics, len(state.streams))
    failures = 0 if context.database.commits is None else context.database.commits.failures
    page.add("hodgerank_commit_failures_total", "counter", COMMIT_FAILURES, [({}, failures)])
    _add_campaigns(page, {one.id: await read(one, _tally) for one in seen})
    standings = {one.id: state.standings.latest(one.id) for one in seen}
    _add_standings(page, {id: found for id, found in standings.items() if found is not None})
    return Response(page.text(), media_type=KIND)


def _tally(state: CampaignSnapshot, now: float) -> Tally:
    tasks = state.tasks
    return Tally(
        counts(state),
        n_leases=len(tasks.row_of),
        n_answers=len(tasks.answers),
        n_skips=tasks.status.count(Status.SKIPPED),
        n_undos=tasks.status.count(Status.UNDONE),
        n_expired=tasks.status.count(Status.EXPIRED),
    )


def _add_process(page: Page, metrics: Metrics, n_streams: int) -> None:
    page.add("hodgerank_info", "gauge", "The version.", [({"version": __version__}, 1)])
    page.add("process_start_time_seconds", "gauge", "Since 1970.", [({}, metrics.began_at)])
    if MEMORY.exists():
        pages = int(MEMORY.read_text().split()[1])
        n_bytes = pages * os.sysconf("SC_PAGE_SIZE")
        page.add("process_resident_memory_bytes", "gauge", "In memory.", [({}, n_bytes)])
    page.add(
        "hodgerank_requests_total",
        "counter",
        "Requests answered, by row of the table of routes; the row is empty where none fits.",
        [
            ({"method": route.method, "route": route.path, "status": str(status)}, n)
            for (route, status), n in list(metrics.requests.items())
        ],
    )
    page.add_histograms(
        "hodgerank_request_seconds",
        "How long answers took; streams are left out.",
        [
            ({"method": route.method, "route": route.path}, histogram)
            for route, histogram in list(metrics.seconds.items())
        ],
    )
    page.add("hodgerank_streams_open", "gauge", "Streams of events.", [({}, n_streams)])
    page.add_histograms(
        "hodgerank_loop_lag_seconds", "By how much the event loop is late.", [({}, metrics.lag)]
    )


def _add_campaigns(page: Page, tallies: Mapping[str, Tally]) -> None:
    for name, kind, meaning, number in CAMPAIGN:
        samples = [({"campaign": id}, number(tally)) for id, tally in tallies.items()]
        page.add(f"hodgerank_{name}", kind, meaning, samples)
    page.add(
        "hodgerank_rule_answers",
        "gauge",
        "Answers that a rule of attention knew about, by what it said.",
        [
            ({"campaign": id, "rule": rate.rule, "verdict": verdict}, n)
            for id, tally in tallies.items()
            for rate in tally.counts.rules
            for verdict, n in (("passed", rate.n_passed), ("failed", rate.n_failed))
        ],
    )


def _add_standings(page: Page, standings: Mapping[str, Standing]) -> None:
    for name, meaning, number in STANDING:
        samples = [({"campaign": id}, number(found)) for id, found in standings.items()]
        page.add(f"hodgerank_{name}", "gauge", meaning, samples)
