"""Scripts and styles of pages, and the health check."""

from __future__ import annotations

import logging
import mimetypes

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank import __version__
from hodgerank.errors import HodgeRankError
from hodgerank.server.context import context_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import static_file

logger = logging.getLogger("hodgerank.server")


async def static(request: Request, name: str) -> Response:
    """A script, a style or a drawing of the pages."""
    content = static_file(name)
    if content is None:
        raise Problem(404, "")
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
    # Another content has another address.
    caching = {"Cache-Control": "max-age=31536000, immutable"}
    return Response(content, media_type=kind, headers=caching)


async def health(request: Request) -> Response:
    """Return whether the server works and can read its database."""
    try:
        await run_in_threadpool(context_of(request).database.campaigns)
    except HodgeRankError as error:
        logger.error("health check failed: %s", error)
        return JSONResponse({"status": "failing", "version": __version__}, 503)
    return JSONResponse({"status": "ok", "version": __version__})
