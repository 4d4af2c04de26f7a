"""Who may use a route. The table of routes says it, and it is checked before anything else runs."""

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
"""Where tokens open anything. Pages are for people, whose sessions are for all campaigns."""
OWNER_SECONDS = 7 * 86_400
WORKER_SECONDS = 30 * 86_400
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def guard(who: Who) -> Callable[[Request], Awaitable[None]]:
    """A dependency that refuses all others, and remembers whose key it was."""

    async def check(request: Request) -> None:
        if who:
            request.state.key = await _key(request, who)

    return check


def key_of(request: Request) -> AccessKey:
    """Whose request this is, on routes that are not for anyone."""
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
            raise Problem(404, "")  # whether another campaign exists is not for this key to know
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
    """What the request shows: a token of a program, or else what the browser keeps."""
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
    """Let the browser keep a token: the owner's, or that of a worker in a campaign."""
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
    """Let the browser forget it."""
    name = _cookie(request, campaign)
    response.delete_cookie(name, secure=_is_secure(request), httponly=True)


def token_in_browser(request: Request, campaign: str | None = None) -> str | None:
    """What the browser keeps, if anything: still to be looked up."""
    return request.cookies.get(_cookie(request, campaign))


def _cookie(request: Request, campaign: str | None = None) -> str:
    """Browsers bind names that begin with __Host- to this very host, and to TLS."""
    prefix = "__Host-" if _is_secure(request) else ""
    return prefix + _cookie_name(request.headers.get("host", ""), campaign)


@lru_cache(maxsize=1000)
def _cookie_name(host: str, campaign: str | None) -> str:
    """On one's own machine several servers share a name, and differ by their ports."""
    place = urlsplit(f"//{host}")
    port = f"-{place.port}" if place.hostname in _LOOPBACK and place.port else ""
    if campaign is None:
        return f"hodgerank{port}"
    return f"hodgerank{port}-{hashlib.sha256(campaign.encode()).hexdigest()[:12]}"


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")
