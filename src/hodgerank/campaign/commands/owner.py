"""Commands of the owner of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hodgerank.campaign.commands.leases import expire
from hodgerank.campaign.events import Event, Kind
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.display import short
from hodgerank.errors import CampaignError, InvalidArgument, UnknownItem
from hodgerank.types import Item


def create(
    state: CampaignState, now: float, settings: CampaignSettings, items: Iterable[CampaignItem]
) -> None:
    """Record the first events of a log."""
    _require_new(state)
    joining = _checked(state, items)
    tracks = {item.id: item.track for item in joining}
    if max(Counter(tracks.values()).values(), default=0) < 2:
        raise InvalidArgument("at least two items in one track are needed")
    _require_pairs(settings, tracks)
    state.record("created", now, data={"settings": settings.to_dict()})
    for item in joining:
        state.record("item_added", now, data=item.to_dict())


def add_items(state: CampaignState, now: float, items: Iterable[CampaignItem]) -> None:
    """Add items, all or none."""
    _require_not_closed(state)
    for item in _checked(state, items):
        state.record("item_added", now, data=item.to_dict())


def _checked(state: CampaignState, items: Iterable[CampaignItem]) -> list[CampaignItem]:
    joining = list(items)
    for item, times in Counter(item.id for item in joining).items():
        if times > 1 or item in state.items.codes:
            raise InvalidArgument(f"the item {short(item)} exists already: choose another id")
    names = (*(one.id for one in joining), *state.items.codes)
    if len({isinstance(name, int) for name in names}) > 1:
        raise InvalidArgument(
            "item ids are partly integers and partly strings: use strings for all"
        )
    return joining


def edit_item(
    state: CampaignState, now: float, item: Item, text: str | None, media: str | None
) -> None:
    """Replace the text or media of an item."""
    code = state.items.code(item)
    before = state.items.items[code]
    given = {"text": text, "media": media}
    shown = {
        name: value
        for name, value in given.items()
        if value is not None and value != getattr(before, name)
    }
    replace(before, **shown)  # raises an error for characters that cannot be displayed
    if shown:
        state.record("item_changed", now, left=code, data=shown)


def retire_items(state: CampaignState, now: float, items: Iterable[Item]) -> None:
    """Retire items, all or none; answers to tasks in progress are accepted."""
    for code in _codes(state, items):
        if code not in state.items.retired:
            state.record("item_retired", now, left=code)


def restore_items(state: CampaignState, now: float, items: Iterable[Item]) -> None:
    """Restore retired items, all or none."""
    for code in _codes(state, items):
        if code in state.items.retired:
            state.record("item_restored", now, left=code)


def _codes(state: CampaignState, items: Iterable[Item]) -> list[int]:
    """Return the numbers of all items before anything is recorded."""
    return [state.items.code(item) for item in items]


def pause(state: CampaignState, now: float) -> None:
    """Pause: no new tasks; answers to tasks in progress are accepted."""
    _require_not_closed(state)
    if state.status == "open":
        state.record("paused", now)


def resume(state: CampaignState, now: float) -> None:
    """Resume after a pause."""
    _require_not_closed(state)
    if state.status == "paused":
        state.record("resumed", now)


def close(state: CampaignState, now: float) -> None:
    """Close permanently: no more tasks, answers or undoing."""
    expire(state, now)
    if state.status != "closed":
        state.record("closed", now)


def reset(state: CampaignState, now: float) -> None:
    """Discard all votes; items, settings, workers, bans and the log stay."""
    _require_not_closed(state)
    state.record("reset", now)


def change_settings(state: CampaignState, now: float, changes: Mapping[str, Any]) -> None:
    """Change settings from now on."""
    settings = state.settings.changed(changes)
    _require_pairs(settings, {item.id: item.track for item in state.items.items})
    if settings != state.settings:
        state.record("settings_changed", now, data={"settings": settings.to_dict()})


def note_enough(state: CampaignState, now: float, tracks: Mapping[str, bool], seq: int) -> None:
    """Record which of these tracks have reached their target, as of event `seq`.

    Answers to pairs that were in progress then may change that.
    """
    for kind, track in enough_to_note(state, tracks, seq):
        state.record(kind, now, data={"track": track, "rule": state.settings.stop})


def enough_to_note(
    snapshot: CampaignSnapshot, tracks: Mapping[str, bool], seq: int
) -> list[tuple[Kind, str]]:
    """Return what `note_enough` would record, so that readers need not write."""
    if snapshot.settings.stop is None or snapshot.revised > seq:
        return []  # some of the answers do not count any more
    found: list[tuple[Kind, str]] = []
    for track, is_enough in tracks.items():
        reached_at = snapshot.enough.get(snapshot.items.track_number(track))
        if is_enough and reached_at is None:
            found.append(("enough", track))
        elif not is_enough and reached_at is not None and reached_at <= seq:
            found.append(("not_enough", track))
    return found


def take_over(state: CampaignState, events: Iterable[Event]) -> None:
    """Import the log of another campaign as the beginning of this one."""
    _require_new(state)
    for event in events:
        state.fold(event)
        state.outbox.append(event)


def _require_new(state: CampaignState) -> None:
    if state.seq:
        raise CampaignError("a campaign of this name exists already: choose another name")


def _require_not_closed(state: CampaignState) -> None:
    if state.status == "closed":
        raise CampaignError("the campaign is closed")


def _require_pairs(settings: CampaignSettings, tracks: Mapping[Item, str]) -> None:
    """Refuse gold and practice pairs of items in different tracks."""
    for what, pairs in (("gold", settings.gold), ("practice", settings.joining.practice)):
        for pair in pairs:
            for item in (pair.better, pair.worse):
                if item not in tracks:
                    raise UnknownItem(item, tracks)
            if tracks[pair.better] != tracks[pair.worse]:
                words = f"the {what} pair {short(pair.better)}, {short(pair.worse)}"
                raise InvalidArgument(f"{words} is in two tracks")
