"""A state in plain values, to compare one with another."""

from __future__ import annotations

from array import array
from concurrent.futures import wait
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.pair_chooser import PairChooser
from hodgerank.campaign.sampler_feed import NotReady
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState


def folded(campaign: Campaign) -> CampaignState:
    """The log of a campaign, folded from its beginning."""
    state = CampaignState()
    for event in campaign.events():
        state.fold(event)
    return state


def plain(state: CampaignState) -> dict[str, Any]:
    """All that a state knows, but the samplers."""
    tasks, items = state.tasks, state.items
    columns = {
        name: repr(list(value)) if not isinstance(value, dict | set) else repr(_sorted(value))
        for name, value in vars(tasks).items()
    }
    return {
        "seq": state.seq,
        "at": state.at,
        "status": state.status,
        "settings": state.settings,
        "items": list(items.items),
        "tracks": list(items.tracks),
        "retired": set(items.retired),
        "workers": [asdict(worker) for worker in state.workers],
        "codes": dict(state.worker_codes),
        "enough": set(state.enough),
        "open": dict(state.open),
        "n_counted": list(state.n_counted),
        "out": [dict(out) for out in state.out],
        "n_places": state.n_places,
        "tallies": {rule: list(tally) for rule, tally in state.tallies.items()},
        "sources": dict(state.sources),
        **{f"tasks.{name}": value for name, value in columns.items()},
    }


def asked_next(state: CampaignState) -> list[Any]:
    """What each track would ask next, of a worker who has seen nothing."""
    found = []
    for track in range(len(state.items.tracks)):
        members = state.items.members[track]
        resting = {place for place, item in enumerate(members) if item in state.items.retired}
        found.append(asked(state.chooser(track), len(state.workers), resting))
    return found


def asked(chooser: PairChooser, worker: int, resting: set[int]) -> Any:
    """What a sampler asks when it is ready."""
    while True:
        try:
            return chooser.ask(worker, set(), resting)
        except NotReady as error:
            wait([error.until])


def anatomy(value: Any) -> Any:
    """All that an object consists of, whatever its parts are called, in plain values."""
    if isinstance(value, dict):
        return sorted(((anatomy(key), anatomy(each)) for key, each in value.items()), key=repr)
    if isinstance(value, set | frozenset):
        return sorted((anatomy(each) for each in value), key=repr)
    if isinstance(value, list | tuple | array | bytearray):
        return [anatomy(each) for each in value]
    if callable(value):
        return type(value).__name__
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, CampaignSettings):
        return value.choosing  # those who choose pairs may have older ones that agree in this
    if is_dataclass(value):
        return {each.name: anatomy(getattr(value, each.name)) for each in fields(value)}
    found_anew = ("_folds", "_gold")
    return {name: anatomy(each) for name, each in vars(value).items() if name not in found_anew}


def _sorted(value: dict[Any, Any] | set[Any]) -> list[Any]:
    return sorted(value.items()) if isinstance(value, dict) else sorted(value)
