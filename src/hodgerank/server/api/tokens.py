"""Tokens over HTTP: who else may use the API, made and taken away by the owner."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.items import require_name
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.notebook import short
from hodgerank.server.access import key_of
from hodgerank.server.api.describing import operation
from hodgerank.server.api.values import Body, Name, example
from hodgerank.server.house import house_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url

SHORTEST_DAYS, LONGEST_DAYS = 0.001, 36_500
EXAMPLE = {"id": "9f86d081884c7d65", "role": "judge", "name": "gpt", "campaign": "animals"}

TokenId = Annotated[
    str, Path(min_length=1, max_length=64, description="As listed.", examples=[EXAMPLE["id"]])
]


class NewToken(Body):
    """What a token is to be good for."""

    model_config = example(role="judge", name="gpt", campaign="animals", days=30)

    role: Literal["owner", "judge", "reader"]
    name: Name = Field(description="Who has it; a judge answers under this name.")
    campaign: Name | None = Field(None, description="The only one it is for; else it is for all.")
    days: float | None = Field(
        None, ge=SHORTEST_DAYS, le=LONGEST_DAYS, description="How long; for ever if it is left out."
    )


class TokenFound(Body):
    """What a token is good for; the token itself is not kept."""

    id: str = Field(examples=[EXAMPLE["id"]])
    role: str
    name: str
    campaign: str | None
    created: float = Field(description="Seconds since 1970.")
    expires: float | None = Field(description="Seconds since 1970; null is never.")


class TokensFound(Body):
    """All tokens that are not over, oldest first."""

    tokens: list[TokenFound]


class TokenMade(TokenFound):
    """A new token, which is shown this once."""

    token: str


@operation(TokensFound)
async def list_tokens(request: Request) -> Response:
    """List the tokens.

    Who may use the API, and for what. Sessions of browsers are not among them.
    """
    return JSONResponse({"tokens": [_found(key) for key in await _tokens(request)]})


@operation(TokenMade, 201, with_location=True)
async def create_token(request: Request, given: NewToken) -> Response:
    """Make a token.

    It is shown this once, and kept as a digest only. An owner may do everything; a judge may lease,
    answer, skip, undo and see the progress, under its own name; a reader may see what is known.
    """
    require_name(given.name, "the token")
    mine, keys = key_of(request).campaign, house_of(request).keys
    if mine is not None and given.campaign != mine:
        raise Problem(403, f"this token is good for {short(mine)}: name that campaign")
    known = await run_in_threadpool(house_of(request).database.campaigns)
    if given.campaign is not None and given.campaign not in known:
        raise Problem(404, f"there is no campaign {short(given.campaign)}")
    token = await run_in_threadpool(
        lambda: keys.issue(
            "token",
            given.role,
            given.name,
            campaign=given.campaign,
            seconds=None if given.days is None else given.days * 86_400,
        )
    )
    key = await keys.find(token)
    assert key is not None
    content = {**_found(key), "token": token}
    where = url(request, "api", "v1", "tokens", content["id"])
    return JSONResponse(content, 201, {"Location": where})


@operation(None, 204)
async def revoke_token(request: Request, token: TokenId) -> Response:
    """Take a token away.

    By its id, as listed. It opens nothing from now on; other processes notice within seconds.
    """
    for key in await _tokens(request):
        if _id(key) == token:
            keys = house_of(request).keys
            await run_in_threadpool(keys.revoke, digest=key.digest)
            return Response(status_code=204)
    raise Problem(404, f"there is no token {short(token)}")


async def _tokens(request: Request) -> list[AccessKey]:
    """Those that a key may know of."""
    mine, keys = key_of(request).campaign, house_of(request).keys
    known = await run_in_threadpool(lambda: keys.all(kind="token"))
    return [key for key in known if mine in (None, key.campaign)]


def _id(key: AccessKey) -> str:
    """Enough of the digest to tell tokens apart."""
    return key.digest[:16]


def _found(key: AccessKey) -> dict[str, Any]:
    return {
        "id": _id(key),
        "role": key.role,
        "name": key.holder,
        "campaign": key.campaign,
        "created": key.created,
        "expires": key.expires,
    }
