"""Speaking: what the scripts of workers' pages send along, so that it is known whose page it is."""

from __future__ import annotations

import hashlib
import json

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.access import key_of
from hodgerank.server.house import campaign_of
from hodgerank.server.problem import Problem


class Said(BaseModel):
    """What a script sends; `who` is the tag of the worker whose page it is in."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    who: str = Field("", max_length=100)


async def speaker(request: Request, said: Said) -> tuple[Campaign, str]:
    """The campaign, and the name of the worker.

    An old page may be open while somebody else has joined in the same browser: it is not heard, and
    keeps its answers.
    """
    campaign, name = await campaign_of(request), key_of(request).holder
    if said.who and said.who != tag_of(campaign.id, name):
        raise Problem(401, "Somebody else has joined in this browser: open your link again.")
    return campaign, name


def tag_of(campaign: str, name: str) -> str:
    """What stands for a worker where the name is nobody's business."""
    return hashlib.sha256(json.dumps([campaign, name]).encode()).hexdigest()[:16]
