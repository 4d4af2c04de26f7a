"""A context behind its API, for programs with tokens of any role."""

from __future__ import annotations

from itertools import count
from typing import Any

from starlette.testclient import TestClient

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.api_keys import Role
from hodgerank.server.context import ServerContext

HERE = "http://localhost:8000"


class Program:
    """Whoever has a token; paths are those behind /api/v1."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.token, self._client = token, client

    def ask(self, method: str, path: str, given: Any = None, **options: Any) -> Any:
        """The response."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        if given is not None:
            options["json"] = given
        return self._client.request(method, f"/api/v1{path}", headers=headers, **options)

    def get(self, path: str, **options: Any) -> Any:
        """What is there."""
        response = self.ask("GET", path, **options)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, given: Any = None, status: int = 200, **options: Any) -> Any:
        """What comes of it, which has this status."""
        response = self.ask("POST", path, given, **options)
        assert response.status_code == status, response.text
        return response.json() if response.content else None


class Served:
    """The context, and who uses it."""

    def __init__(self, context: ServerContext, client: TestClient) -> None:
        self.context, self.client = context, client
        self._numbers = count(1)

    def campaign(self, items: Any = "abcdef", **settings: Any) -> Campaign:
        """A new campaign; what programs do in it is seen here too."""
        return Campaign.create(
            self.context.database,
            list(items) if isinstance(items, str) else items,
            id=f"campaign {next(self._numbers)}",
            **{"question": "Which one?", **settings},
        )

    def program(
        self,
        role: Role = "owner",
        campaign: str | None = None,
        name: str = "gpt",
        seconds: float | None = None,
    ) -> Program:
        """One with a token of its own."""
        token = self.context.keys.issue("token", role, name, campaign=campaign, seconds=seconds)
        return Program(self.client, token)
