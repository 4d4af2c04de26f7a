"""ServerContext: all that a server has, for those who answer requests."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database
from hodgerank.campaign.items import media_folder
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.display import short
from hodgerank.server.analysis_process import AnalysisProcess
from hodgerank.server.api_keys import ApiKeys
from hodgerank.server.garbage_collection import spare_what_is_new
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.problem import Problem
from hodgerank.server.rate_limits import RateLimits
from hodgerank.server.uploads.staging import Staging

T = TypeVar("T")


@dataclass(frozen=True)
class ServerConfig:
    """What whoever starts the server decides.

    Attributes
    ----------
    address
        Where campaigns are kept: a file, or a PostgreSQL address.
    media
        The folder of pictures and sounds; beside the file if it is not named.
    public_url
        The address under which others reach it, such as https://rank.example.org/votes.
    most_upload_bytes
        Of one upload.
    """

    address: str
    media: Path | None = None
    public_url: str | None = None
    most_upload_bytes: int = 2 << 30

    @property
    def media_folder(self) -> Path:
        """Where media are kept."""
        return media_folder(self.address) if self.media is None else self.media


class ServerContext:
    """The database with its campaigns, and who may do what in it.

    Attributes
    ----------
    analysis
        Computes what takes long, in a process of its own.
    forecaster
        Another one for what takes longer still, so that nobody waits for that who need not.
    media, staging
        Pictures and sounds of items, and uploads that wait for their owner to decide.
    """

    def __init__(self, rules: ServerConfig) -> None:
        self.rules = rules
        self.database = Database(rules.address)
        self.keys = ApiKeys(self.database.store.keys)
        try:
            self.media = MediaLibrary(rules.media_folder)
            self.staging = Staging(self.media.folder)
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
        """A campaign, which is opened when it is first asked for."""
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

    def opened(self) -> list[Campaign]:
        """The campaigns that are open in this process."""
        return list(self._campaigns.values())

    def close(self) -> None:
        """Finish what was begun, and let others have the database."""
        self.analysis.close()
        self.forecaster.close()
        self.database.close()


async def transact(campaign: Campaign, what: Callable[[CampaignState, float], T]) -> T:
    """Decide something in a campaign; what it records is durable when this returns."""
    return await asyncio.wrap_future(campaign.log.begin(what))


async def read(campaign: Campaign, what: Callable[[CampaignSnapshot, float], T]) -> T:
    """Look at a campaign, without the lock that writing takes."""
    return await run_in_threadpool(campaign.log.read, what)


def context_of(request: Request) -> ServerContext:
    """The context that serves a request."""
    context: ServerContext = request.app.state.context
    return context


async def campaign_of(request: Request) -> Campaign:
    """The campaign that the address names."""
    found = await context_of(request).campaign(request.path_params["campaign"])
    if found is None:
        raise Problem(404, f"there is no campaign {short(request.path_params['campaign'])}")
    return found
