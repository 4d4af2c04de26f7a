"""Settings and items whose every text is hostile, found from the classes that hold them."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from urllib.parse import quote

from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.errors import HodgeRankError
from server.browser.hostile_texts import Attack

N_ROWS = 4
"""Of settings that are lists: each begins with another payload."""
N_ITEMS = 32
"""So many that there is a field to search them."""
PARTICULAR = {
    "stop",
    "sampler",
    "attention.exclude",
    "panel.return_to",
    "panel.return_origins",
    "pages.entrance",
}
"""Texts of which not any is taken, beside words that are chosen from a list."""
PLACES = "c={code}&w={worker}&s={session}"


@dataclass(frozen=True)
class HostileSettings:
    """What every text of the settings became.

    Attributes
    ----------
    shown
        What was taken, by the name of its setting.
    refused
        What was not, and the words that say so.
    """

    settings: CampaignSettings
    shown: dict[str, list[str]]
    refused: dict[str, tuple[Any, str]]


def hostile_settings(
    attack: Attack, home: str, items: list[CampaignItem], **given: Any
) -> HostileSettings:
    """A new text among the settings is in it by itself; a new kind of rule for texts is not."""
    settings = CampaignSettings("Which?").changed(given)
    shown, refused = {}, {}
    for name, value, is_chosen in _texts(CampaignSettings, attack, items):
        is_strict = is_chosen or name in PARTICULAR
        try:
            settings = _with(settings, name, value)
        except HodgeRankError as error:
            refused[name] = value, str(error)
            if is_strict:
                continue
            value = attack.name(name)
            settings = _with(settings, name, value)
        assert not is_strict, f"{name} takes any text"
        shown[name] = _all_texts(value)
    # What may stand in an address of those that are allowed.
    address = (
        f"{home}/healthz?{PLACES}&{quote(attack.name('panel.return_to'), safe='''!'()*;:@,''')}"
    )
    settings = _with(settings, "panel.return_to", address)
    settings = _with(settings, "panel.return_origins", [home])
    return HostileSettings(settings, shown, refused)


def hostile_items(attack: Attack, home: str, picture: str) -> list[CampaignItem]:
    """Two tracks of items; media are nowhere, at an address of this server, or a real picture."""
    tracks = [attack.name("item.track", k) for k in range(2)]
    items = []
    for k in range(2 * N_ROWS):
        made = {
            one.name: (attack.name if one.name == "id" else attack.text)(f"item.{one.name}", k)
            for one in fields(CampaignItem)
            if one.name != "track"
        }
        address = f"{home}/static/icon.svg?{made['media']}"
        made["media"] = {1: made["media"], 2: address, 3: picture}.get(k, "")
        items.append(CampaignItem(track=tracks[k // N_ROWS], **made))
    others = range(len(items), N_ITEMS)
    return items + [CampaignItem(f"other-{k}", track=tracks[1]) for k in others]


def _texts(
    kind: type[Any], attack: Attack, items: list[CampaignItem], prefix: str = ""
) -> Iterator[tuple[str, Any, bool]]:
    """Every setting with text in it: its name, hostile text, and if it is chosen from a list."""
    hints = get_type_hints(kind)
    for one in fields(kind):
        name, hint = prefix + one.name, hints[one.name]
        if is_dataclass(hint):
            yield from _texts(hint, attack, items, f"{name}.")
        elif _has_text(hint):
            yield name, _value(name, hint, attack, items), _is_chosen(hint)


def _value(name: str, hint: Any, attack: Attack, items: list[CampaignItem], k: int = 0) -> Any:
    """Something hostile of a type."""
    if get_origin(hint) is not tuple:
        return attack.text(name, k)
    inner = get_args(hint)[0]
    if not is_dataclass(inner):
        return [attack.text(name, k) for k in range(N_ROWS)]
    rows = []
    for row in range(N_ROWS):
        hints = get_type_hints(inner)
        made = {
            one.name: _value(f"{name}.{one.name}", hints[one.name], attack, items, row)
            for one in fields(inner)
        }
        # These have to be among others.
        agreed = {"better": items[2 * row].id, "worse": items[2 * row + 1].id}
        if "answers" in made:
            agreed["right"] = made["answers"][0]
        rows.append({part: agreed.get(part, value) for part, value in made.items()})
    return rows


def _has_text(hint: Any) -> bool:
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return is_dataclass(inner) or _has_text(inner)
    if get_origin(hint) in (Union, types.UnionType):
        return any(map(_has_text, get_args(hint)))
    return hint is str or _is_chosen(hint)


def _is_chosen(hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(map(_is_chosen, get_args(hint)))
    return get_origin(hint) is Literal


def _with(settings: CampaignSettings, name: str, value: Any) -> CampaignSettings:
    group, _, key = name.rpartition(".")
    return settings.changed({group: {key: value}} if group else {key: value})


def _all_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return [text for part in parts for text in _all_texts(part)]
