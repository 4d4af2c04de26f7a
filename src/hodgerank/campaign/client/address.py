"""Address of a server, and the campaign it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, unquote, urlsplit

from hodgerank.display import short
from hodgerank.errors import InvalidArgument

# The page of a campaign, as the owner's browser shows it; or its address in the API.
PAGE = re.compile(r"(?P<prefix>.*?)/(?:c|api/v1/campaigns)/(?P<id>[^/]+)(?:/.*)?")
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Address:
    """Address of a server, with the prefix of its paths."""

    scheme: str
    host: str
    port: int
    prefix: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.prefix}"

    @property
    def is_private(self) -> bool:
        """Whether the connection is encrypted or local."""
        return self.scheme == "https" or _is_loopback(self.host)

    def path(self, *parts: str) -> str:
        """Return a path of the API; parts may be any names."""
        return self._below("/api/v1", parts)

    def media_path(self, campaign: str, file: str) -> str:
        """Return the address of a media file of a campaign."""
        return self._below("/media", (campaign, file))

    def _below(self, beginning: str, parts: Sequence[str]) -> str:
        return "/".join([self.prefix + beginning, *map(_segment, parts)])


def read_address(address: str, id: str | None) -> tuple[Address, str | None]:
    """Split an address into the server and the id of a campaign.

    >>> read_address("https://rank.example.org/c/animals", None)[1]
    'animals'
    >>> str(read_address("http://localhost:8000/", "animals")[0])
    'http://localhost:8000'
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in PORTS or "@" in parts.netloc:
        raise InvalidArgument(
            "the address of a server must be like https://rank.example.org, not "
            f"{short(repr(address))}"
        )
    path = parts.path.rstrip("/")
    if id is None and (found := PAGE.fullmatch(path)):
        path, id = found["prefix"], unquote(found["id"])
    return Address(parts.scheme, host, port or PORTS[parts.scheme], path), id


def _segment(part: str) -> str:
    """Quote a part of a path; dots alone would change the path.

    >>> _segment("a/b"), _segment("..")
    ('a%2Fb', '%2E%2E')
    """
    return part.replace(".", "%2E") if part in (".", "..") else quote(part, safe="")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
