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
    """Return a socket at this port; without one, at the usual port or the next free one."""
    if port is not None:
        return _listen(host, port)
    for near in range(USUAL_PORT, USUAL_PORT + MOST_TRIES - 1):
        try:
            return _listen(host, near)
        except PortTaken:
            pass
    return _listen(host, USUAL_PORT + MOST_TRIES - 1)


class PortTaken(CampaignError):
    """Another program uses the port."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Return whether the host means all addresses of this machine."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def require_certificate(certificate: Path, key: Path | None) -> None:
    """Refuse an invalid certificate or key before anything is started."""
    for path in (certificate, key):
        if path is not None and not path.is_file():
            raise CampaignError(f"there is no file {path}")

    def ask_nobody() -> str:
        raise CampaignError(f"the key of {certificate} has a password: use a key without one")

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
        raise CampaignError(
            f"{host} is not an address of this machine: try --host 127.0.0.1"
        ) from None
    try:
        return socket.create_server(place[:2], family=family, backlog=BACKLOG)
    except PermissionError:
        raise CampaignError(
            f"no permission to listen on port {port}: use a port above 1023 behind a proxy"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} is in use by another program: use another --port, or leave it out "
                "to find a free one"
            ) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise CampaignError(
                f"{host} is not an address of this machine: try --host 127.0.0.1, or 0.0.0.0 "
                "for all"
            ) from None
        raise CampaignError(f"cannot listen on {host}, port {port}: {error.strerror}") from None


class Prefix:
    """Sets the path prefix of the application, whether the proxy strips it or not.

    Paths that begin with the prefix have it; from others the proxy has stripped it. So no route may
    begin like the prefix.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            path: str = scope["path"]
            is_whole = path == self._path or path.startswith(f"{self._path}/")
            scope["root_path"] = self._path
            scope["path"] = path if is_whole else self._path + path
        await self._app(scope, receive, send)


def read_prefix(path: str) -> str:
    """Return a path with a leading slash and no trailing one.

    >>> read_prefix("votes/")
    '/votes'
    """
    parts = [part for part in path.split("/") if part]
    if not all(part.replace("-", "").replace("_", "").replace(".", "").isalnum() for part in parts):
        raise InvalidArgument(f"the path {path!r} may only have letters, digits, - _ . and /")
    if parts and parts[0] in {route.path.split("/")[1] for route in ROUTES}:
        raise InvalidArgument(f"/{parts[0]} is a path of the server itself: use another path")
    return "".join(f"/{part}" for part in parts)


@dataclass(frozen=True)
class BindOptions:
    """Host, port, TLS and trusted proxies.

    Attributes
    ----------
    host
        Address to listen on.
    public_url
        Public address.
    prefix
        Path under which a proxy serves it: '/votes', or empty.
    proxies
        Addresses and networks of trusted proxies; empty without a proxy.
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
        """Validate the options."""
        path = "" if public_url is None else _path_of(public_url)
        prefix = read_prefix(path if root_path is None else root_path)
        if key is not None and certificate is None:
            raise InvalidArgument("--key needs --certificate")
        if certificate is not None:
            require_certificate(certificate, key)
        return cls(host, public_url, prefix, tuple(map(_network, proxies)), certificate, key)

    def address(self, port: int) -> str:
        """Return the address of the server, without a trailing slash."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        host = "localhost" if is_everywhere(self.host) else self.host
        scheme = "http" if self.certificate is None else "https"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{self.prefix}"

    def cautions(self) -> list[str]:
        """Return warnings for whoever starts the server."""
        is_open = not (is_loopback(self.host) or self.certificate or self.proxies)
        if is_open:
            return [
                "the connection is not encrypted, so others on the network can read links and "
                "keys: use --certificate, or a proxy with TLS and --behind-proxy"
            ]
        if self.proxies and self.public_url is None:
            return [
                "requests from other machines will be refused: give the public address with "
                "--public-url"
            ]
        is_tls_elsewhere = self.public_url is not None and not (self.certificate or self.proxies)
        if is_tls_elsewhere and urlsplit(self.public_url).scheme == "https":
            return [
                "the public address has TLS, so requests are refused unless the proxy is "
                "trusted: use --behind-proxy, or --proxy with its address"
            ]
        return []


def _path_of(url: str) -> str:
    """Return the path of a public address after checking it."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or parts.query or parts.fragment or parts.username is not None:
        raise InvalidArgument(
            f"{short(url)} is not a valid public address: write https://rank.example.org, or "
            "with a path"
        )
    return parts.path


def _network(address: str) -> str:
    try:
        return str(ip_network(address, strict=False))
    except ValueError:
        raise InvalidArgument(
            f"{short(address)} is not an address of a proxy: write 10.0.0.7, or 10.0.0.0/24"
        ) from None
