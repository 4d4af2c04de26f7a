"""Manner: how a house is shown to others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short
from hodgerank.server.running.listening import is_everywhere, is_loopback, require_certificate
from hodgerank.server.running.prefix import read_prefix


@dataclass(frozen=True)
class Manner:
    """How a house is shown.

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
    ) -> Manner:
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
