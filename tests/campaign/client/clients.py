"""Clients of a live server, with tokens of their own."""

from __future__ import annotations

from typing import Any

from hodgerank.campaign import Campaign, RemoteCampaign
from hodgerank.server.api_keys import Role
from server.live_server import LiveServer


class Clients:
    """All that a test has made, to be closed when it ends."""

    def __init__(self, live: LiveServer) -> None:
        self._live = live
        self._made: list[RemoteCampaign] = []

    def token(self, role: Role = "owner", name: str = "gpt", campaign: str | None = None) -> str:
        """A new one."""
        return self._live.context.keys.issue("token", role, name, campaign=campaign)

    def of(
        self, campaign: Campaign, role: Role = "owner", name: str = "gpt", **options: Any
    ) -> RemoteCampaign:
        """A campaign of the server, as a program with this role sees it."""
        token = self.token(role, name, campaign.id)
        url = options.pop("url", self._live.url)
        return self.keep(RemoteCampaign(url, campaign.id, token=token, **options))

    def keep(self, client: RemoteCampaign) -> RemoteCampaign:
        """One more to be closed."""
        self._made.append(client)
        return client

    def close(self) -> None:
        """The end."""
        for client in self._made:
            client.leave()
