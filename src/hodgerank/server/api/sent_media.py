"""Sent media: files that programs have uploaded, from the upload until an item shows them.

Whoever has the bytes of a file may show it, and a name is not the bytes: names stand in addresses
that workers see, in logs and in exports. So a token of one campaign may name what was sent with a
token of the same campaign, and what the campaign shows already, but no other file of the library.
Of those it is told the same as of files that are not there. A token that is good for all campaigns
sees all their media anyway, and may name any.

Until then a file lies apart from the library, in a folder for its campaign and day that stands
among the uploads of pages, and is removed as they are: not before a day has gone by.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.media_folder import media_file
from hodgerank.campaign.panel import ADDRESS
from hodgerank.campaign.state import CampaignState
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short
from hodgerank.server.access import key_of
from hodgerank.server.house import House, decide, house_of
from hodgerank.server.media.examining import Examined, examine
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.staging import FOLDER, KEPT_SECONDS


def keep(house: House, campaign: str | None, file: BinaryIO) -> Examined:
    """Keep what was sent with a token of a campaign, or of all; InvalidArgument if it is refused.

    Whether the library has the same file makes no difference, so nobody can find that out.
    """
    examined = examine(file)
    file.seek(0)
    # Nothing is added to the folder of an earlier day, so that who removes it meets no new file.
    today = _folder(house, campaign, _day())
    MediaLibrary(today, house.media.largest).add(file, "the file", examined)
    house.staging.clean()
    return examined


@asynccontextmanager
async def naming(
    request: Request, media: Iterable[str], campaign: Campaign | None = None
) -> AsyncIterator[None]:
    """While items are given these media: what was sent is in the library then.

    InvalidArgument for what is neither an address nor an upload that the token may name. Files stay
    where they were sent to if the items are refused.
    """
    house, key = house_of(request), key_of(request)
    names = [name for name in dict.fromkeys(media) if name and not ADDRESS.fullmatch(name)]
    if names:
        await _require(house, key.campaign, names, campaign)
    yield
    if names:
        await run_in_threadpool(_drop, house, key.campaign, names)


async def _require(
    house: House, scope: str | None, names: Sequence[str], campaign: Campaign | None
) -> None:
    others = await run_in_threadpool(_not_sent, house, scope, names)
    may_be_named = others
    if others and scope is not None:
        # Looked up after what was sent, which goes from there when an item shows it.
        shown = set[str]() if campaign is None else await decide(campaign, _shown)
        may_be_named = [name for name in others if name in shown]
    found = await run_in_threadpool(_kept, house.media, may_be_named)
    for name in others:
        if name not in found:
            raise InvalidArgument(
                f"{short(name)} is neither an address that begins with http:// or https://, nor "
                "the name of an upload that is here: upload it"
            )


def _not_sent(house: House, campaign: str | None, names: Sequence[str]) -> list[str]:
    """Names that were not sent with such a token; those that were are in the library then."""
    return [name for name in names if not _bring(house, campaign, name)]


def _bring(house: House, campaign: str | None, name: str) -> bool:
    for path in _places(house, campaign, name):
        with suppress(InvalidArgument, FileNotFoundError):  # it is not there, or not any more
            sha256 = name.removeprefix("media:").partition(".")[0]
            known = Examined(house.media.kind_of(name), sha256, path.stat().st_size)
            house.media.add(path, name, known)
            return True
    return False


def _shown(state: CampaignState, now: float) -> set[str]:
    return {item.media for item in state.items.items}


def _kept(library: MediaLibrary, names: Sequence[str]) -> set[str]:
    return {name for name in names if name in library}


def _drop(house: House, campaign: str | None, names: Sequence[str]) -> None:
    """What the library has and an item shows need not wait any more."""
    for name in names:
        for path in _places(house, campaign, name):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _places(house: House, campaign: str | None, name: str) -> Iterator[Path]:
    """Where a file may wait: yesterday's may be as young as a day."""
    for day in (_day(), _day() - 1):
        if (path := media_file(_folder(house, campaign, day), name)) is not None:
            yield path


def _folder(house: House, campaign: str | None, day: int) -> Path:
    name = hashlib.sha256(json.dumps([campaign, day]).encode()).hexdigest()[:32]
    return house.media.folder / FOLDER / name


def _day() -> int:
    return int(time.time() // KEPT_SECONDS)
