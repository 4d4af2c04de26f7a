"""Pictures and sounds: what items of a campaign show, and nothing else of the library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hodgerank.errors import HodgeRankError
from hodgerank.server.house import campaign_of, house_of
from hodgerank.server.media.serving import UnsatisfiableRange, media_headers, range_of
from hodgerank.server.problem import Problem

PIECE = 1 << 18
"""Bytes that are read at once."""


async def media(request: Request, name: str) -> Response:
    """A file that an item shows, or a part of it."""
    campaign = await campaign_of(request)
    shown = f"media:{name}"
    if not any(item.media == shown for item in campaign.desk.state.items.items):
        raise Problem(404, "")
    path, size = await run_in_threadpool(_look_up, request, shown)
    headers = media_headers(shown)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    start, end, status = 0, size - 1, 200
    if request.headers.get("if-range", headers["ETag"]) == headers["ETag"]:
        try:
            part = range_of(request.headers.get("range"), size)
        except UnsatisfiableRange as error:
            raise Problem(416, str(error), headers={"Content-Range": f"bytes */{size}"}) from None
        if part is not None:
            (start, end), status = part, 206
            headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    headers["Content-Length"] = str(end - start + 1)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    return StreamingResponse(_pieces(path, start, end), status, headers)


def _look_up(request: Request, shown: str) -> tuple[Path, int]:
    try:
        path = house_of(request).media.path_of(shown)
        return path, path.stat().st_size
    except (HodgeRankError, OSError):
        raise Problem(404, "this file is no longer there") from None


async def _pieces(path: Path, start: int, end: int) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        await file.seek(start)
        left = end - start + 1
        while left and (piece := await file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
