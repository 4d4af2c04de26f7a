"""BindOptions: host, port, TLS and trusted proxies; and the sockets made of them."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.server.routes import ROUTES

USUAL_PORT = 8000
MOST_TRIES = 50
BACKLOG = 2048


def listen(host: str, port: int | None = None) -> socket.socket:
    """A socket at this port; at the usual one or the next that is free if none is named."""
    if port is not None:
        return _listen(host, port)
    for near in range(USUAL_PORT, USUAL_PORT + MOST_TRIES - 1):
        try:
            return _listen(host, near)
        except PortTaken:
            pass
    return _listen(host, USUAL_PORT + MOST_TRIES - 1)


class PortTaken(CampaignError):
    """Another program listens there."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Whether it stands for all addresses of this machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def require_certificate(certificate: Path, key: Path | None) -> None:
    """Refuse files that are no certificate with its key, before anything is begun."""
    for path in (certificate, key):
        if path is not None and not path.is_file():
            raise CampaignError(f"there is no file {path}")

    def ask_nobody() -> str:
        raise CampaignError(f"the key of {certificate} has a password: give one without")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, ask_nobody)
    except ssl.SSLError as error:
        raise CampaignError(
            f"{certificate} and {key or 'the key in it'} are not a certificate and its key in PEM "
            f"form: {error.reason or error}"
        ) from None
    except PermissionError as error:
        raise CampaignError(
            f"{error.filename or key or certificate}: no permission to read"
        ) from None


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise CampaignError(f"{host} is no address of this machine: try --host 127.0.0.1") from None
    try:
        return socket.create_server(place[:2], family=family, backlog=BACKLOG)
    except PermissionError:
        raise CampaignError(
            f"no permission to listen at port {port}: take one above 1023, with a proxy before it"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} is taken by another program: name another one, or none, and a "
                "free one is found"
            ) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise CampaignError(
                f"{host} is no address of this machine: try --host 127.0.0.1, or 0.0.0.0 for all"
            ) from None
        raise CampaignError(f"cannot listen at {host}, port {port}: {error.strerror}") from None


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


@dataclass(frozen=True)
class BindOptions:
    """Where the server listens, and how others reach it.

    Attributes
    ----------
    host
        The address at which it listens.
    public_url
        How others reach it.
    prefix
        The path under which it is seen: '/votes', or nothing.
    proxies
        Addresses and networks whose word is taken for who asks; none where there is no proxy.
    certificate, key
        Files in PEM form, for TLS.
    """

    host: str = "127.0.0.1"
    public_url: str | None = None
    prefix: str = ""
    proxies: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None

    @classmethod
    def of(
        cls,
        *,
        host: str,
        public_url: str | None,
        root_path: str | None,
        proxies: Iterable[str],
        certificate: Path | None,
        key: Path | None,
    ) -> BindOptions:
        """What was asked for, if it can be."""
        path = "" if public_url is None else _path_of(public_url)
        prefix = read_prefix(path if root_path is None else root_path)
        if key is not None and certificate is None:
            raise InvalidArgument("a key is of use with its certificate: name that too")
        if certificate is not None:
            require_certificate(certificate, key)
        return cls(host, public_url, prefix, tuple(map(_network, proxies)), certificate, key)

    def address(self, port: int) -> str:
        """Where to find it, without a slash at the end."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        host = "localhost" if is_everywhere(self.host) else self.host
        scheme = "http" if self.certificate is None else "https"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{self.prefix}"

    def cautions(self) -> list[str]:
        """What whoever starts it should know."""
        is_open = not (is_loopback(self.host) or self.certificate or self.proxies)
        if is_open:
            return [
                "others on the network can read what is sent, links and keys too: use "
                "--certificate, or a proxy with TLS and --behind-proxy"
            ]
        if self.proxies and self.public_url is None:
            return ["say how others reach it, or their requests are refused: --public-url"]
        is_tls_elsewhere = self.public_url is not None and not (self.certificate or self.proxies)
        if is_tls_elsewhere and urlsplit(self.public_url).scheme == "https":
            return [
                "others come over TLS, and what they send is refused unless the proxy is believed: "
                "--behind-proxy, or --proxy with its address"
            ]
        return []


def _path_of(url: str) -> str:
    """The path of a public address, which has to be one."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or parts.query or parts.fragment or parts.username is not None:
        raise InvalidArgument(
            f"{short(url)} is not how others reach it: write https://rank.example.org, or with a "
            "path behind it"
        )
    return parts.path


def _network(address: str) -> str:
    try:
        return str(ip_network(address, strict=False))
    except ValueError:
        raise InvalidArgument(
            f"{short(address)} is no address of a proxy: write 10.0.0.7, or 10.0.0.0/24"
        ) from None
