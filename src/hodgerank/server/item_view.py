"""Display of an item. Its id is shown only if there is nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import nh3
from markdown_it import MarkdownIt

from hodgerank.campaign.items import CampaignItem, ItemRegistry
from hodgerank.server.media.kinds import kind_of_ending

Shown: TypeAlias = dict[str, str]
"""`kind` is 'text', 'image', 'video', 'audio' or 'missing'; then `src`, and `text` or `html`."""

REMEMBERED = 2048  # items with their Markdown
FEW_LETTERS = 200
FITTING_LETTERS, FITTING_BREAKS = 60, 1  # of a text that needs no room
LOOK_SECONDS = 10.0
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
"""What stays of Markdown: neither pictures of other places nor links that lead away."""

# Narrower than a browser's idea of an address, so that both see the same host, and so that nothing
# but a host gets into a policy.
_ORIGIN = re.compile(
    r"(https?://(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?)(?=[/?#]|\Z)",
    re.IGNORECASE,
)


@lru_cache(REMEMBERED)
def shown(item: CampaignItem, media: str, is_markdown: bool = False) -> Shown:
    """Return what pages show of an item; `media` is the address of the campaign's own media.

    >>> shown(CampaignItem("a7", "Tea"), "/media/cups")
    {'kind': 'text', 'text': 'Tea'}
    >>> shown(CampaignItem("a7", media="https://example.org/tea.png"), "/media/cups")
    {'kind': 'image', 'src': 'https://example.org/tea.png'}
    """
    found: Shown = {"kind": "text"}
    if item.media:
        found = _media(item.media, media)
    words = item.text if item.text or item.media else str(item.id)
    if words and is_markdown:
        found["html"] = html_of(words)
    elif words:
        found["text"] = words
    return found


class ItemStyle(NamedTuple):
    """Properties of all items of a campaign that determine the layout of pages.

    Attributes
    ----------
    origins
        The other places that their media come from.
    kinds
        Of all that is shown.
    is_small
        Whether all are short texts and sounds, which would be lost on large cards.
    is_cut
        Whether there is a text that may be longer than its place on a phone.
    """

    origins: tuple[str, ...]
    kinds: frozenset[str]
    is_small: bool
    is_cut: bool


_looks: WeakKeyDictionary[ItemRegistry, tuple[float, int, ItemStyle]] = WeakKeyDictionary()


def style_of(book: ItemRegistry, now: float) -> ItemStyle:
    """Found out again when items join, and after some seconds, since items can be edited."""
    known = _looks.get(book)
    if known is not None and known[1] == len(book) and 0 <= now - known[0] < LOOK_SECONDS:
        return known[2]
    kinds = frozenset(
        _media(item.media, "")["kind"] if item.media else "text" for item in book.items
    )
    is_short = all(len(item.text) <= FEW_LETTERS for item in book.items)
    is_small = is_short and kinds <= {"text", "audio"}
    is_cut = any(may_be_cut(item.text) for item in book.items)
    look = ItemStyle(tuple(origins_of(book.items)), kinds, is_small, is_cut)
    _looks[book] = now, len(book), look
    return look


def may_be_cut(text: str) -> bool:
    """Whether a text may be longer than its place on a phone."""
    return len(text) > FITTING_LETTERS or text.count("\n") > FITTING_BREAKS


def origins_of(items: Iterable[CampaignItem]) -> list[str]:
    """The other places that media of these items come from."""
    found = {origin_of(item.media) for item in items if item.media.startswith("http")}
    return sorted(found - {""})


def origin_of(address: str) -> str:
    """Scheme, host and port of an address on the web; empty where it is none."""
    origin = _ORIGIN.match(address)
    return origin[1].lower() if origin else ""


def html_of(markdown: str) -> str:
    r"""Markdown as HTML that can do nothing.

    >>> html_of("**Tea**, [no link](https://example.org)")
    '<p><strong>Tea</strong>, no link</p>\n'
    """
    return nh3.clean(_parser().render(markdown), tags=TAGS, attributes={})


def _media(name: str, media: str) -> Shown:
    if name.startswith("media:"):
        file = name.removeprefix("media:")
        kind = kind_of_ending(file)
        return {"kind": kind.what, "src": f"{media}/{file}"} if kind else {"kind": "missing"}
    if not origin_of(name):
        return {"kind": "missing"}  # a path of a machine, which no browser can see
    kind = kind_of_ending(urlsplit(name).path)
    return {"kind": kind.what if kind else "image", "src": name}


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(
        ["table", "strikethrough"]
    )
