"""The address of an endpoint, which goes into logs and so must hold no secrets."""

from __future__ import annotations

from urllib.parse import urlsplit

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short


def checked_address(url: str) -> str:
    """An http or https address without a slash at its end.

    >>> checked_address("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address &= parts.port is None or parts.port > 0
        has_user = "@" in parts.netloc
    except ValueError:
        is_address, has_user = False, False
    if has_user or "?" in url or "#" in url or (not is_address and "@" in url):
        raise InvalidArgument(
            "a base URL is an address and nothing else: no user, password, ? or #; "
            "set HODGERANK_API_KEY for a key"
        )
    if not is_address or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidArgument(
            f"base URL {short(repr(url))} is no address such as http://localhost:8000/v1"
        )
    return url.rstrip("/")
