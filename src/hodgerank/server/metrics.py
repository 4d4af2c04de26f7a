"""Metrics: counts and durations of requests."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from time import perf_counter, time
from typing import NamedTuple, TypeVar

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from hodgerank import __version__
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.summaries import Counts, counts
from hodgerank.campaign.tasks import Status
from hodgerank.server.auth import key_of
from hodgerank.server.context import ServerContext, context_of, read
from hodgerank.server.standings import Standing

T = TypeVar("T")

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
    """How many durations fell into which interval, and their sum.

    Counted in the event loop only, it needs no lock: that of prometheus_client takes ten times as
    long for every request.
    """

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    @property
    def buckets(self) -> list[tuple[str, float]]:
        """The end of each interval, and how many durations were not longer."""
        ends = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
        return list(zip(ends, accumulate(self.counts), strict=True))


class Metrics:
    """Counters of this process since its start.

    Attributes
    ----------
    requests
        By route and status.
    seconds
        How long answers took, by route; streams go on for as long as somebody looks, and are left
        out.
    lag
        Delay of the event loop.
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


MEMORY = Path("/proc/self/statm")


class Tally(NamedTuple):
    """Counts of one campaign, taken from its log: a restart does not reset them."""

    counts: Counts
    n_leases: int
    n_answers: int
    n_skips: int
    n_undos: int
    n_expired: int


COUNTERS: list[tuple[str, str, Callable[[Tally], float]]] = [
    ("leases_total", "Tasks assigned.", lambda tally: tally.n_leases),
    ("answers_total", "Answers given, including undone ones.", lambda tally: tally.n_answers),
    ("skips_total", "Tasks skipped.", lambda tally: tally.n_skips),
    ("undos_total", "Answers undone.", lambda tally: tally.n_undos),
]
GAUGES: list[tuple[str, str, Callable[[Tally], float]]] = [
    ("tasks_expired", "Tasks that expired without an answer.", lambda tally: tally.n_expired),
    ("tasks_out", "Tasks in progress.", lambda tally: tally.counts.n_out),
    ("answers_counted", "Votes that count.", lambda tally: tally.counts.n_votes),
    ("items", "Items, including retired ones.", lambda tally: tally.counts.n_items),
    ("workers", "Workers.", lambda tally: tally.counts.n_workers),
    ("workers_banned", "Banned workers.", lambda tally: tally.counts.n_banned),
    ("log_events", "Events in the log.", lambda tally: tally.counts.seq),
]
STANDING: list[tuple[str, str, Callable[[Standing], float]]] = [
    ("standing_seconds", "Duration of the last ranking.", lambda found: found.seconds),
    (
        "standing_events",
        "Events covered by the last ranking.",
        lambda found: found.progress.counts.seq,
    ),
]


async def metrics(request: Request) -> Response:
    """Numbers of this process, and of the campaigns that are open in it and the key may see."""
    context, state, key = context_of(request), request.app.state, key_of(request)
    seen = [one for one in context.opened() if key.campaign in (None, one.id)]
    registry = CollectorRegistry()
    registry.register(ProcessNumbers(state.metrics, context, len(state.streams)))
    registry.register(
        CampaignNumbers(
            {one.id: await read(one, _tally) for one in seen},
            {
                one.id: found
                for one in seen
                if (found := state.standings.latest(one.id)) is not None
            },
        )
    )
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)


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


class ProcessNumbers(Collector):
    """Metrics of this process: version, memory, requests, streams and delays."""

    def __init__(self, metrics: Metrics, context: ServerContext, n_streams: int) -> None:
        self._metrics, self._n_streams = metrics, n_streams
        commits = context.database.commits
        self._n_failures = 0 if commits is None else commits.failures.total()

    def collect(self) -> Iterator[Metric]:
        """Families of numbers."""
        version = GaugeMetricFamily("hodgerank_info", "Version of hodgerank.", labels=["version"])
        version.add_metric([__version__], 1)
        yield version
        began_at = self._metrics.began_at
        yield GaugeMetricFamily(
            "process_start_time_seconds", "Start time in seconds since 1970.", began_at
        )
        if MEMORY.exists():
            n_bytes = int(MEMORY.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            yield GaugeMetricFamily("process_resident_memory_bytes", "Resident memory.", n_bytes)
        yield from self._requests()
        yield GaugeMetricFamily("hodgerank_streams_open", "Open event streams.", self._n_streams)
        lag = self._metrics.lag
        yield HistogramMetricFamily(
            "hodgerank_loop_lag_seconds",
            "Delay of the event loop.",
            buckets=lag.buckets,
            sum_value=lag.sum,
        )
        yield CounterMetricFamily(
            "hodgerank_commit_failures_total",
            "Failed transactions; none of their writes were acknowledged.",
            self._n_failures,
        )

    def _requests(self) -> Iterator[Metric]:
        requests = CounterMetricFamily(
            "hodgerank_requests_total",
            "Requests by route and status; the route is empty if none matches.",
            labels=["method", "route", "status"],
        )
        for (route, status), n in self._metrics.requests.items():
            requests.add_metric([*route, str(status)], n)
        yield requests
        seconds = HistogramMetricFamily(
            "hodgerank_request_seconds",
            "Duration of requests, without streams.",
            labels=["method", "route"],
        )
        for route, histogram in self._metrics.seconds.items():
            seconds.add_metric(route, histogram.buckets, histogram.sum)
        yield seconds


class CampaignNumbers(Collector):
    """Metrics of campaigns, labelled with their ids."""

    def __init__(self, tallies: Mapping[str, Tally], standings: Mapping[str, Standing]) -> None:
        self._tallies, self._standings = tallies, standings

    def collect(self) -> Iterator[Metric]:
        """Families of numbers."""
        for name, meaning, number in COUNTERS:
            yield _family(CounterMetricFamily, name, meaning, number, self._tallies)
        for name, meaning, number in GAUGES:
            yield _family(GaugeMetricFamily, name, meaning, number, self._tallies)
        yield self._rules()
        for name, meaning, age in STANDING:
            yield _family(GaugeMetricFamily, name, meaning, age, self._standings)

    def _rules(self) -> Metric:
        rules = GaugeMetricFamily(
            "hodgerank_rule_answers",
            "Answers checked by an attention check, by result.",
            labels=["campaign", "rule", "verdict"],
        )
        for id, tally in self._tallies.items():
            for rate in tally.counts.rules:
                rules.add_metric([id, rate.rule, "passed"], rate.n_passed)
                rules.add_metric([id, rate.rule, "failed"], rate.n_failed)
        return rules


def _family(
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    meaning: str,
    number: Callable[[T], float],
    campaigns: Mapping[str, T],
) -> Metric:
    """One number of each campaign."""
    family = kind(f"hodgerank_{name}", meaning, labels=["campaign"])
    for id, found in campaigns.items():
        family.add_metric([id], number(found))
    return family
