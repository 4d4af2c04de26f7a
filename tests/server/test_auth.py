"""Every route for every kind of visitor: who is let in, and who is not.

The table below says again, on purpose, who may use which route: a new route needs a row here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from hodgerank.campaign import Campaign
from hodgerank.server import app as app_module
from hodgerank.server.app import create_app
from hodgerank.server.auth import keep
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.routes import ROUTES

OWN = "http://localhost:8000"
LET_IN = 299

ANYONE = {"owner", "judge", "reader", "worker", "nobody"}
PROGRAM = {"owner", "judge", "reader"}
WHO = {
    "ANY": ANYONE,
    "OWN": {"owner"},
    "JUD": {"owner", "judge"},
    "REA": {"owner", "reader"},
    "PRO": PROGRAM,
    "WOR": {"worker"},
    "SIG": {*PROGRAM, "worker"},
}
TABLE = """
ANY GET /static/{name}
ANY GET /healthz
REA GET /metrics
SIG GET /media/{campaign}/{name}
SIG HEAD /media/{campaign}/{name}
ANY GET /enter
ANY POST /enter
OWN POST /leave
OWN POST /leave/others
OWN GET /
OWN GET /new
OWN POST /new
OWN POST /new/preview
OWN GET /new/rule
OWN GET /new/staged/{staged}/{name}
OWN GET /c/{campaign}
OWN GET /c/{campaign}/row
OWN GET /c/{campaign}/standing
OWN GET /c/{campaign}/stream
OWN POST /c/{campaign}/status
OWN GET /c/{campaign}/workers
OWN GET /c/{campaign}/workers/table
OWN GET /c/{campaign}/workers/one
OWN GET /c/{campaign}/workers/without
OWN POST /c/{campaign}/workers/ban
OWN POST /c/{campaign}/workers/restore
OWN POST /c/{campaign}/workers/admit
OWN POST /c/{campaign}/workers/forget
OWN GET /c/{campaign}/items
OWN GET /c/{campaign}/items/table
OWN POST /c/{campaign}/items/preview
OWN POST /c/{campaign}/items/add
OWN POST /c/{campaign}/items/retire
OWN POST /c/{campaign}/items/restore
OWN GET /c/{campaign}/items/{number}
OWN POST /c/{campaign}/items/{number}
OWN GET /c/{campaign}/settings
OWN POST /c/{campaign}/settings
OWN POST /c/{campaign}/entrance
OWN POST /c/{campaign}/reset
OWN POST /c/{campaign}/tokens
OWN POST /c/{campaign}/tokens/revoke
OWN GET /c/{campaign}/export
OWN GET /c/{campaign}/export/{name}
OWN GET /c/{campaign}/report
ANY GET /j/{campaign}
ANY POST /j/{campaign}
ANY GET /j/{campaign}/{entrance}
ANY POST /j/{campaign}/{entrance}
WOR GET /w/{campaign}
WOR GET /w/{campaign}/questions
WOR POST /w/{campaign}/questions
WOR POST /w/{campaign}/tasks
WOR POST /w/{campaign}/answer
WOR POST /w/{campaign}/skip
WOR POST /w/{campaign}/undo
WOR POST /w/{campaign}/leave
WOR GET /w/{campaign}/done
ANY GET /api/v1/openapi.json
PRO GET /api/v1/campaigns
OWN POST /api/v1/campaigns
PRO GET /api/v1/campaigns/{campaign}
PRO GET /api/v1/campaigns/{campaign}/counts
OWN PATCH /api/v1/campaigns/{campaign}/settings
OWN POST /api/v1/campaigns/{campaign}/pause
OWN POST /api/v1/campaigns/{campaign}/resume
OWN POST /api/v1/campaigns/{campaign}/close
OWN POST /api/v1/campaigns/{campaign}/reset
PRO GET /api/v1/campaigns/{campaign}/items
OWN POST /api/v1/campaigns/{campaign}/items
OWN PATCH /api/v1/campaigns/{campaign}/items
OWN POST /api/v1/campaigns/{campaign}/items/retire
OWN POST /api/v1/campaigns/{campaign}/items/restore
REA GET /api/v1/campaigns/{campaign}/workers
OWN POST /api/v1/campaigns/{campaign}/workers/ban
OWN POST /api/v1/campaigns/{campaign}/workers/restore
OWN POST /api/v1/campaigns/{campaign}/workers/admit
OWN POST /api/v1/campaigns/{campaign}/workers/forget
JUD POST /api/v1/campaigns/{campaign}/workers/join
JUD POST /api/v1/campaigns/{campaign}/workers/quiz
JUD POST /api/v1/campaigns/{campaign}/workers/finish
JUD POST /api/v1/campaigns/{campaign}/tasks
OWN POST /api/v1/campaigns/{campaign}/tasks/expire
JUD POST /api/v1/campaigns/{campaign}/undo
JUD POST /api/v1/tasks/{task}/answer
JUD POST /api/v1/tasks/{task}/skip
REA GET /api/v1/campaigns/{campaign}/ranking
REA GET /api/v1/campaigns/{campaign}/trust
PRO GET /api/v1/campaigns/{campaign}/progress
REA GET /api/v1/campaigns/{campaign}/votes
OWN POST /api/v1/campaigns/{campaign}/votes
REA GET /api/v1/campaigns/{campaign}/events
OWN POST /api/v1/media
OWN GET /api/v1/tokens
OWN POST /api/v1/tokens
OWN DELETE /api/v1/tokens/{token}
"""
ACCESS = {(method, path): WHO[who] for who, method, path in map(str.split, TABLE.split("\n")[1:-1])}


@dataclass(frozen=True)
class Visitor:
    """Somebody with a key, or with none."""

    name: str
    role: str
    kind: str = "token"
    campaign: str | None = "cups"
    is_over: bool = False
    is_good: bool = True


VISITORS = [
    Visitor("nobody", "nobody", is_good=False),
    Visitor("owner in a browser", "owner", "session", None),
    Visitor("owner's program", "owner", campaign=None),
    Visitor("owner's program of the campaign", "owner"),
    Visitor("judge of the campaign", "judge"),
    Visitor("reader of the campaign", "reader"),
    Visitor("worker of the campaign", "worker", "session"),
    Visitor("owner's program of another campaign", "owner", campaign="bowls"),
    Visitor("judge of another campaign", "judge", campaign="bowls"),
    Visitor("reader of another campaign", "reader", campaign="bowls"),
    Visitor("worker of another campaign", "worker", "session", "bowls"),
    Visitor("owner whose session is over", "owner", "session", None, is_over=True, is_good=False),
    Visitor("judge whose token is over", "judge", is_over=True, is_good=False),
    Visitor("a link shown as a token", "owner", "link", None, is_good=False),
    Visitor("a worker's session shown as a token", "worker", "session shown", is_good=False),
    Visitor("an owner's session shown as a token", "owner", "session shown", None, is_good=False),
    Visitor("a token shown as a cookie", "owner", "token shown", None, is_good=False),
]


async def let_in(request: Request) -> Response:
    return Response(status_code=LET_IN)


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    context = ServerContext(ServerConfig(str(tmp_path_factory.mktemp("context") / "campaigns.db")))
    for id in ("cups", "bowls"):
        Campaign.create(context.database, ["a", "b", "c"], question="Which?", id=id)
    return context


@pytest.fixture(scope="module")
def client(context):
    with pytest.MonkeyPatch.context() as patch:
        doors = [route._replace(endpoint=let_in) for route in ROUTES]
        patch.setattr(app_module, "ROUTES", doors)
        patch.setattr(context.limits, "take", lambda *_: None)
        with TestClient(create_app(context), base_url=OWN) as client:
            yield client


@pytest.fixture(scope="module")
def headers(context):
    """What each visitor sends."""
    return {visitor.name: _shown(context, visitor) for visitor in VISITORS}


def _shown(context, visitor):
    shown = {"origin": OWN, "accept": "application/json"}
    if visitor.role == "nobody":
        return shown
    kind = visitor.kind.removesuffix(" shown")
    token = context.keys.issue(
        kind,
        visitor.role,
        "somebody",
        campaign=visitor.campaign,
        seconds=-1 if visitor.is_over else 600,
    )
    if visitor.kind in ("session", "token shown"):
        response = Response()
        of = visitor.campaign if visitor.role == "worker" else None
        keep(_request(), response, token, of)
        return shown | {"cookie": response.headers["set-cookie"].partition(";")[0]}
    return shown | {"authorization": f"Bearer {token}"}


def _request():
    scope = {"type": "http", "scheme": "http", "server": ("localhost", 8000), "path": "/"}
    return Request(scope | {"headers": [(b"host", b"localhost:8000")], "query_string": b""})


def filled(path):
    return re.sub(r"\{\w+\}", "x", path.replace("{campaign}", "cups"))


def is_let_in(visitor, method, path):
    who = ACCESS[method, path]
    if who is ANYONE:
        return True
    if visitor.kind == "token" and not path.startswith(("/api/", "/media/", "/metrics")):
        return False
    is_of_campaign = visitor.campaign in (None, "cups") or "{campaign}" not in path
    return visitor.is_good and visitor.role in who and is_of_campaign


def test_the_table_has_every_route_and_no_other():
    assert {(route.method, route.path) for route in ROUTES} == set(ACCESS)


def test_there_are_no_routes_beside_the_table(client):
    served = {(method, route.path) for route in client.app.routes for method in route.methods}
    known = {(route.method, route.path) for route in ROUTES}
    known |= {("HEAD", path) for method, path in known if method == "GET"}
    assert served - known == set()


@pytest.mark.parametrize("visitor", VISITORS, ids=lambda visitor: visitor.name)
def test_a_visitor_gets_in_where_the_table_says_so_and_nowhere_else(client, headers, visitor):
    wrong = []
    for method, path in ACCESS:
        answer = client.request(method, filled(path), headers=headers[visitor.name])
        if (answer.status_code == LET_IN) != is_let_in(visitor, method, path):
            wrong.append((method, path, answer.status_code))
        elif answer.status_code != LET_IN:
            assert answer.status_code in (401, 403, 404)
    assert wrong == []


def test_of_other_campaigns_nothing_is_told(client, headers):
    mine = headers["reader of the campaign"]
    answers = [
        client.get(f"/api/v1/campaigns/{id}/ranking", headers=mine) for id in ("bowls", "nothing")
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json()["detail"] == answers[1].json()["detail"] == ""


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("campaign", [None, "cups"])
def test_cookies_are_out_of_reach_of_scripts_and_other_sites(scheme, campaign):
    response = Response()
    request = _request()
    request.scope["scheme"] = scheme
    keep(request, response, "token", campaign)
    name, *parts = response.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "Path=/"} <= set(parts)
    assert ("SameSite=strict" if campaign is None else "SameSite=lax") in parts
    assert ("Secure" in parts) == name.startswith("__Host-") == (scheme == "https")
    assert not any(part.startswith("Domain") for part in parts)
