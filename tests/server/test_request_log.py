"""Lines of the log: readable, one each, and without secrets."""

from __future__ import annotations

import logging
import secrets
import sys

import pytest

from hodgerank.server.metrics import NO_ROUTE, RouteKey
from hodgerank.server.request_log import QUIET, OneLine, log_request, logger
from hodgerank.server.routes import ROUTES

JOIN = RouteKey("POST", "/j/{campaign}/{entrance}")
ANSWER = RouteKey("POST", "/w/{campaign}/answer")


def line(message: str, error: bool = False) -> str:
    record = logging.LogRecord("x", logging.INFO, "", 0, message, (), None)
    if error:
        record.exc_info = sys.exc_info()
    return OneLine().format(record)


@pytest.fixture
def told(caplog, monkeypatch):
    """What is told of a request, and at which level."""
    monkeypatch.setattr(logger, "propagate", True)
    caplog.set_level(logging.DEBUG, "hodgerank.server")

    def tell(route, status, seconds=0.01, method="POST", path="/", campaign="cats", **more):
        caplog.clear()
        scope = {
            "type": "http", "method": method, "path": path, "client": ("203.0.113.9", 1),
            "path_params": {"campaign": campaign, "entrance": "sesame"}, **more,
        }  # fmt: skip
        log_request(scope, route, status, seconds)
        [record] = caplog.records
        return record.levelname.lower(), record.getMessage()

    return tell


def test_what_others_wrote_stays_within_its_line_and_does_not_act():
    said = line("no such page /a\n2026-01-01 00:00:00 info    the owner left\x1b[2J\u202e")
    assert "\n" not in said
    assert "\\n2026" in said
    assert "\\x1b[2J\\u202e" in said


def test_a_token_is_not_told_wherever_it_stands():
    token = secrets.token_urlsafe(32)
    for message in (token, f"/enter%23{token}", f"Bearer {token}", f"{token}.{token}"):
        assert token[:20] not in line(message)


def test_a_long_line_is_cut():
    assert len(line("ab " * 1000)) < 700


def test_a_failure_is_told_with_its_place_in_the_code():
    try:
        raise ValueError("a\x1b[2J")
    except ValueError:
        said = line("a request failed", error=True)
    first, *below = said.split("\n")
    assert first.endswith("a request failed")
    assert all(one.startswith("    ") for one in below)
    assert below[-1].endswith("ValueError: a\\x1b[2J")


def test_a_request_is_told_by_campaign_but_without_entrances_and_names(told):
    level, words = told(JOIN, 303, path="/j/cats/sesame?PROLIFIC_PID=ann")
    assert (level, words) == ("info", "303 POST /j/cats/... 10 ms")


def test_refusals_say_whom_and_why(told):
    level, words = told(JOIN, 403, **{"hodgerank.problem": "This link has been used."})
    assert level == "info"
    assert words == "403 POST /j/cats/... 10 ms from 203.0.113.9: This link has been used."
    assert told(NO_ROUTE, 404, path="/nothing")[1] == "404 POST /nothing 10 ms"


def test_what_comes_with_every_answer_is_told_only_where_it_is_slow_or_fails(told):
    assert told(ANSWER, 200)[0] == "debug"
    assert told(ANSWER, 200, 0.3) == ("warning", "slow: 200 POST /w/cats/answer 300 ms")
    assert told(ANSWER, 409)[0] == "info"
    assert told(ANSWER, 503) == ("warning", "503 POST /w/cats/answer 10 ms")


def test_a_stream_has_no_duration(told):
    assert told(RouteKey("GET", "/c/{campaign}/stream"), 200, None)[1].endswith("a stream")


@pytest.mark.parametrize("prefix", QUIET)
def test_what_is_quiet_is_there(prefix):
    assert any(route.path.startswith(prefix) for route in ROUTES)
