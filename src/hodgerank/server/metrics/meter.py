"""Meter: looks at every request from outside, counts it and writes it down."""

from __future__ import annotations

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hodgerank.server.logs import log_request
from hodgerank.server.metrics.counting import NO_ROUTE, Metrics, RouteKey
from hodgerank.server.running.streams import is_stream


class Meter:
    """Goes around everything else that answers."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
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
    """The row of the table; what nobody has a row for could be called anything."""
    found = scope.get("route")
    if found is None:
        return NO_ROUTE
    method = scope["method"]
    return RouteKey(method if method in found.methods else "", found.path)
