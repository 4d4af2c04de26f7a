"""Access control by the table of routes, checked before anything else."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.server.context import context_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url

Who: TypeAlias = frozenset[str]

ANYONE: Final[Who] = frozenset()
OWNER: Final[Who] = frozenset({"owner"})
WORKER: Final[Who] = frozenset({"worker"})
JUDGE: Final[Who] = frozenset({"owner", "judge"})
READER: Final[Who] = frozenset({"owner", "reader"})
PROGRAM: Final[Who] = frozenset({"owner", "judge", "reader"})
SIGNED_IN: Final[Who] = frozenset({"owner", "judge", "reader", "worker"})

FOR_PROGRAMS = ("/api/", "/media/", "/metrics")
"""Prefix at which tokens are accepted; pages need the session of a browser."""
OWNER_SECONDS = 7 * 86_400
WORKER_SECONDS = 30 * 86_400
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def guard(who: Who) -> Callable[[Request], Awaitable[None]]:
    """Return a dependency that checks access, and remembers the key."""

    async def check(request: Request) -> None:
        if who:
            request.state.key = await _key(request, who)

    return check


def key_of(request: Request) -> AccessKey:
    """Return the key of a request, on routes that need one."""
    key: AccessKey = request.state.key
    return key


async def _key(request: Request, who: Who) -> AccessKey:
    context, campaign = context_of(request), request.path_params.get("campaign")
    is_known = False
    for kind, token in _tokens(request, who):
        key = await context.keys.find(token)
        if key is None or key.kind != kind:
            continue
        is_known = True
        if key.role in who and (campaign is None or key.campaign in (None, campaign)):
            return key
        if key.role in who:
            raise Problem(404, "")  # a key of one campaign must not learn whether another exists
    if is_known:
        raise Problem(403, f"this requires the role {' or '.join(sorted(who))}")
    context.limits.take(request.scope, "unknown")
    raise Problem(
        401,
        "Open the link that `hodgerank serve` printed when it started."
        if "owner" in who
        else "Open the link that you were given.",
        headers={"WWW-Authenticate": "Bearer"},
        go_to=url(request, "j", campaign) if campaign and who == WORKER else None,
    )


def _tokens(request: Request, who: Who) -> Iterator[tuple[str, str]]:
    """Return the token of a program, or the cookie of a browser."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        if scheme.lower() == "bearer" and path.startswith(FOR_PROGRAMS):
            yield "token", token.strip()
        return
    campaign = request.path_params.get("campaign")
    names = [_cookie(request, campaign)] if "worker" in who and campaign else []
    for name in [*names, _cookie(request)]:
        if token := request.cookies.get(name, ""):
            yield "session", token


def keep(request: Request, response: Response, token: str, campaign: str | None = None) -> None:
    """Set the cookie of an owner, or of a worker in a campaign."""
    response.set_cookie(
        _cookie(request, campaign),
        token,
        max_age=OWNER_SECONDS if campaign is None else WORKER_SECONDS,
        secure=_is_secure(request),
        httponly=True,
        # Workers come from other places: the link in a mail or of a panel finds who they were.
        samesite="strict" if campaign is None else "lax",
    )


def drop(request: Request, response: Response, campaign: str | None = None) -> None:
    """Delete the cookie."""
    name = _cookie(request, campaign)
    response.delete_cookie(name, secure=_is_secure(request), httponly=True)


def token_in_browser(request: Request, campaign: str | None = None) -> str | None:
    """Return the cookie, if any, without checking it."""
    return request.cookies.get(_cookie(request, campaign))


def _cookie(request: Request, campaign: str | None = None) -> str:
    """Return the prefix __Host-, which binds a cookie to this host and to TLS."""
    prefix = "__Host-" if _is_secure(request) else ""
    return prefix + _cookie_name(request.headers.get("host", ""), campaign)


@lru_cache(maxsize=1000)
def _cookie_name(host: str, campaign: str | None) -> str:
    """Return the port as suffix, since several local servers share a host name."""
    place = urlsplit(f"//{host}")
    port = f"-{place.port}" if place.hostname in _LOOPBACK and place.port else ""
    if campaign is None:
        return f"hodgerank{port}"
    return f"hodgerank{port}-{hashlib.sha256(campaign.encode()).hexdigest()[:12]}"


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")
