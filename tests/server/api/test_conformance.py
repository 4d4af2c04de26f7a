"""The schema and the server say the same, whatever is sent."""

from __future__ import annotations

from itertools import count
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.app import create_app
from hodgerank.server.context import ServerContext
from hodgerank.server.rate_limits import RateLimits
from hodgerank.server.views.live import EventWaiter
from hodgerank.server.views.openapi import schema_of
from server.pages.owning import context_at

CONFIG = {
    "base-url": "http://localhost/",
    "checks": {
        # Whatever the schema says, no body is larger than one may be.
        "negative_data_rejection": {
            "expected-statuses": ["400", "401", "403", "404", "405", "409", "413", "415", "422"]
        },
        # A schema cannot say which words are a stopping rule, or that two items have one name: the
        # campaign refuses them with the same status. That what the schema allows is not refused by
        # the schema is checked below, and is more than this check does.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "401", "403", "404", "409", "413", "422"]
        },
    },
}


class Door:
    """Leads to the application, which is made when the tests run, and lives through all of them."""

    app: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self.app(scope, receive, send)


door = Door()
described = schema_of(create_app(cast("ServerContext", None)))
schema = schemathesis.openapi.from_dict(described, config=SchemathesisConfig.from_dict(CONFIG))
schema.app = door


@schemathesis.serializer("application/jsonl", "application/vnd.apache.parquet")
def as_it_is(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


async def _have_no_patience(
    news: EventWaiter, campaign: Campaign, after: int, seconds: float
) -> bool:
    return False


class Served:
    """A context in which every request finds something to be done."""

    def __init__(self, context: ServerContext) -> None:
        self.token = context.keys.issue("token", "owner", "ann")
        self._context, self._numbers = context, count(1)
        self._campaigns: dict[str, Campaign] = {}

    def _campaign(self, operation: str) -> Campaign:
        """With a few answers; of each operation its own, until it is closed."""
        known = self._campaigns.get(operation)
        if known is None or known.counts.status == "closed":
            known = self._campaigns[operation] = Campaign.create(
                self._context.database,
                ["a", "b", "c", "cat", "dog"],
                id=f"campaign {next(self._numbers)}",
                question="Which?",
                stop="tau >= 0.1",
            )
            for task in known.lease("ann", 5):
                known.answer(task, 1)
        return known

    def prepare(self, case: Any) -> None:
        """Put what is there into the places of names, unless they are to be wrong."""
        places = case.path_parameters
        if not places or case.meta.is_negative_at(ParameterLocation.PATH):
            return
        campaign = self._campaign(case.operation.label)
        if "campaign" in places:
            places["campaign"] = campaign.id
        if "task" in places:
            places["task"] = campaign.lease(f"w{next(self._numbers)}")[0].id


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    context = context_at(str(tmp_path_factory.mktemp("schema") / "campaigns.db"))
    hours = count(step=3600)
    context.limits = RateLimits(clock=lambda: next(hours))  # strangers may try again and again
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EventWaiter, "wait", _have_no_patience)
        door.app = create_app(context)
        yield Served(context)
    context.close()


def is_not_refused_by_the_schema(context: Any, response: Any, case: Any) -> None:
    """What the schema allows may be refused by a campaign, but not as being no such thing."""
    if case.meta.generation.mode.is_positive and response.status_code == 422:
        assert "errors" not in response.json()


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=settings().max_examples // 5,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_route_answers_as_described(case, served):
    served.prepare(case)
    case.call_and_validate(
        headers={"Authorization": f"Bearer {served.token}"},
        additional_checks=[is_not_refused_by_the_schema],
    )
