"""Settings and tokens over HTTP."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from fastapi import Path
from pydantic import BaseModel, Field, create_model
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import require_name
from hodgerank.campaign.page_settings import random_entrance
from hodgerank.campaign.settings import VERSION, CampaignSettings
from hodgerank.campaign.settings_validation import NO_LIMIT
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.display import short
from hodgerank.errors import HodgeRankError
from hodgerank.server.api_keys import Role
from hodgerank.server.auth import key_of
from hodgerank.server.context import ServerContext, campaign_of, context_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url
from hodgerank.server.views.layout import PageLayout, go_back, in_layout, layout_of
from hodgerank.server.views.new_campaign import LONGEST_FIELD
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import LONGEST_TEXT, WHOLE, Body, ItemId, Name, example
from hodgerank.server.views.settings_form import (
    GROUPS,
    MOST_FIELDS,
    SettingsForm,
    form_of,
    read_form,
)

MOST_ENTRIES = 500


def _no_default(schema: dict[str, Any]) -> None:
    """Remove the default from a schema: a field that is left out has no value, not even null."""
    schema.pop("default", None)


LEFT_OUT: Any = Field(None, json_schema_extra=_no_default)


def _model(kind: type[Any], prefix: str, *, is_whole: bool) -> type[BaseModel]:
    """A model with the fields of a class of settings: all of them, or those that are given."""
    hints = get_type_hints(kind)
    parts: dict[str, Any] = {}
    for one in fields(kind):
        value = _type(hints[one.name], prefix, is_whole=is_whole)
        parts[one.name] = (value, ... if is_whole or one.default is MISSING else LEFT_OUT)
    words = (kind.__doc__ or "").partition("\n")[0]
    return create_model(f"{prefix}{kind.__name__}", __base__=Body, __doc__=words, **parts)


def _type(hint: Any, prefix: str, *, is_whole: bool) -> Any:
    """Return the type that stands for a type of a setting in JSON."""
    if is_dataclass(hint):
        return _model(hint, prefix, is_whole=is_whole)  # type: ignore[arg-type]
    if hint is str:
        return Annotated[str, Field(max_length=LONGEST_TEXT)]
    if hint is int:
        return Annotated[int, Field(ge=0, lt=10**18), WHOLE]
    if get_origin(hint) is tuple:
        entry = _type(get_args(hint)[0], prefix, is_whole=is_whole)
        return Annotated[list[entry], Field(max_length=MOST_ENTRIES)]  # type: ignore[valid-type]
    if get_origin(hint) in (Union, UnionType):
        if set(get_args(hint)) == {int, str}:
            return ItemId
        kinds = [one for one in get_args(hint) if one is not NoneType]
        nothing: list[Any] = [Literal[NO_LIMIT]]
        if not is_whole:
            nothing.append(NoneType)
        return Union[*(_type(one, prefix, is_whole=is_whole) for one in kinds), *nothing]
    return hint


class SomeSettings(_model(CampaignSettings, "Some", is_whole=False)):  # type: ignore[misc]
    """Settings to change; no limit is null or "none"."""

    model_config = example(budget=400, stop="tau >= 0.9", attention={"focus": False})

    version: Annotated[int, Field(ge=1, le=VERSION), WHOLE] = LEFT_OUT


class AllSettings(_model(CampaignSettings, "", is_whole=True)):  # type: ignore[misc]
    """All settings; no limit is "none"."""

    version: Annotated[int, Field(ge=1, le=VERSION), WHOLE]


SHORTEST_DAYS, LONGEST_DAYS = 0.001, 36_500
EXAMPLE = {"id": "9f86d081884c7d65", "role": "judge", "name": "gpt", "campaign": "animals"}

TokenId = Annotated[
    str, Path(min_length=1, max_length=64, description="As listed.", examples=[EXAMPLE["id"]])
]


class NewToken(Body):
    """Rights of a new token."""

    model_config = example(role="judge", name="gpt", campaign="animals", days=30)

    role: Literal["owner", "judge", "reader"]
    name: Name = Field(description="Who uses it; a judge answers under this name.")
    campaign: Name | None = Field(None, description="The campaign it is valid for; all if omitted.")
    days: float | None = Field(
        None, ge=SHORTEST_DAYS, le=LONGEST_DAYS, description="Lifetime; unlimited if omitted."
    )


class TokenResponse(Body):
    """A token without its secret."""

    id: str = Field(examples=[EXAMPLE["id"]])
    role: str
    name: str
    campaign: str | None
    created: float = Field(description="Seconds since 1970.")
    expires: float | None = Field(description="Seconds since 1970; null means never.")


class TokensResponse(Body):
    """All valid tokens, oldest first."""

    tokens: list[TokenResponse]


class NewTokenResponse(TokenResponse):
    """A new token, which is shown only once."""

    token: str


@operation(TokensResponse)
async def list_tokens(request: Request) -> Response:
    """List the tokens.

    Tokens of the API, without browser sessions.
    """
    return JSONResponse({"tokens": [_found(key) for key in await _tokens(request)]})


@operation(NewTokenResponse, 201, with_location=True)
async def create_token(request: Request, given: NewToken) -> Response:
    """Create a token.

    It is shown only once, and stored as a digest. An owner may do everything; a judge may lease,
    answer, skip, undo and see the progress under its own name; a reader may read everything.
    """
    require_name(given.name, "the token")
    mine, keys = key_of(request).campaign, context_of(request).keys
    if mine is not None and given.campaign != mine:
        raise Problem(403, f"this token is for the campaign {short(mine)}: name that campaign")
    known = await run_in_threadpool(context_of(request).database.campaigns)
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
    """Revoke a token.

    By its id, as listed. Other processes notice within seconds.
    """
    for key in await _tokens(request):
        if _id(key) == token:
            keys = context_of(request).keys
            await run_in_threadpool(keys.revoke, digest=key.digest)
            return Response(status_code=204)
    raise Problem(404, f"there is no token {short(token)}")


async def _tokens(request: Request) -> list[AccessKey]:
    """Return the tokens that the key of a request may see."""
    mine, keys = key_of(request).campaign, context_of(request).keys
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


TOKEN_ROLES: dict[str, Role] = {"judge": "judge", "reader": "reader", "owner": "owner"}
TOKEN_DAYS = {"30": 30, "365": 365, "0": 0}
"""After which a token opens nothing any more; 0: never."""
DAY = 86_400.0


async def settings_page(request: Request) -> Response:
    """All settings, and the keys of programs."""
    layout = await layout_of(await campaign_of(request))
    return await _page(request, layout, form_of(layout.settings))


async def change(request: Request) -> Response:
    """Change them from now on, or say beside each field what is wrong.

    Only what this owner changed: others may have changed the rest since the page was made.
    """
    campaign = await campaign_of(request)
    async with request.form(
        max_files=0, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD
    ) as form:
        written, shown = read_form(form), _text(form, "shown")
    layout = await layout_of(campaign)
    filled = written.changed_from(shown, form_of(layout.settings))
    known = {str(item.id): item.id for item in layout.items}
    if filled.check(layout.settings, known) is not None:
        try:
            await run_in_threadpool(lambda: campaign.change(**filled.changes(known)))
            return go_back(request, "c", campaign.id, "settings", done="change")
        except HodgeRankError as error:
            filled.tell(error)
    values = {**form_of(layout.settings).values, **filled.values}
    return await _page(request, layout, SettingsForm(values, filled.wrong), status_code=422)


async def renew_entrance(request: Request) -> Response:
    """Another link for workers: the one before leads nowhere."""
    campaign = await campaign_of(request)
    await run_in_threadpool(lambda: campaign.change(pages={"entrance": random_entrance()}))
    return go_back(request, "c", campaign.id, "settings", done="entrance")


async def reset(request: Request) -> Response:
    """Votes go, items and settings stay."""
    campaign = await campaign_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        if _text(form, "typed").strip() != campaign.id:
            raise Problem(422, "The name you typed does not match the campaign.")
    await run_in_threadpool(campaign.reset)
    return go_back(request, "c", campaign.id, "settings", done="reset")


async def make_token(request: Request) -> Response:
    """A key for a program, shown this once."""
    campaign, context = await campaign_of(request), context_of(request)
    layout = await layout_of(campaign)
    async with request.form(max_files=0, max_fields=10) as form:
        name, role = _text(form, "name").strip(), TOKEN_ROLES.get(_text(form, "role"))
        days = TOKEN_DAYS.get(_text(form, "days"))
    form_now = form_of(layout.settings)
    if role is None or days is None:
        raise Problem(422, "Choose a role and an expiry for the token.")
    try:
        require_name(name, "the token")
    except HodgeRankError as error:
        return await _page(request, layout, form_now, token_wrong=str(error), status_code=422)
    token = await run_in_threadpool(_issue, context, campaign, role, name, days)
    return await _page(request, layout, form_now, token=token)


async def revoke_campaign_token(request: Request) -> Response:
    """A key opens nothing any more."""
    campaign, context = await campaign_of(request), context_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        digest = _text(form, "token")
    known = await run_in_threadpool(_campaign_tokens, context, campaign.id)
    if digest not in {key.digest for key in known}:
        raise Problem(404, "there is no such token")
    await run_in_threadpool(context.keys.revoke, digest=digest)
    return go_back(request, "c", campaign.id, "settings", done="revoke")


def _issue(context: ServerContext, campaign: Campaign, role: Role, name: str, days: int) -> str:
    return context.keys.issue(
        "token",
        role,
        name,
        campaign=None if role == "owner" else campaign.id,
        seconds=days * DAY if days else None,
    )


def _campaign_tokens(context: ServerContext, id: str) -> list[AccessKey]:
    """Return the tokens that give access to a campaign."""
    return [key for key in context.keys.all(kind="token") if key.campaign in (None, id)]


async def _page(
    request: Request, layout: PageLayout, form: SettingsForm, **values: Any
) -> Response:
    tokens = await run_in_threadpool(_campaign_tokens, context_of(request), layout.id)
    shown = {"token": "", "token_wrong": "", **values}
    return in_layout(
        request,
        "owner/settings.html",
        layout,
        "settings",
        form=form,
        before=form_of(layout.settings).told(),
        groups=GROUPS,
        known=[str(item.id) for item in layout.items],
        tokens=tokens,
        token_roles=list(TOKEN_ROLES),
        token_days=list(TOKEN_DAYS),
        **shown,
    )


def _text(form: FormData, field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""
