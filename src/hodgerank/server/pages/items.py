"""Items: what is compared, and how it fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import HodgeRankError
from hodgerank.estimators.ranking import RankedItem
from hodgerank.notebook import short
from hodgerank.server.analyses.rankings import Rankings, rankings
from hodgerank.server.house import House, campaign_of, house_of
from hodgerank.server.pages.choosing import ENCODINGS, MOST_FILES, Chosen, chosen
from hodgerank.server.pages.framing import MOST_SHOWN, Frame, frame_of, framed, go_back
from hodgerank.server.pages.interval_scale import IntervalScale
from hodgerank.server.pages.missing_media import missing_media
from hodgerank.server.pages.new import FAULTY, LONGEST_FIELD, preview_part
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.showing import Shown, origins_of, shown
from hodgerank.types import Item

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
    return _page(request, await frame_of(await campaign_of(request)), Chosen())


async def items_table(request: Request) -> Response:
    """All items in a row each, best first."""
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    found = await house_of(request).analyst.ask(rankings, campaign.id)
    missing = await run_in_threadpool(missing_media, house_of(request).media, frame.items)
    rows = [_row(request, frame, number, found, missing) for number in range(len(frame.items))]
    rows.sort(key=lambda row: (frame.tracks.index(row.item.track), _rank(row)))
    return render(
        request,
        "owner/items_table.html",
        origins=origins_of(frame.items),
        frame=frame,
        rows=rows,
        found=found,
        scale=IntervalScale.of(list(found.places.values())),
        most_shown=MOST_SHOWN,
    )


async def item_page(request: Request, number: int) -> Response:
    """One item: all of what is shown, and what can be changed."""
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    _require_item(frame, number)
    found = await house_of(request).analyst.ask(rankings, campaign.id)
    missing = await run_in_threadpool(missing_media, house_of(request).media, frame.items)
    row = _row(request, frame, number, found, missing)
    return framed(request, "owner/item.html", frame, "items", row=row, wrong="")


async def edit(request: Request, number: int) -> Response:
    """Show other words, or another picture, of an item."""
    campaign, house = await campaign_of(request), house_of(request)
    frame = await frame_of(campaign)
    item = _require_item(frame, number)
    async with request.form(max_files=1, max_fields=10, max_part_size=LONGEST_FIELD) as form:
        text, given = form.get("text"), form.get("file")
        words = text.replace("\r\n", "\n") if isinstance(text, str) else None
        file = given if isinstance(given, UploadFile) and given.filename else None
        try:
            await run_in_threadpool(_edit, campaign, house, item.id, words, file)
        except HodgeRankError as error:
            row = Row(number, item, _shown(request, frame, item), None, number in frame.retired)
            values = {"row": row, "wrong": str(error), "status_code": 422}
            return framed(request, "owner/item.html", frame, "items", **values)
    return go_back(request, "c", campaign.id, "items", done="edit")


def _edit(
    campaign: Campaign, house: House, item: Item, text: str | None, file: UploadFile | None
) -> None:
    """In a thread."""
    media = None if file is None else house.media.add(file.file, file.filename or "")
    campaign.edit(item, text=text, media=media)


async def retire(request: Request) -> Response:
    """Ask no more about items."""
    return await _do_to_items(request, "retire", Campaign.retire)


async def restore(request: Request) -> Response:
    """Ask about them again."""
    return await _do_to_items(request, "restore_item", Campaign.restore_item)


async def preview(request: Request) -> Response:
    """What was understood of more items; nothing is added."""
    async with request.form(max_files=MOST_FILES, max_part_size=LONGEST_FIELD) as form:
        found = await chosen(request, form)
    frame = await frame_of(await campaign_of(request))
    found = _compared(found, frame)
    if request.query_params.get("part"):
        return preview_part(request, found)
    return _page(request, frame, found)


def _compared(found: Chosen, frame: Frame) -> Chosen:
    """What was chosen, as this campaign shows it, with a word on names that are taken."""
    if found.upload is None:
        return found
    known = {str(item.id) for item in frame.items}
    taken = [
        f"{short(item.id)} is an item of this campaign already: leave it out, or rename it"
        for item in found.upload.items
        if str(item.id) in known
    ]
    upload = replace(found.upload, warnings=(*taken, *found.upload.warnings))
    return replace(found, upload=upload, is_markdown=frame.settings.pages.markdown)


async def add(request: Request) -> Response:
    """Items join."""
    campaign, house = await campaign_of(request), house_of(request)
    async with request.form(max_files=MOST_FILES, max_part_size=LONGEST_FIELD) as form:
        found = await chosen(request, form)
    frame = await frame_of(campaign)
    if found.upload is None or not found.upload.items:
        return _page(request, frame, found, "There is no item to add: choose files, or write some.")
    if found.is_new:
        return _page(request, frame, _compared(found, frame))
    if found.is_faulty:
        return _page(request, frame, found, FAULTY)
    try:
        await run_in_threadpool(_add, campaign, house, found)
    except HodgeRankError as error:
        return _page(request, frame, found, str(error))
    return go_back(request, "c", campaign.id, "items", done="add")


def _add(campaign: Campaign, house: House, found: Chosen) -> None:
    """In a thread."""
    campaign.add(found.store(house))
    house.staging.drop(found.staged)


async def _do_to_items(
    request: Request, what: str, do: Callable[[Campaign, Item], None]
) -> Response:
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    async with request.form(max_files=0, max_fields=MOST_AT_ONCE) as form:
        chosen_numbers = {str(text) for text in form.getlist("item")}
    items = [item.id for number, item in enumerate(frame.items) if str(number) in chosen_numbers]

    def do_all() -> None:
        for item in items:
            do(campaign, item)

    await run_in_threadpool(do_all)
    return go_back(request, "c", campaign.id, "items", done=what if items else "nothing")


def _page(request: Request, frame: Frame, found: Chosen, wrong: str = "") -> Response:
    return framed(
        request,
        "owner/items.html",
        frame,
        "items",
        status_code=422 if wrong else 200,
        chosen=found,
        encodings=ENCODINGS,
        sample=found.sample(request),
        wrong=wrong,
        preview_at=url(request, "c", frame.id, "items", "preview"),
    )


def _require_item(frame: Frame, number: int) -> CampaignItem:
    if not 0 <= number < len(frame.items):
        raise Problem(404, "there is no such item")
    return frame.items[number]


def _row(
    request: Request, frame: Frame, number: int, found: Rankings, missing: frozenset[int]
) -> Row:
    item = frame.items[number]
    place = found.places.get(item.id)
    seen = {"kind": "missing"} if number in missing else _shown(request, frame, item)
    return Row(number, item, seen, place, number in frame.retired)


def _shown(request: Request, frame: Frame, item: CampaignItem) -> Shown:
    return shown(item, url(request, "media", frame.id))


def _rank(row: Row) -> int:
    return row.number if row.place is None else row.place.rank
