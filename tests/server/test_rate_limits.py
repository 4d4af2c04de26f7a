from __future__ import annotations

import pytest

from hodgerank.server.problem import Problem
from hodgerank.server.rate_limits import MOST_VISITORS, Limit, RateLimits


def scope(path="/enter", client="10.0.0.1", method="POST"):
    return {"method": method, "path": path, "client": (client, 1), "root_path": ""}


def test_who_tries_too_often_waits():
    now = [0.0]
    limits = RateLimits(lambda: now[0])
    for _ in range(10):
        limits.require(scope())
    with pytest.raises(Problem) as refused:
        limits.require(scope())
    assert refused.value.status == 429
    assert refused.value.headers["Retry-After"] == "5"
    now[0] += 5.1
    limits.require(scope())


def test_others_do_not_wait_for_it():
    limits = RateLimits(lambda: 0.0)
    for _ in range(10):
        limits.require(scope())
    limits.require(scope(client="10.0.0.2"))
    limits.require(scope(path="/j/cups"))


def test_addresses_of_one_ipv6_network_are_one_visitor():
    limits = RateLimits(lambda: 0.0)
    for k in range(10):
        limits.require(scope(client=f"2001:db8::{k:x}"))
    with pytest.raises(Problem):
        limits.require(scope(client="2001:db8::ffff"))
    limits.require(scope(client="2001:db8:0:1::1"))


def test_a_class_of_two_hundred_joins_at_once():
    limits = RateLimits(lambda: 0.0)
    for _ in range(200):
        limits.require(scope(path="/j/cups"))


def test_looking_is_not_limited():
    limits = RateLimits(lambda: 0.0)
    for _ in range(1000):
        limits.require(scope(method="GET"))


def test_visitors_without_end_take_no_memory_without_end():
    limits = RateLimits(lambda: 0.0)
    for number in range(MOST_VISITORS + 10):
        limits.take(scope(client=str(number)), "enter", Limit(10, 1))
    assert len(limits._left) == MOST_VISITORS
