"""New: a campaign from what an owner uploads or writes, and decides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.collecting.stopping import read_rule
from hodgerank.errors import HodgeRankError
from hodgerank.server.context import ServerContext, context_of
from hodgerank.server.item_view import origins_of
from hodgerank.server.rendering import render
from hodgerank.server.views.item_upload import ENCODINGS, MOST_FILES, ChosenItems, chosen
from hodgerank.server.views.layout import go_back
from hodgerank.server.views.settings_form import (
    GROUPS,
    MOST_FIELDS,
    SettingsForm,
    form_of,
    read_form,
)

LONGEST_FIELD = 8 << 20
LONGEST_ID = 60
AT_FIRST = CampaignSettings("Which is better?", stop="tau >= 0.9", vetting=8)
"""What stands in the form; people who join by a link are not known."""
FAULTY = "There is a problem with the items. Correct it, or choose to leave these items out."
FIRST_GROUPS = ("asking", "enough")
"""Those that are not folded."""


async def new_page(request: Request) -> Response:
    """An empty form."""
    return _page(request, ChosenItems(), form_of(AT_FIRST))


async def preview(request: Request) -> Response:
    """Show a preview of the files or lines; nothing is created."""
    async with request.form(
        max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD
    ) as form:
        found = await chosen(request, form)
        if request.query_params.get("part"):
            return preview_part(request, found)
        return _page(request, found, read_form(form))


def preview_part(request: Request, found: ChosenItems) -> Response:
    """Render the preview alone, for the script of a page that shows it already."""
    return render(
        request,
        "owner/preview.html",
        chosen=found,
        encodings=ENCODINGS,
        sample=found.sample(request),
    )


async def create(request: Request) -> Response:
    """Make the campaign, or say beside each field what is wrong; nothing that was typed is lost."""
    async with request.form(
        max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD
    ) as form:
        found, filled = await chosen(request, form), read_form(form)
    items = () if found.upload is None else found.upload.items
    known = {str(item.id): item.id for item in items}
    settings = filled.check(AT_FIRST, known)
    if len(items) < 2:
        filled.wrong["items"] = "Add at least 2 items."
    elif found.is_faulty and not found.is_new:
        filled.wrong["items"] = FAULTY
    if found.is_new or filled.wrong or settings is None:
        return _page(request, found, filled, status_code=200 if found.is_new else 422)
    context = context_of(request)
    try:
        id = await run_in_threadpool(_create, context, found, settings)
    except HodgeRankError as error:
        filled.tell(error)
        return _page(request, found, filled, status_code=422)
    return go_back(request, "c", id, done="created")


async def rule_words(request: Request) -> Response:
    """Explain a stopping rule, or say what is wrong with it."""
    text = request.query_params.get("text", "")[:1000]
    try:
        return JSONResponse(
            {"is_rule": True, "words": str(read_rule(text)) if text.strip() else ""}
        )
    except HodgeRankError as error:
        return JSONResponse({"is_rule": False, "words": str(error)})


def _create(context: ServerContext, found: ChosenItems, settings: CampaignSettings) -> str:
    """In a thread."""
    settings = settings.behind_key({})
    items: list[CampaignItem] = found.store(context)
    id = id_for(settings.title or settings.question, context.database.campaigns())
    Campaign.create(context.database, items, settings, id=id).leave()
    context.staging.drop(found.staged)
    return id


def id_for(title: str, taken: Collection[str]) -> str:
    """A short name for addresses, which no other campaign has.

    >>> id_for("Which café is best?", ["cups"]), id_for("Cups!", ["cups"])
    ('which-cafe-is-best', 'cups-2')
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST_ID].strip("-") or "campaign"
    number = 1
    while (id := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return id


def _page(
    request: Request, found: ChosenItems, form: SettingsForm, status_code: int = 200
) -> Response:
    items = () if found.upload is None else found.upload.items
    return render(
        request,
        "owner/new.html",
        origins=origins_of(items),
        status_code=status_code,
        chosen=found,
        encodings=ENCODINGS,
        sample=found.sample(request),
        form=form,
        groups=GROUPS,
        first_groups=FIRST_GROUPS,
        known=[str(item.id) for item in items],
    )
