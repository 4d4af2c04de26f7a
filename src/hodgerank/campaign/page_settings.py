"""JoinSettings: what workers see before their first pair."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from hodgerank.campaign import settings_validation as values
from hodgerank.campaign.attention_checks import GoldPair, known_pairs
from hodgerank.campaign.settings_validation import check_all, setting
from hodgerank.display import short
from hodgerank.errors import InvalidArgument


@dataclass(frozen=True)
class PracticePair(GoldPair):
    """A practice pair, with an explanation of why one item is better."""

    because: str = setting("", values.text)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_all(self, "joining.practice.")


@dataclass(frozen=True)
class QuizQuestion:
    """A comprehension question."""

    question: str = setting("", values.text)
    answers: tuple[str, ...] = setting((), values.texts)
    right: str = setting("", values.text)

    def __post_init__(self) -> None:
        check_all(self, "joining.questions.")
        if not self.question.strip():
            raise InvalidArgument("joining.questions.question is empty: write a question")
        if len(self.answers) < 2:
            raise InvalidArgument(
                "joining.questions.answers needs two or more answers, one of them right, not "
                f"{short(repr(list(self.answers)))}"
            )
        values.one_of(*self.answers)(self.right, "joining.questions.right")


@dataclass(frozen=True)
class JoinSettings:
    """Steps that workers complete before the first task; empty ones are left out.

    Attributes
    ----------
    consent
        Consent text that workers agree to first.
    practice
        Practice pairs with an explanation; answers to them are not recorded.
    questions
        Comprehension questions about the instructions; all must be answered correctly.
    tries
        Tries before a worker is screened out.
    """

    consent: str = setting("", values.text)
    practice: tuple[PracticePair, ...] = setting((), known_pairs(PracticePair))
    questions: tuple[QuizQuestion, ...] = setting((), values.tables(QuizQuestion, "a question"))
    tries: int = setting(2, values.whole(1, 100))

    def __post_init__(self) -> None:
        check_all(self, "joining.")


ENTRANCE = re.compile(r"[A-Za-z0-9_-]{0,100}")


ENTRANCE_BYTES = 9
"""Of randomness in the link for workers: twelve letters."""


def random_entrance() -> str:
    """Return a key for the link for workers, which nobody guesses."""
    return secrets.token_urlsafe(ENTRANCE_BYTES)


def _entrance(value: Any, name: str) -> str:
    if not ENTRANCE.fullmatch(values.text(value, name)):
        raise InvalidArgument(
            f"{name} may only have letters, digits, - and _, at most 100, not {short(repr(value))}"
        )
    return str(value)


@dataclass(frozen=True)
class PageSettings:
    """Look of the pages for workers.

    Attributes
    ----------
    language
        Language of the pages: 'en' or 'de'.
    entrance
        Secret end of the address at which workers join.
    markdown
        Whether texts of items and instructions are Markdown.
    hear_both
        Whether video and audio must be played to the end before answering.
    start_together
        Whether two videos start at the same time.
    keys
        Whether answers can be given by keys.
    """

    language: Literal["en", "de"] = setting("en", values.one_of("en", "de"))
    entrance: str = setting("", _entrance)
    markdown: bool = setting(False, values.flag)
    hear_both: bool = setting(False, values.flag)
    start_together: bool = setting(True, values.flag)
    keys: bool = setting(True, values.flag)

    def __post_init__(self) -> None:
        check_all(self, "pages.")


Outcome: TypeAlias = Literal["completed", "screened_out", "withdrawn"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "none": {},
    "prolific": {"worker": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"},
    "connect": {"worker": "participantId", "study": "projectId", "session": "assignmentId"},
    "link": {"worker": "worker", "return": "return"},
}
"""Parameters in the address by which each kind of panel identifies a worker."""

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
    """Return the normalised origin of an address to which workers may be sent; None if invalid."""
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
            f"{name} must be an address that begins with https:// (or http:// on this machine), "
            f"not {short(repr(value))}"
        )
    for place in PLACE.findall(template):
        if place not in PLACES:
            known = ", ".join(f"{{{one}}}" for one in PLACES)
            raise InvalidArgument(
                f"{name} has the unknown field {{{short(place)}}}: the fields are {known}"
            )
    if set("{}") & set(PLACE.sub("", template)):
        raise InvalidArgument(f"{name} has an unmatched brace: {short(template)}")
    return template


def _origins(value: Any, name: str) -> tuple[str, ...]:
    found = []
    for one in values.texts(value, name):
        origin, (_, _, host) = origin_of(one), one.removesuffix("/").partition("://")
        if origin is None or set("/?#") & set(host):
            raise InvalidArgument(
                f"{name} must be like https://example.org, without a path, not {short(repr(one))}"
            )
        found.append(origin)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class RecruitmentPanel:
    """Recruitment panel from which workers come.

    Attributes
    ----------
    kind
        'none'; 'prolific' and 'connect' (CloudResearch), which identify workers in the address; or
        'link', for any program that adds `worker=` and `return=` to the address.
    return_to
        Address to which workers are sent at the end, with the fields {code}, {worker}, {study} and
        {session}; if empty, they are shown the code.
    return_origins
        Origins, such as https://example.org, to which `return=` may send workers.
    completed, screened_out, withdrawn
        Codes for the panel, by outcome.
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
        """Return worker, study, session and return from the parameters of an address.

        >>> RecruitmentPanel("prolific").arrival({"PROLIFIC_PID": "5f", "STUDY_ID": "", "x": "y"})
        {'worker': '5f'}
        """
        return {name: query[key] for name, key in PARAMETERS[self.kind].items() if query.get(key)}

    def code(self, outcome: Outcome) -> str:
        """Return the code that a worker shows to the panel."""
        return str(getattr(self, outcome))

    def way_back(self, outcome: Outcome, arrival: Mapping[str, str]) -> str:
        """Return the address to which a worker is sent at the end; empty if there is none.

        An address in `return=` is used only if the owner allows its origin.

        >>> address = "https://example.org/?cc={code}&of={session}"
        >>> panel = RecruitmentPanel("prolific", address, completed="C7")
        >>> panel.way_back("completed", {"session": "a b"})
        'https://example.org/?cc=C7&of=a%20b'
        """
        if self.return_to:
            known = {**arrival, "code": self.code(outcome)}
            return PLACE.sub(lambda at: quote(known.get(at[1], ""), safe=""), self.return_to)
        there = arrival.get("return", "")
        return there if origin_of(there) in self.return_origins else ""
