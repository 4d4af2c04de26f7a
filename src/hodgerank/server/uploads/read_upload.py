"""read_upload: preview of uploaded files as items, before anything is created."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from posixpath import basename, commonpath, dirname, relpath
from urllib.parse import urlsplit

from hodgerank.campaign.items import CampaignItem, items_of
from hodgerank.data.items.item_table import TEXTS, text_of
from hodgerank.data.items.samples import require_text
from hodgerank.display import short
from hodgerank.errors import CannotWrite, HodgeRankError, InvalidArgument
from hodgerank.server.media.kinds import kind_of_ending
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.media.validation import ValidatedFile
from hodgerank.server.uploads.archives import DAMAGED, TROUBLE
from hodgerank.server.uploads.file_names import Limits, is_address, shown, without_ending
from hodgerank.server.uploads.item_tables import MediaFiles, is_table, read_table
from hodgerank.server.uploads.uploaded_files import (
    FileOpener,
    RefusedFile,
    UploadedFile,
    UploadedFiles,
    gather_files,
)


@dataclass(frozen=True)
class Upload:
    """Result of reading uploaded files.

    Words are plain text in one line, hostile names made visible; pages escape them. Items and the
    names of `columns` are as they were written.

    Attributes
    ----------
    items
        As they would join; their media are called as the library will call them.
    columns, unused_columns
        Of a table: the column that plays each part (id, text, context, media, track), and others.
    faults
        What is wrong with rows, or with the upload as a whole; such rows are not among the items.
    refusals
        Files that are not taken, and why.
    left_out
        Files that nobody asked for, and why: those of the system, and those that the table does not
        name.
    warnings
        What to know about the items.
    """

    items: tuple[CampaignItem, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    unused_columns: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    refusals: tuple[RefusedFile, ...] = ()
    left_out: tuple[RefusedFile, ...] = ()
    warnings: tuple[str, ...] = ()
    media: Mapping[str, tuple[UploadedFile, ValidatedFile]] = field(
        default_factory=dict, repr=False
    )
    limits: Limits = field(default_factory=Limits, repr=False)

    @property
    def tracks(self) -> dict[str, int]:
        """How many items each has; empty where there are none."""
        return dict(Counter(item.track for item in self.items if item.track))

    @property
    def n_bytes(self) -> int:
        """How much the media hold, each counted once."""
        return sum(examined.size for _, examined in self.media.values())

    def store(self, library: MediaLibrary) -> list[CampaignItem]:
        """Put the media into the library; the items, which may join then.

        The uploaded files must still be where they were. What they hold is looked at again if it
        is not what it was.
        """
        with FileOpener(self.limits) as opener:
            for name in dict.fromkeys(item.media for item in self.items):
                if name in self.media:
                    file, examined = self.media[name]
                    if _added(library, opener, file, examined) != name:
                        raise InvalidArgument(f"{file.shown} has changed: upload it again")
        return list(self.items)


def _added(
    library: MediaLibrary, opener: FileOpener, file: UploadedFile, examined: ValidatedFile
) -> str:
    with opener.stream(file) as content:
        try:
            return library.add(content, file.name, examined)
        except HodgeRankError:
            raise
        except TROUBLE:
            raise InvalidArgument(f"{file.shown}: {DAMAGED}") from None


_NAMED_ELSEWHERE = re.compile(r"give its encoding: .*")
"""How to tell the encoding in code and at a command line."""
ABOUT_ALL = ("readme", "license", "licence")
"""Texts that come with media and are no items."""


def read_upload(
    files: Iterable[tuple[str, Path]],
    *,
    columns: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
    limits: Limits | None = None,
    folder: Path | None = None,
) -> Upload:
    """Read files as items of a campaign; the result lists everything that is wrong with them.

    A table, with the media that it names beside it, in a zip, or at an address; or texts, or media,
    whose names without ending are the ids. Only CannotWrite is raised, where a zip finds no room.

    Parameters
    ----------
    files
        The name that the browser gave, with folders perhaps, and where the bytes are.
    columns, encoding
        Of the table: the column of a part (id, text, context, media, track) whose name does not
        tell, "" for one that is not to be used.
    limits
        How much there may be.
    folder
        Where large files are unpacked for a moment.
    """
    limits = limits or Limits()
    with FileOpener(limits, folder) as opener:
        found = gather_files(files, opener)
        media = MediaFiles(found.files, opener)
        tables = [file for file in found.files.values() if is_table(file.name)]
        if len(tables) > 1:
            upload = Upload(faults=(_several(tables),))
        elif tables:
            upload = _of_table(tables[0], found, media, opener, columns or {}, encoding)
        else:
            upload = _of_files(found, media, opener)
    for name, reason in media.refused.items():
        found.refuse(name, reason)
    if not upload.items and not upload.faults:
        upload = replace(upload, faults=("there are no items in it: choose other files",))
    used = {item.media for item in upload.items}
    return replace(
        upload,
        refusals=tuple(found.refusals),
        left_out=tuple(found.left_out),
        warnings=tuple(_warnings(upload.items, media)),
        media={name: kept for name, kept in media.kept.items() if name in used},
        limits=limits,
    )


def _several(tables: Sequence[UploadedFile]) -> str:
    return (
        f"there are {len(tables):,} tables, such as {tables[0].shown} and {tables[1].shown}: "
        "upload one of them"
    )


def _of_table(
    table: UploadedFile,
    found: UploadedFiles,
    media: MediaFiles,
    opener: FileOpener,
    columns: Mapping[str, str | None],
    encoding: str | None,
) -> Upload:
    try:
        read = read_table(table, media, opener, columns, encoding)
        items = items_of(read.rows, table.shown) if read.rows else []
    except CannotWrite:
        raise
    except HodgeRankError as error:
        words = str(error).removeprefix(table.shown).lstrip(":, ")
        found.refuse(table.name, _NAMED_ELSEWHERE.sub("choose its encoding below", words))
        return Upload(faults=("the table is invalid",))
    known = {*media.used, table.name}
    for name in found.files:
        if name not in known:
            found.leave_out(name, "not named in the table")
    return Upload(
        items=tuple(items),
        columns=read.columns,
        unused_columns=tuple(map(short, read.unused)),
        faults=tuple(read.faults),
    )


def _of_files(found: UploadedFiles, media: MediaFiles, opener: FileOpener) -> Upload:
    """Every text an item, or every picture, video or sound."""
    texts, shows = {}, {}
    for name, file in found.files.items():
        try:
            if name.lower().endswith(TEXTS):
                texts[name] = _text_in(file, opener)
            else:
                shows[name] = media.media_of(file)
        except InvalidArgument as error:
            if name not in media.refused:
                found.refuse(name, error)
    if shows:
        for name in [name for name in texts if _is_about_all(name)]:
            found.leave_out(name, "its name suggests notes about the other files")
            del texts[name]
    if texts and shows:
        one, other = shown(next(iter(texts))), shown(next(iter(shows)))
        words = (
            f"there are texts ({one}) and media ({other}): upload one kind, or name both in a "
            "table with the columns id, text and media"
        )
        return Upload(faults=(words,))
    items: dict[str, CampaignItem] = {}
    for name, item_id in sorted(_ids([*texts, *shows]).items(), key=_by_number):
        if item_id in items:
            found.refuse(name, f"there is another file for the item {short(item_id)}: rename one")
            continue
        try:
            items[item_id] = CampaignItem(item_id, texts.get(name, ""), shows.get(name, ""))
        except InvalidArgument as error:
            found.refuse(name, error)
    return Upload(items=tuple(items.values()))


def _is_about_all(name: str) -> bool:
    return without_ending(basename(name)).lower() in ABOUT_ALL


def _by_number(named: tuple[str, str]) -> list[tuple[int, str]]:
    """Browsers list folders in any order: item 2 comes before item 10."""
    pieces = re.split(r"([0-9]+)", named[1].casefold())
    return [(int(piece), "") if k % 2 else (-1, piece) for k, piece in enumerate(pieces)]


def _text_in(file: UploadedFile, opener: FileOpener) -> str:
    with opener.whole(file, opener.limits.largest_text) as content:
        return require_text(text_of(content.read()), "text")


def _ids(names: Sequence[str]) -> dict[str, str]:
    """The id of each file: its name from the folder on that all of them share."""
    top = commonpath([dirname(name) or "." for name in names]) if names else ""
    return {name: without_ending(relpath(name, top or ".")) for name in names}


def _warnings(items: Sequence[CampaignItem], media: MediaFiles) -> Iterable[str]:
    for file, examined in media.kept.values():
        if examined.warning:
            yield f"{file.shown}: {examined.warning}"
    addresses = [item for item in items if is_address(item.media)]
    unclear = [i for i in addresses if kind_of_ending(urlsplit(i.media).path) is None]
    if unclear:
        yield (
            f"{len(unclear):,} addresses have no known file suffix, such as that of "
            f"{short(unclear[0].id)}: they are shown as pictures"
        )
    if any(item.media.startswith("http:") for item in addresses):
        yield "a server with https cannot show media from http addresses: use https"
    tracks = Counter(item.track for item in items)
    if alone := [track for track, n in tracks.items() if n == 1 and len(tracks) > 1]:
        yield (
            f"{len(alone):,} tracks have only one item, such as {short(alone[0])}: it cannot be "
            "compared"
        )
    shown_by = defaultdict(list)
    for item in items:
        shown_by[item.text, item.media, item.track].append(item.id)
    for same in [ids for ids in shown_by.values() if len(ids) > 1][:5]:
        yield (
            f"{short(same[0])} and {short(same[1])} are identical: workers cannot distinguish them"
        )
