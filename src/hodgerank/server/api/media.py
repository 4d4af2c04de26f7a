"""Media over HTTP: a program uploads what its items are to show."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Literal, cast

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from hodgerank.errors import CannotWrite
from hodgerank.server.access import key_of
from hodgerank.server.api.sent_media import keep
from hodgerank.server.api.describing import operation
from hodgerank.server.api.values import Body, example
from hodgerank.server.house import house_of
from hodgerank.server.media.library import too_large
from hodgerank.server.problem import Problem

IN_MEMORY = 1 << 20
"""Bytes; the rest of a larger file is on disk while it comes."""
FORM = "multipart/"


class MediaSent(Body):
    """A file that items may show."""

    model_config = example(
        media="media:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae.png",
        bytes=48_213,
        kind="image",
        media_type="image/png",
        warning="",
    )

    media: str = Field(description="What items call it.")
    bytes: int = Field(ge=1)
    kind: Literal["image", "video", "audio"]
    media_type: str = Field(description="As which it will be served.")
    warning: str = Field(description="What may go wrong with it in some browsers, if anything.")


@operation(MediaSent, 201, accepts=("application/octet-stream",))
async def upload_media(request: Request) -> Response:
    """Upload a picture, video or sound.

    The body is the file itself, not a form. What it is, its bytes tell: PNG, JPEG, GIF, WebP, AVIF,
    BMP, MP4, WebM, MP3, WAV, FLAC, Ogg, M4A or AAC of at most 200 MB. What could run script, such
    as SVG, is refused. The bytes are kept as they are, and the same file has the same name again.

    Name it as the media of an item within a day, with a token for the same campaign, or for all
    campaigns if this one is. Nobody can see it before. A token for one campaign cannot name files
    that others have uploaded, unless the campaign shows them.
    """
    if request.headers.get("content-type", "").strip().lower().startswith(FORM):
        raise Problem(415, "send the file as it is, not a form: curl --data-binary @FILE")
    house, key = house_of(request), key_of(request)
    with SpooledTemporaryFile(IN_MEMORY, dir=str(house.media.folder)) as file:
        await _receive(request, cast(BinaryIO, file), house.media.largest)
        found = await run_in_threadpool(keep, house, key.campaign, cast(BinaryIO, file))
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
        raise Problem(400, "the upload broke off: send it again") from None
    except OSError as error:
        raise CannotWrite(f"there is no room for the upload: {error.strerror or error}") from error
