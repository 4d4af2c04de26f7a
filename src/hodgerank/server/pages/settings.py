"""Settings: what the owner has decided, and can decide otherwise; who else has a key."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import require_name
from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.errors import HodgeRankError
from hodgerank.server.house import House, campaign_of, house_of
from hodgerank.server.keys import Role
from hodgerank.server.pages.framing import Frame, frame_of, framed, go_back
from hodgerank.server.pages.new import ENTRANCE_BYTES, LONGEST_FIELD
from hodgerank.server.pages.setting_fields import GROUPS
from hodgerank.server.pages.settings_form import MOST_FIELDS, SettingsForm, form_of, read_form
from hodgerank.server.problem import Problem

TOKEN_ROLES: dict[str, Role] = {"judge": "judge", "reader": "reader", "owner": "owner"}
TOKEN_DAYS = {"30": 30, "365": 365, "0": 0}
"""After which a token opens nothing any more; 0: never."""
DAY = 86_400.0


async def settings_page(request: Request) -> Response:
    """All settings, and the keys of programs."""
    frame = await frame_of(await campaign_of(request))
    return await _page(request, frame, form_of(frame.settings))


async def change(request: Request) -> Response:
    """Change them from now on, or say beside each field what is wrong.

    Only what this owner changed: others may have changed the rest since the page was made.
    """
    campaign = await campaign_of(request)
    async with request.form(
        max_files=0, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD
    ) as form:
        written, shown = read_form(form), _text(form, "shown")
    frame = await frame_of(campaign)
    filled = written.changed_from(shown, form_of(frame.settings))
    known = {str(item.id): item.id for item in frame.items}
    if filled.check(frame.settings, known) is not None:
        try:
            await run_in_threadpool(lambda: campaign.change(**filled.changes(known)))
            return go_back(request, "c", campaign.id, "settings", done="change")
        except HodgeRankError as error:
            filled.tell(error)
    values = {**form_of(frame.settings).values, **filled.values}
    return await _page(request, frame, SettingsForm(values, filled.wrong), status_code=422)


async def renew_entrance(request: Request) -> Response:
    """Another link for workers: the one before leads nowhere."""
    campaign = await campaign_of(request)
    entrance = secrets.token_urlsafe(ENTRANCE_BYTES)
    await run_in_threadpool(lambda: campaign.change(pages={"entrance": entrance}))
    return go_back(request, "c", campaign.id, "settings", done="entrance")


async def reset(request: Request) -> Response:
    """Votes go, items and settings stay."""
    campaign = await campaign_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        if _text(form, "typed").strip() != campaign.id:
            raise Problem(422, "The name that was typed is not that of the campaign.")
    await run_in_threadpool(campaign.reset)
    return go_back(request, "c", campaign.id, "settings", done="reset")


async def make_token(request: Request) -> Response:
    """A key for a program, shown this once."""
    campaign, house = await campaign_of(request), house_of(request)
    frame = await frame_of(campaign)
    async with request.form(max_files=0, max_fields=10) as form:
        name, role = _text(form, "name").strip(), TOKEN_ROLES.get(_text(form, "role"))
        days = TOKEN_DAYS.get(_text(form, "days"))
    form_now = form_of(frame.settings)
    if role is None or days is None:
        raise Problem(422, "A token has a role, and a time after which it ends.")
    try:
        require_name(name, "the token")
    except HodgeRankError as error:
        return await _page(request, frame, form_now, token_wrong=str(error), status_code=422)
    token = await run_in_threadpool(_issue, house, campaign, role, name, days)
    return await _page(request, frame, form_now, token=token)


async def revoke_campaign_token(request: Request) -> Response:
    """A key opens nothing any more."""
    campaign, house = await campaign_of(request), house_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        digest = _text(form, "token")
    known = await run_in_threadpool(_campaign_tokens, house, campaign.id)
    if digest not in {key.digest for key in known}:
        raise Problem(404, "there is no such token")
    await run_in_threadpool(house.keys.revoke, digest=digest)
    return go_back(request, "c", campaign.id, "settings", done="revoke")


def _issue(house: House, campaign: Campaign, role: Role, name: str, days: int) -> str:
    return house.keys.issue(
        "token",
        role,
        name,
        campaign=None if role == "owner" else campaign.id,
        seconds=days * DAY if days else None,
    )


def _campaign_tokens(house: House, id: str) -> list[AccessKey]:
    """Those that open this campaign."""
    return [key for key in house.keys.all(kind="token") if key.campaign in (None, id)]


async def _page(request: Request, frame: Frame, form: SettingsForm, **values: Any) -> Response:
    tokens = await run_in_threadpool(_campaign_tokens, house_of(request), frame.id)
    shown = {"token": "", "token_wrong": "", **values}
    return framed(
        request,
        "owner/settings.html",
        frame,
        "settings",
        form=form,
        before=form_of(frame.settings).told(),
        groups=GROUPS,
        known=[str(item.id) for item in frame.items],
        tokens=tokens,
        token_roles=list(TOKEN_ROLES),
        token_days=list(TOKEN_DAYS),
        **shown,
    )


def _text(form: FormData, field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""
