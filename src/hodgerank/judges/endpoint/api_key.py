"""ApiKey: the key to an endpoint, which is sent and otherwise never seen."""

from __future__ import annotations

import os
import re

from hodgerank.errors import InvalidArgument

VARIABLES = ("HODGERANK_API_KEY", "OPENAI_API_KEY")
PLACEHOLDER = "no-key"  # for servers that want none, of a client that must send one
HIDDEN = "[key]"
SHARED = 6  # so many letters of a key in a row give it away in part
SECRET = 8  # a shorter key is none, and might be a word of a reply
MASKED = re.compile(r"\S*\*{3,}\S*")  # how servers quote a key: sk-ab****yz


class ApiKey:
    """The key given, else that of the environment, else none where a server of one's own is named.

    Whatever shows it shows no key.
    """

    def __init__(self, given: str | None, *, is_needed: bool) -> None:
        known = [given, *(os.environ.get(name) for name in VARIABLES)]
        self._key = next((key.strip() for key in known if key and key.strip()), "")
        if not self._key and is_needed:
            raise InvalidArgument(
                f"no key: set the environment variable {VARIABLES[0]} or {VARIABLES[1]}, or name a "
                "server that needs none: base_url, --base-url"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise InvalidArgument("the key holds characters that no key has: copy it once more")

    def __repr__(self) -> str:
        return f"ApiKey({HIDDEN if self._key else ''})"

    @property
    def sent(self) -> str:
        """What is sent."""
        return self._key or PLACEHOLDER

    def hidden_in_error(self, text: str) -> str:
        """What an error says, without the key, parts of it, or what looks like one."""
        text = MASKED.sub(HIDDEN, text)
        if len(self._key) < SECRET:
            return (
                re.sub(rf"(?<!\w){re.escape(self._key)}(?!\w)", HIDDEN, text) if self._key else text
            )
        pieces = {self._key[i : i + SHARED] for i in range(len(self._key) - SHARED + 1)}
        hidden: set[int] = set()
        for start in range(len(text) - SHARED + 1):
            if text[start : start + SHARED] in pieces:
                hidden.update(range(start, start + SHARED))
        shown = []
        for i, letter in enumerate(text):
            if i not in hidden:
                shown.append(letter)
            elif i - 1 not in hidden:
                shown.append(HIDDEN)
        return "".join(shown)

    def hidden_in_reply(self, text: str) -> str:
        """A reply without the key, if a server sends it back; nothing else is changed."""
        return text.replace(self._key, HIDDEN) if len(self._key) >= SECRET else text
