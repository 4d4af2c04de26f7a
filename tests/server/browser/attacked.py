"""A campaign in which every field was attacked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from hodgerank.campaign.campaign import Campaign
from server.browser.hostile_settings import N_ROWS, HostileSettings, hostile_items, hostile_settings
from server.browser.hostile_texts import Attack
from server.browser.working import picture
from server.live_server import LiveServer


@dataclass(frozen=True)
class Attacked:
    """A campaign whose every text is hostile.

    Attributes
    ----------
    workers
        Who has answered; the first one is banned, the last one came from the panel.
    to_show
        What has to be on a page somewhere.
    """

    server: LiveServer
    attack: Attack
    campaign: Campaign
    hostile: HostileSettings
    workers: list[str]
    to_show: list[str]

    @property
    def home(self) -> str:
        """Its address for the owner."""
        return f"/c/{quote(self.campaign.id, safe='')}"

    @property
    def door(self) -> str:
        """Its address for workers."""
        entrance = self.campaign.settings.pages.entrance
        return f"/j/{quote(self.campaign.id, safe='')}" + (f"/{entrance}" if entrance else "")


def attacked(server: LiveServer, attack: Attack, panel: str) -> Attacked:
    """Make the campaign; answers are there as well."""
    media = server.context.media.add(picture("real"), f"{attack.name('media name')}.png")
    items = hostile_items(attack, server.url, media)
    own = {"panel": {"kind": panel}, "workers_see_results": True}
    hostile = hostile_settings(attack, server.url, items, **own)
    database, id = server.context.database, attack.part("campaign")
    Campaign.create(database, ["a", "b"], question="Which?", id=attack.name("campaign")).leave()
    campaign = Campaign.create(database, items, hostile.settings, id=id)
    workers = [attack.name("worker", k) for k in range(N_ROWS)]
    for k, name in enumerate(2 * workers):
        [task] = campaign.lease(name)
        campaign.answer(task, (-1) ** k, seconds=2.0)
    [task] = campaign.lease(workers[-1])
    campaign.skip(task, campaign.settings.skip_reasons[0])
    reason = attack.text("ban")
    campaign.ban(workers[0], reason)
    tokens = [attack.name("token", k) for k in range(N_ROWS)]
    for name in tokens:
        server.context.keys.issue("token", "reader", name, campaign=id)
    texts = [text for texts in hostile.shown.values() for text in texts]
    names = [one for item in items for one in (item.id, item.text, item.track, item.media) if one]
    names.remove(media)
    names.remove(next(name for name in names if str(name).startswith(server.url)))
    to_show = [*texts, *map(str, names), id, *workers, *tokens, reason]
    return Attacked(server, attack, campaign, hostile, workers, to_show)
