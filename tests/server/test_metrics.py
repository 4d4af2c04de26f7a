"""Numbers of the server: counted right, told as Prometheus reads them, and not to everybody."""

from __future__ import annotations

import asyncio
import re
import time

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.metrics import BOUNDS, Histogram, Metrics, RouteKey
from hodgerank.server.request_log import RequestMeter

ORIGIN = "http://localhost:8000"
SAMPLE = re.compile(
    r'[a-z_]+(\{[a-z]+="(\\.|[^"\\\n])*"(,[a-z]+="(\\.|[^"\\\n])*")*\})? [0-9.e+-]+'
)


@pytest.fixture
def context(tmp_path):
    return ServerContext(ServerConfig(str(tmp_path / "campaigns.db")))


@pytest.fixture
def client(context):
    """A visitor with two campaigns, one of which has a nasty name."""
    for id in ("cats", 'dogs"} 1\\'):
        Campaign.create(context.database, ["a", "b", "c"], question="Which?", id=id)
    with TestClient(create_app(context), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        for id in ("cats", 'dogs"} 1\\'):
            client.portal.call(context.campaign, id)
        yield client


def bearer(context, role, campaign=None):
    token = context.keys.issue("token", role, "prometheus", campaign=campaign)
    return {"Authorization": f"Bearer {token}"}


def number(text: str, name: str) -> float:
    [found] = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(found.split()[-1])


def test_only_owners_and_readers_see_them(client, context):
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers=bearer(context, "judge")).status_code == 403
    for role in ("owner", "reader"):
        answer = client.get("/metrics", headers=bearer(context, role))
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")


def test_who_may_read_one_campaign_sees_nothing_of_others(client, context):
    text = client.get("/metrics", headers=bearer(context, "reader", "cats")).text
    assert 'campaign="cats"' in text
    assert "dogs" not in text


def test_every_line_is_what_prometheus_reads(client, context):
    client.get("/healthz")
    text = client.get("/metrics", headers=bearer(context, "reader")).text
    assert text.endswith("\n")
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or SAMPLE.fullmatch(line), line
    assert r'campaign="dogs\"} 1\\"' in text


def test_prometheus_reads_what_is_written(client, context):
    client.get("/healthz")
    text = client.get("/metrics", headers=bearer(context, "reader")).text
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["hodgerank_requests"].type == "counter"
    [took] = [
        sample.value
        for sample in families["hodgerank_request_seconds"].samples
        if sample.name.endswith("_bucket")
        and (sample.labels["route"], sample.labels["le"]) == ("/healthz", "+Inf")
    ]
    assert took == 1
    campaigns = {sample.labels["campaign"] for sample in families["hodgerank_items"].samples}
    assert campaigns == {"cats", 'dogs"} 1\\'}


def test_requests_are_counted_by_route_and_status_and_not_by_address(client, context):
    for name in ("a", "b", "style.css"):
        client.get(f"/static/{name}")
    client.get("/no/such/page")
    client.request("BREW", "/healthz")
    text = client.get("/metrics", headers=bearer(context, "reader")).text
    route = 'method="GET",route="/static/{name}"'
    assert number(text, f'hodgerank_requests_total{{{route},status="404"}}') == 2
    assert number(text, f'hodgerank_requests_total{{{route},status="200"}}') == 1
    assert number(text, f"hodgerank_request_seconds_count{{{route}}}") == 3
    assert number(text, 'hodgerank_requests_total{method="",route="",status="404"}') == 1
    assert "BREW" not in text
    assert "no/such" not in text


def test_what_workers_do_is_counted_from_the_log(client, context):
    campaign = client.portal.call(context.campaign, "cats")
    first, second = campaign.lease("ann", 2)
    campaign.answer(first, 1, seconds=0.1)
    campaign.undo("ann")
    campaign.skip(second)
    text = client.get("/metrics", headers=bearer(context, "reader", "cats")).text
    found = {
        name: number(text, f'hodgerank_{name}{{campaign="cats"}}')
        for name in ("leases_total", "answers_total", "skips_total", "undos_total", "tasks_out")
    }
    assert found == {
        "leases_total": 3, "answers_total": 1, "skips_total": 1, "undos_total": 1, "tasks_out": 1
    }  # fmt: skip
    assert number(text, "hodgerank_commit_failures_total") == 0


def test_rules_say_how_often_they_fail_answers(client, context):
    campaign = client.portal.call(context.campaign, "cats")
    campaign.answer(campaign.lease("ann")[0], 1, seconds=0.1)
    text = client.get("/metrics", headers=bearer(context, "reader")).text
    labels = 'campaign="cats",rule="too_fast",verdict="failed"'
    assert number(text, f"hodgerank_rule_answers{{{labels}}}") == 1


def test_intervals_of_a_histogram_add_up():
    histogram = Histogram()
    for seconds in (0.0, BOUNDS[0], 0.0011, 4.9, 6.0):
        histogram.add(seconds)
    buckets = dict(histogram.buckets)
    assert list(buckets) == [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
    assert (buckets["0.001"], buckets["0.0025"], buckets["5"], buckets["+Inf"]) == (2, 3, 4, 5)
    assert histogram.sum == pytest.approx(10.9021)


def test_nothing_is_registered_for_the_whole_process(client, context):
    before = generate_latest()
    text = client.get("/metrics", headers=bearer(context, "reader")).text
    assert "hodgerank" not in (before + generate_latest()).decode()
    assert "python_info" not in text
    assert "_created" not in text


def test_a_late_event_loop_is_noticed():
    metrics = Metrics()

    async def block() -> None:
        watching = asyncio.create_task(metrics.watch_loop())
        await asyncio.sleep(0.45)
        time.sleep(0.3)  # what nothing in the server may do
        await asyncio.sleep(0.1)
        watching.cancel()

    asyncio.run(block())
    assert metrics.lag.sum > 0.1


def test_counting_costs_microseconds():
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        pass

    async def ask(answer, n):
        begin = time.perf_counter()
        for _ in range(n):
            await answer({"type": "http", "method": "POST", "path": "/"}, None, send)
        return (time.perf_counter() - begin) / n

    meter = RequestMeter(app, Metrics())
    costs = [asyncio.run(ask(meter, 2000)) - asyncio.run(ask(app, 2000)) for _ in range(5)]
    assert min(costs) < 50e-6


def test_a_request_that_breaks_is_counted_as_a_failure():
    metrics = Metrics()

    async def app(scope, receive, send):
        raise RuntimeError

    scope = {"type": "http", "method": "GET", "path": "/"}
    with pytest.raises(RuntimeError):
        asyncio.run(RequestMeter(app, metrics)(scope, None, None))
    assert metrics.requests == {(RouteKey("", ""), 500): 1}
