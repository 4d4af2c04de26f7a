"""ServerContext: everything that requests share."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.campaign.items import media_folder
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.display import short
from hodgerank.private_files import share_with_group
from hodgerank.server.analysis_process import AnalysisProcess
from hodgerank.server.api_keys import ApiKeys
from hodgerank.server.garbage_collection import spare_what_is_new
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.problem import Problem
from hodgerank.server.rate_limits import RateLimits
from hodgerank.server.uploads.parser_process import ParserProcesses
from hodgerank.server.uploads.staging import Staging

T = TypeVar("T")
P = ParamSpec("P")

UPLOAD_THREADS = 4
_BESIDE = ("-wal", "-shm", ".lock", "-snapshots")


@dataclass(frozen=True)
class ServerConfig:
    """Options of a server.

    Attributes
    ----------
    address
        Database of the campaigns: a file, or a PostgreSQL address.
    media
        Folder of pictures and sounds; default: beside the file.
    public_url
        Public address, such as https://rank.example.org/votes.
    most_upload_bytes
        Maximum size of one upload.
    group_readable
        Whether the group may read database and media, as backups and proxies do.
    """

    address: str
    media: Path | None = None
    public_url: str | None = None
    most_upload_bytes: int = 2 << 30
    group_readable: bool = False

    @property
    def media_folder(self) -> Path:
        """Folder of the media."""
        return media_folder(self.address) if self.media is None else self.media

    @property
    def places(self) -> list[Path]:
        """Files and folders with what the server keeps, those that exist."""
        name = self.address
        files = [] if "://" in name else [f"{name}{end}" for end in ("", *_BESIDE)]
        return [path for path in (*map(Path, files), self.media_folder) if path.exists()]


class ServerContext:
    """Campaigns, access keys, media and analyses of a server.

    Attributes
    ----------
    analysis
        Process for analyses.
    forecaster
        Process for forecasts, so that other analyses do not wait for them.
    media, staging
        Media of items, and uploads that their owner has not confirmed yet.
    parsers
        Processes that parse uploads.
    """

    def __init__(self, rules: ServerConfig) -> None:
        self.rules = rules
        self.database = Database(rules.address)
        if rules.group_readable:
            share_with_group(rules.places)
        self.keys = ApiKeys(self.database.store.keys)
        self.parsers = ParserProcesses()
        self._upload_threads = CapacityLimiter(UPLOAD_THREADS)
        try:
            self.media = MediaLibrary(
                rules.media_folder,
                validate=self.parsers.validate_media,
                beside=None if "://" in rules.address else Path(rules.address),
            )
            if rules.group_readable:
                share_with_group([self.media.folder])
            self.staging = Staging(self.media.folder, self.parsers.read_upload)
        except BaseException:
            self.database.close()
            raise
        self.analysis, self.forecaster = (
            AnalysisProcess(rules.address),
            AnalysisProcess(rules.address),
        )
        self.limits = RateLimits()
        self._campaigns: dict[str, Campaign] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def campaign(self, id: str) -> Campaign | None:
        """Return a campaign, opened on demand."""
        if (known := self._campaigns.get(id)) is not None:
            return known
        if id not in await run_in_threadpool(self.database.campaigns):
            return None
        async with self._opening[id]:
            if id not in self._campaigns:
                opened = await run_in_threadpool(Campaign.open, self.database, id)
                spare_what_is_new()
                self._campaigns[id] = opened
        return self._campaigns[id]

    async def in_upload_thread(
        self, what: Callable[P, T], /, *args: P.args, **options: P.kwargs
    ) -> T:
        """Run what may wait long for a parser, so that all else still finds a thread."""
        return await to_thread.run_sync(
            partial(what, *args, **options), limiter=self._upload_threads
        )

    def opened(self) -> list[Campaign]:
        """Campaigns that are open in this process."""
        return list(self._campaigns.values())

    def close(self) -> None:
        """Finish pending work, and close the database."""
        self.analysis.close()
        self.forecaster.close()
        self.parsers.close()
        self.database.close()


async def transact(campaign: Campaign, what: Callable[[CampaignState, float], T]) -> T:
    """Run a command on a campaign; its events are durable when this returns."""
    return await asyncio.wrap_future(campaign.log.begin(what))


async def read(campaign: Campaign, what: Callable[[CampaignSnapshot, float], T]) -> T:
    """Read a campaign without the lock of the database."""
    return await run_in_threadpool(campaign.log.read, what)


def context_of(request: Request) -> ServerContext:
    """Return the context of a request."""
    context: ServerContext = request.app.state.context
    return context


async def campaign_of(request: Request) -> Campaign:
    """Return the campaign in the path of a request."""
    found = await context_of(request).campaign(request.path_params["campaign"])
    if found is None:
        raise Problem(404, f"there is no campaign {short(request.path_params['campaign'])}")
    return found
