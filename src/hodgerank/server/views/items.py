"""Items over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import owner
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.display import short
from hodgerank.errors import HodgeRankError
from hodgerank.estimators.ranking import RankedItem
from hodgerank.server.analyses.results import Rankings, rankings
from hodgerank.server.context import ServerContext, campaign_of, context_of, read, transact
from hodgerank.server.item_view import Shown, origins_of, shown
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.views.item_upload import ENCODINGS, MOST_FILES, ChosenItems, chosen
from hodgerank.server.views.layout import (
    MOST_SHOWN,
    IntervalScale,
    PageLayout,
    go_back,
    in_layout,
    layout_of,
    missing_media,
)
from hodgerank.server.views.media import naming
from hodgerank.server.views.new_campaign import FAULTY, LONGEST_FIELD, preview_part
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import MOST_ITEMS, Body, ItemId, Named, Text, example
from hodgerank.types import Item

CAT = {"item": "cat", "text": "A cat", "media": "", "track": ""}
MEDIA = (
    "An address that begins with http:// or https://, or the name returned by an upload: "
    "media:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae.png."
)


class ItemRequest(Body):
    """An item."""

    model_config = example(**CAT)

    item: ItemId = Field(description="Name in rankings and files.")
    text: Text = Field("", description="The text shown.")
    media: Text = Field("", description=MEDIA)
    track: Text = Field("", description="Items of different tracks are not compared.")


class ItemsRequest(Body):
    """Items to add."""

    model_config = example(items=[CAT])

    items: list[ItemRequest] = Field(min_length=1, max_length=MOST_ITEMS)


class ItemChange(Body):
    """New text or media of an item; fields that are left out stay unchanged."""

    model_config = example(item="cat", text="A grey cat")

    item: ItemId
    text: Text | None = None
    media: Text | None = Field(None, description=MEDIA)


class ItemNames(Body):
    """Some items."""

    model_config = example(items=["cat", "dog"])

    items: list[ItemId] = Field(min_length=1, max_length=MOST_ITEMS)


class ItemResponse(Body):
    """An item of a campaign."""

    model_config = example(**CAT, is_retired=False)

    item: int | str
    text: str
    media: str
    track: str
    is_retired: bool = Field(description="Whether the item is retired.")


class ItemsResponse(Body):
    """Items, in the order in which they were added."""

    items: list[ItemResponse]


@operation(ItemsResponse)
async def list_items(campaign: Named) -> Response:
    """List the items.

    Includes retired items.
    """
    return JSONResponse(await read(campaign, lambda state, now: _found(state)))


@operation(ItemsResponse, 201)
async def add_items(request: Request, campaign: Named, given: ItemsRequest) -> Response:
    """Add items.

    All or none are added. Media must be uploaded or have a web address; files on the server's disk
    cannot be named.
    """
    joining = items_of(given.items)

    def add(state: CampaignState, now: float) -> dict[str, Any]:
        owner.add_items(state, now, joining)
        return _found(state, [item.id for item in joining])

    async with naming(request, [item.media for item in joining], campaign):
        found = await transact(campaign, add)
    return JSONResponse(found, 201)


@operation(ItemsResponse)
async def edit_item(request: Request, campaign: Named, given: ItemChange) -> Response:
    """Change the text or media of an item.

    Its id and track stay unchanged.
    """

    def edit(state: CampaignState, now: float) -> dict[str, Any]:
        owner.edit_item(state, now, given.item, given.text, given.media)
        return _found(state, [given.item])

    async with naming(request, [given.media or ""], campaign):
        found = await transact(campaign, edit)
    return JSONResponse(found)


@operation(ItemsResponse)
async def retire_items(campaign: Named, given: ItemNames) -> Response:
    """Retire items.

    Their votes stay. All or none are retired.
    """
    return await _each(campaign, given, owner.retire_items)


@operation(ItemsResponse)
async def restore_items(campaign: Named, given: ItemNames) -> Response:
    """Restore retired items.

    All or none are restored.
    """
    return await _each(campaign, given, owner.restore_items)


async def _each(campaign: Named, given: ItemNames, what: Any) -> Response:
    def change(state: CampaignState, now: float) -> dict[str, Any]:
        what(state, now, given.items)
        return _found(state, given.items)

    return JSONResponse(await transact(campaign, change))


def items_of(given: Iterable[ItemRequest]) -> list[CampaignItem]:
    """Items as the campaign has them."""
    return [CampaignItem(one.item, one.text, one.media, one.track) for one in given]


def _found(state: CampaignSnapshot, wanted: Iterable[int | str] | None = None) -> dict[str, Any]:
    """All items, or those that are wanted."""
    book = state.items
    codes = range(len(book)) if wanted is None else [book.codes[item] for item in wanted]
    return {
        "items": [
            {
                "item": (item := book.items[code]).id,
                "text": item.text,
                "media": item.media,
                "track": item.track,
                "is_retired": code in book.retired,
            }
            for code in codes
        ]
    }


MOST_AT_ONCE = 20_000


class Row(NamedTuple):
    """An item in the list; `place` is None where its track has no answer."""

    number: int
    item: CampaignItem
    shown: Shown
    place: RankedItem | None
    is_retired: bool


async def items_page(request: Request) -> Response:
    """The page, whose table comes when the ranking is computed."""
    return _page(request, await layout_of(await campaign_of(request)), ChosenItems())


async def items_table(request: Request) -> Response:
    """All items in a row each, best first."""
    campaign = await campaign_of(request)
    layout = await layout_of(campaign)
    found = await context_of(request).analysis.ask(rankings, campaign.id)
    missing = await run_in_threadpool(missing_media, context_of(request).media, layout.items)
    rows = [_row(request, layout, number, found, missing) for number in range(len(layout.items))]
    rows.sort(key=lambda row: (layout.tracks.index(row.item.track), _rank(row)))
    return render(
        request,
        "owner/items_table.html",
        origins=origins_of(layout.items),
        layout=layout,
        rows=rows,
        found=found,
        scale=IntervalScale.of(list(found.places.values()), found.scale),
        most_shown=MOST_SHOWN,
    )


async def item_page(request: Request, number: int) -> Response:
    """One item: all of what is shown, and what can be changed."""
    campaign = await campaign_of(request)
    layout = await layout_of(campaign)
    _require_item(layout, number)
    found = await context_of(request).analysis.ask(rankings, campaign.id)
    missing = await run_in_threadpool(missing_media, context_of(request).media, layout.items)
    row = _row(request, layout, number, found, missing)
    scale = IntervalScale.of(list(found.places.values()), found.scale)
    return in_layout(request, "owner/item.html", layout, "items", row=row, scale=scale, wrong="")


async def edit(request: Request, number: int) -> Response:
    """Show other words, or another picture, of an item."""
    campaign, context = await campaign_of(request), context_of(request)
    layout = await layout_of(campaign)
    item = _require_item(layout, number)
    async with request.form(max_files=1, max_fields=10, max_part_size=LONGEST_FIELD) as form:
        text, given = form.get("text"), form.get("file")
        words = text.replace("\r\n", "\n") if isinstance(text, str) else None
        file = given if isinstance(given, UploadFile) and given.filename else None
        try:
            await context.in_upload_thread(_edit, campaign, context, item.id, words, file)
        except HodgeRankError as error:
            row = Row(number, item, _shown(request, layout, item), None, number in layout.retired)
            values = {"row": row, "wrong": str(error), "status_code": 422}
            return in_layout(request, "owner/item.html", layout, "items", **values)
    return go_back(request, "c", campaign.id, "items", done="edit")


def _edit(
    campaign: Campaign,
    context: ServerContext,
    item: Item,
    text: str | None,
    file: UploadFile | None,
) -> None:
    """In a thread."""
    media = None if file is None else context.media.add(file.file, file.filename or "")
    campaign.edit(item, text=text, media=media)


async def retire(request: Request) -> Response:
    """Ask no more about items."""
    return await _do_to_items(request, "retire", Campaign.retire)


async def restore(request: Request) -> Response:
    """Ask about them again."""
    return await _do_to_items(request, "restore_item", Campaign.restore_item)


async def preview(request: Request) -> Response:
    """Show a preview of further items; nothing is added."""
    async with request.form(max_files=MOST_FILES, max_part_size=LONGEST_FIELD) as form:
        found = await chosen(request, form)
    layout = await layout_of(await campaign_of(request))
    found = _compared(found, layout)
    if request.query_params.get("part"):
        return preview_part(request, found)
    return _page(request, layout, found)


def _compared(found: ChosenItems, layout: PageLayout) -> ChosenItems:
    """Return the chosen items as this campaign shows them, with warnings of names already taken."""
    if found.upload is None:
        return found
    known = {str(item.id) for item in layout.items}
    taken = [
        f"{short(item.id)} is already in this campaign: leave it out, or rename it"
        for item in found.upload.items
        if str(item.id) in known
    ]
    upload = replace(found.upload, warnings=(*taken, *found.upload.warnings))
    return replace(found, upload=upload, is_markdown=layout.settings.pages.markdown)


async def add(request: Request) -> Response:
    """Items join."""
    campaign, context = await campaign_of(request), context_of(request)
    async with request.form(max_files=MOST_FILES, max_part_size=LONGEST_FIELD) as form:
        found = await chosen(request, form)
    layout = await layout_of(campaign)
    if found.upload is None or not found.upload.items:
        return _page(
            request, layout, found, "There are no items to add. Choose files, or paste a list."
        )
    if found.is_new:
        return _page(request, layout, _compared(found, layout))
    if found.is_faulty:
        return _page(request, layout, found, FAULTY)
    try:
        await run_in_threadpool(_add, campaign, context, found)
    except HodgeRankError as error:
        return _page(request, layout, found, str(error))
    return go_back(request, "c", campaign.id, "items", done="add")


def _add(campaign: Campaign, context: ServerContext, found: ChosenItems) -> None:
    """In a thread."""
    campaign.add(found.store(context))
    context.staging.drop(found.staged)


async def _do_to_items(request: Request, what: str, do: Callable[..., None]) -> Response:
    campaign = await campaign_of(request)
    layout = await layout_of(campaign)
    async with request.form(max_files=0, max_fields=MOST_AT_ONCE) as form:
        chosen_numbers = {str(text) for text in form.getlist("item")}
    items = [item.id for number, item in enumerate(layout.items) if str(number) in chosen_numbers]
    await run_in_threadpool(do, campaign, *items)
    return go_back(request, "c", campaign.id, "items", done=what if items else "nothing")


def _page(request: Request, layout: PageLayout, found: ChosenItems, wrong: str = "") -> Response:
    return in_layout(
        request,
        "owner/items.html",
        layout,
        "items",
        status_code=422 if wrong else 200,
        chosen=found,
        encodings=ENCODINGS,
        sample=found.sample(request),
        wrong=wrong,
        preview_at=url(request, "c", layout.id, "items", "preview"),
    )


def _require_item(layout: PageLayout, number: int) -> CampaignItem:
    if not 0 <= number < len(layout.items):
        raise Problem(404, "there is no such item")
    return layout.items[number]


def _row(
    request: Request, layout: PageLayout, number: int, found: Rankings, missing: frozenset[int]
) -> Row:
    item = layout.items[number]
    place = found.places.get(item.id)
    seen = {"kind": "missing"} if number in missing else _shown(request, layout, item)
    return Row(number, item, seen, place, number in layout.retired)


def _shown(request: Request, layout: PageLayout, item: CampaignItem) -> Shown:
    return shown(item, url(request, "media", layout.id))


def _rank(row: Row) -> int:
    return row.number if row.place is None else row.place.rank
