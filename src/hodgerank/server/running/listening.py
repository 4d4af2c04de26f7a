"""Listening: a socket for the server, or words why there is none."""

from __future__ import annotations

import errno
import socket
import ssl
from ipaddress import ip_address
from pathlib import Path

from hodgerank.errors import CampaignError

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
