"""SecurityMiddleware: checks of every request before routing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hodgerank.server.context import ServerContext
from hodgerank.server.error_responses import answer_problem
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import MEDIA_ORIGINS

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MOST_BODY_BYTES = 1 << 20
UPLOADS = re.compile(r"/new|/c/|/api/v1/media$|/api/v1/campaigns/[^/]+/votes$")
"""Paths where bodies may be as large as an upload."""


class SecurityMiddleware:
    """Checks origin and size of requests, and adds security headers to responses."""

    def __init__(self, app: ASGIApp, context: ServerContext) -> None:
        self._app, self._rules, self._limits = app, context.rules, context.limits
        self._public_name = urlsplit(context.rules.public_url or "").hostname

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most_bytes(scope)
        n_bytes, is_answered = 0, False

        async def receive_bounded() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > most:  # frameworks let this kind of error through while they read
                raise HTTPException(413, f"The request is larger than {most:,} bytes.")
            return message

        async def send_shielded(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                is_answered = True
                _add_headers(MutableHeaders(scope=message), scope)
            await send(message)

        try:
            self._require_allowed(scope, most)
            await self._app(scope, receive_bounded, send_shielded)
        except Exception as error:
            response = await answer_problem(Request(scope, receive), error)
            if not is_answered:
                await response(scope, receive, send_shielded)

    def _most_bytes(self, scope: Scope) -> int:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return self._rules.most_upload_bytes if UPLOADS.match(path) else MOST_BODY_BYTES

    def _require_allowed(self, scope: Scope, most: int) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_host(host):
            raise Problem(421, "Unknown host name: start the server with --public-url.")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise Problem(413, f"The request is larger than {most:,} bytes.")
        if scope["method"] not in SAFE_METHODS and not _is_of_program(scope, headers):
            _require_same_origin(headers, f"{scope['scheme']}://{host}")
        self._limits.require(scope)

    def _is_own_host(self, host: str) -> bool:
        """Return whether a host is trusted: IP addresses are, names of others are not."""
        name = _hostname(host)
        return name in ("localhost", self._public_name) or _is_address(name)


def _is_of_program(scope: Scope, headers: Headers) -> bool:
    """Return whether the request cannot come from a browser session."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    has_token = bool(headers.get("authorization", "").strip())
    return has_token or (path.startswith("/api/") and "cookie" not in headers)


def _require_same_origin(headers: Headers, origin: str) -> None:
    """Refuse requests that other sites make in the name of a signed-in user."""
    site, given = headers.get("sec-fetch-site"), headers.get("origin")
    is_same = site == "same-origin" if site is not None else given == origin
    if given is not None and given != origin:
        is_same = False
    if given == origin.replace("http://", "https://", 1) != origin:
        raise Problem(
            403,
            "Rejected: the request came over TLS through a proxy that is not trusted. Start the "
            "server with --behind-proxy, or with --proxy and the address of the proxy.",
        )
    if not is_same:
        raise Problem(403, "Rejected: the request came from another site.")


def _content_security_policy(origins: Iterable[str] = ()) -> str:
    """Return the content security policy of a page: its own files, and media of these origins."""
    media = " ".join(["'self'", *origins])
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        f"img-src {media} data:; media-src {media}; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


def _add_headers(headers: MutableHeaders, scope: Scope) -> None:
    policy = _content_security_policy(scope.get(MEDIA_ORIGINS, ()))
    headers.setdefault("Content-Security-Policy", policy)
    headers.setdefault("Cache-Control", "no-store")
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"  # without it browsers hide where a form is from
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=()"
    if scope["scheme"] == "https":
        headers["Strict-Transport-Security"] = "max-age=31536000"


@lru_cache(maxsize=1000)
def _hostname(host: str) -> str:
    try:
        place = urlsplit(f"//{host}")
        _ = place.port  # which raises where it is no number
        return place.hostname or ""
    except ValueError:
        return ""


@lru_cache(maxsize=1000)
def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
