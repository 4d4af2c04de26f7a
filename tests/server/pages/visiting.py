"""Workers without a browser: what they would be shown, and what their scripts would say."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

from hodgerank.campaign.campaign import Campaign
from server.live_server import LiveServer


class Visitor:
    """Somebody with cookies of their own, at the door of a campaign or inside."""

    def __init__(self, live: LiveServer, campaign: Campaign, query: str = "") -> None:
        self.door = live.join_link(campaign, query)
        self.inside = f"{live.url}/w/{campaign.id}"
        headers = {"Origin": live.url, "Accept": "text/html", "Connection": "close"}
        self.http = httpx.Client(headers=headers, verify=False)  # over HTTP: no certificates

    def knock(self, **headers: str) -> httpx.Response:
        """Look at the door."""
        return self.http.get(self.door, headers=headers)

    def join(self, **form: str) -> httpx.Response:
        """Go in."""
        return self.http.post(self.door, data=form)

    def see(self, what: str = "") -> httpx.Response:
        """A page inside."""
        return self.http.get(self.inside + what)

    def say(self, act: str, **body: Any) -> httpx.Response:
        """What a script sends."""
        headers = {"Accept": "application/json"}
        return self.http.post(f"{self.inside}/{act}", json=body, headers=headers)

    def turn(self, act: str = "tasks", **body: Any) -> dict[str, Any]:
        """What a script hears."""
        answer = self.say(act, **body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def data(self) -> dict[str, Any]:
        """What the page of pairs has for its script."""
        found = re.search(
            r'<script type="application/json" id="data">(.*?)</script>', self.see().text
        )
        assert found is not None
        return dict(json.loads(found[1]))


def worker(live: LiveServer, campaign: Campaign, query: str = "") -> Visitor:
    """Who has joined."""
    visitor = Visitor(live, campaign, query)
    answer = visitor.join()
    assert answer.status_code == 303, answer.text
    return visitor
