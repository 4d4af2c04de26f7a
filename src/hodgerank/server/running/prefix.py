"""Prefix: the server under a path of another one."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from hodgerank.errors import InvalidArgument
from hodgerank.server.routes import ROUTES


class Prefix:
    """Tells the application under which path it is seen, whether the proxy takes that off or not.

    Addresses that begin with the path have it, all others had it taken off: so no route may begin
    as the path does.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http":
            path: str = scope["path"]
            is_whole = path == self._path or path.startswith(f"{self._path}/")
            scope["root_path"] = self._path
            scope["path"] = path if is_whole else self._path + path
        await self._app(scope, receive, send)


def read_prefix(path: str) -> str:
    """A path as proxies have it: with a slash before it and none behind.

    >>> read_prefix("votes/")
    '/votes'
    """
    parts = [part for part in path.split("/") if part]
    if not all(part.replace("-", "").replace("_", "").replace(".", "").isalnum() for part in parts):
        raise InvalidArgument(f"the path {path!r} may have letters, digits, - _ . and /")
    if parts and parts[0] in {route.path.split("/")[1] for route in ROUTES}:
        raise InvalidArgument(f"/{parts[0]} is an address of the server itself: take another path")
    return "".join(f"/{part}" for part in parts)
