"""Events over HTTP: the log of a campaign, from any place on, as it grows."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from itertools import islice
from time import monotonic
from typing import Annotated

from fastapi import Query as InQuery
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.events import Event
from hodgerank.campaign.items import ItemBook
from hodgerank.campaign.log_file import event_line
from hodgerank.server.access import key_of
from hodgerank.server.api.describing import operation
from hodgerank.server.api.news import News
from hodgerank.server.api.values import Named, Query, Seq
from hodgerank.server.house import decide, house_of

JSON_LINES, STREAM = "application/jsonl", "text/event-stream"
BATCH = 500
HEARTBEAT_SECONDS = 15.0
ID = re.compile(r"[0-9]{1,18}")
RETRY = b"retry: 2000\n\n"


class After(Query):
    """From where on."""

    after: Seq = Field(0, description="The place in the log behind which to begin.")


@operation((JSON_LINES, STREAM))
async def get_events(
    request: Request, campaign: Named, query: Annotated[After, InQuery()]
) -> Response:
    """Read the log.

    Lines of JSON, up to the last event there is; with `Accept: text/event-stream` a stream that
    goes on as things happen, whose ids are places in the log; browsers that lost it say where they
    were by `Last-Event-ID`. The lines are those of an exported
    log: `Event` of the Python library has the meaning of their fields.
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
    news: News = request.app.state.news
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
    keys, digest = house_of(request).keys, key_of(request).digest
    return bool(await run_in_threadpool(lambda: keys.all(digest=digest)))


async def _batches(campaign: Campaign, after: int) -> AsyncIterator[list[tuple[Event, bytes]]]:
    """Events that are durable, with their lines."""
    reading = await run_in_threadpool(campaign.log, after)
    while events := await run_in_threadpool(lambda: list(islice(reading, BATCH))):
        items = campaign.desk.state.items
        if any(max(event.left or 0, event.right or 0) >= len(items) for event in events):
            # another process has added them
            items = await decide(campaign, lambda state, now: state.items)
        yield await run_in_threadpool(_with_lines, events, items)


def _with_lines(events: list[Event], items: ItemBook) -> list[tuple[Event, bytes]]:
    return [(event, event_line(event, items.name)) for event in events]
