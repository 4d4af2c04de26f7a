"""Items over HTTP: what is compared, and what is shown of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign import owning
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.state import CampaignState
from hodgerank.server.api.describing import operation
from hodgerank.server.api.sent_media import naming
from hodgerank.server.api.values import MOST_ITEMS, Body, ItemId, Named, Text, example
from hodgerank.server.house import decide

CAT = {"item": "cat", "text": "A cat", "media": "", "track": ""}
MEDIA = (
    "An address that begins with http:// or https://, or what the answer to an upload calls it: "
    "media:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae.png."
)


class ItemGiven(Body):
    """Something to compare."""

    model_config = example(**CAT)

    item: ItemId = Field(description="What rankings and files call it.")
    text: Text = Field("", description="The words that are shown.")
    media: Text = Field("", description=MEDIA)
    track: Text = Field("", description="Items of different tracks are not compared.")


class ItemsGiven(Body):
    """Items that join."""

    model_config = example(items=[CAT])

    items: list[ItemGiven] = Field(min_length=1, max_length=MOST_ITEMS)


class ItemChange(Body):
    """What is shown of an item from now on; what is left out stays."""

    model_config = example(item="cat", text="A grey cat")

    item: ItemId
    text: Text | None = None
    media: Text | None = Field(None, description=MEDIA)


class ItemNames(Body):
    """Some items."""

    model_config = example(items=["cat", "dog"])

    items: list[ItemId] = Field(min_length=1, max_length=MOST_ITEMS)


class ItemFound(Body):
    """An item of a campaign."""

    model_config = example(**CAT, is_retired=False)

    item: int | str
    text: str
    media: str
    track: str
    is_retired: bool = Field(description="Whether it is asked about no more.")


class ItemsFound(Body):
    """Items, in the order they joined."""

    items: list[ItemFound]


@operation(ItemsFound)
async def list_items(campaign: Named) -> Response:
    """List the items.

    All of them, retired ones included.
    """
    return JSONResponse(await decide(campaign, lambda state, now: _found(state)))


@operation(ItemsFound, 201)
async def add_items(request: Request, campaign: Named, given: ItemsGiven) -> Response:
    """Let items join.

    None do where one of them cannot. Files of the server's disk cannot be named: media are
    uploaded, or have an address.
    """
    joining = items_of(given.items)

    def add(state: CampaignState, now: float) -> dict[str, Any]:
        owning.add_items(state, now, joining)
        return _found(state, [item.id for item in joining])

    async with naming(request, [item.media for item in joining], campaign):
        found = await decide(campaign, add)
    return JSONResponse(found, 201)


@operation(ItemsFound)
async def edit_item(request: Request, campaign: Named, given: ItemChange) -> Response:
    """Show other words or media of an item.

    Its id and its track stay.
    """

    def edit(state: CampaignState, now: float) -> dict[str, Any]:
        owning.edit_item(state, now, given.item, given.text, given.media)
        return _found(state, [given.item])

    async with naming(request, [given.media or ""], campaign):
        found = await decide(campaign, edit)
    return JSONResponse(found)


@operation(ItemsFound)
async def retire_items(campaign: Named, given: ItemNames) -> Response:
    """Ask no more about some items.

    Their answers stay. None are retired where one of them is not there.
    """
    return await _each(campaign, given, owning.retire_item)


@operation(ItemsFound)
async def restore_items(campaign: Named, given: ItemNames) -> Response:
    """Ask about retired items again.

    None are restored where one of them is not there.
    """
    return await _each(campaign, given, owning.restore_item)


async def _each(campaign: Named, given: ItemNames, what: Any) -> Response:
    def change(state: CampaignState, now: float) -> dict[str, Any]:
        for item in given.items:
            state.items.code(item)  # refuses one that is not there before anything is done
        for item in given.items:
            what(state, now, item)
        return _found(state, given.items)

    return JSONResponse(await decide(campaign, change))


def items_of(given: Iterable[ItemGiven]) -> list[CampaignItem]:
    """Items as the campaign has them."""
    return [CampaignItem(one.item, one.text, one.media, one.track) for one in given]


def _found(state: CampaignState, wanted: Iterable[int | str] | None = None) -> dict[str, Any]:
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
