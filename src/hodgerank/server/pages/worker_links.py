"""Worker links: the address to share, with what a panel has to put into it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.requests import Request

from hodgerank.campaign.panel import PARAMETERS
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.server.house import house_of

FILLED_IN = {"prolific": "{{%%%s%%}}"}
"""How a panel wants the places written that it fills in for each worker."""


def worker_link(request: Request, id: str, settings: CampaignSettings) -> str:
    """The address for those who compare, or for the panel that they come from."""
    place = FILLED_IN.get(settings.panel.kind)
    address = _address(request, id, settings.pages.entrance)
    if place is None:
        return address
    names = PARAMETERS[settings.panel.kind].values()
    return f"{address}?" + "&".join(f"{name}={place % name}" for name in names)


def trial_link(request: Request, id: str, settings: CampaignSettings, name: str) -> str:
    """The address for an owner who tries it under a made-up name."""
    address, parameters = _address(request, id, settings.pages.entrance), PARAMETERS
    told = {key: name for part, key in parameters[settings.panel.kind].items() if part != "return"}
    return f"{address}?{urlencode(told)}" if told else address


def _address(request: Request, id: str, entrance: str) -> str:
    home = house_of(request).rules.public_url or str(request.base_url)
    parts = ["j", id, *([entrance] if entrance else [])]
    return "/".join([home.rstrip("/"), *(quote(part, safe="") for part in parts)])
