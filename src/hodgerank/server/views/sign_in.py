"""Signing in with the owner's one-time link, and signing out."""

from __future__ import annotations

from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.server.auth import OWNER_SECONDS, drop, keep, key_of
from hodgerank.server.context import context_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.views.layout import go_back


class Entry(BaseModel):
    """Token after the # of a link, a part of the address that browsers do not send."""

    token: str = Field(max_length=200)


async def enter_page(request: Request) -> Response:
    """The page that the link leads to; its script sends the token."""
    return render(request, "enter.html")


async def enter(request: Request, entry: Entry) -> Response:
    """A session for whoever is first."""
    keys = context_of(request).keys
    link = await run_in_threadpool(keys.redeem, entry.token)
    if link is None:
        raise Problem(
            403,
            "This link has been used or has expired. Restart the server to get a new one.",
        )
    token = await run_in_threadpool(
        keys.issue, "session", "owner", link.holder, seconds=OWNER_SECONDS
    )
    response = JSONResponse({"go_to": url(request, "")})
    keep(request, response, token)
    return response


async def sign_out(request: Request) -> Response:
    """The session ends."""
    key = key_of(request)
    await run_in_threadpool(context_of(request).keys.revoke, digest=key.digest)
    response = JSONResponse({"go_to": url(request, "enter")})
    drop(request, response)
    return response


async def sign_out_others(request: Request) -> Response:
    """All other sessions of owners end, and links that nobody used sign nobody in."""
    keys = context_of(request).keys
    await run_in_threadpool(keys.sign_out_owners, but=key_of(request).digest)
    return go_back(request, "", done="others")
