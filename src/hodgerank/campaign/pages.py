"""Pages: how the pages of workers look and act."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from hodgerank.campaign import setting_values as values
from hodgerank.campaign.setting_values import check_all, setting
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short

ENTRANCE = re.compile(r"[A-Za-z0-9_-]{0,100}")


def _entrance(value: Any, name: str) -> str:
    if not ENTRANCE.fullmatch(values.text(value, name)):
        raise InvalidArgument(
            f"{name} has letters, digits, - and _ only, at most 100, not {short(repr(value))}"
        )
    return str(value)


@dataclass(frozen=True)
class Pages:
    """What workers see around the pairs, where a server shows them.

    Attributes
    ----------
    language
        Of everything that the owner does not write: 'en' or 'de'.
    entrance
        The end of the address at which workers join: who does not know it cannot.
    markdown
        Whether texts of items and instructions are Markdown.
    hear_both
        Whether video and audio have to be played to the end before an answer.
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
