"""Items of a campaign: their texts and media, and the tracks in which they are ranked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hodgerank.campaign import settings_validation as values
from hodgerank.data.items.item_table import Row, rows_of_folder, rows_of_table, tracks_of
from hodgerank.data.reading.values import NOT_A_NAME
from hodgerank.display import UNSEEN, short
from hodgerank.errors import CampaignError, InvalidArgument, InvalidComparisons, UnknownItem
from hodgerank.types import Item

LONGEST_NAME = 500
LARGEST_ID = 10**18  # larger integers do not fit into tables


@dataclass(frozen=True)
class CampaignItem:
    """An item of a campaign.

    Attributes
    ----------
    id
        An integer or a string; the name in rankings and files.
    text, media
        Shown to workers: a text, and a path or web address.
    track
        Items of different tracks are not compared.
    """

    id: Item
    text: str = ""
    media: str = ""
    track: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.id, bool) or not isinstance(self.id, int | str):
            raise InvalidArgument(
                f"an item id must be an integer or a string, not {short(repr(self.id))}"
            )
        if isinstance(self.id, int) and abs(self.id) >= LARGEST_ID:
            raise InvalidArgument("an integer item id must be less than 10^18: use a string")
        require_name(str(self.id), "the item")
        for what in ("text", "media", "track"):
            values.text(getattr(self, what), f"the {what} of {short(self.id)}")
        if self.track:
            require_name(self.track, "the track")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as in the log."""
        parts = {"item": self.id, "text": self.text, "media": self.media, "track": self.track}
        return {name: value for name, value in parts.items() if value != ""}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> CampaignItem:
        """Restore an item from plain values."""
        return cls(data["item"], data.get("text", ""), data.get("media", ""), data.get("track", ""))


def as_items(items: Iterable[Item | CampaignItem] | Mapping[Item, str]) -> Iterator[CampaignItem]:
    """Return items from ids, a mapping of ids to texts, or `CampaignItem`s."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InvalidArgument(f"items must be a list, not {short(repr(items))}")
    if isinstance(items, Mapping):
        for id, text in items.items():
            yield CampaignItem(id, text)
        return
    for item in items:
        yield item if isinstance(item, CampaignItem) else CampaignItem(item)


class ItemRegistry:
    """All items by number, including retired ones, and their positions within their tracks."""

    def __init__(self) -> None:
        self.items: list[CampaignItem] = []
        self.codes: dict[Item, int] = {}
        self.tracks: list[str] = []
        self.track: list[int] = []  # of each item, by number
        self.place: list[int] = []  # of each item among those of its track
        self.members: list[list[int]] = []  # of each track: the items by their places
        self.retired: set[int] = set()
        self.n_active: list[int] = []  # of each track: items that are asked about
        self.resting: list[set[int]] = []  # of each track: places of items that are not

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: CampaignItem) -> int:
        """Add an item; return the number of its track."""
        if item.track not in self.tracks:
            self.tracks.append(item.track)
            self.members.append([])
            self.n_active.append(0)
            self.resting.append(set())
        track = self.tracks.index(item.track)
        self.codes[item.id] = len(self.items)
        self.members[track].append(len(self.items))
        self.items.append(item)
        self.track.append(track)
        self.place.append(len(self.members[track]) - 1)
        self.n_active[track] += 1
        return track

    def change(self, code: int, shown: Mapping[str, str]) -> None:
        """Replace the text or media of an item."""
        item = self.items[code]
        text, media = shown.get("text", item.text), shown.get("media", item.media)
        self.items[code] = replace(item, text=text, media=media)

    def retire(self, code: int) -> None:
        """Retire an item."""
        if code not in self.retired:
            self.retired.add(code)
            self.n_active[self.track[code]] -= 1
            self.resting[self.track[code]].add(self.place[code])

    def bring_back(self, code: int) -> None:
        """Restore a retired item."""
        if code in self.retired:
            self.retired.remove(code)
            self.n_active[self.track[code]] += 1
            self.resting[self.track[code]].remove(self.place[code])

    def places(self, a: int, b: int) -> tuple[int, int]:
        """Return the positions of two items in their track, the lower one first."""
        one, other = self.place[a], self.place[b]
        return (one, other) if one < other else (other, one)

    def code(self, item: Item) -> int:
        """Return the number of an item."""
        if not isinstance(item, int | str) or item not in self.codes:
            raise UnknownItem(item, self.codes)
        return self.codes[item]

    def name(self, code: int) -> Item:
        """Return the id of an item."""
        return self.items[code].id

    def names(self, track: int) -> tuple[Item, ...]:
        """Return the ids of a track's items, by position."""
        return tuple(self.items[code].id for code in self.members[track])

    def active(self, track: int) -> list[int]:
        """Return the active items of a track, by number."""
        return [code for code in self.members[track] if code not in self.retired]

    def track_number(self, track: str | None) -> int:
        """Return the number of a track; the only one needs no name."""
        if track is None and len(self.tracks) == 1:
            return 0
        if track is None:
            raise CampaignError(f"there are {len(self.tracks)} tracks: name one of {self.known}")
        if track not in self.tracks:
            raise CampaignError(f"there is no track {short(track)!r}; the tracks are {self.known}")
        return self.tracks.index(track)

    @property
    def known(self) -> str:
        """Names of the tracks, for messages."""
        return ", ".join(short(repr(track)) for track in self.tracks[:20])


def require_name(name: object, what: str) -> str:
    """Return `name` if every database and table can hold it."""
    if not isinstance(name, str):
        raise InvalidArgument(f"{what} must be a string, not {short(repr(name))}")
    if not name.strip():
        raise InvalidArgument(f"{what} has an empty name: give it one")
    if name != name.strip():
        raise InvalidArgument(
            f"{what} {short(repr(name))} has a space at its start or end: remove it"
        )
    if name in NOT_A_NAME:
        raise InvalidArgument(
            f"{what} is called {name}, which means a missing value in tables: rename it"
        )
    if len(name) > LONGEST_NAME:
        raise InvalidArgument(f"{what} {short(name)} has more than {LONGEST_NAME} characters")
    if unseen := UNSEEN.search(name):
        raise InvalidArgument(
            f"{what} {short(name)} has the character {short(unseen[0])}, which cannot be "
            "displayed: rename it"
        )
    return name


KEPT = re.compile(r"media:(([0-9a-f]{2})[0-9a-f]{62}\.[a-z0-9]+)")


def media_folder(address: str) -> Path:
    """Return the media folder beside a campaign file; for PostgreSQL one in the current folder."""
    return Path("hodgerank-media" if "://" in address else f"{address}-media")


def media_file(folder: Path, media: str) -> Path | None:
    """Return the path of stored media; None for other names.

    >>> media_file(Path("m"), "a.png") is None
    True
    """
    found = KEPT.fullmatch(media)
    return None if found is None else folder / found[2] / found[1]


def local_media(address: str, media: str) -> Path:
    """Return the local path of an item's media, for campaigns at an address.

    Does not check that the file exists. Raises InvalidArgument for web addresses.
    """
    if not media or "://" in media:
        raise InvalidArgument(f"{short(media) or 'nothing'} is not on this machine")
    return media_file(media_folder(address), media) or Path(media)


@dataclass(frozen=True)
class ItemsRead:
    """Items, and the files of a folder that were not used."""

    items: list[CampaignItem]
    left_out: list[str]


class ItemRow(NamedTuple):
    """An item, where it was found, and its track, if any."""

    where: str
    item: str
    text: str
    media: str
    track: str | None = None


def read_campaign_items(
    source: str, columns: Mapping[str, str | None], encoding: str | None
) -> ItemsRead:
    """Read items with one sample each; a single item may be added to others."""
    left_out: list[str] = []
    if Path(source).is_dir():
        if named := next((part for part, column in columns.items() if column is not None), None):
            raise InvalidArgument(f"--{named} names a column, but a folder has none: leave it out")
        name = source
        rows, left_out = rows_of_folder(Path(source))
    else:
        name, rows = rows_of_table(source, columns, encoding, None, None)
    return ItemsRead(items_of([_as_shown(row) for row in rows], name), left_out)


def items_of(rows: Sequence[ItemRow], name: str) -> list[CampaignItem]:
    """Return an item for every row; `name` is the source in messages."""
    if not rows:
        raise InvalidComparisons(f"{name} has no items")
    places: dict[str, str] = {}
    for row in rows:
        if row.item in places:
            raise InvalidComparisons(
                f"{name}: {short(row.item)} is in {places[row.item]} and in {row.where}: give "
                "every row its own id. Only language models can judge several samples per item "
                "(hodgerank judge)"
            )
        places[row.item] = row.where
    tracks = tracks_of(rows, name)
    return [CampaignItem(row.item, row.text, row.media, tracks.get(row.item, "")) for row in rows]


def text_with_context(context: str | None, text: str | None) -> str:
    """Return the text of an item, with its context above it."""
    return "\n\n".join(part for part in (context, text) if part)


def _as_shown(row: Row) -> ItemRow:
    text = text_with_context(row.sample.context, row.sample.text)
    image = row.sample.image
    # the absolute path, since workers may answer from another folder
    media = "" if image is None else str(image.absolute())
    return ItemRow(row.where, row.item, text, media, row.track)
