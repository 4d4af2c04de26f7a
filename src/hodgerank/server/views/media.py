"""Sent media: files that programs have uploaded, from the upload until an item shows them.

Whoever has the bytes of a file may show it, and a name is not the bytes: names stand in addresses
that workers see, in logs and in exports. So a token of one campaign may name what was sent with a
token of the same campaign, and what the campaign shows already, but no other file of the library.
Of those it is told the same as of files that are not there. A token that is good for all campaigns
sees all their media anyway, and may name any.

Until then a file lies apart from the library, in a folder for its campaign and day that stands
among the uploads of pages, and is removed as they are: not before a day has gone by.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

import anyio
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import media_file
from hodgerank.campaign.page_settings import ADDRESS
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.display import short
from hodgerank.errors import CannotWrite, HodgeRankError, InvalidArgument
from hodgerank.server.auth import key_of
from hodgerank.server.context import ServerContext, campaign_of, context_of, read
from hodgerank.server.media.library import MediaLibrary, too_large
from hodgerank.server.media.range_requests import UnsatisfiableRange, media_headers, range_of
from hodgerank.server.media.validation import ValidatedFile
from hodgerank.server.problem import Problem
from hodgerank.server.uploads.staging import FOLDER, KEPT_SECONDS
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import Body, example


def keep(context: ServerContext, campaign: str | None, path: Path) -> ValidatedFile:
    """Keep what was sent with a token of a campaign, or of all; InvalidArgument if it is refused.

    Whether the library has the same file makes no difference, so nobody can find that out.
    """
    examined = context.parsers.validate_media(path)
    # Nothing is added to the folder of an earlier day, so that who removes it meets no new file.
    today = _folder(context, campaign, _day())
    MediaLibrary(today, context.media.largest).add(path, "the file", examined)
    context.staging.clean()
    return examined


@asynccontextmanager
async def naming(
    request: Request, media: Iterable[str], campaign: Campaign | None = None
) -> AsyncIterator[None]:
    """While items are given these media: what was sent is in the library then.

    InvalidArgument for what is neither an address nor an upload that the token may name. Files stay
    where they were sent to if the items are refused.
    """
    context, key = context_of(request), key_of(request)
    names = [name for name in dict.fromkeys(media) if name and not ADDRESS.fullmatch(name)]
    if names:
        await _require(context, key.campaign, names, campaign)
    yield
    if names:
        await run_in_threadpool(_drop, context, key.campaign, names)


async def _require(
    context: ServerContext, scope: str | None, names: Sequence[str], campaign: Campaign | None
) -> None:
    others = await run_in_threadpool(_not_sent, context, scope, names)
    may_be_named = others
    if others and scope is not None:
        # Looked up after what was sent, which goes from there when an item shows it.
        shown = set[str]() if campaign is None else await read(campaign, _shown)
        may_be_named = [name for name in others if name in shown]
    found = await run_in_threadpool(_kept, context.media, may_be_named)
    for name in others:
        if name not in found:
            raise InvalidArgument(
                f"{short(name)} is neither an address that begins with http:// or https://, nor "
                "the name of an upload that is here: upload it"
            )


def _not_sent(context: ServerContext, campaign: str | None, names: Sequence[str]) -> list[str]:
    """Names that were not sent with such a token; those that were are in the library then."""
    return [name for name in names if not _bring(context, campaign, name)]


def _bring(context: ServerContext, campaign: str | None, name: str) -> bool:
    for path in _places(context, campaign, name):
        with suppress(InvalidArgument, FileNotFoundError):  # it is not there, or not any more
            sha256 = name.removeprefix("media:").partition(".")[0]
            known = ValidatedFile(context.media.kind_of(name), sha256, path.stat().st_size)
            context.media.add(path, name, known)
            return True
    return False


def _shown(state: CampaignSnapshot, now: float) -> set[str]:
    return {item.media for item in state.items.items}


def _kept(library: MediaLibrary, names: Sequence[str]) -> set[str]:
    return {name for name in names if name in library}


def _drop(context: ServerContext, campaign: str | None, names: Sequence[str]) -> None:
    """Delete waiting files, which are not needed once they are in the library and in an item."""
    for name in names:
        for path in _places(context, campaign, name):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _places(context: ServerContext, campaign: str | None, name: str) -> Iterator[Path]:
    """Where a file may wait: yesterday's may be as young as a day."""
    for day in (_day(), _day() - 1):
        if (path := media_file(_folder(context, campaign, day), name)) is not None:
            yield path


def _folder(context: ServerContext, campaign: str | None, day: int) -> Path:
    name = hashlib.sha256(json.dumps([campaign, day]).encode()).hexdigest()[:32]
    return context.media.folder / FOLDER / name


def _day() -> int:
    return int(time.time() // KEPT_SECONDS)


FORM = "multipart/"


class MediaSent(Body):
    """An uploaded file."""

    model_config = example(
        media="media:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae.png",
        bytes=48_213,
        kind="image",
        media_type="image/png",
        warning="",
    )

    media: str = Field(description="Name to use as the media of an item.")
    bytes: int = Field(ge=1)
    kind: Literal["image", "video", "audio"]
    media_type: str = Field(description="Media type with which it is served.")
    warning: str = Field(description="Known problems in some browsers, if any.")


@operation(MediaSent, 201, accepts=("application/octet-stream",))
async def upload_media(request: Request) -> Response:
    """Upload a picture, video or sound.

    The body is the file itself, not a form. Formats, recognised by their bytes: PNG, JPEG, GIF,
    WebP, AVIF, BMP, MP4, WebM, MP3, WAV, FLAC, Ogg, M4A or AAC of at most 200 MB. Formats that can
    run scripts, such as SVG, are refused. The bytes are stored unchanged, and the same file always
    gets the same name.

    Use it as the media of an item within a day, with a token for the same campaign, or for all
    campaigns if this one is. It is not visible before. A token for one campaign cannot use files of
    others unless the campaign shows them.
    """
    if request.headers.get("content-type", "").strip().lower().startswith(FORM):
        raise Problem(415, "send the file as it is, not a form: curl --data-binary @FILE")
    context, key = context_of(request), key_of(request)
    with context.staging.scratch() as folder:
        path = folder / "file"
        with path.open("wb", buffering=0) as file:
            await _receive(request, file, context.media.largest)
        found = await context.in_upload_thread(keep, context, key.campaign, path)
    content = {
        "media": found.name,
        "bytes": found.size,
        "kind": found.kind.what,
        "media_type": found.kind.media_type,
        "warning": found.warning,
    }
    return JSONResponse(content, 201)


async def _receive(request: Request, file: BinaryIO, most: int) -> None:
    n_bytes = 0
    try:
        async for piece in request.stream():
            n_bytes += len(piece)
            if n_bytes > most:
                raise Problem(413, too_large(most))
            await run_in_threadpool(file.write, piece)
    except ClientDisconnect:
        raise Problem(400, "the upload was interrupted: send it again") from None
    except OSError as error:
        raise CannotWrite(f"there is no room for the upload: {error.strerror or error}") from error


PIECE = 1 << 18
"""Bytes that are read at once."""


async def media(request: Request, name: str) -> Response:
    """A file that an item shows, or a part of it."""
    campaign = await campaign_of(request)
    shown = f"media:{name}"
    if not any(item.media == shown for item in campaign.log.state.items.items):
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
        path = context_of(request).media.path_of(shown)
        return path, path.stat().st_size
    except (HodgeRankError, OSError):
        raise Problem(404, "this file no longer exists") from None


async def _pieces(path: Path, start: int, end: int) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        await file.seek(start)
        left = end - start + 1
        while left and (piece := await file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
