"""Request log: one line per request, without tokens.

Control characters in addresses and names are escaped.
"""

from __future__ import annotations

import logging
import re
import sys
from time import perf_counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hodgerank.display import cut, visible
from hodgerank.server.metrics import NO_ROUTE, Metrics, RouteKey
from hodgerank.server.open_streams import is_stream

logger = logging.getLogger("hodgerank.server")

LEVELS: Final = ("debug", "info", "warning", "error")
LONGEST_LINE = 600
SLOW_SECONDS = 0.25
"""Workers notice it, where they wait for the next pair."""
SECRET = re.compile(r"[\w-]{40,}")
"""As long as a token is, and nothing to read."""
HOT = ("/w/{campaign}/", "/api/v1/tasks/", "/api/v1/campaigns/{campaign}/tasks")
"""With every answer of every worker."""
QUIET = (*HOT, "/static/", "/media/", "/healthz", "/metrics")
"""Written down only where it goes wrong, or everything is."""
REFUSED = (401, 403, 421, 429)


def begin_logging(level: str) -> None:
    """Log messages of the server on standard error, from this level on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level.upper())
    below = logging.getLogger("uvicorn.error")
    below.handlers, below.propagate = [handler], False
    below.setLevel(logging.WARNING)  # of its start and end we speak ourselves
    below.addFilter(_is_news)


class OneLine(logging.Formatter):
    """Format time, level and message; tracebacks follow, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as text."""
        when = self.formatTime(record, "%Y-%m-%d %H:%M:%S")
        line = f"{when} {record.levelname.lower():7} {_plain(record.getMessage())}"
        if record.exc_info and record.exc_info[0] is not None:
            below = self.formatException(record.exc_info).split("\n")
            line = "\n    ".join([line, *map(_plain, below)])
        return line


def log_request(scope: Scope, route: RouteKey, status: int, seconds: float | None) -> None:
    """Return one line for a request, if it is of interest at this level."""
    level = _level(route, status, seconds)
    if not logger.isEnabledFor(level):
        return
    took = "a stream" if seconds is None else f"{1000 * seconds:.0f} ms"
    words = f"{status} {scope['method']} {_address(scope, route)} {took}"
    if status in REFUSED:
        words += f" from {(scope.get('client') or ('nobody',))[0]}"
    if problem := scope.get("hodgerank.problem"):
        words += f": {problem}"
    if level == logging.WARNING and status < 500:
        words = f"slow: {words}"
    logger.log(level, "%s", words)


def _level(route: RouteKey, status: int, seconds: float | None) -> int:
    is_slow = seconds is not None and seconds > SLOW_SECONDS and route.path.startswith(HOT)
    if status >= 500 or is_slow:
        return logging.WARNING
    return logging.DEBUG if route.path.startswith(QUIET) and status < 400 else logging.INFO


def _address(scope: Scope, route: RouteKey) -> str:
    """Return the campaign of an address, without secrets such as entrances, names and task ids."""
    if not route.path:
        return str(scope["path"])
    campaign = scope.get("path_params", {}).get("campaign", "")
    return re.sub(r"\{[^}]*\}", "...", route.path.replace("{campaign}", str(campaign)))


def _plain(text: str) -> str:
    return cut(visible(SECRET.sub("...", text)), LONGEST_LINE)


def _is_news(record: logging.LogRecord) -> bool:
    """Drop records of failures that are already logged."""
    return not str(record.msg).startswith("Exception in ASGI application")


class RequestMeter:
    """Logs every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, is_endless, begin = 500, False, perf_counter()

        async def send_seen(message: Message) -> None:
            nonlocal status, is_endless
            if message["type"] == "http.response.start":
                status, is_endless = message["status"], is_stream(scope, message)
            await send(message)

        try:
            await self._app(scope, receive, send_seen)
        finally:
            seconds = perf_counter() - begin
            route = _route(scope)
            self._metrics.note(route, status, None if is_endless else seconds)
            log_request(scope, route, status, None if is_endless else seconds)


def _route(scope: Scope) -> RouteKey:
    """Return the route of a request; empty if none matches."""
    found = scope.get("route")
    if found is None:
        return NO_ROUTE
    method = scope["method"]
    return RouteKey(method if method in found.methods else "", found.path)
