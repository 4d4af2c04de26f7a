"""The live page and the event log of a campaign."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from itertools import islice
from math import inf
from time import monotonic
from typing import Annotated, Any, NamedTuple

from fastapi import Query as InQuery
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands.answers import NOT_SHOWN
from hodgerank.campaign.events import Event
from hodgerank.campaign.items import CampaignItem, ItemRegistry
from hodgerank.campaign.log_file import event_line
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.collecting.stopping import read_rule
from hodgerank.estimators.ranking import RankedItem
from hodgerank.server.analyses.live_view import TrackView
from hodgerank.server.auth import key_of
from hodgerank.server.context import campaign_of, context_of, read
from hodgerank.server.item_view import Shown, origins_of, shown
from hodgerank.server.live_stream import LiveUpdates, pulse
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.standings import Standing, Standings
from hodgerank.server.views.layout import (
    IntervalScale,
    PageLayout,
    go_back,
    in_layout,
    layout_of,
    missing_media,
)
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import Named, Query, Seq

LOOK_SECONDS = 0.25


class EventWaiter:
    """Ends of logs, as of the last check."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[float, int]] = {}

    async def wait(self, campaign: Campaign, after: int, seconds: float) -> bool:
        """Wait until a log passes this position, for limited seconds; return whether it did.

        Other processes may write to it too, so it is polled.
        """
        until = monotonic() + seconds
        while (seq := await self._last(campaign)) <= after and (left := until - monotonic()) > 0:
            await asyncio.sleep(min(left, LOOK_SECONDS))
        return seq > after

    async def _last(self, campaign: Campaign) -> int:
        at, seq = self._looks.get(campaign.id, (-inf, 0))
        now = monotonic()
        if now - at >= LOOK_SECONDS:
            self._looks[campaign.id] = now, seq  # the others need not look as well
            seq = await read(campaign, lambda state, _: state.seq)
            self._looks[campaign.id] = now, seq
        return seq


JSON_LINES, STREAM = "application/jsonl", "text/event-stream"
BATCH = 500
HEARTBEAT_SECONDS = 15.0
ID = re.compile(r"[0-9]{1,18}")
RETRY = b"retry: 2000\n\n"


class After(Query):
    """Where to begin."""

    after: Seq = Field(0, description="Begin after this position of the log.")


@operation((JSON_LINES, STREAM))
async def get_events(
    request: Request, campaign: Named, query: Annotated[After, InQuery()]
) -> Response:
    """Read the log.

    Lines of JSON, up to the last event. With `Accept: text/event-stream`, a stream of events as
    they happen, whose ids are positions in the log; browsers resume with `Last-Event-ID`. The lines
    are those of an exported log; `Event` in the Python library documents their fields.
    """
    seen = request.headers.get("last-event-id", "")
    after = int(seen) if ID.fullmatch(seen) else query.after
    if STREAM in request.headers.get("accept", ""):
        return StreamingResponse(_stream(request, campaign, after), media_type=STREAM)
    return StreamingResponse(_json_lines(campaign, after), media_type=JSON_LINES)


async def _json_lines(campaign: Campaign, after: int) -> AsyncIterator[bytes]:
    async for batch in _batches(campaign, after):
        yield b"".join(line for _, line in batch)


async def _stream(request: Request, campaign: Campaign, after: int) -> AsyncIterator[bytes]:
    news: EventWaiter = request.app.state.news
    yield RETRY
    looked_at = monotonic()
    while True:
        async for batch in _batches(campaign, after):
            after = batch[-1][0].seq
            yield b"".join(
                b"id: %d\nevent: %s\ndata: %s\n" % (event.seq, event.kind.encode(), line)
                for event, line in batch
            )
        if monotonic() - looked_at >= HEARTBEAT_SECONDS:
            if not await _is_good(request):
                return
            looked_at = monotonic()
            yield b":\n\n"  # so that both ends notice when the other one is gone
        await news.wait(campaign, after, HEARTBEAT_SECONDS)


async def _is_good(request: Request) -> bool:
    """Whether the key that opened the stream has not been taken away since."""
    keys, digest = context_of(request).keys, key_of(request).digest
    return bool(await run_in_threadpool(lambda: keys.all(digest=digest)))


async def _batches(campaign: Campaign, after: int) -> AsyncIterator[list[tuple[Event, bytes]]]:
    """Events that are durable, with their lines."""
    reading = await run_in_threadpool(campaign.events, after)
    while events := await run_in_threadpool(lambda: list(islice(reading, BATCH))):
        items = campaign.log.state.items
        if any(max(event.left or 0, event.right or 0) >= len(items) for event in events):
            # another process has added them
            items = await read(campaign, lambda state, now: state.items)
        yield await run_in_threadpool(_with_lines, events, items)


def _with_lines(events: list[Event], items: ItemRegistry) -> list[tuple[Event, bytes]]:
    return [(event, event_line(event, items.name)) for event in events]


MOST_ROWS = 30
"""Of a ranking that are all shown; of longer ones the best and the last."""
TOP, BOTTOM = 20, 5
MOST_FOUND = 200


class Row(NamedTuple):
    """An item in the ranking."""

    number: int
    place: RankedItem
    shown: Shown
    is_retired: bool


class Ranked(NamedTuple):
    """The part of a ranking that is shown.

    Attributes
    ----------
    above, below
        Rows before and after those that are left out.
    n_left_out
        Rows between them.
    n_all
        Items of the track.
    """

    above: list[Row]
    n_left_out: int
    below: list[Row]
    n_all: int


async def live_page(request: Request) -> Response:
    """The campaign as it is."""
    campaign = await campaign_of(request)
    layout = await layout_of(campaign)
    track = layout.track(request.query_params.get("track"))
    address = url(request, "c", campaign.id)
    return in_layout(
        request,
        "owner/live.html",
        layout,
        "live",
        track=track,
        pulse=await read(campaign, pulse),
        n_unseen=await read(campaign, _n_unseen),
        data={
            "stream": f"{address}/stream",
            "standing": f"{address}/standing",
            "track": track,
        },
        **await _standing(request, layout, track),
    )


def _n_unseen(state: CampaignSnapshot, now: float) -> int:
    """Pairs that were skipped because browsers could not show them."""
    return list(state.tasks.skip_reasons.values()).count(NOT_SHOWN)


async def standing_part(request: Request) -> Response:
    """Render the latest standing as a part of the page, which its script inserts."""
    layout = await layout_of(await campaign_of(request))
    track = layout.track(request.query_params.get("track"))
    return render(
        request,
        "owner/standing_part.html",
        origins=origins_of(layout.items),
        layout=layout,
        track=track,
        **await _standing(request, layout, track),
    )


async def stream(request: Request) -> Response:
    """Stream the events of a campaign as they happen."""
    campaign = await campaign_of(request)
    layout = await layout_of(campaign)
    live: LiveUpdates = request.app.state.live
    events = live.stream(campaign, layout.track(request.query_params.get("track")))
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def set_status(request: Request) -> Response:
    """Pause, go on, or close for good."""
    campaign = await campaign_of(request)
    async with request.form(max_files=0, max_fields=10) as form:
        what, back = form.get("do"), form.get("back")
    acts = {"pause": campaign.pause, "resume": campaign.resume, "close": campaign.close}
    if not isinstance(what, str) or what not in acts:
        raise Problem(422, "The action must be pause, resume or close.")
    await run_in_threadpool(acts[what])
    tab = ["settings"] if back == "settings" else []
    return go_back(request, "c", campaign.id, *tab, done=what)


async def _standing(request: Request, layout: PageLayout, track: str) -> dict[str, Any]:
    standings: Standings = request.app.state.standings
    standing = standings.latest(layout.id)
    view = None if standing is None else standing.views.get(track)
    query = request.query_params.get("q", "").strip()
    is_whole = request.query_params.get("all") == "1"
    found: dict[str, Any] = {
        "standing": standing,
        "view": view,
        "query": query,
        "is_whole": is_whole,
        "missing": await run_in_threadpool(missing_media, context_of(request).media, layout.items),
        "is_askable": _is_askable(layout),
        "rule": "" if layout.settings.stop is None else str(read_rule(layout.settings.stop)),
    }
    if standing is not None:
        found |= _outlook(standing)
        found["progress"] = next(
            (one for one in standing.progress.tracks if one.track == track), None
        )
    if view is not None:
        found["ranked"] = _ranked(request, layout, view, query)
        found["scale"] = IntervalScale.of(view.rows, view.scale)
    return found


def _is_askable(layout: PageLayout) -> bool:
    """Whether any track has two items that workers may be asked about."""
    active = (item.track for n, item in enumerate(layout.items) if n not in layout.retired)
    return max(Counter(active).values(), default=0) > 1


def _outlook(standing: Standing) -> dict[str, Any]:
    """Compare the forecast with the rest of the budget."""
    counts = standing.progress.counts
    outlooks = [one.forecast for one in standing.progress.tracks if one.forecast is not None]
    left = None if counts.budget is None else max(counts.budget - counts.n_votes, 0)
    ends = None
    if left is not None and sum(one.lower for one in outlooks) > left:
        ends = "ends_before"
    elif left is not None and sum(one.upper for one in outlooks) > left:
        ends = "may_end_before"
    return {"is_foreseen": bool(outlooks), "budget_ends": ends, "left": left}


def _ranked(request: Request, layout: PageLayout, view: TrackView, query: str) -> Ranked:
    """The rows that are asked for."""
    is_whole = request.query_params.get("all") == "1"
    numbers = {item.id: number for number, item in enumerate(layout.items)}
    media = url(request, "media", layout.id)
    rows = []
    for place in view.rows:
        number = numbers[place.item]
        item = layout.items[number]
        if not query or _mentions(item, query):
            rows.append((number, place, item))

    def drawn(part: list[tuple[int, RankedItem, CampaignItem]]) -> list[Row]:
        return [Row(n, place, shown(item, media), n in layout.retired) for n, place, item in part]

    n_all = len(view.rows)
    if query:
        return Ranked(drawn(rows[:MOST_FOUND]), max(0, len(rows) - MOST_FOUND), [], n_all)
    if is_whole or len(rows) <= MOST_ROWS:
        return Ranked(drawn(rows), 0, [], n_all)
    return Ranked(drawn(rows[:TOP]), len(rows) - TOP - BOTTOM, drawn(rows[-BOTTOM:]), n_all)


def _mentions(item: CampaignItem, query: str) -> bool:
    return query.casefold() in f"{item.id}\n{item.text}".casefold()
