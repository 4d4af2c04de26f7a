"""Panel: where workers come from, and how they are sent back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from hodgerank.campaign import setting_values as values
from hodgerank.campaign.setting_values import check_all, setting
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

Outcome: TypeAlias = Literal["completed", "screened_out", "withdrawn"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "none": {},
    "prolific": {"worker": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"},
    "connect": {"worker": "participantId", "study": "projectId", "session": "assignmentId"},
    "link": {"worker": "worker", "return": "return"},
}
"""What each kind of panel calls what it puts into the address by which a worker comes."""

PLACES = ("code", "worker", "study", "session")
PLACE = re.compile(r"\{([^{}]*)\}")
ADDRESS = re.compile(  # narrower than what browsers take, so that they see the same host
    r"(?P<origin>(?P<scheme>https?)://"
    r"(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[::1\])(?::[0-9]{1,5})?)"
    r"(?:[/?#][!#-;=?-\[\]^_a-z{|}~]*)?",
    re.ASCII | re.IGNORECASE,
)
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
USUAL_PORTS = {"https": ":443", "http": ":80"}


def origin_of(address: str) -> str | None:
    """Scheme, host and port of an address one may be sent to, written in one way; None if not."""
    found = ADDRESS.fullmatch(address)
    if found is None:
        return None
    scheme, host = found["scheme"].lower(), found["host"].lower()
    if scheme == "http" and host not in LOOPBACK:
        return None
    return found["origin"].lower().removesuffix(USUAL_PORTS[scheme])


def _return_to(value: Any, name: str) -> str:
    template = values.line(value, name)
    if not template:
        return template
    if origin_of(template) is None:
        raise InvalidArgument(
            f"{name} is an address that begins with https:// (http:// on this machine only), not "
            f"{short(repr(value))}"
        )
    for place in PLACE.findall(template):
        if place not in PLACES:
            known = ", ".join(f"{{{one}}}" for one in PLACES)
            raise InvalidArgument(f"{name} has {{{short(place)}}}: it may have {known}")
    if set("{}") & set(PLACE.sub("", template)):
        raise InvalidArgument(f"{name} has a brace without its other one: {short(template)}")
    return template


def _origins(value: Any, name: str) -> tuple[str, ...]:
    found = []
    for one in values.texts(value, name):
        origin, (_, _, host) = origin_of(one), one.removesuffix("/").partition("://")
        if origin is None or set("/?#") & set(host):
            raise InvalidArgument(
                f"{name} are like https://example.org, without a path, not {short(repr(one))}"
            )
        found.append(origin)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Panel:
    """Where workers come from.

    Attributes
    ----------
    kind
        'none'; 'prolific' and 'connect' (CloudResearch), which tell in the address who comes; or
        'link', for any program that puts `worker=` and `return=` there.
    return_to
        Where workers are sent at the end, with {code}, {worker}, {study} and {session} in the
        places where these belong; empty: nowhere, and they are shown the code.
    return_origins
        Beginnings of addresses, such as https://example.org, to which a link may send workers back
        by `return=`.
    completed, screened_out, withdrawn
        The code by which the panel knows how it ended.
    """

    kind: Literal["none", "prolific", "connect", "link"] = setting(
        "none", values.one_of(*PARAMETERS)
    )
    return_to: str = setting("", _return_to)
    return_origins: tuple[str, ...] = setting((), _origins)
    completed: str = setting("", values.line)
    screened_out: str = setting("", values.line)
    withdrawn: str = setting("", values.line)

    def __post_init__(self) -> None:
        check_all(self, "panel.")

    def arrival(self, query: Mapping[str, str]) -> dict[str, str]:
        """What an address tells, of worker, study, session and return; what is empty is left out.

        >>> Panel("prolific").arrival({"PROLIFIC_PID": "5f", "STUDY_ID": "", "x": "y"})
        {'worker': '5f'}
        """
        return {name: query[key] for name, key in PARAMETERS[self.kind].items() if query.get(key)}

    def code(self, outcome: Outcome) -> str:
        """What a worker is to show the panel."""
        return str(getattr(self, outcome))

    def way_back(self, outcome: Outcome, arrival: Mapping[str, str]) -> str:
        """The address a worker is sent to at the end; empty where there is none.

        An address that came by `return=` is taken only if the owner allows its origin.

        >>> panel = Panel("prolific", "https://example.org/?cc={code}&of={session}", completed="C7")
        >>> panel.way_back("completed", {"session": "a b"})
        'https://example.org/?cc=C7&of=a%20b'
        """
        if self.return_to:
            known = {**arrival, "code": self.code(outcome)}
            return PLACE.sub(lambda at: quote(known.get(at[1], ""), safe=""), self.return_to)
        there = arrival.get("return", "")
        return there if origin_of(there) in self.return_origins else ""
